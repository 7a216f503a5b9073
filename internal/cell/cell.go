// Package cell holds what the functions that notebook cells call share: the store of
// results, the interrupt, the backend, and how a cell says what it does. Each cell is a
// program of its own, so all of it belongs to the process.
package cell

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/store"
)

// Check prints err and the line of the cell, and exits the cell, unless err is nil.
func Check(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, cellLine())
		os.Exit(1)
	}
}

// cellLine returns a line of text with the file and the line of the cell's own code, the innermost of
// package main, from which the caller was called; or "". GoNB recognizes such a text and names the
// cell.
func cellLine() string {
	callers := make([]uintptr, 64)
	const skipped = 2 // runtime.Callers and this function
	frames := runtime.CallersFrames(callers[:runtime.Callers(skipped, callers)])
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

// Context returns the context of all calls, which is canceled when the cell is interrupted.
var Context = sync.OnceValue(func() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	return ctx
})

// Backend returns the backend of the cell, $AGEKIT_BACKEND or the best one.
func Backend() (backend.Choice, error) { return ResolveBackend(backend.Auto) }

// ResolveBackend returns the backend with a name, and sets the environment variables that
// it needs.
func ResolveBackend(name string) (backend.Choice, error) {
	choice, err := backend.Resolve(name)
	for variable, value := range choice.Environment() {
		os.Setenv(variable, value)
	}
	return choice, err
}

// Store returns the store that all cells share. It is nil if no folder is writable; then
// every cell computes everything again.
var Store = sync.OnceValue(func() *store.Store {
	s, err := store.Open("")
	if err != nil {
		log.Printf("results are not saved for the next cell: %v", err)
		return nil
	}
	s.Logf = log.Printf
	return s
})

// Cached returns the result that the cells' store has under key, or calls compute and stores what it
// returns. It prints a line that says which of these happened. Text what names the result there and in
// an error.
func Cached[T any](what string, key store.Key, compute func() (T, error)) (T, error) {
	start := time.Now()
	value, hit, err := store.Cached(Store(), key, compute)
	if err != nil {
		return value, fmt.Errorf("%s: %w", what, err)
	}
	PrintSource(what, hit, true, time.Since(start))
	return value, nil
}

// Silent says whether the cell prints nothing of where results come from.
var Silent atomic.Bool

// PrintSource prints where the result that what names came from, unless the cell is [Silent]: from the
// store if hit, and otherwise computed, and saved for the next cell if saved. It took the time took.
func PrintSource(what string, hit, saved bool, took time.Duration) {
	switch {
	case Silent.Load():
	case hit:
		fmt.Printf("%s: from the store, in %d ms\n", what, took.Milliseconds())
	case saved:
		fmt.Printf("%s: computed in %.1f s, saved for the next cell\n", what, took.Seconds())
	default:
		fmt.Printf("%s: computed in %.1f s\n", what, took.Seconds())
	}
}
