package input

import (
	"context"
	"math"
	"testing"

	"github.com/agekit/age/agekit/graph"
)

// ring returns a ring of n nodes with a chord from node 0 to node n/3.
func ring(t *testing.T, n int) *graph.CSR {
	t.Helper()
	u, v := []int32{0}, []int32{int32(n / 3)}
	for i := range n {
		u, v = append(u, int32(i)), append(v, int32((i+1)%n))
	}
	a, err := graph.Adjacency(n, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestStructure: a small graph gets the unit matrix. A larger one gets vectors that have the properties
// of eigenvectors of the normalized adjacency matrix, which the test multiplies by itself: they satisfy
// the equation M·x = λ·x (the exact ones to 1e-4), have mean square 1, are orthogonal, and come in the
// order of their eigenvalues. The last feature is the standardized degree, by hand.
func TestStructure(t *testing.T) {
	const few = 40 // nodes
	x, names, _, err := structure(context.Background(), ring(t, few))
	if err != nil || names != nil || x.Sparse == nil {
		t.Fatalf("%v, %v, %v", x, names, err)
	}
	if x.NNZ() != few {
		t.Errorf("%d entries, want %d", x.NNZ(), few)
	}
	for i := range few {
		if v := x.Sparse.At(i, i); v != 1 {
			t.Errorf("node %d: %v, want 1", i, v)
		}
	}
	const n = 2100 // more than oneHotMost
	a := ring(t, n)
	x, names, _, err = structure(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	m := x.ToDense()
	last := m.Cols - 1
	if len(names) != m.Cols || names[0] != "position 1" || names[last] != "degree" {
		t.Errorf("names %q for %d features", names, m.Cols)
	}
	entry := func(i, j int) float64 { return float64(m.Data[i*m.Stride+j]) }
	degree := func(i int) float64 { return float64(a.Indptr[i+1] - a.Indptr[i]) }
	previous := math.Inf(1) // the eigenvalue of the position before
	for j := range last {
		product, square, other := 0., 0., 0. // of column x of position j: x·Mx, x·x, and the product with the next position
		worst := 0.                          // the largest entry of Mx − λx
		mul := make([]float64, n)            // Mx
		for i := range n {
			mul[i] = entry(i, j) / (degree(i) + 1)
			columns, _ := a.Row(i)
			for _, k := range columns {
				mul[i] += entry(int(k), j) / math.Sqrt((degree(i)+1)*(degree(int(k))+1))
			}
			product += mul[i] * entry(i, j)
			square += entry(i, j) * entry(i, j)
			other += entry(i, j) * entry(i, (j+1)%last)
		}
		value := product / square // λ
		for i := range n {
			worst = max(worst, math.Abs(mul[i]-value*entry(i, j)))
		}
		tolerance := 2e-3
		if j < exactPositions {
			tolerance = 1e-4
		}
		if worst > tolerance {
			t.Errorf("position %d: off by %g, want at most %g", j+1, worst, tolerance)
		}
		if math.Abs(square/n-1) > 1e-4 {
			t.Errorf("position %d: mean square %v, want 1", j+1, square/n)
		}
		if math.Abs(other/n) > 1e-4 {
			t.Errorf("position %d: product with the next %v, want 0", j+1, other/n)
		}
		if value > previous+1e-6 {
			t.Errorf("position %d: eigenvalue %v after %v", j+1, value, previous)
		}
		previous = value
	}
	// Nodes 0 and n/3 have degree 3, the others 2: the mean is 2 + share, and 3 is 1 − share above it.
	share := 2. / n
	deviation := math.Sqrt(share * (1 - share))
	for i, want := range map[int]float64{0: (1 - share) / deviation, n / 3: (1 - share) / deviation, 5: -share / deviation} {
		if got := entry(i, last); math.Abs(got-want) > 1e-3*math.Abs(want) {
			t.Errorf("node %d: degree %v, want %v", i, got, want)
		}
	}
}

// TestNewWithoutFeatures: after a training with edges alone, two new nodes have zeros as features, and
// their edges lead to the old nodes. OfStructure knows positions by their names; a matrix of the user
// that only looks like the unit matrix, or like positions, is not taken for one.
func TestNewWithoutFeatures(t *testing.T) {
	path := writeInputs(t, map[string]string{
		"ties.csv": "source,target\nann,bob\nbob,eve\neve,ann\n", "new.csv": "id\nkim\nlee\n", "more.csv": "source,target\nkim,ann\nkim,eve\nlee,kim\n",
		"x.csv": "1,0\n0,1\n", "e.tsv": "0\t1\n",
	})
	old, err := Open(t.Context(), Source{Edges: path("ties.csv")})
	if err != nil {
		t.Fatal(err)
	}
	new := Source{Nodes: path("new.csv"), Edges: path("more.csv")}
	g, _, _, err := Extend(t.Context(), old.Graph, old.Reading, new)
	if err != nil {
		t.Fatal(err)
	}
	if n, f := g.Features.Dims(); n != 5 || f != 3 || g.Features.NNZ() != 3 || g.Edges() != 6 {
		t.Errorf("%d nodes with %d features, %d of them not 0, and %d edges; want 5, 3, 3 and 6", n, f, g.Features.NNZ(), g.Edges())
	}
	x, names, _, err := structure(t.Context(), ring(t, oneHotMost+1))
	if err != nil {
		t.Fatal(err)
	}
	if !OfStructure(&graph.Graph{Features: x, FeatureNames: names}) {
		t.Error("positions in a graph are not known again")
	}
	names[0] = "age"
	if OfStructure(&graph.Graph{Features: x, FeatureNames: names}) {
		t.Error("features with other names are taken for positions")
	}
	if old, err = Open(t.Context(), Source{Features: path("x.csv"), Edges: path("e.tsv")}); err != nil {
		t.Fatal(err)
	}
	old.Graph.Features.Sparse = &graph.CSR{Rows: 2, Cols: 2, Indptr: []int{0, 1, 2}, Indices: []int32{1, 0}}
	if OfStructure(old.Graph) {
		t.Error("a matrix that is no unit matrix is taken for one")
	}
}
