package views

import (
	"context"
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/rng"
)

const (
	// sampledPaths is the number of paths along which features are compared.
	sampledPaths = 10_000
	// The filter of a training has no layers if the reach of the features is above unlikeReach. It has
	// fewLayers if the reach is below shortReach, or if the modularity of the edges' communities is below
	// clearModularity. Otherwise it has [Layers]. The limits were set on eleven graphs of words
	// (docs/views.md). Of these, the nearest to unlikeReach had reaches of 1.17 and 1.5, the nearest to
	// clearModularity had modularities of 0.47 and 0.70, and of those with a larger modularity, the
	// nearest to shortReach had reaches of 0.47 and 0.57.
	fewLayers, shortReach, unlikeReach, clearModularity = 1, 0.52, 1.3, 0.5
)

// Reach says how far along edges the features stay alike: the mean cosine of the features of two nodes
// at distance two, divided by the mean cosine of neighbors. The mean of all features is subtracted
// first. The means are over the random paths i, j, k from random nodes i: i and j are neighbors, and i
// and k are at distance two if they differ and no edge joins them.
//
// The reach is small if features say much about neighbors and little about other nodes, near 1 if
// they change slowly along edges, and larger if a node is less like its neighbors than like the other
// neighbors of these. It is +Inf if neighbors are not alike at all, and 0 if there are no nodes at
// distance two.
func (f *Finder) Reach() float64 {
	x := newCenteredRows(f.g.Features)
	a := f.g.Adjacency
	rnd := f.random(rng.ViewPaths)
	neighborSum, secondSum := 0., 0. // the sums of the cosines at distance one and two
	neighborCount, secondCount := 0, 0
	for range sampledPaths {
		i := rnd.IntN(a.Rows)
		if f.g.Degree(i) == 0 {
			continue
		}
		randomNeighbor := func(i int) int { return int(a.Indices[a.Indptr[i]+rnd.IntN(f.g.Degree(i))]) }
		j := randomNeighbor(i)
		k := randomNeighbor(j)
		neighborSum += x.cosine(i, j)
		neighborCount++
		if k != i && a.At(i, k) == 0 {
			secondSum += x.cosine(i, k)
			secondCount++
		}
	}
	switch {
	case secondCount == 0:
		return 0
	case neighborSum <= 0:
		return math.Inf(1)
	}
	return secondSum / float64(secondCount) / (neighborSum / float64(neighborCount))
}

// TrainingLayers returns the number of layers of the filter for a training. It is 4, as for [Both], if
// features reach far ([Finder.Reach]) along edges that have clear communities. It is 0 if there are no
// edges, or if a node is more like the neighbors of its neighbors than like these, and 1 otherwise.
// For features that were made from the edges it is always 4: if each node has a feature of its own, no
// two nodes are alike without smoothing.
func (f *Finder) TrainingLayers(ctx context.Context) (int, error) {
	if f.g.Edges() == 0 {
		return 0, nil
	}
	if f.source.Structural {
		return Layers, nil
	}
	reach := f.Reach()
	if reach > unlikeReach {
		return 0, nil
	}
	connected, _ := connectedPart(f.g.Adjacency)
	modularity, err := f.modularity(ctx, connected, f.random(rng.ViewLeiden))
	if err != nil {
		return 0, err
	}
	if reach < shortReach || modularity < clearModularity {
		return fewLayers, nil
	}
	return Layers, nil
}

// centeredRows stands for the rows of a matrix from which their mean is subtracted. It has the rows
// before that, so that sparse ones stay sparse.
type centeredRows struct {
	graph.Features
	mean        []float64 // of each column
	meanSquared float64   // the squared length of the mean
}

// newCenteredRows returns the centered rows of the normalized features ([graph.NormalizedFeatures]).
func newCenteredRows(x graph.Features) *centeredRows {
	n, columns := x.Dims()
	c := &centeredRows{Features: graph.NormalizedFeatures(x), mean: make([]float64, columns)}
	for i := range n {
		for j, v := range c.row(i) {
			c.mean[j] += v / float64(n)
		}
	}
	for _, v := range c.mean {
		c.meanSquared += v * v
	}
	return c
}

// row returns an iterator over the entries of row i that are not 0, before the mean is subtracted.
func (x *centeredRows) row(i int) func(yield func(column int, value float64) bool) {
	return func(yield func(int, float64) bool) {
		if m := x.Sparse; m != nil {
			for j, v := range m.Each(i) {
				if !yield(j, float64(v)) {
					return
				}
			}
			return
		}
		for j, v := range x.Dense.Data[i*x.Dense.Stride:][:x.Dense.Cols] {
			if v != 0 && !yield(j, float64(v)) {
				return
			}
		}
	}
}

// cosine returns the cosine of the angle between the centered rows i and j; 0 if one of them is 0.
func (x *centeredRows) cosine(i, j int) float64 {
	// With rows u and v and the mean m, (u − m)·(v − m) = uv − um − vm + mm, and likewise for the squared
	// lengths: for sparse u and v, these are few operations.
	dot, lengthI, lengthJ := x.meanSquared, x.meanSquared, x.meanSquared // lengths are squared
	rowI := map[int]float64{}
	for k, u := range x.row(i) {
		rowI[k] = u
		lengthI += u*u - 2*u*x.mean[k]
		dot -= u * x.mean[k]
	}
	for k, v := range x.row(j) {
		lengthJ += v*v - 2*v*x.mean[k]
		dot += v*rowI[k] - v*x.mean[k]
	}
	const rounding = 1e-12 // what is less is 0 but for rounding
	if lengthI <= rounding || lengthJ <= rounding {
		return 0
	}
	return dot / math.Sqrt(lengthI*lengthJ)
}
