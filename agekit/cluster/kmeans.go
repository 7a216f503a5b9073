package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/internal/parallel"
	"gonum.org/v1/gonum/blas/blas32"
)

// KMeansOptions are the settings of [KMeans]; the defaults are
// scikit-learn's.
type KMeansOptions struct {
	// Restarts is the number of runs from new starting centres, of which
	// the one with the lowest inertia wins. Default 10.
	Restarts int
	// MaxIter is the largest number of Lloyd's iterations of a run.
	// Default 300.
	MaxIter int
	// Tol ends a run when the squared distances by which the centres moved
	// add up to no more than Tol times the mean variance of the columns.
	// Default 1e-4.
	Tol float64
}

func (o KMeansOptions) withDefaults() (KMeansOptions, error) {
	switch {
	case o.Restarts < 0:
		return o, fmt.Errorf("restarts is %d: want 1 or more, or 0 for the default", o.Restarts)
	case o.MaxIter < 0:
		return o, fmt.Errorf("iterations are %d: want 1 or more, or 0 for the default", o.MaxIter)
	case o.Tol < 0 || math.IsNaN(o.Tol):
		return o, fmt.Errorf("tolerance is %v: want a positive number, or 0 for the default", o.Tol)
	}
	return KMeansOptions{cmp.Or(o.Restarts, 10), cmp.Or(o.MaxIter, 300), cmp.Or(o.Tol, 1e-4)}, nil
}

// KMeansResult is the best of the runs of [KMeans].
type KMeansResult struct {
	// Labels holds each row's cluster, 0 to k−1: the centre next to it.
	Labels []int
	// Centers are the k×d means.
	Centers blas32.General
	// Inertia is the sum of the rows' squared distances to their centres.
	Inertia float64
	// Iterations is the number of Lloyd's iterations of the best run.
	Iterations int
}

// KMeans splits the n rows of x into k clusters so that the sum of the
// squared distances to the clusters' means is low: Lloyd's iterations (IEEE
// Trans. Inf. Theory 28(2), 1982) from greedy k-means++ starts (Arthur and
// Vassilvitskii, SODA 2007) with 2+⌊ln k⌋ candidates a centre. A cluster that
// runs empty starts again at the row that is farthest from its centre.
//
// The result depends on x, k, the options and rnd alone, not on the number of
// cores. An iteration takes n·d·k multiplications.
//
// It returns an error if k is outside 1…n, an option is negative, an entry of
// x is no finite number, or the context is done.
func KMeans(ctx context.Context, x blas32.General, k int, opts KMeansOptions, rnd *rand.Rand) (KMeansResult, error) {
	best, err := kMeans(ctx, from32(x), k, opts, rnd)
	if err != nil {
		return KMeansResult{}, fmt.Errorf("k-means: %w", err)
	}
	result := KMeansResult{
		Labels: best.labels, Inertia: best.inertia, Iterations: best.iterations,
		Centers: blas32.General{Rows: k, Cols: x.Cols, Stride: max(1, x.Cols), Data: make([]float32, k*x.Cols)},
	}
	for c := range k {
		for j := range x.Cols {
			result.Centers.Data[c*x.Cols+j] = float32(best.centers.row(j)[c])
		}
	}
	return result, nil
}

// checkClusters reports a number of clusters that n rows cannot have.
func checkClusters(k, n int) error {
	if k < 1 || k > n {
		return fmt.Errorf("%d clusters of %d rows: want 1 to %d", k, n, n)
	}
	return nil
}

func kMeans[T float32 | float64](ctx context.Context, x matrix[T], k int, opts KMeansOptions, rnd *rand.Rand) (*lloyd[T], error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkClusters(k, x.rows); err != nil {
		return nil, err
	}
	if err := checkFinite(x); err != nil {
		return nil, err
	}
	norms := make([]float64, x.rows)
	for i := range norms {
		norms[i] = squaredNorm(x.row(i))
	}
	tol := opts.Tol * meanVariance(x)
	var best *lloyd[T]
	for range opts.Restarts {
		run := newLloyd(x, norms, k)
		if err := run.start(ctx, rnd); err != nil {
			return nil, err
		}
		if err := run.iterate(ctx, opts.MaxIter, tol); err != nil {
			return nil, err
		}
		if best == nil || run.inertia < best.inertia {
			best = run
		}
	}
	return best, nil
}

// meanVariance returns the mean over the columns of their variance.
func meanVariance[T float32 | float64](x matrix[T]) float64 {
	means := make([]float64, x.cols)
	for i := range x.rows {
		for j, v := range x.row(i) {
			means[j] += float64(v)
		}
	}
	for j := range means {
		means[j] /= float64(x.rows)
	}
	s := 0.0
	for i := range x.rows {
		for j, v := range x.row(i) {
			s += (float64(v) - means[j]) * (float64(v) - means[j])
		}
	}
	return s / max(1, float64(x.rows*x.cols))
}

// lloyd is one run of k-means. Centres are columns, so that the distances of
// a range of rows to all of them come from one narrow product.
type lloyd[T float32 | float64] struct {
	x           matrix[T]
	norms       []float64 // |xᵢ|²
	k           int
	centers     matrix[float64] // d×padded(k)
	centerNorms []float64       // |c|²
	labels      []int
	distances   []float64 // squared, of each row to its centre
	inertia     float64
	iterations  int
	parts       []clusterSums // of each range of rows
}

// clusterSums are the number and the sum of the rows of each cluster.
type clusterSums struct {
	counts  []int
	sums    matrix[float64] // k×d
	changed bool            // whether a label changed
}

func newLloyd[T float32 | float64](x matrix[T], norms []float64, k int) *lloyd[T] {
	grain := rowGrain(x.rows)
	l := &lloyd[T]{
		x: x, norms: norms, k: k,
		centers: newMatrix(x.cols, padded(k)), centerNorms: make([]float64, k),
		labels: make([]int, x.rows), distances: make([]float64, x.rows),
		parts: make([]clusterSums, (x.rows+grain-1)/grain),
	}
	for i := range l.labels {
		l.labels[i] = -1
	}
	for p := range l.parts {
		l.parts[p] = clusterSums{counts: make([]int, k), sums: newMatrix(k, x.cols)}
	}
	return l
}

// iterate runs Lloyd's iterations until no label changes, the centres hardly
// move, or the limit is reached. In the latter two cases the labels are set
// once more, so that they fit the centres.
func (l *lloyd[T]) iterate(ctx context.Context, maxIter int, tol float64) error {
	for settled := false; !settled; {
		l.iterations++
		changed, err := l.assign(ctx)
		if err != nil {
			return err
		}
		if !changed {
			break
		}
		settled = l.update() <= tol || l.iterations == maxIter
		if settled {
			if _, err := l.assign(ctx); err != nil {
				return err
			}
		}
	}
	center := make([]float64, l.x.cols)
	byCluster := l.centersAsRows()
	for i, c := range l.labels {
		copy(center, byCluster.row(c))
		for j, v := range l.x.row(i) {
			d := float64(v) - center[j]
			l.inertia += d * d
		}
	}
	return nil
}

func (l *lloyd[T]) centersAsRows() matrix[float64] {
	rows := newMatrix(l.k, l.x.cols)
	for j := range l.x.cols {
		for c, v := range l.centers.row(j)[:l.k] {
			rows.row(c)[j] = v
		}
	}
	return rows
}

// setCenter puts row in the place of centre c.
func (l *lloyd[T]) setCenter(c int, row []float64) {
	for j, v := range row {
		l.centers.row(j)[c] = v
	}
	l.centerNorms[c] = squaredNorm(row)
}

// assign gives every row the label of the nearest centre, the lowest one of
// several, adds up the clusters, and reports whether a label changed.
func (l *lloyd[T]) assign(ctx context.Context) (changed bool, err error) {
	const strip = 256 // rows whose distances stay in the cache
	grain := rowGrain(l.x.rows)
	err = parallel.BlocksContext(ctx, l.x.rows, grain, func(lo, hi int) {
		part := &l.parts[lo/grain]
		part.changed = false
		clear(part.counts)
		clear(part.sums.data)
		products := newMatrix(strip, l.centers.cols)
		for ; lo < hi; lo += strip {
			end := min(hi, lo+strip)
			clear(products.data)
			mulAdd(products.slice(0, end-lo, 0, products.cols), l.x.slice(lo, end, 0, l.x.cols), l.centers)
			for i := lo; i < end; i++ {
				l.assignRow(i, products.row(i - lo)[:l.k], part)
			}
		}
	})
	return slices.ContainsFunc(l.parts, func(p clusterSums) bool { return p.changed }), err
}

func (l *lloyd[T]) assignRow(i int, products []float64, part *clusterSums) {
	nearest, least := 0, math.Inf(1)
	for c, p := range products {
		if d := l.centerNorms[c] - 2*p; d < least {
			nearest, least = c, d
		}
	}
	if l.labels[i] != nearest {
		l.labels[i], part.changed = nearest, true
	}
	l.distances[i] = max(0, l.norms[i]+least)
	part.counts[nearest]++
	sum := part.sums.row(nearest)
	for j, v := range l.x.row(i) {
		sum[j] += float64(v)
	}
}

// update moves the centres to the means of their clusters and returns the sum
// of the squared distances by which they moved.
func (l *lloyd[T]) update() float64 {
	counts, sums := make([]int, l.k), newMatrix(l.k, l.x.cols)
	for _, part := range l.parts {
		for c, n := range part.counts {
			counts[c] += n
		}
		for p, v := range part.sums.data {
			sums.data[p] += v
		}
	}
	l.relocate(counts, sums)
	old, moved := l.centersAsRows(), 0.0
	for c, n := range counts {
		if n == 0 {
			continue // fewer distinct rows than clusters: the centre stays
		}
		mean := sums.row(c)
		for j := range mean {
			mean[j] /= float64(n)
			d := mean[j] - old.row(c)[j]
			moved += d * d
		}
		l.setCenter(c, mean)
	}
	return moved
}

// relocate gives each empty cluster one of the rows that are farthest from
// their centres, and takes it from its cluster.
func (l *lloyd[T]) relocate(counts []int, sums matrix[float64]) {
	if !slices.Contains(counts, 0) {
		return
	}
	farthest := make([]int, len(l.distances))
	for i := range farthest {
		farthest[i] = i
	}
	slices.SortFunc(farthest, func(a, b int) int {
		return cmp.Or(cmp.Compare(l.distances[b], l.distances[a]), cmp.Compare(a, b))
	})
	for c, n := range counts {
		if n > 0 {
			continue
		}
		i := farthest[0]
		farthest = farthest[1:]
		if l.distances[i] <= 1e-15*l.norms[i] || counts[l.labels[i]] < 2 {
			return // all rows lie on their centres, up to rounding
		}
		from, to := sums.row(l.labels[i]), sums.row(c)
		for j, v := range l.x.row(i) {
			from[j] -= float64(v)
			to[j] = float64(v)
		}
		counts[l.labels[i]]--
		counts[c] = 1
	}
}
