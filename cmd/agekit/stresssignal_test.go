//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agekit/age/internal/testutil"
)

// deaf is a program that never ends and ignores SIGTERM and SIGINT. It writes
// its process ID to the temporary folder.
const deaf = `#!/bin/sh
trap '' TERM INT
echo $$ >>"$TMPDIR/deaf"
while :; do /bin/sleep 0.2; done
`

// asProject makes the fewest files with which the program takes a folder for the project's; its Jupyter is a
// program that never ends.
var asProject = makers{
	"go.mod":                  content("module github.com/agekit/age\n"),
	"notebooks/01.ipynb":      content(emptyNotebook),
	"scripts/run_notebook.py": content(""),
	".venv/bin/python":        executable(deaf),
}

// executable returns a function that makes a file with this text that can be run.
func executable(text string) func(path string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o755) }
}

// long returns a function that makes a file of Go strings, such as "a\n"*1000, which may have many megabytes.
func long(literals string) func(path string) error {
	return func(path string) error { return writeLong(path, literals) }
}

// endless are commands that take longer than any test waits: each in another
// part of the program, or waiting for something that never comes.
var endless = []struct {
	name  string
	files makers // in the current folder
	env   string // what hangs, as the argument of hang
	args  string // the command line
}{
	{name: "training", args: "fit --dataset planted:n=300 --epochs 1000000 --update 2 --dims 32 --backend native --out out"},
	{name: "training with GoMLX", args: "fit --dataset planted:n=300 --epochs 1000000 --update 2 --dims 32 --backend go"},
	{name: "best mode", args: "fit --best --dataset planted:n=1000 --epochs 1000000 --update 2 --backend native --out out"},
	{name: "large selection", args: "fit --dataset planted:n=25000 --ranking exact --backend native"},
	{name: "large smoothing", args: "fit --dataset planted:n=100000,f=128 --layers 1000 --backend native"},
	{name: "many clusters", args: "fit --dataset planted:n=6000 --clusters 2000 --epochs 1 --update 1 --dims 64 --backend native"},
	{name: "generating", args: "fit --dataset planted:n=20000000,degree=14 --backend native"},
	{name: "reading features", files: makers{"e.tsv": content("0\t1\n"), "x.csv": long(`"1,0,2.5,0,0,3.75,0,1\n"*8388608`)}, args: "fit --edges e.tsv --features x.csv --clusters 2"},
	{name: "reading edges", files: makers{"e.tsv": long(`"0\t1\n1\t2\n"*16777216`), "x.csv": content("1,0\n1,1\n0,1\n")}, args: "fit --edges e.tsv --features x.csv --clusters 2"},
	{name: "all eigenvalues", args: "spectrum --dataset planted:n=5000"},
	{name: "density", args: "spectrum --dataset planted:n=2000000"},
	{name: "table", args: "reproduce table2 --datasets planted:n=2000 --backend native --out out"},
	{name: "figure", args: "reproduce fig3 --datasets planted:n=2000 --backend native --out out"},
	{name: "silent server", env: "SERVER=silent", args: "data fetch citeseer"},
	{name: "server that stops", env: "SERVER=stops", args: "data fetch wiki"},
	{name: "silent server, training", env: "SERVER=silent", args: "fit --dataset citeseer"},
	{name: "silent server, table", env: "SERVER=silent", args: "reproduce table2 --datasets wiki --out out"},
	{name: "pip", env: "PYTHON=deaf", args: "backend install cpu"},
	{name: "search for plugins", env: "PYTHON=deaf", args: "backend list"},
	{name: "search for plugins, training", env: "PYTHON=deaf", args: "fit --dataset planted:n=300 --backend xla:cpu"},
	{name: "doctor", env: "PYTHON=deaf GO=deaf", args: "doctor"},
	{name: "notebooks", files: asProject, args: "walkthrough"},
	{name: "report", files: asProject, args: "report notebooks/01.ipynb --project ."},
}

// TestStressSignals: SIGTERM at a random time ends each of the endless commands, whatever it waits for, with
// exit code 1, within two seconds on a machine that is not busy. The command prints no result and no trace
// of Go, and leaves no process that it started.
func TestStressSignals(t *testing.T) {
	rnd := randomTimes(t)
	// The signal comes at a random time between earliest and earliest+span after the start.
	const earliest = 100 * time.Millisecond
	span := 400 * time.Millisecond
	if *terms > 1 { // the long run
		span = time.Second
	}
	for _, c := range endless {
		var times []time.Duration
		for range *terms {
			times = append(times, earliest+time.Duration(rnd.Float64()*float64(span)))
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, after := range times {
				p := newPlace(t)
				c.files.make(t, p.path("cwd"))
				p.env = hang(t, p, c.env)
				endsAfter(t, p, strings.Fields(c.args), after)
			}
		})
	}
}

// hang sets up what makes a command wait for ever, and returns the environment in which agekit finds it.
// variables are words such as PYTHON=deaf, a python3 in the place that never ends, GO=deaf, SERVER=silent, a
// server that never answers, and SERVER=stops, one that stops in the middle of its answer.
func hang(t *testing.T, p *place, variables string) (env []string) {
	t.Helper()
	for variable := range strings.FieldsSeq(variables) {
		name, value, _ := strings.Cut(variable, "=")
		if program := map[string]string{"PYTHON": "python3", "GO": "go"}[name]; program != "" {
			testutil.NoError(t, executable(deaf)(p.path("bin", program)))
			continue
		}
		address := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if value == "stops" {
				w.Header().Set("Content-Length", "1000000")
				fmt.Fprint(w, "the beginning")
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		}))
		env = append(env, toServer+"="+address)
	}
	return env
}

// endsAfter starts the command line agekit ARGS in a place, sends it SIGTERM after some time, and checks how
// it ends, as TestStressSignals says.
func endsAfter(t *testing.T, p *place, args []string, after time.Duration) {
	t.Helper()
	const tooLate = 10 * time.Second // also for a busy machine
	var stdout, stderr strings.Builder
	c := p.command(t.Context(), args...)
	c.Stdout, c.Stderr = &stdout, &stderr
	startAndWait(t, c)
	defer killDeaf(t, p)
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	select {
	case <-ended:
		t.Fatalf("agekit %q ended by itself: %v\n%.1000s", args, c.ProcessState, stderr.String())
	case <-time.After(after):
	}
	start := time.Now()
	testutil.NoError(t, c.Process.Signal(syscall.SIGTERM))
	select {
	case <-ended:
	case <-time.After(tooLate):
		_ = c.Process.Kill()
		<-ended
		t.Fatalf("agekit %q, SIGTERM after %v: it went on for %v\n%.1000s", args, after, tooLate, stderr.String())
	}
	took := time.Since(start)
	t.Logf("SIGTERM after %v: ended %v later", after, took)
	if *terms > 1 && took > 2*time.Second { // the long run has the machine to itself
		t.Errorf("agekit %q, SIGTERM after %v: ended %v later, want at most 2 s", args, after, took)
	}
	if code := c.ProcessState.ExitCode(); code != 1 {
		t.Errorf("agekit %q, SIGTERM after %v: exit %d, want 1", args, after, code)
	}
	// agekit data reports each file when it is done; other commands print their result at once or not at all.
	if stdout.Len() > 0 && args[0] != "data" {
		t.Errorf("agekit %q printed %.500s", args, stdout.String())
	}
	if found := insideGo.FindString(stderr.String()); found != "" {
		t.Errorf("%q in %.1000s", found, stderr.String())
	}
	if processes := killDeaf(t, p); processes != nil {
		t.Errorf("agekit %q, SIGTERM after %v: processes %v went on", args, after, processes)
	}
}

// startAndWait starts a command and waits until it has set up its signals: one that comes earlier would kill
// it. The command then closes its end of a pipe, by tellsStart. That takes long on a busy machine.
func startAndWait(t *testing.T, c *exec.Cmd) {
	t.Helper()
	r, w, err := os.Pipe()
	testutil.NoError(t, err)
	defer r.Close()
	c.ExtraFiles, c.Env = []*os.File{w}, append(c.Env, tellsStart+"=1")
	err = c.Start()
	w.Close()
	testutil.NoError(t, err)
	testutil.Value(io.Copy(io.Discard, r)).OrFatal(t)
}

// zombie reports whether the process with this id has ended and only waits for its parent to ask how, which
// may be a system process that never does.
func zombie(id int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}

// killDeaf kills the deaf programs of a place that still run, and returns their ids.
func killDeaf(t *testing.T, p *place) (processes []int) {
	t.Helper()
	ids, err := os.ReadFile(p.path("tmp", "deaf"))
	if err != nil {
		return nil
	}
	for _, field := range strings.Fields(string(ids)) {
		id := testutil.Value(strconv.Atoi(field)).OrFatal(t)
		ended := func() bool { return errors.Is(syscall.Kill(id, 0), syscall.ESRCH) || zombie(id) }
		// One that was killed a moment ago may still be there.
		for tries := 0; tries < 200 && !ended(); tries++ {
			time.Sleep(20 * time.Millisecond)
		}
		if !ended() {
			_ = syscall.Kill(id, syscall.SIGKILL)
			processes = append(processes, id)
		}
	}
	return processes
}
