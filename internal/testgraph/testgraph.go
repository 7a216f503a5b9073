// Package testgraph provides tests with the data sets on which they check
// figures.
package testgraph

import (
	"slices"
	"sync"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
)

var (
	lock   sync.Mutex
	loaded = map[string]*graph.Graph{}
)

// Load returns a data set, which is loaded once per test binary. Cora is
// always available. If another data set's files are not on this machine, the
// test is skipped with the reason.
func Load(t testing.TB, name string) *graph.Graph {
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

// Scaled returns g with its features times a factor.
func Scaled(g *graph.Graph, factor float64) *graph.Graph {
	multiply := func(to, from []float32) {
		for k, v := range from {
			to[k] = float32(float64(v) * factor)
		}
	}
	scaled := *g
	if x := g.Features.Dense; x != nil {
		copied := *x
		copied.Data = make([]float32, len(x.Data))
		multiply(copied.Data, x.Data)
		scaled.Features.Dense = &copied
		return &scaled
	}
	copied := *g.Features.Sparse
	from := copied.Values
	if from == nil {
		from = slices.Repeat([]float32{1}, copied.NNZ())
	}
	copied.Values = make([]float32, len(from))
	multiply(copied.Values, from)
	scaled.Features.Sparse = &copied
	return &scaled
}

// Forms returns g, with binary features, with three forms of features: binary
// ones, sparse ones of different size, and the latter as a dense matrix.
func Forms(g *graph.Graph) map[string]*graph.Graph {
	weighted := Scaled(g, 1)
	for k := range weighted.Features.Sparse.Values {
		weighted.Features.Sparse.Values[k] = 0.1 + float32(k%17)/10
	}
	dense, x := *g, weighted.Features.ToDense()
	dense.Features = graph.Features{Dense: &x}
	return map[string]*graph.Graph{"binary": g, "weighted": weighted, "dense": &dense}
}
