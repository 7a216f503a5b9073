package metric_test

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"gonum.org/v1/gonum/blas/blas32"
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
		a, err := graph.Adjacency(n, u, v, w)
		if err != nil {
			t.Fatal(err)
		}
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

// TestFeatureInformation compares with the log-likelihoods of the two models: normal
// distributions for a column that all nodes have, and the multinomial distribution of
// the words of a cluster for the others.
func TestFeatureInformation(t *testing.T) {
	x := blas32.General{Rows: 6, Cols: 3, Stride: 3, Data: []float32{
		1.5, 1, 0,
		2, 0.5, 0,
		1, 0, 0,
		-1, 0, 2,
		-2.5, 0, 0,
		-0.5, 0, 1,
	}}
	labels := []int{3, 3, 3, 8, 8, 8}
	normal := func(groups ...[]float64) float64 { // with one width, the maximum-likelihood estimate
		squares, n := 0., 0.
		for _, g := range groups {
			mean := stat.Mean(g, nil)
			for _, v := range g {
				squares += (v - mean) * (v - mean)
				n++
			}
		}
		return -n / 2 * (math.Log(2*math.Pi*squares/n) + 1)
	}
	want := normal([]float64{1.5, 2, 1}, []float64{-1, -2.5, -0.5}) - normal([]float64{1.5, 2, 1, -1, -2.5, -0.5})
	// The first cluster has the first word twice, the second the second one twice;
	// in all, each is half of the occurrences.
	want += 2*math.Log(1/0.5) + 2*math.Log(1/0.5)
	for name, f := range map[string]graph.Features{"dense": {Dense: &x}, "sparse": {Sparse: graph.FromDense(x)}} {
		wantNear(t, name, metric.FeatureInformation(f, labels), want/6, 1e-6)
		wantNear(t, name+", one cluster", metric.FeatureInformation(f, make([]int, 6)), 0, 1e-9)
	}
}
