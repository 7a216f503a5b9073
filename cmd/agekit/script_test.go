package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agekit/age/internal/testutil"
	"github.com/cockroachdb/datadriven"
)

// The scripts in testdata hold commands and what they print, in the form of
// github.com/cockroachdb/datadriven:
//
//	# Why this is tested.
//	NAME=value agekit fit --edges e.csv
//	-- e.csv --
//	source,target
//	----
//	agekit: what it prints, standard output and standard error as a terminal shows them
//	[exit 1]
//
// What follows "----" is written by
//
//	go test ./cmd/agekit -run 'TestBadInput|TestScripts' -rewrite
//
// A script has these commands:
//
//	shared        files that every later case finds in its folder; [scriptFile] has their forms
//	let x=(text)  makes $x stand for text; ${text*n} stands for text n times
//	env X=value   sets a variable of every later command
//	agekit ...    runs the program in a new folder, with a home, a cache and a store of its own
//	then ...      runs the program in the folder that the command before left
//	show path     prints a file of that folder
//
// In what is printed, $DIR stands for the parent of that folder, cwd, and of the home, $SECONDS
// for how long a run took, $LEVELS for the SIMD levels of this machine and ${c*n} for n times c.
type script struct {
	mustFail bool              // each command must fail and change nothing
	shared   []scriptFile      // by the commands shared
	words    map[string]string // what $name stands for, by the commands let
	env      []string          // NAME=VALUE, by the commands env
	place    *place            // of the last command agekit
}

// TestBadInput: each command in testdata/bad_*.txt fails with the message that the script says: where the
// mistake is, what was found and what was wanted. It ends in time, takes a bounded memory, prints no trace
// or type of Go, and writes nothing.
func TestBadInput(t *testing.T) { runScripts(t, "testdata/bad_*.txt", true) }

// TestScripts: the commands in the other scripts of testdata print what the scripts say.
func TestScripts(t *testing.T) { runScripts(t, "testdata/[^b]*.txt", false) }

// runScripts runs the scripts whose paths match a pattern. With mustFail, each command must fail and
// change nothing.
func runScripts(t *testing.T, pattern string, mustFail bool) {
	t.Helper()
	paths := testutil.Value(filepath.Glob(pattern)).OrFatal(t)
	if len(paths) == 0 {
		t.Fatalf("no file %s", pattern)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			s := &script{mustFail: mustFail, words: map[string]string{}}
			datadriven.RunTest(t, path, s.run)
		})
	}
}

// run does one command of a script, which datadriven has parsed, and returns what it prints.
func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	words := []string{d.Cmd} // the command line again, which datadriven has taken apart
	for _, arg := range d.CmdArgs {
		word := arg.Key
		if len(arg.Vals) > 0 {
			word += "=" + strings.Join(arg.Vals, ",")
		}
		words = append(words, word)
	}
	switch d.Cmd {
	case "shared":
		s.shared = append(s.shared, parseFiles(t, d)...)
		return ""
	case "let":
		name, value, _ := strings.Cut(strings.Join(words[1:], " "), "=")
		s.words["$"+name] = value
		return ""
	case "env":
		s.env = append(s.env, words[1:]...)
		return ""
	case "show":
		return string(read(t, s.place.path("cwd", words[1])))
	}
	return s.runAgekit(t, d, words)
}

// runAgekit does the command that words are: variables such as NAME=value, then "agekit" or "then", then
// arguments. It returns what the program prints. A command that this system cannot do counts as right: its
// result is what the script expects.
func (s *script) runAgekit(t *testing.T, d *datadriven.TestData, words []string) string {
	t.Helper()
	k := slices.IndexFunc(words, func(w string) bool { return w == "agekit" || w == "then" })
	if k < 0 {
		d.Fatalf(t, "no command %s", d.Cmd)
	}
	variables, command, args := words[:k], words[k], words[k+1:]
	if runtime.GOOS != "linux" && onLinuxAlone.MatchString(strings.Join(words, " ")+d.Input) {
		return d.Expected
	}
	files := parseFiles(t, d)
	if command == "agekit" {
		s.place = newPlace(t)
		files = append(slices.Clone(s.shared), files...)
	}
	for _, f := range files {
		err := f.make(s.place.path("cwd"), s.shared)
		if errors.Is(err, errors.ErrUnsupported) {
			return d.Expected // this system lacks such files
		}
		if err != nil {
			d.Fatalf(t, "%s: %v", f.name, err)
		}
	}
	s.place.env = append(slices.Clone(s.env), s.expand(t, variables)...)
	return s.runProgram(t, s.expand(t, args))
}

// expand returns words with $name, which becomes several words, and ${text*n} replaced by what they stand for.
func (s *script) expand(t *testing.T, words []string) (all []string) {
	t.Helper()
	for _, word := range words {
		if text, ok := s.words[word]; ok {
			all = append(all, strings.Fields(text)...)
			continue
		}
		all = append(all, repeated.ReplaceAllStringFunc(word, func(match string) string {
			parts := repeated.FindStringSubmatch(match)
			n := testutil.Value(strconv.Atoi(parts[2])).OrFatal(t)
			return strings.Repeat(parts[1], n)
		}))
	}
	return all
}

// onLinuxAlone matches a command with files that other systems lack or name differently.
var onLinuxAlone = regexp.MustCompile(`/dev/|/proc/`)

// runProgram runs the program in s.place and returns what it prints, masked, and its exit code. If it fails,
// its message and its memory are checked; if s.mustFail, it must fail, and change nothing.
func (s *script) runProgram(t *testing.T, args []string) string {
	t.Helper()
	before := untouched(t, s.place)
	e := s.place.runTogether(t, args...)
	if e.late {
		t.Errorf("agekit %.300q did not end within %v", args, *timeLimit)
	}
	if s.mustFail && e.code <= 0 {
		t.Errorf("agekit %.300q: exit %d, want 1 or 2", args, e.code)
	}
	if e.code == 0 {
		return s.place.masked(e.stdout)
	}
	e.checkMessage(t)
	mostMemory := int64(1e9) // bytes: no input may make the program take more
	if slices.Contains(s.place.env, littleMemory) {
		mostMemory = 2e8
	}
	if e.peak >= mostMemory && runtime.GOOS != "windows" {
		t.Errorf("%d MB of memory", e.peak/1e6)
	}
	for _, file := range untouched(t, s.place) {
		if s.mustFail && !slices.Contains(before, file) {
			t.Errorf("changed or new: %q", file)
		}
	}
	if t.Failed() {
		t.Logf("agekit %.300q: %v, %d MB; it printed\n%.1500s", args, e.took, e.peak/1e6, e.stdout)
	}
	return s.place.masked(e.stdout) + fmt.Sprintf("[exit %d]\n", e.code)
}

// littleMemory is the variable of cases that would take much memory, and time, with a usual budget.
const littleMemory = "AGEKIT_MEMORY=50MB"

// The parts of what is printed that differ between runs and machines.
var (
	// silent are lines about an epoch, which are there if the last line was long ago.
	silent = regexp.MustCompile(`(?m)^epoch \d+ of \d+(?:: loss [0-9.]+)?(?:, .* left)?\n`)
	costs  = regexp.MustCompile(`(?m)^(Found    \d+ clusters?) in [0-9.]+ s: `)
	levels = regexp.MustCompile(`want one that this processor has: .*`)
)

// masked returns what was printed with the words of scripts, such as $DIR, for what differs between runs and
// machines.
func (p *place) masked(printed string) string {
	printed = strings.ReplaceAll(printed, p.dir, "$DIR")
	printed = silent.ReplaceAllString(printed, "")
	printed = costs.ReplaceAllString(printed, "$1 in $$SECONDS: ")
	printed = levels.ReplaceAllString(printed, "want one that this processor has: $$LEVELS")
	return shortened(printed)
}

// shortened replaces long runs of the same character c by the notation ${c*n} of scripts.
func shortened(printed string) string {
	const long = 50 // characters
	var b strings.Builder
	for printed != "" {
		first, size := utf8.DecodeRuneInString(printed)
		length := len(printed) - len(strings.TrimLeft(printed, string(first))) // bytes of the same character
		if first == utf8.RuneError {
			length = size
		}
		if count := length / size; count >= long {
			fmt.Fprintf(&b, "${%c*%d}", first, count)
		} else {
			b.WriteString(printed[:length])
		}
		printed = printed[length:]
	}
	return b.String()
}

// untouched lists, as listing does, the folders of the place in which a command that fails must change
// nothing.
func untouched(t *testing.T, p *place) (all []string) {
	t.Helper()
	for _, dir := range []string{"cwd", "home", "tmp"} {
		all = append(all, listing(t, p.path(dir))...)
	}
	return all
}

// insideGo matches signs that a message speaks of the program's inside, which its user does not know.
var insideGo = regexp.MustCompile(`goroutine |panic:|runtime error|\.go:\d|\[\](u?int|float)\d|strconv|bufio|map\[|%!|reflect|interface conversion|invalid character|unmarshal|npyio|scanner|kong|0x[0-9a-f]{8}`)

// checkMessage checks that the program printed an error that is short, has no control characters, which a
// terminal would obey, and does not speak of the program's inside.
func (e ended) checkMessage(t *testing.T) {
	t.Helper()
	message := e.errorLine()
	if message == "" {
		t.Error("no message that begins with agekit:")
	}
	const most = 500 // characters, which message.Shorten keeps
	if n := utf8.RuneCountInString(message); n > most+len("\n") {
		t.Errorf("a message of %d characters, want at most %d", n, most)
	}
	for _, r := range message {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			t.Errorf("the control character %U in the message", r)
			break
		}
	}
	if found := insideGo.FindString(e.stdout); found != "" {
		t.Errorf("%q in what it printed", found)
	}
}
