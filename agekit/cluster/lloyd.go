package cluster

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/floats"
)

const (
	// manyPoints is the number of rows above which k-means distributes rows over the cores.
	// Up to it, cores take whole runs: one core is done before another one wakes up.
	manyPoints = 1 << 14
	// pointStrip is the number of rows multiplied at a time, so that they stay in the cache.
	pointStrip = 256
	// boundSlack widens the bounds of squared distances, relative to the squared norms,
	// by much more than rounding errors: a row that the bounds exclude has the label
	// that its distances would give it.
	boundSlack = 1e-11
)

// lloyd is one run of k-means on the rows of x. Centers are columns, so that one narrow product gives the
// distances of rows to all centers. Each row has an upper bound of the distance to its own center and a
// lower bound of the distances to all others: the distances that were computed last, widened by the
// moves of the centers since then. While upper < lower, an iteration skips the row.
type lloyd[T float32 | float64] struct {
	x            linalg.Matrix[T]
	norms        []float64 // |xᵢ|²
	k            int
	centers      linalg.Matrix[float64] // d×linalg.WholePanels(k)
	centerNorms  []float64              // |c|²
	moves        []float64              // distance that each center moved in the last iteration
	labels       []int                  // each row's nearest center
	upper, lower []float64              // bounds of each row's distances
	inertia      float64                // set when the run has ended
	iterations   int                    // number of iterations so far
	ranges       []clusterSums          // of each range of rows
	buffers      sync.Pool              // of *pointBuffer[T]
}

// clusterSums is what a range of rows contributes to the next centers. It is kept from one iteration
// to the next: only clusters with other rows than before are added up again.
type clusterSums struct {
	counts  []int                  // number of the range's rows in each cluster
	sums    linalg.Matrix[float64] // k×d: the sum of these rows for each cluster
	stale   []bool                 // clusters that a row of the range entered or left in this iteration
	changed bool                   // whether a row of the range has another label since this iteration
}

// pointBuffer is workspace for a strip of rows.
type pointBuffer[T float32 | float64] struct {
	undecided []int                  // rows whose label the bounds do not decide
	rows      linalg.Matrix[T]       // copies of these rows
	products  linalg.Matrix[float64] // products of these rows with the centers
}

// newLloyd returns a run with k centers, which are not chosen yet, on the rows of x. norms are the squared
// lengths of these rows.
func newLloyd[T float32 | float64](x linalg.Matrix[T], norms []float64, k int) *lloyd[T] {
	grain := linalg.RowGrain(x.Rows)
	l := &lloyd[T]{
		x: x, norms: norms, k: k,
		centers: linalg.NewMatrix[float64](x.Cols, linalg.WholePanels(k)), centerNorms: make([]float64, k), moves: make([]float64, k),
		labels: make([]int, x.Rows), upper: make([]float64, x.Rows), lower: make([]float64, x.Rows),
		ranges: make([]clusterSums, (x.Rows+grain-1)/grain),
	}
	for r := range l.ranges {
		l.ranges[r] = clusterSums{counts: make([]int, k), sums: linalg.NewMatrix[float64](k, x.Cols), stale: make([]bool, k)}
	}
	l.buffers.New = func() any {
		return &pointBuffer[T]{
			make([]int, 0, pointStrip),
			linalg.NewMatrix[T](pointStrip, x.Cols),
			linalg.NewMatrix[float64](pointStrip, linalg.WholePanels(k)),
		}
	}
	return l
}

// eachRange calls f for each range of rows, on all cores if there are many rows: with the range's sums, and
// its first row lo and the row hi after its last.
func (l *lloyd[T]) eachRange(ctx context.Context, f func(sums *clusterSums, lo, hi int)) error {
	grain := linalg.RowGrain(l.x.Rows)
	rangesPerCore := 1
	if l.x.Rows <= manyPoints { // this core takes all of them
		rangesPerCore = len(l.ranges)
	}
	return linalg.ParallelContext(ctx, len(l.ranges), rangesPerCore, func(first, end int) {
		for r := first; r < end; r++ {
			f(&l.ranges[r], r*grain, min(l.x.Rows, (r+1)*grain))
		}
	})
}

// iterate runs Lloyd's algorithm until no label changes, until the sum of the centers' squared moves is at
// most tol, or for maxIter iterations. It sets the inertia, and labels that match the centers.
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
		moved := l.update()
		settled = moved <= tol || l.iterations == maxIter
		if settled {
			if _, err := l.assign(ctx); err != nil {
				return err
			}
		}
	}
	byCluster := l.centersAsRows()
	for i, c := range l.labels {
		center := byCluster.Row(c)
		for j, v := range l.x.Row(i) {
			d := float64(v) - center[j]
			l.inertia += d * d
		}
	}
	return nil
}

// centersAsRows returns the centers as a k×d matrix.
func (l *lloyd[T]) centersAsRows() linalg.Matrix[float64] {
	return transposed(l.centers.Slice(0, l.x.Cols, 0, l.k), l.x.Cols)
}

// setCenter moves center c to the point row, and records the move for the bounds. It returns the square of
// the distance that the center moved.
func (l *lloyd[T]) setCenter(c int, row []float64) (moved float64) {
	for j, v := range row {
		coordinate := &l.centers.Row(j)[c]
		moved += (v - *coordinate) * (v - *coordinate)
		*coordinate = v
	}
	l.centerNorms[c] = linalg.SumOfSquares(row)
	l.moves[c] = math.Sqrt(moved)
	return moved
}

// assign gives every row the label of its nearest center, the lowest label of several. It also adds up the
// rows of each cluster, for each range of rows, and reports whether a label changed.
func (l *lloyd[T]) assign(ctx context.Context) (changed bool, err error) {
	isFirst := l.iterations == 1 // there are no labels and no bounds yet
	slack := boundSlack * slices.Max(l.centerNorms)
	// approach has, for each cluster, the most by which the center of another cluster can have come closer
	// to its rows: the largest move of all centers or, if its own center made that move, the second
	// largest.
	fastest, second := largestTwo(l.moves)
	approach := slices.Repeat(l.moves[fastest:fastest+1], l.k)
	approach[fastest] = l.moves[second]
	err = l.eachRange(ctx, func(sums *clusterSums, lo, hi int) {
		b := l.buffers.Get().(*pointBuffer[T])
		defer l.buffers.Put(b)
		sums.changed = isFirst
		for c := range sums.stale {
			sums.stale[c] = isFirst
		}
		for first := lo; first < hi; first += pointStrip {
			end := min(hi, first+pointStrip)
			labels, upper, lower := l.labels[first:end], l.upper[first:end], l.lower[first:end]
			b.undecided = b.undecided[:0]
			for r, c := range labels {
				upper[r] += l.moves[c]
				lower[r] -= approach[c]
				if isFirst || !(upper[r] < lower[r]) {
					b.undecided = append(b.undecided, first+r)
				}
			}
			b.multiply(l.x, l.centers)
			for r, i := range b.undecided {
				l.assignRow(i, b.products.Row(r)[:l.k], slack, sums)
			}
		}
		l.addUpStale(sums, lo, hi)
	})
	return slices.ContainsFunc(l.ranges, func(s clusterSums) bool { return s.changed }), err
}

// largestTwo returns the indices of the largest and the second largest element of x. If x has one element,
// both are 0.
func largestTwo(x []float64) (first, second int) {
	for i, v := range x {
		switch {
		case v > x[first]:
			first, second = i, first
		case i != first && (second == first || v > x[second]):
			second = i
		}
	}
	return first, second
}

// multiply sets b.products to the products of the undecided rows of x with the centers.
func (b *pointBuffer[T]) multiply(x linalg.Matrix[T], centers linalg.Matrix[float64]) {
	n := len(b.undecided)
	for r, i := range b.undecided {
		copy(b.rows.Row(r), x.Row(i))
	}
	products := b.products.Slice(0, n, 0, centers.Cols)
	clear(products.Data)
	linalg.MulAdd(products, b.rows.Slice(0, n, 0, x.Cols), centers)
}

// assignRow labels row i with its nearest center, given the row's products with all centers, and sets the
// row's bounds, widened by slack. If the label changes, assignRow marks the old and the new cluster as
// stale in sums, those of the row's range. Distances in it are |x − c|² − |x|² = |c|² − 2x·c: the row's
// length makes no difference between centers.
func (l *lloyd[T]) assignRow(i int, products []float64, slack float64, sums *clusterSums) {
	// Most rows keep their labels: from the old one, the branches below are predictable.
	old := l.labels[i]
	nearest := old
	smallest := l.centerNorms[old] - 2*products[old]
	next := math.Inf(1) // distance of the second nearest center
	for c, p := range products {
		d := l.centerNorms[c] - 2*p
		switch {
		case c == old:
		case d > smallest:
			next = min(next, d)
		case d < smallest || c < nearest:
			next = smallest
			nearest = c
			smallest = d
		default: // as near as the nearest
			next = d
		}
	}
	if old != nearest {
		l.labels[i] = nearest
		sums.changed = true
		sums.stale[old], sums.stale[nearest] = true, true
	}
	slack += boundSlack * l.norms[i]
	l.upper[i] = math.Sqrt(max(0, l.norms[i]+smallest) + slack)
	l.lower[i] = math.Sqrt(max(0, l.norms[i]+next-slack))
}

// addUpStale adds up the rows of the stale clusters again, from all rows of the range [lo, hi), into sums.
// It does not add and subtract only the rows that changed, because the rounding errors of such sums
// would depend on the labels of earlier iterations.
func (l *lloyd[T]) addUpStale(sums *clusterSums, lo, hi int) {
	if !slices.Contains(sums.stale, true) {
		return
	}
	for c, stale := range sums.stale {
		if stale {
			sums.counts[c] = 0
			clear(sums.sums.Row(c))
		}
	}
	for i := lo; i < hi; i++ {
		c := l.labels[i]
		if !sums.stale[c] {
			continue
		}
		sums.counts[c]++
		sum := sums.sums.Row(c)
		for j, v := range l.x.Row(i) {
			sum[j] += float64(v)
		}
	}
}

// update moves each center to the mean of its cluster's rows, and first gives empty clusters a row. It
// returns the sum of the centers' squared moves.
func (l *lloyd[T]) update() float64 {
	counts, sums := make([]int, l.k), linalg.NewMatrix[float64](l.k, l.x.Cols)
	for _, r := range l.ranges {
		for c, n := range r.counts {
			counts[c] += n
		}
		floats.Add(sums.Data, r.sums.Data)
	}
	l.relocate(counts, sums)
	clear(l.moves)
	moved := 0.0
	for c, n := range counts {
		if n == 0 {
			continue // fewer distinct rows than clusters: the center stays
		}
		mean := sums.Row(c)
		for j := range mean {
			mean[j] /= float64(n)
		}
		moved += l.setCenter(c, mean)
	}
	return moved
}

// relocate gives each empty cluster one of the rows that are farthest from their centers. It changes
// counts and sums, the number and the sum of each cluster's rows. The labels follow in the next
// iteration.
func (l *lloyd[T]) relocate(counts []int, sums linalg.Matrix[float64]) {
	if !slices.Contains(counts, 0) {
		return
	}
	distances := l.distancesToOwn()
	farthest := make([]int, len(distances))
	for i := range farthest {
		farthest[i] = i
	}
	slices.SortFunc(farthest, func(a, b int) int {
		return cmp.Or(cmp.Compare(distances[b], distances[a]), cmp.Compare(a, b))
	})
	for c, n := range counts {
		if n > 0 {
			continue
		}
		i := farthest[0]
		farthest = farthest[1:]
		const rounding = 1e-15 // of squared distances, relative to the squared length
		if distances[i] <= rounding*l.norms[i] || counts[l.labels[i]] < 2 {
			return // all rows that are left are at their centers, or their clusters' only rows
		}
		from, target := sums.Row(l.labels[i]), sums.Row(c)
		for j, v := range l.x.Row(i) {
			from[j] -= float64(v)
			target[j] = float64(v)
		}
		counts[l.labels[i]]--
		counts[c] = 1
	}
}

// distancesToOwn returns the squared distance of each row to its center.
func (l *lloyd[T]) distancesToOwn() []float64 {
	b := l.buffers.Get().(*pointBuffer[T])
	defer l.buffers.Put(b)
	distances := make([]float64, l.x.Rows)
	for first := 0; first < l.x.Rows; first += pointStrip {
		b.undecided = b.undecided[:0]
		for i := first; i < min(l.x.Rows, first+pointStrip); i++ {
			b.undecided = append(b.undecided, i)
		}
		b.multiply(l.x, l.centers)
		for r, i := range b.undecided {
			c := l.labels[i]
			distances[i] = max(0, l.norms[i]+(l.centerNorms[c]-2*b.products.Row(r)[c]))
		}
	}
	return distances
}
