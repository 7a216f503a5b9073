package cluster

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/agekit/age/internal/parallel"
)

const (
	// manyPoints is the number of rows above which k-means shares rows among
	// the cores. Up to it the cores share runs: they would be done with so few
	// rows before another core wakes up.
	manyPoints = 1 << 14
	// pointStrip is the number of rows whose products with the centres are made
	// at a time: they stay in the cache.
	pointStrip = 256
	// boundSlack widens the bounds of squared distances, relative to the
	// squared norms, far beyond rounding: a row that the bounds leave out has
	// the label that its distances would give it.
	boundSlack = 1e-11
)

// lloyd is one run of k-means. Centres are columns, so that the distances of
// rows to all of them come from one narrow product.
//
// An iteration leaves out a row while an upper bound of the distance to its
// centre is below a lower bound of the distances to all others. The bounds are
// the distances when they were last computed and what the centres moved since.
type lloyd[T float32 | float64] struct {
	x            matrix[T]
	norms        []float64 // |xᵢ|²
	k            int
	centers      matrix[float64] // d×padded(k)
	centerNorms  []float64       // |c|²
	moves        []float64       // how far each centre moved in the last iteration
	labels       []int
	upper, lower []float64 // bounds of each row
	inertia      float64
	iterations   int
	parts        []clusterSums // of each range of rows
	buffers      sync.Pool     // of *pointBuffer[T]
}

// clusterSums are the number and the sum of the rows of each cluster in a range
// of rows.
type clusterSums struct {
	counts  []int
	sums    matrix[float64] // k×d
	stale   []bool          // clusters that a row entered or left
	changed bool            // whether a label changed
}

// pointBuffer is work space for a strip of rows.
type pointBuffer[T float32 | float64] struct {
	open     []int // rows that the bounds do not leave out
	rows     matrix[T]
	products matrix[float64]
}

func newLloyd[T float32 | float64](x matrix[T], norms []float64, k int) *lloyd[T] {
	grain := rowGrain(x.rows)
	l := &lloyd[T]{
		x: x, norms: norms, k: k,
		centers: newMatrix(x.cols, padded(k)), centerNorms: make([]float64, k), moves: make([]float64, k),
		labels: make([]int, x.rows), upper: make([]float64, x.rows), lower: make([]float64, x.rows),
		parts: make([]clusterSums, (x.rows+grain-1)/grain),
	}
	for p := range l.parts {
		l.parts[p] = clusterSums{counts: make([]int, k), sums: newMatrix(k, x.cols), stale: make([]bool, k)}
	}
	l.buffers.New = func() any {
		return &pointBuffer[T]{
			make([]int, 0, pointStrip),
			matrix[T]{pointStrip, x.cols, x.cols, make([]T, pointStrip*x.cols)},
			newMatrix(pointStrip, padded(k)),
		}
	}
	return l
}

// eachPart calls f on the ranges of rows that have sums of their own.
func (l *lloyd[T]) eachPart(ctx context.Context, f func(part *clusterSums, lo, hi int)) error {
	grain, partsAtATime := rowGrain(l.x.rows), 1
	if l.x.rows <= manyPoints {
		partsAtATime = len(l.parts)
	}
	return parallel.BlocksContext(ctx, len(l.parts), partsAtATime, func(from, to int) {
		for p := from; p < to; p++ {
			f(&l.parts[p], p*grain, min(l.x.rows, (p+1)*grain))
		}
	})
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
	byCluster := l.centersAsRows()
	for i, c := range l.labels {
		center := byCluster.row(c)
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

// setCenter puts row in the place of centre c and returns the square of the
// distance by which the centre moved.
func (l *lloyd[T]) setCenter(c int, row []float64) (moved float64) {
	for j, v := range row {
		place := &l.centers.row(j)[c]
		moved += (v - *place) * (v - *place)
		*place = v
	}
	l.centerNorms[c] = squaredNorm(row)
	l.moves[c] = math.Sqrt(moved)
	return moved
}

// assign gives every row the label of the nearest centre, the lowest one of
// several, adds up the clusters, and reports whether a label changed.
func (l *lloyd[T]) assign(ctx context.Context) (changed bool, err error) {
	first := l.iterations == 1 // there are no labels and no bounds
	slack := boundSlack * slices.Max(l.centerNorms)
	// What brings centres closer to a cluster's rows is the others' moves.
	fastest, second := largestTwo(l.moves)
	closer := slices.Repeat(l.moves[fastest:fastest+1], l.k)
	closer[fastest] = l.moves[second]
	err = l.eachPart(ctx, func(part *clusterSums, lo, hi int) {
		b := l.buffers.Get().(*pointBuffer[T])
		defer l.buffers.Put(b)
		part.changed = first
		for c := range part.stale {
			part.stale[c] = first
		}
		for from := lo; from < hi; from += pointStrip {
			end := min(hi, from+pointStrip)
			labels, upper, lower := l.labels[from:end], l.upper[from:end], l.lower[from:end]
			b.open = b.open[:0]
			for r, c := range labels {
				upper[r] += l.moves[c]
				lower[r] -= closer[c]
				if first || !(upper[r] < lower[r]) {
					b.open = append(b.open, from+r)
				}
			}
			b.multiply(l.x, l.centers)
			for r, i := range b.open {
				l.assignRow(i, b.products.row(r)[:l.k], slack, part)
			}
		}
		l.addUp(part, lo, hi)
	})
	return slices.ContainsFunc(l.parts, func(p clusterSums) bool { return p.changed }), err
}

// largestTwo returns the places of the largest and the second largest number,
// the same one if there is no other.
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

// multiply makes the products of the open rows of x with the centres.
func (b *pointBuffer[T]) multiply(x matrix[T], centers matrix[float64]) {
	n := len(b.open)
	for r, i := range b.open {
		copy(b.rows.row(r), x.row(i))
	}
	products := b.products.slice(0, n, 0, centers.cols)
	clear(products.data)
	mulAdd(products, b.rows.slice(0, n, 0, x.cols), centers)
}

// assignRow labels row i, given its products with the centres, and sets its
// bounds.
func (l *lloyd[T]) assignRow(i int, products []float64, slack float64, part *clusterSums) {
	// Most rows keep their labels: the comparisons then go the same way.
	old := l.labels[i]
	nearest, least, next := old, l.centerNorms[old]-2*products[old], math.Inf(1)
	for c, p := range products {
		d := l.centerNorms[c] - 2*p
		switch {
		case c == old:
		case d > least:
			next = min(next, d)
		case d < least || c < nearest:
			nearest, least, next = c, d, least
		default:
			next = d
		}
	}
	if old != nearest {
		l.labels[i], part.changed = nearest, true
		part.stale[old], part.stale[nearest] = true, true
	}
	slack += boundSlack * l.norms[i]
	l.upper[i] = math.Sqrt(max(0, l.norms[i]+least) + slack)
	l.lower[i] = math.Sqrt(max(0, l.norms[i]+next-slack))
}

// addUp makes the sums of a part's stale clusters anew, so that they do not
// depend on the labels before.
func (l *lloyd[T]) addUp(part *clusterSums, lo, hi int) {
	if !slices.Contains(part.stale, true) {
		return
	}
	for c, stale := range part.stale {
		if stale {
			part.counts[c] = 0
			clear(part.sums.row(c))
		}
	}
	for i := lo; i < hi; i++ {
		c := l.labels[i]
		if !part.stale[c] {
			continue
		}
		part.counts[c]++
		sum := part.sums.row(c)
		for j, v := range l.x.row(i) {
			sum[j] += float64(v)
		}
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
	clear(l.moves)
	moved := 0.0
	for c, n := range counts {
		if n == 0 {
			continue // fewer distinct rows than clusters: the centre stays
		}
		mean := sums.row(c)
		for j := range mean {
			mean[j] /= float64(n)
		}
		moved += l.setCenter(c, mean)
	}
	return moved
}

// relocate gives each empty cluster one of the rows that are farthest from
// their centres, and takes it from its cluster.
func (l *lloyd[T]) relocate(counts []int, sums matrix[float64]) {
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
		if distances[i] <= 1e-15*l.norms[i] || counts[l.labels[i]] < 2 {
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

// distancesToOwn returns the squared distance of each row to its centre.
func (l *lloyd[T]) distancesToOwn() []float64 {
	b := l.buffers.Get().(*pointBuffer[T])
	defer l.buffers.Put(b)
	distances := make([]float64, l.x.rows)
	for from := 0; from < l.x.rows; from += pointStrip {
		b.open = b.open[:0]
		for i := from; i < min(l.x.rows, from+pointStrip); i++ {
			b.open = append(b.open, i)
		}
		b.multiply(l.x, l.centers)
		for r, i := range b.open {
			c := l.labels[i]
			distances[i] = max(0, l.norms[i]+(l.centerNorms[c]-2*b.products.row(r)[c]))
		}
	}
	return distances
}
