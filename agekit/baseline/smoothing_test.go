package baseline

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// untrained are the methods that smooth or solve, in their published reading.
var untrained = []Method{
	SSGC{Published: true}, MS2CAG{Published: true}, AGC{MostLayers: 5, Published: true}, MGAE{Published: true},
}

// TestUntrained: the same seed gives the same bytes, also on one core and without
// labels. Clusters come with the published reading. A context that is done stops
// the method.
func TestUntrained(t *testing.T) {
	g := planted(t, 300, false)
	for _, m := range append([]Method{SSGC{}, MS2CAG{}, AGC{MostLayers: 5}, MGAE{}}, untrained...) {
		o := Options{Clusters: 3, Seed: 1}
		want, err := m.Fit(t.Context(), g, o)
		if err != nil {
			t.Fatal(err)
		}
		cores := runtime.GOMAXPROCS(1)
		got, err := m.Fit(t.Context(), WithoutLabels(g), o)
		runtime.GOMAXPROCS(cores)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Embedding.Data, want.Embedding.Data) || !slices.Equal(got.Clusters, want.Clusters) {
			t.Errorf("%+v: bytes differ on one core or without labels", m)
		}
		if clusters := m.Gives()&Clusters != 0; clusters != (len(got.Clusters) == g.N()) {
			t.Errorf("%+v: %d clusters", m, len(got.Clusters))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Fit(ctx, g, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: error %v, want that it was stopped", m, err)
		}
	}
}

// TestUntrainedErrors: errors name the method and the setting.
func TestUntrainedErrors(t *testing.T) {
	g := planted(t, 60, false)
	zero, none := *g, *g
	none.Features = graph.Features{}
	zero.Features = graph.Features{Sparse: graph.FromEntries(60, 5, nil)}
	for _, c := range []struct {
		m    Method
		g    *graph.Graph
		want string
	}{
		{SSGC{Layers: -1}, g, "layers is -1"},
		{SSGC{Alpha: 1.5}, g, "alpha is 1.5"},
		{SSGC{}, &zero, "features are all 0"},
		{MS2CAG{Layers: laplacian.MaxLayers + 1}, g, "layers is 1001"},
		{MS2CAG{Alpha: math.Inf(1)}, g, "alpha is +Inf"},
		{MS2CAG{Gamma: -1}, g, "gamma is -1"},
		{MS2CAG{}, &zero, "features are all 0"},
		{AGC{MostLayers: -1}, g, "most_layers is -1"},
		{AGC{}, &zero, "features are all 0"},
		{MGAE{Layers: -1}, g, "layers is -1"},
		{MGAE{Corruption: 1}, g, "corruption is 1"},
		{MGAE{Ridge: math.NaN()}, g, "ridge is NaN"},
		{MGAE{}, &zero, "features are all 0"},
		{MGAE{Published: true}, &none, "no features"},
		{AGC{}, &none, "no features"},
	} {
		if _, err := c.m.Fit(t.Context(), c.g, Options{Clusters: 3, Seed: 1}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.m.Name()+": ") {
			t.Errorf("%s %+v: error %v, want one with the method's name and %q", c.m.Name(), c.m, err, c.want)
		}
	}
	t.Setenv("AGEKIT_MEMORY", "1kB")
	for _, m := range untrained {
		if _, err := m.Fit(t.Context(), g, Options{Clusters: 3, Seed: 1}); err == nil || !strings.Contains(err.Error(), "of memory, want at most") {
			t.Errorf("%+v: error %v, want one about memory", m, err)
		}
	}
}

// weightedTwelve is twelve with edges of different weights.
func weightedTwelve(t *testing.T) *graph.Graph {
	g := twelve(t)
	var u, v []int32
	var w []float32
	for i := range g.N() {
		neighbors, _ := g.Adjacency.Row(i)
		for _, j := range neighbors {
			if int(j) > i {
				u, v, w = append(u, int32(i)), append(v, j), append(w, 0.5+float32(len(w)%3))
			}
		}
	}
	a, err := graph.Adjacency(g.N(), u, v, w)
	if err != nil {
		t.Fatal(err)
	}
	g.Adjacency = a
	return g
}

// denseLoops returns A + I and its row sums.
func denseLoops(a *graph.CSR) (loops *mat.Dense, degrees []float64) {
	loops, degrees = mat.NewDense(a.Rows, a.Rows, nil), make([]float64, a.Rows)
	for i := range a.Rows {
		for j := range a.Rows {
			loops.Set(i, j, float64(a.At(i, j)))
		}
		loops.Set(i, i, 1)
		degrees[i] = mat.Sum(loops.RowView(i))
	}
	return loops, degrees
}

// denseConvolution returns D̃^-½(A+I)D̃^-½.
func denseConvolution(a *graph.CSR) *mat.Dense {
	loops, degrees := denseLoops(a)
	loops.Apply(func(i, j int, v float64) float64 { return v / math.Sqrt(degrees[i]*degrees[j]) }, loops)
	return loops
}

// denseUnitX returns X divided by its unit.
func denseUnitX(g *graph.Graph) *mat.Dense {
	return dense.Float64(g.Features.DividedBy(g.Features.Unit()).ToDense())
}

// unitLength scales the rows of m to length 1.
func unitLength(m *mat.Dense) {
	rows, _ := m.Dims()
	for i := range rows {
		row := m.RowView(i).(*mat.VecDense)
		row.ScaleVec(1/mat.Norm(row, 2), row)
	}
}
