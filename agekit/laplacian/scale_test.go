package laplacian_test

import (
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestSmoothInUnits checks, bit by bit, that features times a power of two, smoothed with that power as
// the unit, give X̃ of the features themselves, and that their Rayleigh quotients are the same. The
// columns fill two tiles and a part of a third.
func TestSmoothInUnits(t *testing.T) {
	f := laplacian.Filter{K: 2.0 / 3, Layers: 3}
	quotientsOf := func(op *laplacian.Operator, x blas32.General) []float64 { // of nonzero columns
		return slices.DeleteFunc(op.RayleighQuotients(x), math.IsNaN)
	}
	for form, g := range testutil.GraphForms(testutil.LoadGraph(t, "planted:n=300,f=150")) {
		op := laplacian.New(g.Adjacency)
		want := testutil.Value(f.Smooth(t.Context(), op, g.Features)).OrFatal(t)
		quotients := quotientsOf(op, want)
		for _, factor := range []float64{0x1p-100, 0x1p100} {
			scaled := testutil.ScaledGraph(g, factor)
			got := linalg.Narrow(scaled.Features.Dims())
			got.Data = make([]float32, len(want.Data))
			if err := f.SmoothTo(t.Context(), got, op, scaled.Features, factor); err != nil || !slices.Equal(got.Data, want.Data) {
				t.Errorf("%s: features times %g differ (%v)", form, factor, err)
			}
			raw, err := f.Smooth(t.Context(), op, scaled.Features)
			if err != nil || !slices.Equal(quotientsOf(op, raw), quotients) {
				t.Errorf("%s: features times %g have other Rayleigh quotients (%v)", form, factor, err)
			}
		}
	}
}

// TestSmoothRefuses checks that a filter that amplifies features beyond the largest float32 is an
// error, and that one that amplifies them less is not. Too many layers are an error, too.
func TestSmoothRefuses(t *testing.T) {
	g := testutil.NinetyGraph(t)
	op := laplacian.New(g.Adjacency)
	for _, f := range []laplacian.Filter{{K: 3, Layers: 500}, {K: 1e300, Layers: 1}} {
		testutil.Value(f.Smooth(t.Context(), op, g.Features)).Fails(t, "beyond the largest float32")
	}
	if _, err := (laplacian.Filter{K: 1.5, Layers: 2}).Smooth(t.Context(), op, g.Features); err != nil {
		t.Error(err)
	}
	testutil.Fails(t, (laplacian.Filter{K: 1, Layers: 1e9}).Check(), "want 0 to 1000")
}

// TestNodeWithoutEdges checks that a filter of any k leaves a node without edges as it is: H has a 1 there.
func TestNodeWithoutEdges(t *testing.T) {
	alone := testutil.Value(graph.Adjacency(1, nil, nil, nil)).OrFatal(t)
	for _, k := range []float64{1e-300, 2.0 / 3, 1e12, 1e300} {
		if h := laplacian.New(alone).FilterMatrix(k); h.Values[0] != 1 {
			t.Errorf("k = %g: H is %v, want 1", k, h.Values[0])
		}
	}
}
