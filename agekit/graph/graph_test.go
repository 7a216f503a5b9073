package graph_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"
)

// edgeList draws edges (u[k], v[k]) between n nodes, with loops, duplicates and both directions. Some
// lists have weights; otherwise w is nil.
func edgeList(t *rapid.T, n int) (u, v []int32, w []float32) {
	node := rapid.Int32Range(0, int32(n-1))
	weighted := rapid.Bool().Draw(t, "weighted")
	for range rapid.IntRange(0, 4*n).Draw(t, "edges") {
		u, v = append(u, node.Draw(t, "u")), append(v, node.Draw(t, "v"))
		if weighted {
			w = append(w, rapid.Float32Range(0.25, 4).Draw(t, "w"))
		}
	}
	return u, v, w
}

// TestAdjacency compares the adjacency matrix of random edges with a dense matrix that the test fills
// by definition: the largest weight of an edge in either direction, and no loops. No zeros are stored.
func TestAdjacency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		u, v, w := edgeList(t, n)
		a := testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t)
		testutil.NoError(t, a.Validate())
		want := make([]float32, n*n)
		for k := range u {
			weight := float32(1)
			if w != nil {
				weight = w[k]
			}
			if i, j := int(u[k]), int(v[k]); i != j {
				want[i*n+j] = max(want[i*n+j], weight)
				want[j*n+i] = max(want[j*n+i], weight)
			}
		}
		entries := 0
		for i := range n {
			for j := range n {
				if a.At(i, j) != want[i*n+j] {
					t.Fatalf("a[%d,%d] is %v, want %v", i, j, a.At(i, j), want[i*n+j])
				}
				if want[i*n+j] != 0 {
					entries++
				}
			}
		}
		if a.NNZ() != entries {
			t.Fatalf("%d entries stored, want %d", a.NNZ(), entries)
		}
	})
}

// TestAdjacencyErrors checks that edges to nodes that do not exist, and weights that are not positive
// and finite, are errors that name the edge or the weight.
func TestAdjacencyErrors(t *testing.T) {
	for name, c := range map[string]struct {
		u, v []int32
		w    []float32
		want string // in the error
	}{
		"too large":       {u: []int32{0, 1}, v: []int32{1, 3}, want: "edge 1: node 3, want 0 to 2"},
		"negative":        {u: []int32{-1}, v: []int32{1}, want: "edge 0: node -1"},
		"zero weight":     {u: []int32{0}, v: []int32{1}, w: []float32{0}, want: "weight 0"},
		"NaN weight":      {u: []int32{0}, v: []int32{1}, w: []float32{float32(math.NaN())}, want: "weight NaN"},
		"infinite weight": {u: []int32{0}, v: []int32{1}, w: []float32{float32(math.Inf(1))}, want: "weight +Inf"},
	} {
		const nodes = 3
		if _, err := graph.Adjacency(nodes, c.u, c.v, c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

// TestCSR compares the matrix of random entries, its transpose and its dense form with a dense matrix
// to which the test adds every entry.
func TestCSR(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 9).Draw(t, "rows"), rapid.IntRange(1, 9).Draw(t, "cols")
		want := make([]float32, rows*cols)
		var entries []graph.Entry
		for range rapid.IntRange(0, 30).Draw(t, "entries") {
			i, j := rapid.IntRange(0, rows-1).Draw(t, "i"), rapid.IntRange(0, cols-1).Draw(t, "j")
			value := float32(rapid.IntRange(1, 3).Draw(t, "value")) // sums are exact
			entries = append(entries, graph.Entry{Row: int32(i), Col: int32(j), Value: value})
			want[i*cols+j] += value
		}
		m := graph.FromEntries(rows, cols, entries)
		testutil.NoError(t, m.Validate())
		transposed, dense := m.Transpose(), m.Dense()
		for i := range rows {
			for j := range cols {
				w := want[i*cols+j]
				if m.At(i, j) != w || transposed.At(j, i) != w || dense.Data[i*dense.Stride+j] != w {
					t.Fatalf("(%d, %d): %v, transposed %v, dense %v; want %v", i, j, m.At(i, j), transposed.At(j, i), dense.Data[i*dense.Stride+j], w)
				}
			}
		}
	})
}

// triangle returns a valid graph with features and two classes: the triangle 0–1–2 and the isolated node 3.
func triangle() *graph.Graph {
	a, err := graph.Adjacency(4, []int32{0, 1, 2}, []int32{1, 2, 0}, nil)
	if err != nil {
		panic(err)
	}
	x := graph.FromEntries(4, 2, []graph.Entry{{Row: 0, Col: 0, Value: 1}, {Row: 1, Col: 1, Value: 2}})
	return &graph.Graph{Name: "triangle", Adjacency: a, Features: graph.Features{Sparse: x}, Labels: []int{0, 0, 1, 1}, Classes: 2}
}

// TestValidateFindsEachDefect checks that Validate accepts a valid graph and, for each defect that the
// test makes in a copy of the graph, returns an error that says so.
func TestValidateFindsEachDefect(t *testing.T) {
	testutil.NoError(t, triangle().Validate())
	dense := func(data ...float32) graph.Features {
		return graph.Features{Dense: &blas32.General{Rows: 4, Cols: 1, Stride: 1, Data: data}}
	}
	for says, damage := range map[string]func(*graph.Graph){
		"square":        func(g *graph.Graph) { g.Adjacency = &graph.CSR{Rows: 1, Cols: 2, Indptr: []int{0, 0}} },
		"symmetric":     func(g *graph.Graph) { g.Adjacency.Indices[1] = 3 },
		"self loop":     func(g *graph.Graph) { g.Adjacency = graph.FromEntries(4, 4, []graph.Entry{{Row: 1, Col: 1, Value: 1}}) },
		"positive":      func(g *graph.Graph) { g.Adjacency.Values = []float32{-1, -1, -1, -1, -1, -1} },
		"column 9":      func(g *graph.Graph) { g.Adjacency.Indices[0] = 9 },
		"3 rows":        func(g *graph.Graph) { g.Features.Sparse = graph.FromEntries(3, 2, nil) },
		"value +Inf":    func(g *graph.Graph) { g.Features.Sparse.Values[0] = float32(math.Inf(1)) },
		"value NaN":     func(g *graph.Graph) { g.Features.Sparse.Values[0] = float32(math.NaN()) },
		"column 0: val": func(g *graph.Graph) { g.Features = dense(0, float32(math.NaN()), 0, 0) },
		"value -Inf":    func(g *graph.Graph) { g.Features = dense(0, float32(math.Inf(-1)), 0, 0) },
		"3 labels":      func(g *graph.Graph) { g.Labels = g.Labels[:3] },
		"node 2 is 2":   func(g *graph.Graph) { g.Labels[2] = 2 },
	} {
		g := triangle()
		damage(g)
		if err := g.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

// TestStats compares the statistics of a small graph with those counted by hand, for sparse and dense features.
func TestStats(t *testing.T) {
	s := triangle().Stats()
	want := graph.Statistics{Nodes: 4, Edges: 3, Features: 2, NonZeros: 2, Classes: 2, Isolated: 1, ZeroRows: 2, Components: 2, MaxDegree: 2}
	if s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
	// The statistics are those of X, however it is stored.
	g := triangle()
	x := g.Features.ToDense()
	g.Features = graph.Features{Dense: &x}
	if s := g.Stats(); s != want {
		t.Errorf("with dense features, got %+v, want %+v", s, want)
	}
}

// TestFingerprint checks that a change of any part of a graph that a result can depend on changes the
// fingerprint, that no two of these changes give the same one, and that names do not change it.
func TestFingerprint(t *testing.T) {
	base := triangle().Fingerprint()
	same := triangle()
	same.Name, same.ClassNames = "other", []string{"a", "b"}
	if same.Fingerprint() != base {
		t.Error("a name changes the fingerprint")
	}
	seen := []string{base}
	for name, change := range map[string]func(*graph.Graph){
		"edge":    func(g *graph.Graph) { g.Adjacency, _ = graph.Adjacency(4, []int32{0, 1}, []int32{1, 2}, nil) },
		"weight":  func(g *graph.Graph) { g.Adjacency.Values = []float32{2, 1, 2, 1, 1, 1} },
		"feature": func(g *graph.Graph) { g.Features.Sparse.Values[1] = 3 },
		"place":   func(g *graph.Graph) { g.Features.Sparse.Indices[0] = 1 },
		"label":   func(g *graph.Graph) { g.Labels[0] = 1 },
		"classes": func(g *graph.Graph) { g.Classes = 3 },
		"dense": func(g *graph.Graph) {
			x := g.Features.Sparse.Dense()
			g.Features = graph.Features{Dense: &x}
		},
	} {
		g := triangle()
		change(g)
		f := g.Fingerprint()
		if slices.Contains(seen, f) {
			t.Errorf("%s: fingerprint unchanged", name)
		}
		seen = append(seen, f)
	}
}
