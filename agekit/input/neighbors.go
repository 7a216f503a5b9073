package input

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/option"
	"github.com/agekit/age/internal/system"
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
	if err := system.CheckMemory("the features as a dense matrix, to find the nearest rows", 4*float64(n+more)*float64(f)); err != nil {
		return nil, nil, err
	}
	from := 0
	if r.Recipe != nil { // whose features are scaled already
		from = r.Recipe.Width()
	}
	x := old.ToDense()
	among := standardized(x, x, from)
	rows := among
	if new != nil {
		rows = standardized(new.ToDense(), x, from)
	}
	nearest, err := linalg.NearestAmong(ctx, rows, among, r.Nearest)
	for e, neighbor := range nearest {
		u, v = append(u, int32(first+e/r.Nearest)), append(v, neighbor.Index)
	}
	return u, v, err
}

// standardized returns x with the columns from one on in units of another matrix, whose own
// columns would have mean 0 and variance 1, or be 0 where all its values are the same.
func standardized(x, unit blas32.General, from int) blas32.General {
	if from == x.Cols {
		return x
	}
	y := x
	y.Data = slices.Clone(x.Data)
	column := make([]float64, unit.Rows)
	for j := from; j < y.Cols; j++ {
		for i := range column {
			column[i] = float64(unit.Data[i*unit.Stride+j])
		}
		mean, deviation := stat.PopMeanStdDev(column, nil)
		const rounding = 1e-7 // of float32
		scale := 0.
		if deviation > rounding*math.Abs(mean) {
			scale = 1 / deviation
		}
		for i := range y.Rows {
			v := &y.Data[i*y.Stride+j]
			*v = float32((float64(*v) - mean) * scale)
		}
	}
	return y
}
