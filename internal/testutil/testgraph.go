package testutil

// This part provides tests with the data sets on which they check figures.

import (
	"sync"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
)

// loaded holds the data sets that LoadGraph has loaded, by name; lock protects it.
var (
	lock   sync.Mutex
	loaded = map[string]*graph.Graph{}
)

// LoadGraph returns a data set, which is loaded once per test binary. Cora is
// always available. If another data set's files are not on this machine, the
// test is skipped with the reason.
func LoadGraph(t testing.TB, name string) *graph.Graph {
	t.Helper()
	lock.Lock()
	defer lock.Unlock()
	if g := loaded[name]; g != nil {
		return g
	}
	g, err := dataset.Load(t.Context(), name, dataset.Options{Offline: true})
	if err != nil {
		if name == "cora" {
			t.Fatal(err)
		}
		t.Skipf("not checked on %s: %v", name, err)
	}
	loaded[name] = g
	return g
}

// Scales are factors of features that must not change a single byte of a result:
// powers of two, by which float32 is exact.
var Scales = []float64{0x1p-100, 0x1p-20, 0x1p20, 0x1p100}

// ScaledGraph returns g with its features times a factor, 0 or a power of two.
func ScaledGraph(g *graph.Graph, factor float64) *graph.Graph {
	scaled := *g
	scaled.Features = graph.DivideFeatures(g.Features, 1/factor)
	return &scaled
}

// GraphForms returns the graph g, whose features are binary and sparse, in three forms: "binary" is g
// itself, "weighted" has sparse features of 17 different values at the same places, and "dense" has
// those as a dense matrix.
func GraphForms(g *graph.Graph) map[string]*graph.Graph {
	x := *g.Features.Sparse
	x.Values = make([]float32, x.NNZ())
	for k := range x.Values {
		x.Values[k] = 0.1 + float32(k%17)/10
	}
	weighted, dense, full := *g, *g, x.Dense()
	weighted.Features, dense.Features = graph.Features{Sparse: &x}, graph.Features{Dense: &full}
	return map[string]*graph.Graph{"binary": g, "weighted": &weighted, "dense": &dense}
}
