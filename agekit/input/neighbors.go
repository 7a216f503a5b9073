package input

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/option"
)

// joinNearest sets the features, and the adjacency matrix: each node is joined to those of
// the most similar features ([Source].Neighbors).
func (l *Data) joinNearest(ctx context.Context, in Source, nodes *Table, matrix graph.Features) error {
	if l.Recipe == nil && in.Features == "" {
		return option.Errorf("%s: no column becomes features, by which %s would compare the nodes", in.Nodes, sourceNeighbors)
	}
	if err := l.makeFeatures(ctx, in, nodes, matrix); err != nil {
		return err
	}
	g, k := l.Graph, in.Neighbors
	n, f := g.Features.Dims()
	if k >= n {
		return option.Errorf("%s is %d: want at most %d, since there are %d nodes", sourceNeighbors, k, n-1, n)
	}
	if err := limit.Memory("the features as a dense matrix, to find the nearest rows", 4*float64(n)*float64(f)); err != nil {
		return err
	}
	from := 0
	if l.Recipe != nil { // whose features are scaled already
		from = l.Recipe.Width()
	}
	neighbors, err := linalg.NearestRows(ctx, standardized(g.Features.ToDense(), from), k)
	if err != nil {
		return err
	}
	u, v := make([]int32, len(neighbors)), make([]int32, len(neighbors))
	for e, neighbor := range neighbors {
		u[e], v[e] = int32(e/k), neighbor.Index
	}
	if g.Adjacency, err = graph.Adjacency(n, u, v, nil); err != nil {
		return err
	}
	g.ListedEdges = g.Edges()
	l.note("each of the %d nodes is joined to its %d nearest by features: %d edges", n, k, g.Edges())
	return nil
}

// standardized returns x with the columns from one on at mean 0 and variance 1, or 0 if
// all their values are the same.
func standardized(x blas32.General, from int) blas32.General {
	if from == x.Cols {
		return x
	}
	y := blas32.General{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: make([]float32, x.Rows*x.Cols)}
	for i := range x.Rows {
		copy(y.Data[i*y.Stride:][:y.Cols], x.Data[i*x.Stride:])
	}
	n := float64(x.Rows)
	for j := from; j < y.Cols; j++ {
		mean, squares := 0., 0.
		for i := range y.Rows {
			mean += float64(y.Data[i*y.Stride+j]) / n
		}
		for i := range y.Rows {
			d := float64(y.Data[i*y.Stride+j]) - mean
			squares += d * d / n
		}
		const rounding = 1e-7 // of float32
		scale := 0.
		if deviation := math.Sqrt(squares); deviation > rounding*math.Abs(mean) {
			scale = 1 / deviation
		}
		for i := range y.Rows {
			v := &y.Data[i*y.Stride+j]
			*v = float32((float64(*v) - mean) * scale)
		}
	}
	return y
}
