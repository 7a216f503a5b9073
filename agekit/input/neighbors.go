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
	n, _ := g.Features.Dims()
	if k >= n {
		return option.Errorf("%s is %d: want at most %d, since there are %d nodes", sourceNeighbors, k, n-1, n)
	}
	l.Nearest = k
	u, v, err := l.nearest(ctx, g.Features, nil)
	if err != nil {
		return err
	}
	if g.Adjacency, err = graph.Adjacency(n, u, v, nil); err != nil {
		return err
	}
	g.ListedEdges = g.Edges()
	l.note("each of the %d nodes is joined to its %d nearest by features: %d edges", n, k, g.Edges())
	return nil
}

// nearest returns the edges from each node to the r.Nearest others of the most similar
// features; if there are new nodes, whose numbers follow, the edges from each of these alone.
func (r Reading) nearest(ctx context.Context, old graph.Features, new *graph.Features) (u, v []int32, err error) {
	n, f := old.Dims()
	first, more := 0, 0
	if new != nil {
		first = n
		more, _ = new.Dims()
	}
	if err := limit.Memory("the features as a dense matrix, to find the nearest rows", 4*float64(n+more)*float64(f)); err != nil {
		return nil, nil, err
	}
	from := 0
	if r.Recipe != nil { // whose features are scaled already
		from = r.Recipe.Width()
	}
	x := old.ToDense()
	mean, scale := standard(x, from)
	among := standardized(x, mean, scale, from)
	rows := among
	if new != nil {
		rows = standardized(new.ToDense(), mean, scale, from)
	}
	nearest, err := linalg.NearestAmong(ctx, rows, among, r.Nearest)
	for e, neighbor := range nearest {
		u, v = append(u, int32(first+e/r.Nearest)), append(v, neighbor.Index)
	}
	return u, v, err
}

// standard returns the means of x's columns from one on, and the factors that make their
// variances 1, or 0 if all their values are the same.
func standard(x blas32.General, from int) (mean, scale []float64) {
	n := float64(x.Rows)
	mean, scale = make([]float64, x.Cols), make([]float64, x.Cols)
	for j := from; j < x.Cols; j++ {
		for i := range x.Rows {
			mean[j] += float64(x.Data[i*x.Stride+j]) / n
		}
		squares := 0.
		for i := range x.Rows {
			d := float64(x.Data[i*x.Stride+j]) - mean[j]
			squares += d * d / n
		}
		const rounding = 1e-7 // of float32
		if deviation := math.Sqrt(squares); deviation > rounding*math.Abs(mean[j]) {
			scale[j] = 1 / deviation
		}
	}
	return mean, scale
}

// standardized returns x with the columns from one on minus their mean, times their scale.
func standardized(x blas32.General, mean, scale []float64, from int) blas32.General {
	if from == x.Cols {
		return x
	}
	y := blas32.General{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: make([]float32, x.Rows*x.Cols)}
	for i := range x.Rows {
		row := y.Data[i*y.Stride:][:y.Cols]
		copy(row, x.Data[i*x.Stride:])
		for j := from; j < y.Cols; j++ {
			row[j] = float32((float64(row[j]) - mean[j]) * scale[j])
		}
	}
	return y
}
