package views

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
)

const (
	// mixedRows is the number of rows of normal scores that are combined into one row of a cloud.
	mixedRows = 50
	// swapsPerEdge is the number of swaps that rewire tries for each edge.
	swapsPerEdge = 5
	// A column of at most fewValues different values has a gap between any two of them, so no gap is
	// looked for in it.
	fewValues = 10
	// The values of a column are taken as not rounded if mostlyDistinct of them or more differ.
	mostlyDistinct = 0.9
	// unimodalGap tries triedModes + 1 numbers as the mode.
	triedModes = 40
)

// cloud is a distribution without groups that is otherwise like a matrix x: a Gaussian copula with the
// rank correlations of x, whose columns have the values of the columns of x.
type cloud struct {
	// scores has, in the place of each value of x, the quantile of the normal distribution for the
	// value's rank in its column.
	scores blas32.General
	values [][]float32 // the values of each column of x, in increasing order
}

// newCloud returns the cloud of x. Equal values in a column get different ranks, in a random order.
func newCloud(x blas32.General, rnd *rand.Rand) *cloud {
	n := x.Rows
	c := &cloud{scores: linalg.New(n, x.Cols), values: make([][]float32, x.Cols)}
	for j := range x.Cols {
		values := column32(x, j)
		order := rnd.Perm(n) // so that a stable sort leaves equal values in a random order
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
		for rank, i := range order {
			p := (float64(rank) + 0.5) / float64(n)
			quantile := math.Sqrt2 * math.Erfinv(2*p-1) // of the normal distribution
			c.scores.Data[i*c.scores.Stride+j] = float32(quantile)
		}
		slices.Sort(values)
		c.values[j] = values
	}
	return c
}

// column32 returns a copy of column j of x.
func column32(x blas32.General, j int) []float32 {
	values := make([]float32, x.Rows)
	for i := range values {
		values[i] = x.Data[i*x.Stride+j]
	}
	return values
}

// draw draws as many rows from the cloud as x has. Each row is first a random combination of some
// rows of normal scores, so that the rows have about a normal distribution with the covariance of the
// scores. Then each number is replaced by the value of x that has the same rank in the column.
func (c *cloud) draw(rnd *rand.Rand) blas32.General {
	n, f := c.scores.Rows, c.scores.Cols
	y := linalg.New(n, f)
	for i := range n {
		sum := blas32.Vector{N: f, Inc: 1, Data: linalg.Row(y, i)} // row i of y
		for range mixedRows {
			row := blas32.Vector{N: f, Inc: 1, Data: linalg.Row(c.scores, rnd.IntN(n))}
			blas32.Axpy(float32(rnd.NormFloat64()), row, sum)
		}
	}
	keys := make([]uint64, n)
	for j, values := range c.values {
		for i := range keys {
			keys[i] = sortKey(y.Data[i*y.Stride+j], i)
		}
		slices.Sort(keys)
		for rank, key := range keys {
			row := int(uint32(key))
			y.Data[row*y.Stride+j] = values[rank]
		}
	}
	return y
}

// sortKey returns a key for row i with the value v. Keys order rows by their values, and rows of equal
// values by i, which is the lower half of the key.
func sortKey(v float32, i int) uint64 {
	const signBit = 1 << 31
	bits := math.Float32bits(v)
	if bits&signBit != 0 {
		bits = ^bits // of negative numbers, the one with the larger absolute value comes first
	} else {
		bits |= signBit // after all negative numbers
	}
	return uint64(bits)<<32 | uint64(i)
}

// gapBetweenTwo divides the rows of x into two clusters by k-means, and returns the [unimodalGap] of
// the rows' positions along the line through the two centers. Values that were rounded are first
// spread at random over the step to which they were rounded. Columns with few different values are
// left out; if all are, the gap is 0.
func gapBetweenTwo(ctx context.Context, x blas32.General, rnd *rand.Rand) (float64, error) {
	var columns [][]float32
	for j := range x.Cols {
		values := column32(x, j)
		if step, many := roundingStep(values); many {
			for i := range values {
				values[i] += step * (rnd.Float32() - 0.5)
			}
			columns = append(columns, values)
		}
	}
	if columns == nil {
		return 0, nil
	}
	y := linalg.New(x.Rows, len(columns))
	for j, values := range columns {
		for i, v := range values {
			y.Data[i*y.Stride+j] = v
		}
	}
	found, err := cluster.KMeans(ctx, y, 2, cluster.KMeansOptions{Restarts: fewRuns}, rnd)
	if err != nil {
		return 0, err
	}
	first, second := found.Centers.Data[:y.Cols], found.Centers.Data[found.Centers.Stride:][:y.Cols] // the two centers
	position := make([]float64, y.Rows)
	for i := range position {
		for j := range y.Cols {
			position[i] += float64(y.Data[i*y.Stride+j]) * float64(second[j]-first[j])
		}
	}
	return unimodalGap(position), nil
}

// roundingStep estimates to which step the values of a column were rounded: the lower quartile of the
// differences between neighboring values. It is 0 if nearly all values differ, so that they were not
// rounded. many is false, and the step 0, if there are at most fewValues different values.
func roundingStep(values []float32) (step float32, many bool) {
	distinct := slices.Clone(values)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if len(distinct) <= fewValues {
		return 0, false
	}
	if float64(len(distinct)) >= mostlyDistinct*float64(len(values)) {
		return 0, true
	}
	steps := make([]float32, len(distinct)-1)
	for i := range steps {
		steps[i] = distinct[i+1] - distinct[i]
	}
	slices.Sort(steps)
	return steps[len(steps)/4], true
}

// unimodalGap returns how far the distribution of the numbers x is from one with a single mode, about
// twice the dip of Hartigan and Hartigan. The distribution function of one with a single mode is convex
// up to the mode and concave from there on. unimodalGap takes 41 quantiles as the mode, and measures
// for each how far the function of x is above the largest convex one below it up to the mode, and
// below the smallest concave one above it from there on. It returns the least of the 41 larger
// distances. It sorts the caller's x.
func unimodalGap(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	share := make([]float64, n) // the distribution function at each x
	// The function turned by 180°, in which concave is convex.
	mirrored, mirroredShare := make([]float64, n), make([]float64, n)
	for i := range x {
		share[i] = (float64(i) + 0.5) / float64(n)
		mirrored[n-1-i], mirroredShare[n-1-i] = -x[i], -share[i]
	}
	least := math.Inf(1)
	for t := range triedModes + 1 {
		mode := t * (n - 1) / triedModes // its index in x
		upToMode := distanceAboveHull(x[:mode+1], share[:mode+1])
		fromMode := distanceAboveHull(mirrored[:n-mode], mirroredShare[:n-mode])
		least = min(least, max(upToMode, fromMode))
	}
	return least
}

// distanceAboveHull returns the largest vertical distance of a point (x[i], y[i]) from the lower convex
// hull of all points. x must not decrease.
func distanceAboveHull(x, y []float64) (most float64) {
	var hull []int // the points on the hull of those up to i, from left to right
	for i := range x {
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			isBelow := (y[b]-y[a])*(x[i]-x[a]) < (y[i]-y[a])*(x[b]-x[a]) // b, the line from a to i
			if isBelow {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	for s := 1; s < len(hull); s++ {
		a, b := hull[s-1], hull[s]
		for i := a + 1; i < b; i++ {
			onHull := y[a] // the hull at x[i]
			if x[b] > x[a] {
				onHull += (y[b] - y[a]) * (x[i] - x[a]) / (x[b] - x[a])
			}
			most = max(most, y[i]-onHull)
		}
	}
	return most
}

// rewire returns a random graph in which each node has as many edges as in a. It picks two random
// edges and swaps their ends, five times as often as there are edges, unless that would make a loop
// or an edge that exists already. The weights are shuffled among the edges. If a is bipartite, edges
// still join the same two sides.
func rewire(a *graph.CSR, rnd *rand.Rand) (*graph.CSR, error) {
	var u, v []int32 // the ends of each edge; of a bipartite graph, v[e] is on the second side
	var w []float32  // the weight of each edge
	onSecond, bipartite := twoSides(a)
	joined := map[[2]int32]bool{} // the pairs of nodes with an edge
	for i := range a.Rows {
		for j, weight := range a.Each(i) {
			if j < i { // node j lists this edge
				continue
			}
			source, target := int32(i), int32(j)
			if bipartite && onSecond[i] {
				source, target = target, source
			}
			u, v, w = append(u, source), append(v, target), append(w, weight)
			joined[pair(source, target)] = true
		}
	}
	for range swapsPerEdge * len(u) {
		d, e := rnd.IntN(len(u)), rnd.IntN(len(u))
		if !bipartite && rnd.IntN(2) == 1 { // either end of e may be swapped
			u[e], v[e] = v[e], u[e]
		}
		first, second := pair(u[d], v[e]), pair(u[e], v[d])
		isLoop := first[0] == first[1] || second[0] == second[1]
		if isLoop || joined[first] || joined[second] {
			continue
		}
		delete(joined, pair(u[d], v[d]))
		delete(joined, pair(u[e], v[e]))
		joined[first], joined[second] = true, true
		v[d], v[e] = v[e], v[d]
	}
	rnd.Shuffle(len(w), func(d, e int) { w[d], w[e] = w[e], w[d] })
	return graph.Adjacency(a.Rows, u, v, w)
}

// pair returns two nodes in increasing order.
func pair(u, v int32) [2]int32 { return [2]int32{min(u, v), max(u, v)} }

// twoSides reports whether a is bipartite: whether its nodes have two sides so that each edge joins both.
// onSecond tells which nodes are on the second side; nil if a is not bipartite. It searches each
// component breadth-first, from a node that it puts on the first side.
func twoSides(a *graph.CSR) (onSecond []bool, bipartite bool) {
	onSecond = make([]bool, a.Rows)
	seen := make([]bool, a.Rows)
	for start := range a.Rows {
		if seen[start] {
			continue
		}
		seen[start] = true
		queue := []int{start}
		for len(queue) > 0 {
			i := queue[0]
			queue = queue[1:]
			for j := range a.Each(i) {
				if !seen[j] {
					seen[j], onSecond[j] = true, !onSecond[i]
					queue = append(queue, j)
				} else if onSecond[j] == onSecond[i] {
					return nil, false
				}
			}
		}
	}
	return onSecond, true
}
