package graph_test

import (
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// dense returns a dense rows×cols feature matrix with the given entries.
func dense(rows, cols int, data ...float32) graph.Features {
	return graph.Features{Dense: &blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data}}
}

// TestUnit compares the unit of features, for largest entries from the smallest float32 to the largest,
// with powers of two found by hand, and the normalized features with the quotient. Sparse and dense
// features give the same.
func TestUnit(t *testing.T) {
	for most, want := range map[float32]float64{0: 1, 1: 1, 1.26: 1, 1.99: 1, 2: 2, 0.3: 0.25, 1e6: 0x1p19, math.MaxFloat32: 0x1p127, math.SmallestNonzeroFloat32: 0x1p-149} {
		sparse := graph.Features{Sparse: graph.FromDense(*dense(2, 2, 0, most, 0, most/2).Dense)}
		for _, x := range []graph.Features{dense(2, 2, 0, most, 0, most/2), sparse} {
			if largest := graph.LargestFeature(x); largest != most {
				t.Errorf("largest %v, want %v", largest, most)
			}
			if unit := graph.FeatureUnit(x); unit != want {
				t.Errorf("largest %v: unit %v, want %v", most, unit, want)
			}
			m := graph.NormalizedFeatures(x).ToDense()
			if got := m.Data[1]; float64(got) != float64(most)/want {
				t.Errorf("%v divided by %v is %v", most, want, got)
			}
		}
	}
}

// TestWarnings checks the warnings about scales. Columns far above the others get one, which names the
// first three of them and counts the others. So do edge weights with a median far from 1, by their
// effect, and others none. The data sets have no warnings, and the unit 1.
func TestWarnings(t *testing.T) {
	path, err := graph.Adjacency(3, []int32{0, 1}, []int32{1, 2}, nil)
	testutil.NoError(t, err)
	names := []string{"age", "income", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10"}
	g := &graph.Graph{Adjacency: path, FeatureNames: names, Features: dense(3, 11,
		0, 3e4, 1, 1, 1, 1, 1, 0, 0, 0, 0,
		2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	)}
	// contains checks that lines is one warning, not too long, with all parts.
	contains := func(lines []string, parts ...string) {
		t.Helper()
		if len(lines) != 1 || len(lines[0]) > 500 {
			t.Fatalf("warnings %q, want one", lines)
		}
		for _, part := range parts {
			if !strings.Contains(lines[0], part) {
				t.Errorf("warning %q, want one with %q", lines[0], part)
			}
		}
	}
	contains(graph.UnitWarnings(g), `column 1 ("income") up to 3e+04`, "half of the columns at most 1;", "divide")
	for j := 7; j < 11; j++ {
		g.Features.Dense.Data[j] = 300
	}
	contains(graph.UnitWarnings(g), `column 1 ("income")`, `7 ("c7") up to 300, 8 ("c8") up to 300, and 2 more`)

	// A path of three edges, two of weight 1 in some unit. The third weight decides how far the mean is from
	// the median; the unit must not matter.
	g.Features = dense(4, 1, 1, 2, 3, 4)
	for _, unit := range []float32{1e-6, 1, 1e6} {
		for third, want := range map[float32]string{1: "", 200: "", 400: "hardly changes the features of nodes with small weights"} {
			if g.Adjacency, err = graph.Adjacency(4, []int32{0, 1, 2}, []int32{1, 2, 3}, []float32{unit, unit, third * unit}); err != nil {
				t.Fatal(err)
			}
			if lines := graph.UnitWarnings(g); want != "" {
				contains(lines, want)
			} else if len(lines) > 0 {
				t.Errorf("weights 1, 1, %v, times %v: warnings %q", third, unit, lines)
			}
		}
	}
	for _, name := range []string{"cora", "citeseer", "wiki", "pubmed", "gostd", "planted"} {
		t.Run(name, func(t *testing.T) {
			if lines := graph.UnitWarnings(testutil.LoadGraph(t, name)); len(lines) > 0 {
				t.Errorf("warnings %q", lines)
			}
			if unit := graph.FeatureUnit(testutil.LoadGraph(t, name).Features); unit != 1 {
				t.Errorf("unit %v", unit)
			}
		})
	}
}
