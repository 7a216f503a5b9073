package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
	"github.com/janpfeifer/gonb/internal/comms"
	"github.com/janpfeifer/gonb/internal/goexec"
	"github.com/janpfeifer/gonb/internal/kernel"
)

// folder is where GoNB would have made the program of these tests: main.go lies in it.
const folder = "/tmp/gonb_1a"

// cellOfTest is the cellOf of the program of these tests: line 10n+m of main.go, from 10 to 99, is line m of cell
// n, and other lines are in no cell.
func cellOfTest(line int) string {
	if line < 10 || line >= 100 {
		return ""
	}
	return fmt.Sprintf("Cell [%d] Line %d", line/10, line%10)
}

var inFile = regexp.MustCompile(folder + `/main\.go:(\d+)`)

// marked returns a piece of standard error as GoNB passes it on: with a mark in front of each place in main.go
// that the piece has whole and that is in a cell.
func marked(piece string) string {
	return inFile.ReplaceAllStringFunc(piece, func(found string) string {
		line, _ := strconv.Atoi(found[strings.Index(found, ":")+1:])
		if cellOfTest(line) == "" {
			return found
		}
		return " \x1b[7m[[ " + cellOfTest(line) + " ]]\x1b[0m " + found
	})
}

// TestPlaces: a place in the program's file becomes the cell and its line, whether GoNB has marked it rightly,
// wrongly or not at all. A place in another file, or in no cell, stays. Where the cells of the program's
// lines are unknown, GoNB's mark stands.
func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"no file\n\t \x1b[7m[[ Cell [3] Line 4 ]]\x1b[0m /tmp/gonb_1a/main.go:34 +0x6a\n": "no file\n\t\x1b[7mCell [3] Line 4\x1b[0m\n",
		"\t \x1b[7m[[ Cell [3] Line 4 ]]\x1b[0m /tmp/gonb_1a/main_test.go:34\n":           "\t\x1b[7mCell [3] Line 4\x1b[0m\n",
		"\t/tmp/gonb_1a/main.go:34 +0x6a\n":                                               "\t\x1b[7mCell [3] Line 4\x1b[0m\n",
		"\t \x1b[7m[[ Cell [1] Line 2 ]]\x1b[0m /tmp/gonb_1a/main.go:34\n":                "\t\x1b[7mCell [3] Line 4\x1b[0m\n",
		"\t/tmp/gonb_1a/main.go:120\n":                                                    "\t/tmp/gonb_1a/main.go:120\n",
		"at /home/me/main.go:12\n":                                                        "at /home/me/main.go:12\n",
	} {
		if got := pass(t, stderr(text))[0].content["text"]; got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	// Where the program's lines are unknown, GoNB's mark stands.
	unknown := newLines(folder, func() cellOf { return nil })
	text := "\t \x1b[7m[[ Cell Line 5 ]]\x1b[0m /tmp/gonb_1a/main.go:34\n\t/tmp/gonb_1a/main.go:34\n"
	if got, want := unknown.add(text), "\t\x1b[7mCell Line 5\x1b[0m\n\t/tmp/gonb_1a/main.go:34\n"; got != want {
		t.Errorf("%q became %q, want %q", text, got, want)
	}
}

// printed has texts that programs print on standard error, and what a notebook shows in their place, written by
// hand. [[n]] stands for line n of the program's file, and {n.m} for line m of cell n as it is shown.
var printed = map[string]struct{ text, want string }{
	"a panic": {
		"panic: mat: dimension mismatch\n\ngoroutine 1 [running]:\nmain.third(...)\n\t[[12]]\nmain.main()\n\t[[34]] +0x1d\n",
		"Sizes do not fit: look at the lengths in the line of your cell that is named below.\n" +
			"panic: mat: dimension mismatch\n\ngoroutine 1 [running]:\nmain.third(...)\n\t{1.2}\nmain.main()\n\t{3.4}\n",
	},
	"a panic of another kind": {
		"panic: runtime error: index out of range [3] with length 0\n\n\t[[34]] +0x1d\n",
		"panic: runtime error: index out of range [3] with length 0\n\n\t{3.4}\n",
	},
	"no memory": {
		"fatal error: runtime: out of memory\n\nruntime stack:\n",
		noMemory + "\nfatal error: runtime: out of memory\n\nruntime stack:\n",
	},
	"an unknown data set": {
		"reading\nunknown data set \"Cora\": want one of cora\n\t[[34]]\n",
		"reading\nNames of data sets have small letters: agekit.Load(\"cora\").\nunknown data set \"Cora\": want one of cora\n\t{3.4}\n",
	},
	"no line break at the end": {
		"panic: lengths do not match",
		"Sizes do not fit: look at the lengths in the line of your cell that is named below.\npanic: lengths do not match",
	},
	"a place at the end":      {"goroutine 1\n\t[[34]] +0x1", "goroutine 1\n\t{3.4}"},
	"a place within a line":   {"2026/01/02 [[56]]: loaded\nnext\n", "2026/01/02 {5.6}: loaded\nnext\n"},
	"a line of no cell":       {"\t[[120]] +0x1\n", "\t[[120]] +0x1\n"},
	"half a path":             {"/tmp/gonb_1a/data.csv\n/tmp/gonb", "/tmp/gonb_1a/data.csv\n/tmp/gonb"},
	"half a beginning":        {"pan\npani\nunknown data\npanic", "pan\npani\nunknown data\npanic"},
	"a panic within a line":   {"nopanic: dimension mismatch\n", "nopanic: dimension mismatch\n"},
	"progress, then a panic":  {"\r10 %\r20 %\npanic: lengths do not match\n", "\r10 %\r20 %\nSizes do not fit: look at the lengths in the line of your cell that is named below.\npanic: lengths do not match\n"},
	"empty lines":             {"\n\n \n", "\n\n \n"},
	"a mark that is no place": {"a \x1b[7m[[ Cell b\nc \x1b[7m", "a \x1b[7m[[ Cell b\nc \x1b[7m"},
}

// withPlaces returns a text of printed with what [[n]] and {n.m} stand for.
func withPlaces(text string) string {
	text = regexp.MustCompile(`\[\[(\d+)\]\]`).ReplaceAllString(text, folder+"/main.go:$1")
	return regexp.MustCompile(`\{(\d)\.(\d)\}`).ReplaceAllString(text, "\x1b[7mCell [$1] Line $2\x1b[0m")
}

// cuts returns ways to cut a text into pieces: not at all, into letters, into lines, in two at each place, and
// 50 ways at random, into pieces of 1 to 20 bytes.
func cuts(text string, random *rand.Rand) [][]string {
	const atRandom, longest = 50, 20
	all := [][]string{{text}, strings.Split(text, ""), strings.SplitAfter(text, "\n")}
	for i := range len(text) {
		all = append(all, []string{text[:i], text[i:]})
	}
	for range atRandom {
		var pieces []string
		for rest := text; rest != ""; {
			n := 1 + random.IntN(min(len(rest), longest))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		all = append(all, pieces)
	}
	return all
}

// TestPieces: however a text of printed comes in pieces, and however the program ends, the notebook shows the
// text that is wanted. What is printed on standard output between the pieces is shown as it is, and nothing
// is shown after the error or the status that ends the cell.
func TestPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ends := map[string]struct {
		messages []message // that the kernel sends in the end
		prints   string    // what is shown of them on standard error
	}{
		"idle":            {[]message{idle}, ""},
		"exit status":     {[]message{stderr("exit status 2\n"), failed("exit status 2"), idle}, ""},
		"error":           {[]message{failed("no go"), idle}, ""},
		"a shell command": {[]message{stderr("exit status 4\n"), stderr("next\n"), idle}, "exit status 4\nnext\n"},
	}
	for name, p := range printed {
		for _, pieces := range cuts(withPlaces(p.text), random) {
			for endName, end := range ends {
				sent, stdout := betweenPieces(pieces)
				shown := pass(t, append(sent, end.messages...)...)
				where := fmt.Sprintf("%s, %s, in pieces %q", name, endName, pieces)
				wantStderr := withPlaces(p.want) + end.prints
				if gotStderr, gotStdout := streamed(shown, "stderr"), streamed(shown, "stdout"); gotStderr != wantStderr || gotStdout != stdout {
					t.Fatalf("%s: shows\n%q and\n%q, want\n%q and\n%q", where, gotStderr, gotStdout, wantStderr, stdout)
				}
				isEnd := func(m message) bool { return m.kind == "error" || m.kind == "status" }
				first := slices.IndexFunc(shown, isEnd)
				if first < 0 || slices.ContainsFunc(shown[first:], func(m message) bool { return !isEnd(m) }) {
					t.Fatalf("%s: something is shown after the end: %v", where, shown)
				}
			}
		}
	}
}

// betweenPieces returns messages with these pieces of standard error, as GoNB marks them. After every third
// piece come a message of half a line on standard output and a figure. It also returns all that is printed
// on standard output.
func betweenPieces(pieces []string) (sent []message, stdout string) {
	for i, piece := range pieces {
		sent = append(sent, stderr(marked(piece)))
		if i%3 == 1 {
			half := fmt.Sprint("panic: ", i) // not to be kept back
			stdout += half
			sent = append(sent, stream("stdout", half), message{"display_data", map[string]any{}})
		}
	}
	return sent, stdout
}

// streamed returns what messages print on the stream of this name, stdout or stderr.
func streamed(messages []message, name string) (text string) {
	for _, m := range messages {
		if m.kind == "stream" && m.content["name"] == name {
			text += m.content["text"].(string)
		}
	}
	return text
}

// TestUnfinishedLines: a text on standard error that cannot become an error of beginners or a place, such as
// progress or a question, is shown before its line ends. Standard output is never kept back.
func TestUnfinishedLines(t *testing.T) {
	for _, pieces := range [][]string{
		{"Name?", "10 %", "\r20 %", "\rdone\n"},
		{"\tworking …", " done\n"},
		{"pa", "per"},           // the beginning of "panic: " is kept, and shown with the next
		{"no", "panic: so far"}, // within a line
	} {
		var sent []message
		for _, piece := range pieces {
			sent = append(sent, stderr(piece))
		}
		var shown string
		for _, m := range pass(t, sent...) {
			shown += m.content["text"].(string)
		}
		if want := strings.Join(pieces, ""); shown != want {
			t.Errorf("of %q, %q is shown before the end", pieces, shown)
		}
	}
	// Standard output is not kept back at all.
	if shown := pass(t, stream("stdout", "panic: ")); len(shown) != 1 || shown[0].content["text"] != "panic: " {
		t.Errorf("standard output: shown %v", shown)
	}
}

// cellMessage is a request to run a cell, as GoNB has it. What GoNB answers goes through an outbox.
type cellMessage struct {
	kernel.Message
	kernel *kernel.Kernel
	box    *outbox
}

func (m cellMessage) Kernel() *kernel.Kernel { return m.kernel }

func (m cellMessage) Publish(kind string, content any) error {
	data, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return m.box.SendMulti(zmq4.NewMsgFrom([]byte("<IDS|MSG>"), nil, fmt.Appendf(nil, `{"msg_type":"%s"}`, kind), nil, nil, data))
}

// TestGoNBMarks: GoNB itself runs a program that prints a place of a stack trace in parts, long enough apart
// that GoNB reads them one by one, and so marks a wrong line or none. What is shown is the cell by GoNB's
// table, which runningCells finds in unexported fields. The table is gone when the program has ended.
func TestGoNBMarks(t *testing.T) {
	connection := filepath.Join(t.TempDir(), "connection.json")
	if err := os.WriteFile(connection, []byte(`{"ip": "127.0.0.1", "transport": "tcp"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	k, err := kernel.New(connection)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Stop()
	e := &goexec.State{TempDir: t.TempDir(), Package: "program", Comms: comms.New()}
	if err := os.WriteFile(e.CodePath(), nil, 0o600); err != nil { // GoNB looks for the lines there
		t.Fatal(err)
	}
	var out wire
	box := &outbox{Socket: &out, program: &program{}, stderr: newLines(e.TempDir, func() cellOf { return runningCells(e) })}
	script := "#!/bin/sh\nexec >&2\n"
	for _, part := range []string{`\t`, e.TempDir + "/main.go", ":", "1", "2", " +0x6a", `\n`} { // line 12
		script += "printf '" + part + "'\nsleep 0.05\n"
	}
	script += "printf '" + e.TempDir + "/main.go:3\\n" + e.TempDir + "/main.go:99\\n'\n"
	if err := os.WriteFile(e.BinaryPath(), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	table := make([]goexec.CellIdAndLine, 20) // by the line less 1; lines of cells count from 0
	table[0] = goexec.CellIdAndLine{Id: 1, Line: 1}
	table[2] = goexec.CellIdAndLine{Id: -1, Line: 5}
	table[11] = goexec.CellIdAndLine{Id: 7, Line: 3}
	if err := e.Execute(cellMessage{kernel: k, box: box}, table); err != nil {
		t.Fatal(err)
	}
	var shown string
	for _, m := range out.messages {
		var content map[string]string
		if err := json.Unmarshal(m.Frames[5], &content); err != nil {
			t.Fatal(err)
		}
		shown += content["text"]
	}
	want := "\t\x1b[7mCell [7] Line 4\x1b[0m\n\x1b[7mCell Line 6\x1b[0m\n" + e.TempDir + "/main.go:99\n"
	if shown != want {
		t.Errorf("shown %q, want %q", shown, want)
	}
	if runningCells(e) != nil {
		t.Error("the program has ended, and its cells are still known")
	}
}
