package metric_test

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// TestEdgeInformationClosedForm: between clusters of equal degrees without edges
// from one to another, one end tells all about the other; in a complete bipartite
// graph, too; and with one bridge of seven edges the joint shares are 3/7, 3/7, 1/14, 1/14.
func TestEdgeInformationClosedForm(t *testing.T) {
	triangles := adjacency(t, 6, []int32{0, 1, 2, 3, 4, 5}, []int32{1, 2, 0, 4, 5, 3}, nil)
	halves := []int{7, 7, 7, 2, 2, 2}
	wantNear(t, "two triangles", metric.EdgeInformation(triangles, halves), math.Ln2, 1e-12)
	wantNear(t, "one cluster", metric.EdgeInformation(triangles, make([]int, 6)), 0, 1e-12)
	bipartite := adjacency(t, 4, []int32{0, 0, 1, 1}, []int32{2, 3, 2, 3}, nil)
	wantNear(t, "bipartite", metric.EdgeInformation(bipartite, []int{0, 0, 1, 1}), math.Ln2, 1e-12)
	joined := adjacency(t, 6, []int32{0, 1, 2, 3, 4, 5, 2}, []int32{1, 2, 0, 4, 5, 3, 3}, nil)
	wantNear(t, "a bridge", metric.EdgeInformation(joined, halves), 6./7*math.Log(4*3./7)+1./7*math.Log(4./14), 1e-12)
	wantNear(t, "mean conductance", metric.MeanConductance(joined, halves), 1./7, 1e-12)
	wantNear(t, "no edges", metric.EdgeInformation(adjacency(t, 3, nil, nil, nil), []int{0, 1, 1}), 0, 0)
	// A single node of degree 2 counts as much as the other four.
	wantNear(t, "mean conductance", metric.MeanConductance(triangles, []int{0, 1, 1, 2, 2, 2}), (1+2./4+0)/3, 1e-12)
	wantNear(t, "without edges", metric.MeanConductance(adjacency(t, 3, nil, nil, nil), []int{0, 1, 1}), 0, 0)
}

// TestEdgeInformationByEntropies compares with H(a) + H(b) − H(a, b).
func TestEdgeInformationByEntropies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		node := rapid.Int32Range(0, int32(n-1))
		u, v, w := []int32{0}, []int32{1}, []float32{1}
		for range rapid.IntRange(0, 30).Draw(t, "edges") {
			u, v, w = append(u, node.Draw(t, "u")), append(v, node.Draw(t, "v")), append(w, rapid.Float32Range(0.5, 4).Draw(t, "w"))
		}
		a := testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t)
		labels := make([]int, n)
		for i := range labels {
			labels[i] = rapid.IntRange(-2, 3).Draw(t, "label")
		}
		var joint [36]float64
		var ends [6]float64
		total := 0.
		for i := range n {
			for j := range n {
				if x := float64(a.At(i, j)); x > 0 {
					joint[6*(labels[i]+2)+labels[j]+2] += x
					ends[labels[i]+2] += x
					total += x
				}
			}
		}
		for i := range joint {
			joint[i] /= total
		}
		for i := range ends {
			ends[i] /= total
		}
		if got, want := metric.EdgeInformation(a, labels), 2*stat.Entropy(ends[:])-stat.Entropy(joint[:]); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
