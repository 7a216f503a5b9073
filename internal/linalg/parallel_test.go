package linalg

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// TestParallelCoversOnce: each index is visited once, in ranges of grain indices, on one core and on
// three. A grain of 0 counts as 1.
func TestParallelCoversOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 3} {
		runtime.GOMAXPROCS(cores)
		for _, test := range []struct{ n, grain int }{{0, 4}, {1, 4}, {4, 4}, {103, 10}, {5, 0}} {
			n, grain := test.n, max(1, test.grain)
			visits := make([]atomic.Int32, n)
			Parallel(n, test.grain, func(lo, hi int) {
				if lo%grain != 0 || hi != min(n, lo+grain) {
					t.Errorf("range %d to %d of %d in steps of %d", lo, hi, n, grain)
				}
				for i := lo; i < hi; i++ {
					visits[i].Add(1)
				}
			})
			for i := range visits {
				if v := visits[i].Load(); v != 1 {
					t.Errorf("index %d of %d visited %d times", i, n, v)
				}
			}
		}
	}
}

// TestParallelRaisesPanics: a panic in a range is raised in the caller.
func TestParallelRaisesPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "at 30" {
			t.Errorf("recovered %v, want the panic of the range", r)
		}
	}()
	Parallel(100, 10, func(lo, _ int) {
		if lo == 30 {
			panic("at 30")
		}
	})
	t.Error("no panic")
}

// TestParallelContext: all indices are visited while the context is not done. Once it is, no range is
// started, and the error is the context's.
func TestParallelContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var done atomic.Int64
	if err := ParallelContext(ctx, 100, 10, func(lo, hi int) { done.Add(int64(hi - lo)) }); err != nil || done.Load() != 100 {
		t.Errorf("%d of 100 done (%v)", done.Load(), err)
	}
	cancel()
	err := ParallelContext(ctx, 100, 10, func(int, int) { t.Error("a range was started") })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
