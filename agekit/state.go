package agekit

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/store"
)

// Must returns value, or exits the cell with the error. It keeps cells short:
//
//	g := agekit.Must(agekit.Load("cora"))
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Check prints err and the line of the cell, and exits the cell, unless err is nil.
func Check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, cellLine())
		os.Exit(1)
	}
}

// Show shows figures and tables in the cell's output, one after the other. If
// one of them holds an error, Show prints it and exits the cell.
func Show(parts ...interface{ Show() error }) {
	for _, p := range parts {
		Check(p.Show())
	}
}

// cellLine names the innermost line of the program's own code that led here, or
// returns "". GoNB recognizes such a line and names the cell.
func cellLine() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") {
			return fmt.Sprintf("\t%s:%d\n", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// interrupt is canceled when the cell is interrupted.
var interrupt = sync.OnceValue(func() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	return ctx
})

// cellBackend returns the backend of the cell, $AGEKIT_BACKEND or the best one.
func cellBackend() (backend.Choice, error) { return resolve(backend.Auto) }

// resolve returns the backend with a name, and sets the environment variables that it
// needs: a cell is a program of its own.
func resolve(name string) (backend.Choice, error) {
	choice, err := backend.Resolve(name)
	for variable, value := range choice.Environment() {
		os.Setenv(variable, value)
	}
	return choice, err
}

// results is the store that all cells share. It is nil if no folder is writable; then
// every cell computes everything again.
var results = sync.OnceValue(func() *store.Store {
	s, err := store.Open("")
	if err != nil {
		log.Printf("results are not saved for the next cell: %v", err)
		return nil
	}
	s.Logf = log.Printf
	return s
})

// version is the version of what this package computes itself: corners, explorers and the
// NMI of smoothed features. It grows when the same input gives another result, so that
// notebooks do not show what earlier versions stored.
const version = 2

// cached returns the stored result of compute, or calls compute and stores what it
// returns. A line says which.
func cached[T any](what string, key store.Key, compute func() (T, error)) (T, error) {
	start := time.Now()
	value, hit, err := store.Cached(results(), key, compute)
	if err != nil {
		return value, fmt.Errorf("%s: %w", what, err)
	}
	say(what, hit, true, time.Since(start))
	return value, nil
}

// say prints where a result came from, and whether it is saved, unless the cell is silent.
func say(what string, hit, saved bool, took time.Duration) {
	switch {
	case silence.Load():
	case hit:
		fmt.Printf("%s: from the store, in %d ms\n", what, took.Milliseconds())
	case saved:
		fmt.Printf("%s: computed in %.1f s, saved for the next cell\n", what, took.Seconds())
	default:
		fmt.Printf("%s: computed in %.1f s\n", what, took.Seconds())
	}
}
