package views

import (
	"math"

	"github.com/agekit/age/agekit/graph"
)

const (
	// sampledEdges is the number of edges along which features are compared.
	sampledEdges = 10_000
	// alikeAlong is the mean cosine along edges from which on features are smoothed before a
	// training: of eleven graphs of words, three have up to 0.05, where smoothing four times costs a
	// quarter of the accuracy and more, and eight 0.09 or more (docs/views.md).
	alikeAlong = 0.07
)

// AlikeAlongEdges returns the mean cosine of the rows of the features, less the mean of all, at the two
// ends of an edge: of a random node and a random neighbor, many times. It is about 0 where the edges
// do not follow the features, and negative where they join unlike nodes.
func (f *Finder) AlikeAlongEdges() float64 {
	n, columns := f.g.Features.Dims()
	x := centeredRows{graph.NormalizedFeatures(f.g.Features), make([]float64, columns), 0}
	for i := range n {
		for j, v := range x.row(i) {
			x.mean[j] += v / float64(n)
		}
	}
	for _, v := range x.mean {
		x.squared += v * v
	}
	rnd := f.random(streamEdges)
	sum, count := 0., 0
	for range sampledEdges {
		i := rnd.IntN(n)
		if degree := f.g.Degree(i); degree > 0 {
			neighbor := f.g.Adjacency.Indices[f.g.Adjacency.Indptr[i]+rnd.IntN(degree)]
			sum += x.cosine(i, int(neighbor))
			count++
		}
	}
	return sum / float64(max(1, count))
}

// centeredRows are the rows of a matrix, less their mean.
type centeredRows struct {
	graph.Features
	mean    []float64
	squared float64 // of the mean's length
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
	dot, a, b := x.squared, x.squared, x.squared // of (x − μ)·(y − μ) and of both lengths
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

// TrainingLayers returns the number of layers of the filter for a training: as many as for [Both]
// where features are alike along edges, and none where they are not, since smoothing then blurs what
// the features tell.
func (f *Finder) TrainingLayers() int {
	if f.g.Edges() > 0 && f.AlikeAlongEdges() >= alikeAlong {
		return Layers
	}
	return 0
}
