package metric_test

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"pgregory.net/rapid"
)

// adjacency returns the adjacency matrix of n nodes with edges between u[e] and v[e], of weight w[e]
// or, if w is nil, 1.
func adjacency(t testing.TB, n int, u, v []int32, w []float32) *graph.CSR {
	t.Helper()
	return testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t)
}

// TestStructureClosedForm compares modularity and conductance with values worked out by hand, on two
// triangles joined by one edge: 7 edges, 3 within each triangle, and degrees of 7 + 7, so that Q = 6/7
// − 1/2. The clusters are the triangles, all nodes, or single nodes; the bridge also has a weight, and
// a graph no edges.
func TestStructureClosedForm(t *testing.T) {
	u, v := []int32{0, 1, 2, 3, 4, 5, 2}, []int32{1, 2, 0, 4, 5, 3, 3}
	a := adjacency(t, 6, u, v, nil)
	triangles := []int{9, 9, 9, 4, 4, 4}
	wantNear(t, "modularity", metric.Modularity(a, triangles), 6./7-1./2, 1e-12)
	wantNear(t, "conductance", metric.Conductance(a, triangles), 1./7, 1e-12)

	together, apart := make([]int, 6), []int{0, 1, 2, 3, 4, 5}
	wantNear(t, "modularity of one cluster", metric.Modularity(a, together), 0, 1e-12)
	wantNear(t, "conductance of one cluster", metric.Conductance(a, together), 0, 0)
	wantNear(t, "modularity of single nodes", metric.Modularity(a, apart), -(4*4.+2*9)/(14*14), 1e-12)
	wantNear(t, "conductance of single nodes", metric.Conductance(a, apart), 1, 0)

	// The bridge has weight 4: m = 10, degrees 10 + 10.
	weighted := adjacency(t, 6, u, v, []float32{1, 1, 1, 1, 1, 1, 4})
	wantNear(t, "weighted modularity", metric.Modularity(weighted, triangles), 6./10-1./2, 1e-12)
	wantNear(t, "weighted conductance", metric.Conductance(weighted, triangles), 4./10, 1e-12)

	empty := adjacency(t, 3, nil, nil, nil)
	wantNear(t, "modularity without edges", metric.Modularity(empty, []int{0, 0, 1}), 0, 0)
	wantNear(t, "conductance without edges", metric.Conductance(empty, []int{0, 0, 1}), 0, 0)
}

// TestModularityByPairs compares modularity and conductance on random graphs with sums over all pairs
// of nodes: of (A_ij − d_i d_j/2m)/2m over pairs in one cluster, the definition from which the formula
// for clusters follows, and of A_ij/2m over the other pairs.
func TestModularityByPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		node := rapid.Int32Range(0, int32(n-1))
		edges := rapid.IntRange(0, 30).Draw(t, "edges")
		u, v := []int32{0}, []int32{1}
		for range edges {
			u, v = append(u, node.Draw(t, "u")), append(v, node.Draw(t, "v"))
		}
		a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
		labels := rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(t, "labels")
		degree := func(i int) float64 { return float64(a.Indptr[i+1] - a.Indptr[i]) }
		total := float64(a.NNZ()) // 2m
		q, cut := 0.0, 0.0
		for i := range n {
			for j := range n {
				if labels[i] == labels[j] {
					q += (float64(a.At(i, j)) - degree(i)*degree(j)/total) / total
				} else {
					cut += float64(a.At(i, j)) / total
				}
			}
		}
		if got := metric.Modularity(a, labels); math.Abs(got-q) > 1e-12 {
			t.Fatalf("modularity %v, from pairs %v", got, q)
		}
		if got := metric.Conductance(a, labels); math.Abs(got-cut) > 1e-12 {
			t.Fatalf("conductance %v, from pairs %v", got, cut)
		}
	})
}

// TestStructureAgainstNetworkX compares scores of real graphs with those in testdata/structure.json, to
// 1e-9: modularity by networkx, accuracy and macro F1 by scikit-learn, and conductance by a count of
// the edges. The clusters are the classes, or stripes, a fixed formula of the nodes' numbers.
func TestStructureAgainstNetworkX(t *testing.T) {
	var golden struct {
		Cases []struct {
			Dataset, Rule                     string
			Modularity, Conductance, Accuracy float64
			MacroF1                           float64 `json:"macro_f1"`
		}
	}
	readJSON(t, "testdata/structure.json", &golden)
	if len(golden.Cases) != 6 {
		t.Fatalf("%d cases, want 6", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		t.Run(c.Dataset+"/"+c.Rule, func(t *testing.T) {
			if c.Dataset != "cora" && os.Getenv("AGEKIT_DATA") == "" {
				t.Skipf("%s is not embedded and AGEKIT_DATA is not set", c.Dataset)
			}
			g := testutil.Value(dataset.Load(context.Background(), c.Dataset, dataset.Options{})).OrFatal(t)
			labels := g.Labels
			if c.Rule == "stripes" {
				labels = make([]int, g.N())
				for i := range labels {
					labels[i] = i * 7919 / 13 % g.Classes
				}
			}
			wantNear(t, "modularity", metric.Modularity(g.Adjacency, labels), c.Modularity, 1e-9)
			wantNear(t, "conductance", metric.Conductance(g.Adjacency, labels), c.Conductance, 1e-9)
			wantNear(t, "ACC", metric.Accuracy(g.Labels, labels), c.Accuracy, 1e-9)
			wantNear(t, "macro F1", metric.MacroF1(g.Labels, labels), c.MacroF1, 1e-9)
		})
	}
}

// TestMeanConductanceClosedForm compares the mean conductance with values worked out by hand. Of two
// triangles with a bridge, each has seven ends of edges, of which one leaves. A single node counts as
// much as the other clusters: all its edges leave, two of four ends of its neighbors' cluster, and none
// of the third. Without edges, it is 0.
func TestMeanConductanceClosedForm(t *testing.T) {
	triangles := adjacency(t, 6, []int32{0, 1, 2, 3, 4, 5}, []int32{1, 2, 0, 4, 5, 3}, nil)
	joined := adjacency(t, 6, []int32{0, 1, 2, 3, 4, 5, 2}, []int32{1, 2, 0, 4, 5, 3, 3}, nil)
	wantNear(t, "a bridge", metric.MeanConductance(joined, []int{7, 7, 7, 2, 2, 2}), 1./7, 1e-12)
	wantNear(t, "a single node", metric.MeanConductance(triangles, []int{0, 1, 1, 2, 2, 2}), (1+2./4+0)/3, 1e-12)
	wantNear(t, "without edges", metric.MeanConductance(adjacency(t, 3, nil, nil, nil), []int{0, 1, 1}), 0, 0)
}
