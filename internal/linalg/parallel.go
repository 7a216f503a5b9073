package linalg

// This part distributes loops over the processor's cores.

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Parallel calls f on consecutive ranges [lo, hi) that together cover [0, n), on all
// cores, and returns when all calls have. The ranges hold grain indices (the last one
// fewer) and depend on n and grain only: what is stored by range is the same on any
// number of cores. A panic in f is raised again in the caller, and so is a fault in the memory
// of a mapped file.
func Parallel(n, grain int, f func(lo, hi int)) {
	grain = max(1, grain)
	blocks := (n + grain - 1) / grain
	workers := min(runtime.GOMAXPROCS(0), blocks)
	if workers <= 1 {
		for lo := 0; lo < n; lo += grain {
			f(lo, min(n, lo+grain))
		}
		return
	}
	var next atomic.Int64
	var failure atomic.Pointer[any]
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			debug.SetPanicOnFault(true)
			defer func() {
				if r := recover(); r != nil {
					failure.CompareAndSwap(nil, &r)
				}
			}()
			for {
				b := int(next.Add(1)) - 1
				if b >= blocks || failure.Load() != nil {
					return
				}
				f(b*grain, min(n, (b+1)*grain))
			}
		})
	}
	wait.Wait()
	if r := failure.Load(); r != nil {
		panic(*r)
	}
}

// ParallelContext is [Parallel], but once ctx is done it calls f no more and returns the
// context's error.
func ParallelContext(ctx context.Context, n, grain int, f func(lo, hi int)) error {
	Parallel(n, grain, func(lo, hi int) {
		if ctx.Err() == nil {
			f(lo, hi)
		}
	})
	return ctx.Err()
}

// FirstError calls check for the indices of [0, n), on all cores in ranges of grain indices, and returns
// the error of the lowest index that has one.
func FirstError(n, grain int, check func(i int) error) error {
	errs := make([]error, (n+grain-1)/grain) // the first of each range
	Parallel(n, grain, func(lo, hi int) {
		for i := lo; i < hi && errs[lo/grain] == nil; i++ {
			errs[lo/grain] = check(i)
		}
	})
	return cmp.Or(errs...)
}
