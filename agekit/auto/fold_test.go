package auto

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/encoder"
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

// TestOneGroup: features that are one group, as the unit matrix of a graph without features,
// one category or one number, are held out by no fold: candidates that use them would have
// nothing to cluster.
func TestOneGroup(t *testing.T) {
	g := planted(t, 3, 4)
	n := g.N()
	columns := func(f int, value func(i, j int) float32) graph.Features {
		x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
		for p := range x.Data {
			x.Data[p] = value(p/f, p%f)
		}
		return graph.Features{Sparse: graph.FromDense(x)}
	}
	for name, x := range map[string]graph.Features{
		"unit matrix": columns(n, func(i, j int) float32 { return float32(max(0, 1-max(i-j, j-i))) }),
		"category":    columns(4, func(i, j int) float32 { return float32(max(0, 1-max(i%4-j, j-i%4))) }),
		"number":      columns(1, func(i, j int) float32 { return float32(i) + 0.5 }),
	} {
		one := *g
		one.Features = x
		d := divide(&one, rand.New(rand.NewPCG(1, 0)))
		for part := range uint8(parts) {
			if slices.Contains(d.heldOut(part), true) {
				t.Errorf("%s: part %d holds features out", name, part)
			}
		}
	}
}

// TestCategories: columns are one category by their names, or if each node has the larger of
// two values in one of them.
func TestCategories(t *testing.T) {
	const n = 12
	is := func(values ...int) func(i int) float32 { // 1 for nodes whose number modulo 4 is among the values
		return func(i int) float32 {
			if slices.Contains(values, i%4) {
				return 1
			}
			return 0
		}
	}
	unlike := func(i int) float32 { return float32(i) + 0.5 }
	all := func(int) float32 { return 1 }
	for name, test := range map[string]struct {
		columns []func(i int) float32
		names   []string
		want    []int
	}{
		"all four values":               {[]func(int) float32{is(0), is(1), is(2), is(3)}, nil, []int{0, 0, 0, 0}},
		"one value is missing":          {[]func(int) float32{is(0), is(1), is(2)}, nil, []int{0, 1, 2}},
		"a value and the others":        {[]func(int) float32{is(2), is(0, 1, 3), unlike}, nil, []int{0, 0, 1}},
		"others before and after":       {[]func(int) float32{unlike, is(0), is(0, 1), is(2), is(3), is(0), unlike}, nil, []int{0, 1, 2, 2, 2, 3, 4}},
		"two, one after the other":      {[]func(int) float32{is(0, 1), is(2, 3), is(0, 2), is(1), is(3)}, nil, []int{0, 0, 1, 1, 1}},
		"another column between them":   {[]func(int) float32{is(0, 1), unlike, is(2, 3)}, nil, []int{0, 1, 2}},
		"the same column twice":         {[]func(int) float32{is(0, 1), is(0, 1), all}, nil, []int{0, 1, 2}},
		"names that begin alike":        {[]func(int) float32{is(0), is(1), is(0), unlike}, []string{"a = x", "b", "a = y", "b = z"}, []int{0, 1, 0, 2}},
		"names, and values that differ": {[]func(int) float32{is(0), is(1, 2), is(3), is(1)}, []string{"a", "b", "c", "d = 1"}, []int{0, 0, 0, 1}},
	} {
		f := len(test.columns)
		x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
		for i := range n {
			for j, value := range test.columns {
				x.Data[i*f+j] = value(i)
			}
		}
		standard := blas32.General{Rows: n, Cols: f, Stride: f, Data: slices.Clone(x.Data)}
		standardize(standard)
		for kind, features := range map[string]graph.Features{"zeros and ones": {Dense: &x}, "standardized": {Dense: &standard}, "sparse": {Sparse: graph.FromDense(x)}} {
			got, groups := groupColumns(&graph.Graph{Features: features, FeatureNames: test.names})
			if !slices.Equal(got, test.want) || groups != slices.Max(test.want)+1 {
				t.Errorf("%s, %s: %v in %d groups, want %v", name, kind, got, groups, test.want)
			}
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

// TestLeftOut: a candidate that cannot be computed, as from features that are all the same, is
// dropped and says why; the others go on.
func TestLeftOut(t *testing.T) {
	g := *quick(t)
	g.Features = normals(rand.New(rand.NewPCG(1, 0)), g.N(), 3, func(int, int) float64 { return 0 })
	for p := range g.Features.Dense.Data {
		g.Features.Dense.Data[p] = 1
	}
	both := &Trial{Candidate: Candidate{Data: edgesAndFeatures, Weight: 1, Clustering: spectral}}
	edges := &Trial{Candidate: Candidate{Data: edgesAlone, Clustering: spectral}}
	s := &search{g: inUnits(&g), k: 3, r: &Result{}, o: Options{Encoder: encoder.Options{}.WithDefaults()}}
	for i := range 2 {
		if err := s.evaluateFold(t.Context(), i, []*Trial{both, edges}); err != nil {
			t.Fatal(err)
		}
	}
	if best := highestScore([]*Trial{both, edges}, 2); best != edges || edges.Failed != "" || edges.Edges <= 0 {
		t.Errorf("%s is the best; edges alone: %+v", best.Name(), edges)
	}
	if both.Failed == "" || both.Score != 0 || both.combined() != 0 {
		t.Errorf("edges and features: %q, score %v", both.Failed, both.Score)
	}
}
