package laplacian_test

import (
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
)

func BenchmarkSmooth(b *testing.B) {
	testutil.BenchGraphs(b, func(b *testing.B, g *graph.Graph) func() error {
		op, filter := laplacian.New(g.Adjacency), laplacian.Filter{K: 2.0 / 3, Layers: 8}
		reportFloor(b, g, op, filter)
		return func() error {
			_, err := filter.Smooth(b.Context(), op, g.Features)
			return err
		}
	})
}

// reportFloor reports a lower bound of the time of a filter ([testutil.ReportFloor]). It counts only
// the products with entries that are not 0 in the features that the layers before have made, and the
// bytes of the features, the edges and the result.
func reportFloor(b *testing.B, g *graph.Graph, op *laplacian.Operator, filter laplacian.Filter) {
	n, f := g.Features.Dims()
	multiplyAdds := 0
	for layer := range filter.Layers {
		x := testutil.Value(laplacian.Filter{K: filter.K, Layers: layer}.Smooth(b.Context(), op, g.Features)).OrFatal(b)
		for i := range n {
			multiplyAdds += (g.Degree(i) + 1) * testutil.Nonzero(x.Data[i*x.Stride:][:f])
		}
	}
	bytes := 8*g.Features.NNZ() + 8*g.Edges() + 8*n + 4*n*f
	testutil.ReportFloor(b, float64(multiplyAdds), float64(bytes))
}
