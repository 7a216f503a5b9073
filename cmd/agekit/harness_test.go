package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/internal/testutil"
)

// The variables by which this test binary is the program itself.
const (
	// asProgram makes TestMain run the command line as agekit.
	asProgram = "AGEKIT_TEST_COMMAND"
	// toServer is the address of a local server that gets all requests in place of the network.
	toServer = "AGEKIT_TEST_SERVER"
	// tellsStart makes the program close its file 3 once signals only end its context.
	tellsStart = "AGEKIT_TEST_START"
)

// TestMain lets this test binary act as the program: tests that kill it, limit
// it or measure its memory need it as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	limitFiles()
	if server := os.Getenv(toServer); server != "" {
		http.DefaultTransport = redirect(server)
	}
	ctx := start()
	if os.Getenv(tellsStart) != "" {
		_ = os.NewFile(3, "start").Close()
	}
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// redirect sends every request to the server at this address.
type redirect string

func (host redirect) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL = &url.URL{Scheme: "http", Host: string(host), Path: r.URL.Path}
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
}

// place is a folder with all that a run of the program finds: a current folder, a home, a cache, a store, a
// temporary folder and a PATH, each of them empty at first. A run in such a place, as a process of its own,
// sees nothing of the machine's own data, plugins and checkpoints.
type place struct {
	dir string   // parent of all folders
	env []string // further variables, NAME=VALUE; the last one of a name counts
}

// newPlace makes a place, which is removed at the end of the test.
func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{dir: t.TempDir()}
	for _, name := range []string{"cwd", "home", "cache", "store", "tmp", "bin"} {
		testutil.NoError(t, os.Mkdir(filepath.Join(p.dir, name), 0o755))
	}
	return p
}

// path returns the path of a folder or file of the place.
func (p *place) path(names ...string) string {
	return filepath.Join(p.dir, filepath.Join(names...))
}

// command returns the command line agekit ARGS, to be run in the place.
func (p *place) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.Dir = p.path("cwd")
	c.WaitDelay = 5 * time.Second
	c.Env = []string{
		asProgram + "=1", toServer + "=127.0.0.1:1", // where nothing answers
		"HOME=" + p.path("home"), "XDG_CACHE_HOME=" + p.path("cache"), "LocalAppData=" + p.path("cache"),
		"AGEKIT_STORE=" + p.path("store"), "TMPDIR=" + p.path("tmp"), "TMP=" + p.path("tmp"), "TEMP=" + p.path("tmp"), "PATH=" + p.path("bin"),
	}
	for _, name := range []string{"SystemRoot", "AGEKIT_SIMD", "GODEBUG", "GOCOVERDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	c.Env = append(c.Env, p.env...)
	return c
}

// ended is how a process ended.
type ended struct {
	code           int // the exit code; −1 if a signal ended it
	stdout, stderr string
	took           time.Duration
	peak           int64 // bytes of memory; 0 if unknown
	late           bool  // it was killed because it did not end in time
}

// timeLimit is the time after which a process counts as hung.
var timeLimit = flag.Duration("time-limit", 5*time.Minute, "time limit of one run of the program")

// run runs the command line agekit ARGS in the place to its end, or to the time limit.
func (p *place) run(t *testing.T, args ...string) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), *timeLimit)
	defer cancel()
	return finish(t, ctx, p.command(ctx, args...))
}

// runTogether is like run, with standard error in standard output as a terminal shows them.
func (p *place) runTogether(t *testing.T, args ...string) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), *timeLimit)
	defer cancel()
	c := p.command(ctx, args...)
	var printed bytes.Buffer
	c.Stdout, c.Stderr = &printed, &printed
	e := finish(t, ctx, c)
	e.stdout, e.stderr = printed.String(), printed.String()
	return e
}

// finish runs a command, made with ctx, to its end. What it prints is in the result, unless the caller has
// set where it goes.
func finish(t *testing.T, ctx context.Context, c *exec.Cmd) ended {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if c.Stdout == nil {
		c.Stdout = &stdout
	}
	if c.Stderr == nil {
		c.Stderr = &stderr
	}
	start := time.Now()
	testutil.NoError(t, c.Start())
	_ = c.Wait()
	return ended{
		code: c.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String(),
		took: time.Since(start), peak: peakMemory(c.ProcessState), late: ctx.Err() != nil,
	}
}

// errorLine returns what follows the last "agekit: " on standard error.
func (e ended) errorLine() string {
	const begins = "\nagekit: "
	k := strings.LastIndex("\n"+e.stderr, begins)
	if k < 0 {
		return ""
	}
	return e.stderr[k+len(begins)-1:]
}

// succeed fails the test unless the process ended with exit code 0.
func (e ended) succeed(t *testing.T) ended {
	t.Helper()
	if e.code != 0 || e.late {
		t.Fatalf("exit %d after %v, late %v\n%.2000s", e.code, e.took, e.late, e.stderr)
	}
	return e
}

// listing describes everything below a folder, in a line for each: path and kind, and of a regular file the
// size and the time of change. It returns nil for a folder that is empty or missing.
func listing(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) { // removed meanwhile
			return nil
		}
		if err == nil {
			rel, _ := filepath.Rel(dir, path)
			line := rel + "\t" + info.Mode().String()
			if info.Mode().IsRegular() {
				line += fmt.Sprintf(" %d bytes, %s", info.Size(), info.ModTime().Format(time.StampMicro))
			}
			all = append(all, line)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

// makers has functions that make the files of a folder, by the files' names.
type makers map[string]func(path string) error

// make makes the files in the folder dir.
func (m makers) make(t *testing.T, dir string) {
	t.Helper()
	for name, write := range m {
		path := filepath.Join(dir, name)
		testutil.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testutil.NoError(t, write(path))
	}
}

// content returns a function that makes a file with this text.
func content(text string) func(path string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o644) }
}

// emptyNotebook is a notebook without cells.
const emptyNotebook = `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}`

// names returns the paths, in the folder dir, of everything below it, except for folders, sorted.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, line := range listing(t, dir) {
		name, rest, _ := strings.Cut(line, "\t")
		if !strings.HasPrefix(rest, "d") {
			all = append(all, filepath.ToSlash(name))
		}
	}
	slices.Sort(all)
	return all
}
