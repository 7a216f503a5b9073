package laplacian_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/mat"
)

// edges is a growing list of edges between n nodes; w is nil or has their weights.
type edges struct {
	n    int
	u, v []int32
	w    []float32
}

// nodes adds count nodes and returns the first one's number.
func (e *edges) nodes(count int) int32 {
	e.n += count
	return int32(e.n - count)
}

// add adds the edge between u and v.
func (e *edges) add(u, v int32) { e.u, e.v = append(e.u, u), append(e.v, v) }

// clique adds a complete graph of `size` nodes.
func (e *edges) clique(size int) {
	first := e.nodes(size)
	for i := range int32(size) {
		for j := range i {
			e.add(first+i, first+j)
		}
	}
}

// star adds a node with the given number of leaves.
func (e *edges) star(leaves int) {
	center := e.nodes(1 + leaves)
	for i := range int32(leaves) {
		e.add(center, center+1+i)
	}
}

// complete adds the complete bipartite graph of a and b nodes.
func (e *edges) complete(a, b int) {
	first := e.nodes(a + b)
	for i := range int32(a) {
		for j := range int32(b) {
			e.add(first+i, first+int32(a)+j)
		}
	}
}

// adjacency returns the adjacency matrix of the graph so far.
func (e *edges) adjacency(t *testing.T) *graph.CSR {
	t.Helper()
	return testutil.Value(graph.Adjacency(e.n, e.u, e.v, e.w)).OrFatal(t)
}

// allEigenvalues returns the eigenvalues of L̃sym of the graph with adjacency matrix a.
func allEigenvalues(t *testing.T, a *graph.CSR) []float64 {
	t.Helper()
	return testutil.Value(laplacian.Eigenvalues(context.Background(), laplacian.New(a))).OrFatal(t)
}

// explained returns how many eigenvalues the twin classes explain at each value: m − 1 for a class of m nodes.
func explained(classes []laplacian.TwinClass) map[float64]int {
	sum := map[float64]int{}
	for _, c := range classes {
		sum[c.Eigenvalue] += len(c.Nodes) - 1
	}
	return sum
}

// TestTwinsOfSmallGraphs compares all eigenvalues of small graphs, and those that [laplacian.Twins]
// explains, with values derived by hand. L̃sym of the clique of m nodes is I − 11ᵗ/m. The star with m
// leaves has 0, ½ (m − 1 times) and 3/2 − 1/(m+1), which is what remains of the trace n − Σ 1/(dᵢ+1).
// The complete bipartite graph of a and b nodes has 0, 1 − 1/(b+1) (a − 1 times), 1 − 1/(a+1) (b − 1
// times) and the rest of the trace.
func TestTwinsOfSmallGraphs(t *testing.T) {
	type spectrumOf map[float64]int
	for name, test := range map[string]struct {
		build           func(*edges)
		values, classes spectrumOf // eigenvalue → how often; explained by twins
	}{
		"star with 5 leaves": {
			func(e *edges) { e.star(5) },
			spectrumOf{0: 1, 0.5: 4, 1.0 + 1./3: 1}, spectrumOf{0.5: 4},
		},
		"star with a leaf is a pair": {
			func(e *edges) { e.star(1) },
			spectrumOf{0: 1, 1: 1}, spectrumOf{1: 1},
		},
		"clique of 6": {
			func(e *edges) { e.clique(6) },
			spectrumOf{0: 1, 1: 5}, spectrumOf{1: 5},
		},
		"4 isolated pairs": {
			func(e *edges) {
				for range 4 {
					e.clique(2)
				}
			},
			spectrumOf{0: 4, 1: 4}, spectrumOf{1: 4},
		},
		"cliques of 2, 3 and 5": {
			func(e *edges) { e.clique(2); e.clique(3); e.clique(5) },
			spectrumOf{0: 3, 1: 7}, spectrumOf{1: 7},
		},
		"complete bipartite, 3 and 4": {
			func(e *edges) { e.complete(3, 4) },
			spectrumOf{0: 1, 0.8: 2, 0.75: 3, 1.55: 1}, spectrumOf{0.8: 2, 0.75: 3},
		},
		"4 isolated nodes": {
			func(e *edges) { e.nodes(4) },
			spectrumOf{0: 4}, spectrumOf{},
		},
		"star and clique": {
			func(e *edges) { e.star(3); e.clique(4) },
			spectrumOf{0: 2, 0.5: 2, 1: 3, 1.25: 1}, spectrumOf{0.5: 2, 1: 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := &edges{}
			test.build(e)
			a := e.adjacency(t)
			var want []float64
			for value, times := range test.values {
				want = append(want, slices.Repeat([]float64{value}, times)...)
			}
			slices.Sort(want)
			got := allEigenvalues(t, a)
			if len(got) != len(want) {
				t.Fatalf("%d eigenvalues, want %d", len(got), len(want))
			}
			for i := range want {
				wantNear(t, "eigenvalue", got[i], want[i], 1e-12)
			}
			sum := explained(laplacian.Twins(a))
			if len(sum) != len(test.classes) {
				t.Errorf("twins explain %v, want %v", sum, test.classes)
			}
			for value, times := range test.classes {
				found := 0
				for eigenvalue, count := range sum {
					if math.Abs(eigenvalue-value) < 1e-12 {
						found += count
					}
				}
				if found != times {
					t.Errorf("twins explain %d eigenvalues at %v, want %d", found, value, times)
				}
				if got := multiplicity(got, value); got < times {
					t.Errorf("%d eigenvalues at %v, fewer than the %d explained", got, value, times)
				}
			}
		})
	}
}

// TestTwinsAreEigenvectors compares the twin classes of a graph, with and without weights, with those
// found by hand, and checks that the difference of two twins, 1 at one and −1 at the other, is an
// eigenvector with the class's eigenvalue. Nodes with the same neighbors and different weights are no
// twins.
func TestTwinsAreEigenvectors(t *testing.T) {
	e := &edges{}
	e.star(4)
	e.clique(3)
	e.complete(2, 3)
	joined := e.nodes(1)
	e.add(joined, 0) // the star's center and one node of each other part
	e.add(joined, 5)
	e.add(joined, 8)
	plain := e.adjacency(t)
	e.w = slices.Repeat([]float32{1}, len(e.u))
	e.w[1], e.w[2] = 3, 3 // two of four leaves
	weighted := e.adjacency(t)
	for name, test := range map[string]struct {
		a    *graph.CSR
		want [][]int32
	}{
		"plain":    {plain, [][]int32{{1, 2, 3, 4}, {6, 7}, {10, 11, 12}}},
		"weighted": {weighted, [][]int32{{1, 4}, {2, 3}, {10, 11, 12}}}, // 6 and 7 are joined by 1, below the mean
	} {
		t.Run(name, func(t *testing.T) {
			op := laplacian.New(test.a)
			classes := laplacian.Twins(test.a)
			if len(classes) != len(test.want) {
				t.Fatalf("classes %v, want nodes %v", classes, test.want)
			}
			for k, c := range classes {
				if !slices.Equal(c.Nodes, test.want[k]) {
					t.Fatalf("class %d has nodes %v, want %v", k, c.Nodes, test.want[k])
				}
				for _, node := range c.Nodes[1:] {
					x := make([]float64, test.a.Rows)
					x[c.Nodes[0]], x[node] = 1, -1
					product := mat.NewVecDense(len(x), nil)
					op.MulVecTo(product, false, mat.NewVecDense(len(x), x))
					for i := range x {
						wantNear(t, "L̃sym·x", product.AtVec(i), c.Eigenvalue*x[i], 1e-12)
					}
				}
			}
		})
	}
}

// TestTwinsOfDataSets checks what twins explain of the peaks at ½ and 1 of the eigenvalues of three
// data sets. The numbers are compared with recorded ones and with [twinsByHand], which shares no code
// with Twins. At each value, there are at least as many eigenvalues as twins explain.
func TestTwinsOfDataSets(t *testing.T) {
	type counts struct {
		leaves, adjacent int // eigenvalues that leaves explain at ½, and adjacent twins at 1
		atHalf, atOne    int // all eigenvalues at ½ and 1
		pairs            int // components of two nodes
	}
	for name, want := range map[string]counts{
		"cora":     {leaves: 73, atHalf: 76, adjacent: 118, atOne: 139, pairs: 57},
		"citeseer": {leaves: 263, atHalf: 266, adjacent: 331, atOne: 366, pairs: 249},
		"wiki":     {leaves: 46, atHalf: 47, adjacent: 49, atOne: 90, pairs: 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := testutil.LoadGraph(t, name)
			classes := laplacian.Twins(g.Adjacency)
			sum := explained(classes)
			if sum[0.5] != want.leaves || sum[1] != want.adjacent {
				t.Errorf("twins explain %d eigenvalues at ½ and %d at 1, want %d and %d", sum[0.5], sum[1], want.leaves, want.adjacent)
			}
			pairs := 0
			for _, c := range classes {
				if c.Adjacent && g.Degree(int(c.Nodes[0])) == 1 {
					pairs++
				}
			}
			if pairs != want.pairs {
				t.Errorf("%d isolated pairs, want %d", pairs, want.pairs)
			}

			leaves, adjacent := twinsByHand(g.Adjacency)
			if leaves != want.leaves || adjacent != want.adjacent {
				t.Errorf("by hand: %d from leaves and %d from adjacent twins, want %d and %d", leaves, adjacent, want.leaves, want.adjacent)
			}
			values := spectrumOf(t, name)
			if half, whole := multiplicity(values, 0.5), multiplicity(values, 1); half != want.atHalf || whole != want.atOne {
				t.Errorf("%d eigenvalues at ½ and %d at 1, want %d and %d", half, whole, want.atHalf, want.atOne)
			}
			for value, count := range sum {
				if there := multiplicity(values, value); there < count {
					t.Errorf("twins explain %d eigenvalues at %v, but there are %d", count, value, there)
				}
			}
		})
	}
}

// twinsByHand returns the numbers of eigenvalues that leaves explain, the sum over the nodes of the
// number of leaves minus one, and that adjacent twins explain, the number of nodes with an adjacent
// twin of a lower number.
func twinsByHand(a *graph.CSR) (leaves, adjacent int) {
	for i := range a.Rows {
		row, _ := a.Row(i)
		count, twin := 0, false
		for _, j := range row {
			other, _ := a.Row(int(j))
			if len(other) == 1 && (len(row) > 1 || int(j) < i) {
				count++
			}
			if int(j) < i && len(other) == len(row) {
				same := true
				for _, k := range row {
					same = same && (k == j || slices.Contains(other, k))
				}
				twin = twin || same
			}
		}
		leaves += max(0, count-1)
		if twin {
			adjacent++
		}
	}
	return leaves, adjacent
}

// multiplicity returns how many of the values equal x up to rounding.
func multiplicity(values []float64, x float64) int {
	count := 0
	for _, v := range values {
		if math.Abs(v-x) <= 1e-9 {
			count++
		}
	}
	return count
}
