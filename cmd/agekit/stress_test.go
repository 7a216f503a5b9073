//go:build unix

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agekit/age/internal/testutil"
)

// The stress tests are short by default. The long run is
//
//	AGEKIT_LONG=1 go test ./cmd/agekit -run Stress -rounds 20 -kills 100 -terms 50 -timeout 1h
var (
	rounds = flag.Int("rounds", 1, "rounds of each pair of concurrent commands")
	kills  = flag.Int("kills", 5, "processes killed at a random time")
	terms  = flag.Int("terms", 1, "processes of each endless command that get SIGTERM at a random time")
	seed   = flag.Uint64("seed", 0, "seed of the random times; 0 for a new one")
)

// randomTimes returns the source of a test's random times, and logs its seed.
func randomTimes(t *testing.T) *rand.Rand {
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("run again with -seed %d", s)
	return rand.New(rand.NewPCG(s, 0))
}

// job is a command that writes files, with its result if nothing disturbs it.
type job struct {
	name string
	args []string
	// result describes what the command made in a place. It is the same after every run.
	result func(t *testing.T, p *place) string
	// refused matches the message with which the command may fail while another one runs; nil if it
	// may not.
	refused *regexp.Regexp

	// knowResults sets these, by an undisturbed run.
	alone  string        // the result
	files  []string      // that are there in the end
	length time.Duration // that the run took
}

const (
	stressGraph = "planted:n=300,f=60,classes=3,words=8"
	stressFit   = "fit --verbose --dataset " + stressGraph + " --epochs 40 --update 10 --dims 64 --batch 2000 --backend native --checkpoint-every 20ms --no-map --no-views --out out"
)

// jobs returns the commands that write, always the same ones: agekit fit in two modes, agekit reproduce,
// agekit data fetch if this machine has Citeseer to serve, and agekit backend install.
var jobs = sync.OnceValue(func() []*job {
	busy := regexp.MustCompile(`another (run|process)`)
	out := func(p *place) string { return p.path("cwd", "out") }
	all := []*job{
		{name: "fit", args: strings.Fields(stressFit + " --seed 1"), refused: busy},
		{name: "best", args: strings.Fields(strings.Replace(stressFit, "--batch 2000", "--best", 1) + " --seed 2"), refused: busy},
		{name: "reproduce", args: strings.Fields("reproduce table1 table2 --datasets planted:n=150 --methods LS,AGE --quick --seeds 1 --backend native --out out"), refused: busy},
	}
	for _, j := range all[:2] { // fit and best
		j.result = func(t *testing.T, p *place) string { return fitResult(t, out(p)) }
	}
	all[2].result = func(t *testing.T, p *place) string { return tablesResult(t, out(p)) }
	if citeseer() != nil {
		all = append(all, &job{name: "fetch", args: strings.Fields("data fetch citeseer"), result: fetchResult})
	}
	return append(all, &job{name: "install", args: strings.Fields("backend install cpu"), result: installResult})
})

// fitResult returns the content of the files of `agekit fit --out` in the folder dir, one after the other. Of
// the log, whose lines depend on time and on interrupts, it only says whether it is that of best mode. If a
// file is missing, it returns the error.
func fitResult(t *testing.T, dir string) string {
	t.Helper()
	var result []byte
	for _, name := range []string{"embeddings.npy", "labels.txt", "model.npz", "log.txt"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err.Error()
		}
		if name == "log.txt" {
			data = fmt.Append(nil, bytes.Contains(data, []byte("concatenated embeddings")))
		}
		result = append(result, data...)
	}
	return string(result)
}

// tablesResult returns the content of the two tables of `agekit reproduce` in the folder dir, which do not
// depend on time. If one is missing, it returns the error.
func tablesResult(t *testing.T, dir string) string {
	t.Helper()
	var result []byte
	for _, name := range []string{"table1.csv", "table2.csv"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err.Error()
		}
		result = append(result, data...)
	}
	return string(result)
}

// citeseer returns the published files of Citeseer by name, or nil if this
// machine does not have them.
var citeseer = sync.OnceValue(func() map[string][]byte {
	found := map[string][]byte{}
	names, _ := filepath.Glob(filepath.Join(os.Getenv("AGEKIT_DATA"), "citeseer", "ind.citeseer.*"))
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		found[filepath.Base(name)] = data
	}
	if os.Getenv("AGEKIT_DATA") == "" || len(found) < 6 {
		return nil
	}
	return found
})

// fetchResult returns the names of the files that were downloaded to the place p, or which of them is not as
// it was published.
func fetchResult(t *testing.T, p *place) string {
	t.Helper()
	dir := p.path("cache", "agekit", "data", "citeseer")
	got := names(t, dir)
	for _, name := range got {
		data, _ := os.ReadFile(filepath.Join(dir, name))
		if !bytes.Equal(data, citeseer()[name]) {
			return "damaged or left behind: " + name
		}
	}
	return strings.Join(got, " ")
}

// installResult returns the names and contents of the files in the folder of plugins of the place p.
func installResult(t *testing.T, p *place) string {
	t.Helper()
	dir := p.path("cache", "agekit", "plugins")
	var result string
	for _, name := range names(t, dir) {
		data, _ := os.ReadFile(filepath.Join(dir, name))
		result += name + ": " + string(data) + "\n"
	}
	return result
}

// fakePython is a python3 whose pip takes its time to write a plugin.
const fakePython = `#!/bin/sh
while [ $# -gt 0 ]; do
	case "$1" in
	-c) echo "$0"; exit 0 ;; # asks for the interpreter
	--version) echo pip 24.0; exit 0 ;;
	--target) target=$2; shift ;;
	esac
	shift
done
[ -n "$target" ] || exit 0
PATH=/usr/bin:/bin
for dir in xla_plugins xla_plugins/xla_cpu_pjrt xla_cpu_pjrt-0.0.1.dist-info; do mkdir -p "$target/$dir"; done
for k in 1 2 3 4 5 6 7 8; do
	echo "part $k" >>"$target/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so" || exit 1
	sleep 0.04
done
echo done >"$target/xla_cpu_pjrt-0.0.1.dist-info/RECORD"
`

// newStressPlace returns a place in which python3 is fakePython, and the server at the address gets all
// requests.
func newStressPlace(t *testing.T, address string) *place {
	t.Helper()
	p := newPlace(t)
	p.env = []string{toServer + "=" + address}
	testutil.NoError(t, os.WriteFile(p.path("bin", "python3"), []byte(fakePython), 0o755))
	return p
}

// serveSlowly serves Citeseer's files, with a few pauses in each, until the test ends.
func serveSlowly(t *testing.T) (address string) {
	return serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := citeseer()[path.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(slowly{w}, r, "", time.Time{}, bytes.NewReader(content))
	}))
}

// serveHandler serves a handler on this machine until the test ends.
func serveHandler(t *testing.T, h http.Handler) (address string) {
	t.Helper()
	l := testutil.Value(net.Listen("tcp", "127.0.0.1:0")).OrFatal(t)
	server := &http.Server{Handler: h}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return l.Addr().String()
}

// slowly is a response that pauses before each part that is written. It has no ReadFrom, with which the
// whole file would be one part.
type slowly struct{ http.ResponseWriter }

func (s slowly) Write(p []byte) (int, error) {
	time.Sleep(5 * time.Millisecond)
	n, err := s.ResponseWriter.Write(p)
	s.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

// knowResults runs each of jobs once, undisturbed, unless that has been done, and sets what it made in the
// job: alone, files and length.
func knowResults(t *testing.T) {
	t.Helper()
	address := serveSlowly(t)
	for _, j := range jobs() {
		if j.alone != "" {
			continue
		}
		p := newStressPlace(t, address)
		e := p.run(t, j.args...).succeed(t)
		j.alone, j.files, j.length = j.result(t, p), names(t, p.dir), e.took
		t.Logf("%s takes %v and leaves %d files", j.name, e.took, len(j.files))
	}
	if citeseer() == nil {
		t.Log("DOWNLOADS ARE NOT TESTED: no citeseer in AGEKIT_DATA")
	}
}

// TestStressPairs: two commands that run at the same time, with the same store, cache and output folder,
// damage and mix nothing: what they make is what they make alone. One for the same output may be refused,
// with a message, but one of the two always succeeds. The short test pairs each command with itself and
// with the next one, the long one with all.
func TestStressPairs(t *testing.T) {
	knowResults(t)
	rnd := randomTimes(t)
	address := serveSlowly(t)
	for range *rounds {
		for i, a := range jobs() {
			others := jobs()[i:]
			if !testutil.IsLong() {
				others = others[:min(2, len(others))]
			}
			for _, b := range others {
				p := newStressPlace(t, address)
				// b starts at a random time while a runs.
				offset := time.Duration(rnd.Float64() * float64(a.length))
				both := runBoth(t, p, a, b, offset)
				checkPair(t, p, a, b, both)
				if t.Failed() {
					t.Fatalf("%s and %s, %v later\n%.2000s\n%.2000s", a.name, b.name, offset, both[0].stderr, both[1].stderr)
				}
			}
		}
	}
}

// runBoth runs the jobs a and b in a place: b begins offset later than a. It returns how they ended.
func runBoth(t *testing.T, p *place, a, b *job, offset time.Duration) (both [2]ended) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), *timeLimit)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { both[0] = finish(t, ctx, p.command(ctx, a.args...)) })
	time.Sleep(offset)
	wg.Go(func() { both[1] = finish(t, ctx, p.command(ctx, b.args...)) })
	wg.Wait()
	return both
}

// checkPair checks how the jobs a and b, which ran at once in a place, ended, and what they made there.
func checkPair(t *testing.T, p *place, a, b *job, both [2]ended) {
	t.Helper()
	var done []*job
	for k, j := range []*job{a, b} {
		switch e := both[k]; {
		case e.code == 0 && !e.late:
			done = append(done, j)
		case e.code != 1 || j.refused == nil || !j.refused.MatchString(e.errorLine()):
			t.Errorf("%s: exit %d, late %v: %s", j.name, e.code, e.late, e.errorLine())
		}
	}
	if len(done) == 0 {
		t.Error("both were refused")
		return
	}
	var complete []string // the jobs whose result is as without the other
	for _, j := range done {
		if j.result(t, p) == j.alone {
			complete = append(complete, j.name)
		}
	}
	want := len(done)
	isFit := func(j *job) bool { return j.name == "fit" || j.name == "best" }
	if isFit(a) && isFit(b) { // of two trainings with one output folder, the files are those of one
		want = 1
	}
	if len(complete) < want {
		t.Errorf("complete are %q, want %d", complete, want)
	}
	checkLeft(t, p, done)
}

// checkLeft checks that the place has no other files than those that the jobs leave without disturbance.
func checkLeft(t *testing.T, p *place, done []*job) {
	t.Helper()
	var want []string
	for _, j := range done {
		want = append(want, j.files...)
	}
	for _, name := range names(t, p.dir) {
		if !slices.Contains(want, name) {
			t.Errorf("left behind: %s", name)
		}
	}
}

// TestStressKills kills a command at a random time and runs it again in the same place. The second run must
// give the result of an undisturbed run and leave no other files.
func TestStressKills(t *testing.T) {
	knowResults(t)
	rnd := randomTimes(t)
	address := serveSlowly(t)
	for k := range *kills {
		j := jobs()[k%len(jobs())]
		p := newStressPlace(t, address)
		const longest = 1.1 // of the time of an undisturbed run: some end before they are killed
		after := time.Duration(rnd.Float64() * longest * float64(j.length))
		group := rnd.IntN(2) == 0 // the processes that it started are killed, too; otherwise they go on
		first := kill(t, p.command(t.Context(), j.args...), after, group)
		second := p.run(t, j.args...).succeed(t)
		if j.result(t, p) != j.alone {
			t.Errorf("the result differs from that of an undisturbed run")
		}
		time.Sleep(50 * time.Millisecond) // a process of the first run may be about to end
		checkLeft(t, p, []*job{j})
		if t.Failed() {
			t.Fatalf("%s, killed after %v, its group %v\n%.2000s\nand again\n%.2000s", j.name, after, group, first, second.stderr)
		}
	}
}

// kill starts a command, kills it after some time, and returns what it printed on standard error and how it
// ended. With group, it also kills the processes that the command started.
func kill(t *testing.T, c *exec.Cmd, after time.Duration, group bool) string {
	t.Helper()
	var printed bytes.Buffer
	c.Stderr = &printed
	c.WaitDelay = time.Millisecond // its children may hold its output open
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	testutil.NoError(t, c.Start())
	time.Sleep(after)
	target := c.Process.Pid
	if group {
		target = -target
	}
	_ = syscall.Kill(target, syscall.SIGKILL) // it may have ended
	_ = c.Wait()
	return fmt.Sprint(printed.String(), c.ProcessState)
}
