package graph_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"
)

// random returns random numbers from a seed.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// anyGraph draws a graph of 20 to 50 nodes, weighted or not, with enough edges
// to split and enough non-edges.
func anyGraph(t *rapid.T) *graph.Graph {
	n := rapid.IntRange(20, 50).Draw(t, "n")
	rnd := random(rapid.Uint64().Draw(t, "graph"))
	share := rapid.Float64Range(0.3, 0.5).Draw(t, "share of pairs that are edges")
	weighted := rapid.Bool().Draw(t, "weighted")
	var u, v []int32
	var w []float32
	for i := range n {
		for j := range i {
			if rnd.Float64() < share {
				u, v, w = append(u, int32(i)), append(v, int32(j)), append(w, rnd.Float32()+0.5)
			}
		}
	}
	if !weighted {
		w = nil
	}
	a := testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t)
	x := blas32.General{Rows: n, Cols: 1, Stride: 1, Data: make([]float32, n)}
	return &graph.Graph{Name: "any", Adjacency: a, Features: graph.Features{Dense: &x}, Labels: make([]int, n), Classes: 1}
}

// TestSplitProperties checks properties of the splits of random graphs. Training, validation and test
// contain each edge exactly once, in training with its weight. The non-edges are distinct and no edges
// of the graph. 5 % of the edges, rounded down, are for validation and 10 % for the test, each with as
// many non-edges. The training graph has no labels. The same random state gives the same split.
func TestSplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		seed := rapid.Uint64().Draw(t, "seed")
		s := testutil.Value(graph.NewSplit(g, random(seed))).OrFatal(t)
		m := float64(g.Edges())
		if v := int(m * 0.05); len(s.Validation.Edges) != v || len(s.Validation.NonEdges) != v {
			t.Fatalf("%d edges and %d non-edges for validation, want %d", len(s.Validation.Edges), len(s.Validation.NonEdges), v)
		}
		if v := int(m * 0.1); len(s.Test.Edges) != v || len(s.Test.NonEdges) != v {
			t.Fatalf("%d edges and %d non-edges for the test, want %d", len(s.Test.Edges), len(s.Test.NonEdges), v)
		}
		seen := map[graph.Pair]bool{} // pairs of all lists so far
		// once checks that the pair is valid and in no list so far.
		once := func(p graph.Pair) {
			if p.I >= p.J || p.I < 0 || int(p.J) >= g.N() || seen[p] {
				t.Fatalf("pair %v: out of order or repeated", p)
			}
			seen[p] = true
		}
		for i := range g.N() {
			for j, got := range s.Train.Adjacency.Each(i) {
				if j > i {
					once(graph.Pair{I: int32(i), J: int32(j)})
				}
				if want := g.Adjacency.At(i, j); got != want || want == 0 {
					t.Fatalf("training edge %d, %d has weight %v, want %v", i, j, got, want)
				}
			}
		}
		for _, list := range [][]graph.Pair{s.Validation.Edges, s.Test.Edges} {
			for _, p := range list {
				once(p)
				if g.Adjacency.At(int(p.I), int(p.J)) == 0 {
					t.Fatalf("%v is not an edge", p)
				}
			}
		}
		if len(seen) != g.Edges() {
			t.Fatalf("%d edges in the three parts, want %d", len(seen), g.Edges())
		}
		for _, list := range [][]graph.Pair{s.Validation.NonEdges, s.Test.NonEdges} {
			for _, p := range list {
				once(p) // so it is not an edge either
			}
		}
		if s.Train.Labels != nil {
			t.Fatal("the training graph has labels")
		}
		testutil.NoError(t, s.Train.Validate())
		again := testutil.Value(graph.NewSplit(g, random(seed))).OrFatal(t)
		if !reflect.DeepEqual(again, s) {
			t.Fatal("a different split from the same random state")
		}
	})
}

// TestSplitCora compares the numbers of edges and non-edges in Cora's split with GAE's, and checks that
// another seed gives another split.
func TestSplitCora(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	s := testutil.Value(graph.NewSplit(g, random(1))).OrFatal(t)
	got := [5]int{len(s.Validation.Edges), len(s.Validation.NonEdges), len(s.Test.Edges), len(s.Test.NonEdges), s.Train.Edges()}
	if want := [5]int{263, 263, 527, 527, 5278 - 263 - 527}; got != want {
		t.Errorf("split %v, want %v", got, want)
	}
	other := testutil.Value(graph.NewSplit(g, random(2))).OrFatal(t)
	if reflect.DeepEqual(other.Test, s.Test) || reflect.DeepEqual(other.Validation, s.Validation) {
		t.Error("another seed gives the same pairs")
	}
}

// TestSplitIsUniform checks that, over 4000 splits of a graph, each edge is in the test set equally
// often, and so is each non-edge: as often as expected, within five standard deviations.
func TestSplitIsUniform(t *testing.T) {
	const n, splits = 14, 4000
	var u, v []int32
	for i := range n {
		for step := 1; step <= 3; step++ {
			u, v = append(u, int32(i)), append(v, int32((i+step)%n))
		}
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	g := &graph.Graph{Adjacency: a}
	counts := map[graph.Pair]float64{} // number of test sets with each pair
	rnd := random(1)
	for range splits {
		s := testutil.Value(graph.NewSplit(g, rnd)).OrFatal(t)
		for _, list := range [][]graph.Pair{s.Test.Edges, s.Test.NonEdges} {
			for _, p := range list {
				counts[p]++
			}
		}
	}
	m, pairs := g.Edges(), n*(n-1)/2
	tested := float64(m / 10) // edges, and non-edges, in a test set
	for i := range n {
		for j := i + 1; j < n; j++ {
			alike := m // number of pairs that are edges or no edges like this one
			if a.At(i, j) == 0 {
				alike = pairs - m
			}
			share := tested / float64(alike)
			want, deviation := splits*share, math.Sqrt(splits*share*(1-share))
			if got := counts[graph.Pair{I: int32(i), J: int32(j)}]; math.Abs(got-want) > 5*deviation {
				t.Errorf("pair (%d, %d) is in %v test sets, want %.0f ± %.0f", i, j, got, want, deviation)
			}
		}
	}
}

// TestSplitErrors checks that a graph with too few edges to divide, and one with too few pairs that are
// no edges, are errors: both are complete graphs.
func TestSplitErrors(t *testing.T) {
	complete := func(n int) *graph.Graph {
		var u, v []int32
		for i := range n {
			for j := range i {
				u, v = append(u, int32(i)), append(v, int32(j))
			}
		}
		a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
		return &graph.Graph{Adjacency: a}
	}
	for _, c := range []struct {
		nodes int
		want  string
	}{
		{nodes: 10, want: "0 pairs that are not edges"},
		{nodes: 4, want: "0 of 6 edges"}, // 5 % of 6, rounded down
	} {
		testutil.Value(graph.NewSplit(complete(c.nodes), random(1))).Fails(t, c.want)
	}
}
