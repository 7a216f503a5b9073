package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sort"
	"sync"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// KMeansOptions are the settings of [KMeans].
type KMeansOptions struct {
	// Restarts is the number of runs; the lowest inertia wins. Default 10.
	Restarts int
}

// The limits of a run, scikit-learn's: Lloyd iterations, and the sum of the squared
// distances by which the centers moved, relative to the mean variance of the columns.
const maxIterations, tolerance = 300, 1e-4

// KMeansResult is the best of the runs of [KMeans].
type KMeansResult struct {
	// Labels holds each row's cluster, 0 to k−1: its nearest center.
	Labels []int
	// Centers are the k×d means.
	Centers blas32.General
	// Inertia is the sum of the squared distances of rows to their centers.
	Inertia float64
}

// KMeans divides the n rows of x into k clusters so that the sum of the squared distances
// to the cluster means is low. It runs Lloyd's algorithm (IEEE Trans. Inf. Theory 28(2),
// 1982), up to 300 iterations, from greedy k-means++ starts (Arthur and Vassilvitskii, SODA
// 2007) with 2+⌊ln k⌋ candidates per center; the defaults are scikit-learn's. An empty
// cluster starts over at the row farthest from its center.
//
// Above 2¹⁸ rows (or 100·k, if that is more), the starts are run on a random sample of so many
// rows, and the best one's centers start a single run on all rows.
//
// The number of cores does not change the result. The first iteration takes n·d·k
// multiplications; later ones skip the rows whose nearest center cannot have changed, given
// how far the centers moved (Hamerly, SDM 2010). It returns an error if k is outside 1…n,
// Restarts is negative, an entry of x is not a finite number, or ctx is done.
func KMeans(ctx context.Context, x blas32.General, k int, opts KMeansOptions, rnd *rand.Rand) (KMeansResult, error) {
	best, err := kMeans(ctx, linalg.From32(x), k, opts, rnd)
	if err != nil {
		return KMeansResult{}, fmt.Errorf("k-means: %w", err)
	}
	result := KMeansResult{
		Labels: best.labels, Inertia: best.inertia,
		Centers: blas32.General{Rows: k, Cols: x.Cols, Stride: max(1, x.Cols), Data: make([]float32, k*x.Cols)},
	}
	for p, v := range best.centersAsRows().Data {
		result.Centers.Data[p] = float32(v)
	}
	return result, nil
}

// SampledRows is the largest number of rows on which all runs of [KMeans] see every row. Of
// more, the runs see a random sample of that size, and one run from the best centers sees all:
// centers of a larger sample would be no better starts, and would take most of the time.
const SampledRows = 1 << 18

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

// kMeans is KMeans for rows of either precision. It returns the run with the lowest inertia, the
// first of several.
func kMeans[T float32 | float64](ctx context.Context, x linalg.Matrix[T], k int, opts KMeansOptions, rnd *rand.Rand) (*lloyd[T], error) {
	if opts.Restarts < 0 {
		return nil, fmt.Errorf("restarts is %d: want 1 or more, or 0 for the default", opts.Restarts)
	}
	opts.Restarts = cmp.Or(opts.Restarts, 10)
	if err := checkClusters(k, x.Rows); err != nil {
		return nil, err
	}
	if err := linalg.CheckFinite(x); err != nil {
		return nil, err
	}
	// Each run has k×d sums for each range of rows, and two more such matrices. As many runs as cores are
	// in memory, and the best one.
	grain := linalg.RowGrain(x.Rows)
	ranges := (x.Rows + grain - 1) / grain
	runs := min(opts.Restarts, runtime.GOMAXPROCS(0)+1)
	if err := system.CheckMemory(fmt.Sprintf("k-means with %d clusters of %d rows with %d columns (lower the number of clusters)", k, x.Rows, x.Cols),
		8*float64(runs)*float64(ranges+2)*float64(k)*float64(x.Cols)); err != nil {
		return nil, err
	}
	const rowsPerCenter = 100 // so that each cluster has enough rows in the sample
	if size := max(SampledRows, rowsPerCenter*k); x.Rows > size {
		return kMeansFromSample(ctx, x, size, k, opts, rnd)
	}
	norms := squaredLengths(x)
	tol := tolerance * meanVariance(x)
	// Random numbers are drawn in advance and in order: the runs can finish in any order.
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
	err := linalg.ParallelContext(ctx, opts.Restarts, runsAtATime, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			run := newLloyd(x, norms, k)
			if run.start(ctx, starts[r]) != nil || run.iterate(ctx, maxIterations, tol) != nil {
				return // the context is done
			}
			lock.Lock()
			if best == nil || run.inertia < best.inertia || (run.inertia == best.inertia && r < first) {
				best, first = run, r
			}
			lock.Unlock()
		}
	})
	return best, err
}

// kMeansFromSample runs k-means on a random sample of `size` rows of x, and then one run on all rows, which
// begins at the centers of the sample's best run.
func kMeansFromSample[T float32 | float64](ctx context.Context, x linalg.Matrix[T], size, k int, opts KMeansOptions, rnd *rand.Rand) (*lloyd[T], error) {
	some := linalg.NewMatrix[T](size, x.Cols)
	taken := 0
	// Row i is taken with the probability (rows still wanted)/(rows left), so that all samples of this
	// size are equally likely.
	for i := range x.Rows {
		if rnd.IntN(x.Rows-i) < size-taken {
			copy(some.Row(taken), x.Row(i))
			taken++
		}
	}
	best, err := kMeans(ctx, some, k, opts, rnd)
	if err != nil {
		return nil, err
	}
	run := newLloyd(x, squaredLengths(x), k)
	centers := best.centersAsRows()
	for c := range k {
		run.setCenter(c, centers.Row(c))
	}
	return run, run.iterate(ctx, maxIterations, tolerance*meanVariance(x))
}

// meanVariance returns the mean of the columns' variances.
func meanVariance[T float32 | float64](x linalg.Matrix[T]) float64 {
	means := make([]float64, x.Cols)
	s := 0.0 // sum of the squared differences
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			means[j] += float64(v)
		}
	}
	for j := range means {
		means[j] /= float64(x.Rows)
	}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			s += (float64(v) - means[j]) * (float64(v) - means[j])
		}
	}
	return s / max(1, float64(x.Rows*x.Cols))
}

// startDraws holds the random numbers of one start ([lloyd.start]). first is the row of the first center.
// For each further center, candidates has its candidates' positions in the cumulative weights of the
// rows, as shares from 0 to 1.
type startDraws struct {
	first      int
	candidates [][]float64
}

// drawStart draws the random numbers of a start with k centers among n rows: 2+⌊ln k⌋ candidates for each
// center but the first, scikit-learn's number.
func drawStart(n, k int, rnd *rand.Rand) startDraws {
	draws := startDraws{first: rnd.IntN(n), candidates: make([][]float64, k-1)}
	for c := range draws.candidates {
		positions := make([]float64, min(n, 2+int(math.Log(float64(k)))))
		for t := range positions {
			positions[t] = rnd.Float64()
		}
		draws.candidates[c] = positions
	}
	return draws
}

// start sets the initial centers by greedy k-means++. The candidates for each center are rows drawn with
// probability proportional to the squared distance to the nearest center so far; the best one becomes
// the center ([bestCandidate]). draws has the random numbers.
func (l *lloyd[T]) start(ctx context.Context, draws startDraws) error {
	n := l.x.Rows
	nearest := make([]float64, n) // each row's squared distance to its nearest center
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	cumulative := make([]float64, n) // sums of nearest up to each row
	candidates := []int{draws.first}
	var distances linalg.Matrix[float64] // of the rows (rows) from the candidates (columns)
	for c := range l.k {
		if c > 0 {
			candidates = rowsAt(cumulative, draws.candidates[c-1])
		}
		if width := linalg.WholePanels(len(candidates)); distances.Cols != width {
			distances = linalg.NewMatrix[float64](n, width)
		}
		if err := l.distancesTo(ctx, candidates, distances); err != nil {
			return err
		}
		best := bestCandidate(distances, nearest, len(candidates))
		total := 0.0
		for i := range n {
			nearest[i] = min(nearest[i], distances.Row(i)[best])
			total += nearest[i]
			cumulative[i] = total
		}
		row := make([]float64, l.x.Cols)
		for j, v := range l.x.Row(candidates[best]) {
			row[j] = float64(v)
		}
		l.setCenter(c, row)
	}
	return nil
}

// rowsAt returns, for each share from 0 to 1 of the total weight, the row where the cumulative weights
// exceed it. If all weights are zero, every row has equal weight.
func rowsAt(cumulative, shares []float64) []int {
	n := len(cumulative)
	total := cumulative[n-1]
	rows := make([]int, len(shares))
	for t, share := range shares {
		if total == 0 {
			rows[t] = int(share * float64(n))
			continue
		}
		weight := share * total
		rows[t] = min(n-1, sort.Search(n, func(i int) bool { return cumulative[i] > weight }))
	}
	return rows
}

// distancesTo sets column c of distances to the squared distances of all rows of l.x from row rows[c].
func (l *lloyd[T]) distancesTo(ctx context.Context, rows []int, distances linalg.Matrix[float64]) error {
	points := linalg.NewMatrix[float64](l.x.Cols, distances.Cols) // the rows, as columns
	norms := make([]float64, len(rows))
	for c, r := range rows {
		norms[c] = l.norms[r]
		for j, v := range l.x.Row(r) {
			points.Row(j)[c] = float64(v)
		}
	}
	return l.eachRange(ctx, func(_ *clusterSums, lo, hi int) {
		part := distances.Slice(lo, hi, 0, distances.Cols)
		clear(part.Data)
		linalg.MulAdd(part, l.x.Slice(lo, hi, 0, l.x.Cols), points)
		for i := lo; i < hi; i++ {
			norm, d := l.norms[i], distances.Row(i)[:len(norms)]
			for c, other := range norms { // |x − p|² = |x|² + |p|² − 2x·p, and d[c] is x·p so far
				d[c] = max(0, norm+other-2*d[c])
			}
		}
	})
}

// bestCandidate returns which of the candidates is best as the next center: the column of distances, the
// rows' squared distances from the candidates, with the lowest sum of squared distances to the nearest
// center. nearest has the rows' squared distances to the nearest center so far.
func bestCandidate(distances linalg.Matrix[float64], nearest []float64, candidates int) int {
	sums := make([]float64, candidates)
	for i, d := range nearest {
		for c, v := range distances.Row(i)[:candidates] {
			sums[c] += min(d, v)
		}
	}
	return floats.MinIdx(sums)
}
