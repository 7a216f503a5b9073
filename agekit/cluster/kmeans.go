package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/parallel"
	"gonum.org/v1/gonum/blas/blas32"
)

// KMeansOptions are the settings of [KMeans]; the defaults are scikit-learn's.
type KMeansOptions struct {
	// Restarts is the number of runs, of which the one with the lowest inertia
	// wins. Default 10.
	Restarts int
	// MaxIter is the maximum number of Lloyd iterations per run. Default 300.
	MaxIter int
	// Tol ends a run when the sum of the squared distances by which the
	// centers moved is at most Tol times the mean variance of the columns.
	// Default 1e-4.
	Tol float64
}

func (o KMeansOptions) withDefaults() (KMeansOptions, error) {
	switch {
	case o.Restarts < 0:
		return o, fmt.Errorf("restarts is %d: want 1 or more, or 0 for the default", o.Restarts)
	case o.MaxIter < 0:
		return o, fmt.Errorf("maximum number of iterations is %d: want 1 or more, or 0 for the default", o.MaxIter)
	case o.Tol < 0 || math.IsNaN(o.Tol):
		return o, fmt.Errorf("tolerance is %v: want a positive number, or 0 for the default", o.Tol)
	}
	return KMeansOptions{cmp.Or(o.Restarts, 10), cmp.Or(o.MaxIter, 300), cmp.Or(o.Tol, 1e-4)}, nil
}

// KMeansResult is the best of the runs of [KMeans].
type KMeansResult struct {
	// Labels holds each row's cluster, 0 to k−1: its nearest center.
	Labels []int
	// Centers are the k×d means.
	Centers blas32.General
	// Inertia is the sum of the squared distances of rows to their centers.
	Inertia float64
	// Iterations is the number of Lloyd iterations of the best run.
	Iterations int
}

// KMeans divides the n rows of x into k clusters so that the sum of the squared
// distances to the cluster means is low. It runs Lloyd's algorithm (IEEE Trans.
// Inf. Theory 28(2), 1982) from greedy k-means++ starts (Arthur and
// Vassilvitskii, SODA 2007) with 2+⌊ln k⌋ candidates per center. An empty
// cluster starts over at the row farthest from its center.
//
// The result does not depend on the number of cores. The first iteration takes n·d·k
// multiplications; later ones skip the rows whose nearest center cannot have changed,
// given the distances that the centers moved (Hamerly, SDM 2010).
//
// It returns an error if k is outside 1…n, an option is negative, an entry of
// x is not a finite number, or the context is done.
func KMeans(ctx context.Context, x blas32.General, k int, opts KMeansOptions, rnd *rand.Rand) (KMeansResult, error) {
	best, err := kMeans(ctx, dense.From32(x), k, opts, rnd)
	if err != nil {
		return KMeansResult{}, fmt.Errorf("k-means: %w", err)
	}
	result := KMeansResult{
		Labels: best.labels, Inertia: best.inertia, Iterations: best.iterations,
		Centers: blas32.General{Rows: k, Cols: x.Cols, Stride: max(1, x.Cols), Data: make([]float32, k*x.Cols)},
	}
	for p, v := range best.centersAsRows().Data {
		result.Centers.Data[p] = float32(v)
	}
	return result, nil
}

// prefix adds what failed to an error.
func prefix(err *error, what string) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", what, *err)
	}
}

// checkClusters returns an error if n rows cannot have k clusters.
func checkClusters(k, n int) error {
	if k < 1 || k > n {
		return fmt.Errorf("%d clusters of %d rows: want 1 to %d", k, n, n)
	}
	return nil
}

func kMeans[T float32 | float64](ctx context.Context, x dense.Matrix[T], k int, opts KMeansOptions, rnd *rand.Rand) (*lloyd[T], error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkClusters(k, x.Rows); err != nil {
		return nil, err
	}
	if err := checkFinite(x); err != nil {
		return nil, err
	}
	// Each run has the sums of the clusters' rows, one for each range of rows.
	ranges, runs := (x.Rows+dense.Grain(x.Rows)-1)/dense.Grain(x.Rows), min(opts.Restarts, runtime.GOMAXPROCS(0)+1)
	if err := limit.Memory(fmt.Sprintf("k-means with %d clusters of %d rows with %d columns (lower the number of clusters)", k, x.Rows, x.Cols),
		8*float64(runs)*float64(ranges+2)*float64(k)*float64(x.Cols)); err != nil {
		return nil, err
	}
	norms, tol := lengths(x), opts.Tol*meanVariance(x)
	// Random numbers are drawn in advance and in order, so that the runs can
	// finish in any order.
	starts := make([]startDraws, opts.Restarts)
	for r := range starts {
		starts[r] = drawStart(x.Rows, k, rnd)
	}
	// Each core takes whole runs, unless one run has enough rows for all cores.
	runsAtATime := 1
	if x.Rows > manyPoints {
		runsAtATime = opts.Restarts
	}
	var lock sync.Mutex
	var best *lloyd[T]
	first := 0 // the first of the runs with the lowest inertia
	err = parallel.BlocksContext(ctx, opts.Restarts, runsAtATime, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			run := newLloyd(x, norms, k)
			if run.start(ctx, starts[r]) != nil || run.iterate(ctx, opts.MaxIter, tol) != nil {
				return // the context is done
			}
			lock.Lock()
			if best == nil || run.inertia < best.inertia || run.inertia == best.inertia && r < first {
				best, first = run, r
			}
			lock.Unlock()
		}
	})
	return best, err
}

// meanVariance returns the mean of the columns' variances.
func meanVariance[T float32 | float64](x dense.Matrix[T]) float64 {
	means, s := clusterMeans(x, make([]int, x.Rows), []int{x.Rows}).Row(0), 0.0
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			s += (float64(v) - means[j]) * (float64(v) - means[j])
		}
	}
	return s / max(1, float64(x.Rows*x.Cols))
}
