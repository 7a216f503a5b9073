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
	// mixedRows is the number of rows that are combined into one of a cloud.
	mixedRows = 50
	// swapsPerEdge is the number of swaps that are tried for each edge.
	swapsPerEdge = 5
	// Columns of at most fewValues values are left out where a gap is looked for: they
	// have one between any two values.
	fewValues = 10
	// triedModes is the number of modes that are tried, less one.
	triedModes = 40
)

// cloud is a single cloud that is otherwise like a matrix x: a Gaussian copula with the rank
// correlations of x, and with the values of its columns.
type cloud struct {
	scores blas32.General // normal scores of the ranks in x
	values [][]float32    // of each column of x, in increasing order
}

// newCloud returns the cloud of x. Equal values have ranks in a random order.
func newCloud(x blas32.General, rnd *rand.Rand) *cloud {
	n := x.Rows
	c := &cloud{linalg.New(n, x.Cols), make([][]float32, x.Cols)}
	for j := range x.Cols {
		values := column32(x, j)
		order := rnd.Perm(n) // so that a stable sort leaves equal values in a random order
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
		for rank, i := range order {
			p := (float64(rank) + 0.5) / float64(n)
			c.scores.Data[i*c.scores.Stride+j] = float32(math.Sqrt2 * math.Erfinv(2*p-1))
		}
		slices.Sort(values)
		c.values[j] = values
	}
	return c
}

// column32 returns a copy of column j.
func column32(x blas32.General, j int) []float32 {
	values := make([]float32, x.Rows)
	for i := range values {
		values[i] = x.Data[i*x.Stride+j]
	}
	return values
}

// draw returns as many rows of the cloud as x has. Each is a random combination of normal scores,
// so that they have about a normal distribution with their covariance, and gets the values of
// its ranks.
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
	// Each column of y gets the values of that column of x, in the order of its own numbers.
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

// sortKey returns a key that orders rows by a number, then by their index, its lower half.
func sortKey(v float32, i int) uint64 {
	bits := math.Float32bits(v)
	if bits>>31 == 1 {
		bits = ^bits // larger negative numbers come first
	} else {
		bits |= 1 << 31
	}
	return uint64(bits)<<32 | uint64(i)
}

// gapBetweenTwo divides the rows of x into two clusters and returns the [unimodalGap] in the
// rows' positions along the line through their centers. Rounded values are spread over what they were
// rounded to. It is 0 if all columns have few values.
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
	two, err := cluster.KMeans(ctx, y, 2, cluster.KMeansOptions{Restarts: fewRuns}, rnd)
	if err != nil {
		return 0, err
	}
	first, second := two.Centers.Data[:y.Cols], two.Centers.Data[two.Centers.Stride:][:y.Cols]
	position := make([]float64, y.Rows)
	for i := range position {
		for j := range y.Cols {
			position[i] += float64(y.Data[i*y.Stride+j]) * float64(second[j]-first[j])
		}
	}
	return unimodalGap(position), nil
}

// roundingStep returns about what the values of a column were rounded to: the lower quartile of the
// steps between different values, or 0 if nearly all differ or they are few. many is false for few
// different values.
func roundingStep(values []float32) (step float32, many bool) {
	distinct := slices.Clone(values)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if len(distinct) <= fewValues || float64(len(distinct)) >= 0.9*float64(len(values)) {
		return 0, len(distinct) > fewValues
	}
	steps := make([]float32, len(distinct)-1)
	for i := range steps {
		steps[i] = distinct[i+1] - distinct[i]
	}
	slices.Sort(steps)
	return steps[len(steps)/4], true
}

// unimodalGap returns how far the distribution of numbers is from one with a single mode: the largest
// distance of their distribution function from its convex minorant up to some mode and
// its concave majorant from there on, for the best of 41 quantiles as the mode. It is about
// twice the dip of Hartigan and Hartigan. It sorts x.
func unimodalGap(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	share, mirrored, mirroredShare := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		share[i] = (float64(i) + 0.5) / float64(n)
		mirrored[n-1-i], mirroredShare[n-1-i] = -x[i], -share[i]
	}
	least := math.Inf(1)
	for t := range triedModes + 1 {
		mode := t * (n - 1) / triedModes
		upToMode := distanceAboveHull(x[:mode+1], share[:mode+1])
		fromMode := distanceAboveHull(mirrored[:n-mode], mirroredShare[:n-mode])
		least = min(least, max(upToMode, fromMode))
	}
	return least
}

// distanceAboveHull returns how far the points (x, y) are above their lower convex hull at most. x must not
// decrease.
func distanceAboveHull(x, y []float64) (most float64) {
	var hull []int
	for i := range x {
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			if (y[b]-y[a])*(x[i]-x[a]) < (y[i]-y[a])*(x[b]-x[a]) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	for s := 1; s < len(hull); s++ {
		a, b := hull[s-1], hull[s]
		for i := a + 1; i < b; i++ {
			on := y[a]
			if x[b] > x[a] {
				on += (y[b] - y[a]) * (x[i] - x[a]) / (x[b] - x[a])
			}
			most = max(most, y[i]-on)
		}
	}
	return most
}

// rewire returns a random graph with the same degrees: the ends of two random edges are swapped, five
// times as often as there are edges, unless that would make a loop or an edge that there is.
// The weights are shuffled. If there are two kinds of nodes, edges still join both.
func rewire(a *graph.CSR, rnd *rand.Rand) (*graph.CSR, error) {
	var u, v []int32
	var w []float32
	side, bipartite := twoSides(a)
	joined := map[[2]int32]bool{}
	for i := range a.Rows {
		for j, weight := range a.Each(i) {
			if j < i {
				continue
			}
			source, target := int32(i), int32(j)
			if bipartite && side[i] {
				source, target = target, source
			}
			u, v, w = append(u, source), append(v, target), append(w, weight)
			joined[pair(source, target)] = true
		}
	}
	for range swapsPerEdge * len(u) {
		d, e := rnd.IntN(len(u)), rnd.IntN(len(u))
		if !bipartite && rnd.IntN(2) == 1 {
			u[e], v[e] = v[e], u[e]
		}
		first, second := pair(u[d], v[e]), pair(u[e], v[d])
		if first[0] == first[1] || second[0] == second[1] || joined[first] || joined[second] {
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

// twoSides returns which of two sides each node is on, if all edges join nodes of different sides.
// It goes through each component in breadth, from a node of the first side.
func twoSides(a *graph.CSR) (second []bool, bipartite bool) {
	second = make([]bool, a.Rows)
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
					seen[j], second[j] = true, !second[i]
					queue = append(queue, j)
				} else if second[j] == second[i] {
					return nil, false
				}
			}
		}
	}
	return second, true
}
