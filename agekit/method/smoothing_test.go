package method

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/mat"
)

// untrained are the methods that smooth the features or solve equations without training, in their
// published mode.
var untrained = []Method{
	asMethod(ssgc{Published: true}), asMethod(ms2cag{Published: true}), asMethod(agc{MostLayers: 5, Published: true}), asMethod(mgae{Published: true}),
}

// TestUntrained, for each of untrained in fair and published mode: the same seed gives the same bytes on
// one core and without labels as on all cores with labels. There are clusters exactly if Info says so.
// A context that is done stops the method.
func TestUntrained(t *testing.T) {
	g := planted(t, 300)
	unlabeled := *g
	unlabeled.Labels = nil
	for _, m := range append([]Method{asMethod(ssgc{}), asMethod(ms2cag{}), asMethod(agc{MostLayers: 5}), asMethod(mgae{})}, untrained...) {
		o := Options{Clusters: 3, Seed: 1}
		want := testutil.Value(m.Fit(t.Context(), g, o)).OrFatal(t)
		cores := runtime.GOMAXPROCS(1)
		got, err := m.Fit(t.Context(), &unlabeled, o)
		runtime.GOMAXPROCS(cores)
		testutil.NoError(t, err)
		if !slices.Equal(got.Embedding.Data, want.Embedding.Data) || !slices.Equal(got.Clusters, want.Clusters) {
			t.Errorf("%+v: bytes differ on one core or without labels", m)
		}
		if clusters := m.Info().Clusters; clusters != (len(got.Clusters) == g.N()) {
			t.Errorf("%+v: %d clusters", m, len(got.Clusters))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Fit(ctx, g, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: error %v, want that it was stopped", m, err)
		}
	}
}

// TestUntrainedErrors: a setting that is not valid, and features that are all 0 or missing, is an error
// that begins with the method's name and has the text want. So is too little memory.
func TestUntrainedErrors(t *testing.T) {
	g := planted(t, 60)
	zero, none := *g, *g // with features that are all 0, and without features
	none.Features = graph.Features{}
	zero.Features = graph.Features{Sparse: graph.FromEntries(60, 5, nil)}
	for _, c := range []struct {
		m    Method
		g    *graph.Graph
		want string
	}{
		{asMethod(ssgc{Layers: -1}), g, "layers is -1"},
		{asMethod(ssgc{Alpha: 1.5}), g, "alpha is 1.5"},
		{asMethod(ssgc{}), &zero, "features are all 0"},
		{asMethod(ms2cag{Layers: laplacian.MaxLayers + 1}), g, "layers is 1001"},
		{asMethod(ms2cag{Alpha: math.Inf(1)}), g, "alpha is +Inf"},
		{asMethod(ms2cag{Gamma: -1}), g, "gamma is -1"},
		{asMethod(ms2cag{}), &zero, "features are all 0"},
		{asMethod(agc{MostLayers: -1}), g, "most_layers is -1"},
		{asMethod(agc{}), &zero, "features are all 0"},
		{asMethod(mgae{Layers: -1}), g, "layers is -1"},
		{asMethod(mgae{Corruption: 1}), g, "corruption is 1"},
		{asMethod(mgae{Ridge: math.NaN()}), g, "ridge is NaN"},
		{asMethod(mgae{}), &zero, "features are all 0"},
		{asMethod(mgae{Published: true}), &none, "no features"},
		{asMethod(agc{}), &none, "no features"},
	} {
		_, err := c.m.Fit(t.Context(), c.g, Options{Clusters: 3, Seed: 1})
		wantNamedError(t, c.m, err, c.want)
	}
	t.Setenv("AGEKIT_MEMORY", "1kB")
	for _, m := range untrained {
		testutil.Value(m.Fit(t.Context(), g, Options{Clusters: 3, Seed: 1})).Fails(t, "of memory, want at most")
	}
}

// weightedTwelve returns the graph twelve with the weights 0.5, 1.5 and 2.5 in turn for its edges.
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
	a := testutil.Value(graph.Adjacency(g.N(), u, v, w)).OrFatal(t)
	g.Adjacency = a
	return g
}

// denseLoops returns A + w̄I, with the mean weight w̄ of the edges, and its row sums D̃.
func denseLoops(a *graph.CSR) (loops *mat.Dense, degrees []float64) {
	loops, degrees = mat.NewDense(a.Rows, a.Rows, nil), make([]float64, a.Rows)
	for i := range a.Rows {
		for j := range a.Rows {
			loops.Set(i, j, float64(a.At(i, j)))
		}
		loops.Set(i, i, a.MeanWeight())
		degrees[i] = mat.Sum(loops.RowView(i))
	}
	return loops, degrees
}

// denseConvolution returns D̃^-½(A + w̄I)D̃^-½.
func denseConvolution(a *graph.CSR) *mat.Dense {
	loops, degrees := denseLoops(a)
	loops.Apply(func(i, j int, v float64) float64 { return v / math.Sqrt(degrees[i]*degrees[j]) }, loops)
	return loops
}

// denseUnitX returns X divided by its unit ([graph.FeatureUnit]) in float64.
func denseUnitX(g *graph.Graph) *mat.Dense {
	return linalg.Float64(graph.NormalizedFeatures(g.Features).ToDense())
}

// unitLength scales the rows of m to length 1.
func unitLength(m *mat.Dense) {
	rows, _ := m.Dims()
	for i := range rows {
		row := m.RowView(i).(*mat.VecDense)
		row.ScaleVec(1/mat.Norm(row, 2), row)
	}
}
