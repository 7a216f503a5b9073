package agekit

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/agekit/age/agekit/store"
)

// Must returns value, or ends the cell with the error. It keeps cells short:
//
//	g := agekit.Must(agekit.Load("cora"))
func Must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// Check ends the cell with the error, if there is one.
func Check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// interrupt is done when the cell is interrupted.
var interrupt = sync.OnceValue(func() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	return ctx
})

// results is the store that all cells share, or nil where no folder can be
// written: then everything is computed each time.
var results = sync.OnceValue(func() *store.Store {
	s, err := store.Open("")
	if err != nil {
		log.Printf("nothing is kept for the next cell: %v", err)
		return nil
	}
	return s
})

// cached returns what compute returns, from the store where it is there, and
// says in one line which it was.
func cached[T any](what string, key store.Key, compute func() (T, error)) (T, error) {
	start := time.Now()
	value, hit, err := store.Cached(results(), key, compute)
	if err != nil {
		return value, fmt.Errorf("%s: %w", what, err)
	}
	say(what, hit, time.Since(start))
	return value, nil
}

// say prints where a result came from.
func say(what string, hit bool, took time.Duration) {
	if hit {
		fmt.Printf("%s: from the store, in %d ms\n", what, took.Milliseconds())
	} else {
		fmt.Printf("%s: computed in %.1f s, kept for the next cell\n", what, took.Seconds())
	}
}
