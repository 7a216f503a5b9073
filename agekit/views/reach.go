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
	// A training has no layers where the reach of the features is above unlikeReach, fewLayers where it
	// is below shortReach or the modularity of the edges' communities below clearModularity, and [Layers]
	// elsewhere. They were set on eleven graphs of words (docs/views.md), with reaches of 1.17 and
	// 1.5, modularities of 0.47 and 0.70, and above these reaches of 0.47 and 0.57 on the two sides.
	fewLayers, shortReach, unlikeReach, clearModularity = 1, 0.52, 1.3, 0.5
)

// Reach says how far along edges the features stay alike: the mean cosine of the features of two nodes
// at distance two, divided by that of neighbors. Rows are taken less the mean of all. It is that of
// random paths i, j, k from random nodes: i and j are neighbors, and i and k at distance two if there
// is no edge between them.
//
// It is small where features say much about neighbors and little about others, near 1 where they
// change slowly along edges, and larger where a node is more like the other neighbors of its
// neighbors. It is +Inf where neighbors are not alike at all, and 0 without nodes at distance two.
func (f *Finder) Reach() float64 {
	x := newCenteredRows(f.g.Features)
	a := f.g.Adjacency
	rnd := f.random(rng.ViewPaths)
	neighborSum, secondSum := 0., 0. // of cosines at distance one and two
	paths, ends := 0, 0              // their numbers
	for range sampledPaths {
		i := rnd.IntN(a.Rows)
		if f.g.Degree(i) == 0 {
			continue
		}
		neighbor := func(i int) int { return int(a.Indices[a.Indptr[i]+rnd.IntN(f.g.Degree(i))]) }
		j := neighbor(i)
		k := neighbor(j)
		neighborSum += x.cosine(i, j)
		paths++
		if k != i && a.At(i, k) == 0 {
			secondSum += x.cosine(i, k)
			ends++
		}
	}
	switch {
	case ends == 0:
		return 0
	case neighborSum <= 0:
		return math.Inf(1)
	}
	return secondSum / float64(ends) / (neighborSum / float64(paths))
}

// TrainingLayers returns the number of layers of the filter for a training: as many as for [Both]
// where features reach far along edges that have clear communities, one elsewhere, and none where
// a node is more like its neighbors' neighbors than like these. Features that were made from the edges
// are always smoothed: where each node has one of its own, no two are alike otherwise.
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

// centeredRows are the rows of a matrix, less their mean.
type centeredRows struct {
	graph.Features
	mean        []float64
	meanSquared float64 // the square of the mean's length
}

// newCenteredRows returns the rows of the features, divided by their unit.
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

// row returns the entries of row i that are not 0.
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

// cosine returns that of the angle between two rows, less the mean; 0 if one of them is the mean.
func (x *centeredRows) cosine(i, j int) float64 {
	first := map[int]float64{}
	// With the mean m, (u − m)(v − m) is uv − um − vm + mm, for sparse u and v in few operations. a and b
	// are the squares of the lengths of both rows less m.
	dot, a, b := x.meanSquared, x.meanSquared, x.meanSquared
	for k, v := range x.row(i) {
		first[k] = v
		a += v*v - 2*v*x.mean[k]
		dot -= v * x.mean[k]
	}
	for k, v := range x.row(j) {
		b += v*v - 2*v*x.mean[k]
		dot += v*first[k] - v*x.mean[k]
	}
	const rounding = 1e-12
	if a <= rounding || b <= rounding {
		return 0
	}
	return dot / math.Sqrt(a*b)
}
