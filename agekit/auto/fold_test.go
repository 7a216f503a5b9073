package auto

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

// TestDivide: each edge and each feature is held out once, the columns of a category
// together, and a fold has all others with their values.
func TestDivide(t *testing.T) {
	g := planted(t, 3, 4)
	_, f := g.Features.Dims()
	for j := range f {
		name := "word"
		if j < 12 {
			name = []string{"color = ", "size = ", "note = "}[j%3]
		}
		g.FeatureNames = append(g.FeatureNames, name+string(rune('a'+j)))
	}
	d := divide(g, rand.New(rand.NewPCG(1, 0)))
	edges, features := map[[2]int]int{}, make([]int, f)
	for part := range uint8(parts) {
		h, err := d.without(g, part)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range h.edges {
			edges[[2]int{e.u, e.v}]++
			if h.g.Adjacency.At(e.u, e.v) != 0 || float64(g.Adjacency.At(e.u, e.v)) != e.weight {
				t.Errorf("edge %v of part %d", e, part)
			}
		}
		if h.g.Edges()+len(h.edges) != g.Edges() {
			t.Errorf("part %d: %d edges and %d held out of %d", part, h.g.Edges(), len(h.edges), g.Edges())
		}
		kept, all, left := 0, g.Features.ToDense(), h.g.Features.ToDense()
		for j, out := range h.features {
			if out {
				features[j]++
				if j >= 3 && j < 12 && !h.features[j%3] {
					t.Errorf("part %d splits a category", part)
				}
				continue
			}
			for i := range g.N() {
				if all.Data[i*all.Stride+j] != left.Data[i*left.Stride+kept] {
					t.Fatalf("part %d, node %d, feature %d: another value", part, i, j)
				}
			}
			kept++
		}
		if kept != left.Cols {
			t.Errorf("part %d: %d features, want %d", part, left.Cols, kept)
		}
		dense := graph.Features{Dense: &all}
		if x := columnsWithout(dense, h.features); x.Dense == nil || x.NNZ() != g.N()*kept {
			t.Errorf("part %d: dense features become %v", part, x)
		}
	}
	if len(edges) != g.Edges() {
		t.Errorf("%d of %d edges were held out", len(edges), g.Edges())
	}
	for j, times := range features {
		if times != 1 {
			t.Errorf("feature %d was held out %d times", j, times)
		}
	}
}

// TestVote: clusters of other numbers are renumbered, and the majority of three decides.
func TestVote(t *testing.T) {
	got := vote([][]int{{0, 0, 0, 1, 1, 2, 2}, {5, 5, 7, 7, 7, 9, 9}, {1, 1, 0, 0, 0, 2, 0}})
	for i, want := range []int{0, 0, 1, 1, 1, 2, 2} {
		if got[i] != want {
			t.Fatalf("%v", got)
		}
	}
}
