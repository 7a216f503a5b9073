package lab

import (
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestVersion compares all that this package computes and stores, for fixed embeddings of a small
// graph, with what is recorded for the version: other results need another version.
func TestVersion(t *testing.T) {
	g := testutil.NinetyGraph(t)
	c := encoder.Options{}.ForGraph(g)
	rows := func(first float32) blas32.General {
		z := blas32.General{Rows: g.N(), Cols: 3, Stride: 3, Data: make([]float32, 3*g.N())}
		for k := range z.Data {
			z.Data[k] = first + float32(k*k%17)
		}
		return z
	}
	all := []agekit.Snapshot{
		{Epoch: 0, Embedding: rows(1)},
		{Epoch: 200, Embedding: rows(5)},
		{Epoch: 400, Embedding: rows(3)},
	}
	testutil.CheckVersion(t, version, func() (parts []any) {
		nodes := corner(g, 12)
		p := testutil.Value(cornerPairs(g, c, all)).OrFatal(t)
		parts = append(parts, nodes, p.Drawing.X, p.Drawing.Y, p.Nodes, p.Others, p.PosShares, p.NegShares)
		for _, s := range p.Stages {
			parts = append(parts, s.Name, s.Similarity, s.Rank, s.PosThresholds, s.NegThresholds, s.SameClass)
		}
		parts = append(parts, smoothedNMI(g, 2./3, []int{0, 2}))
		for _, plane := range Planes(all) {
			parts = append(parts, plane.RawMatrix().Data)
		}
		return parts
	})
}

// smoothedNMI returns, for each number of layers, the NMI of g's classes and the clusters of
// the smoothed features, as notebook 06 computes it.
func smoothedNMI(g *graph.Graph, k float64, layers []int) (values []float64) {
	for _, t := range layers {
		clusters := must(agekit.Cluster(must(agekit.Smooth(g, k, t)), g.Classes))
		values = append(values, metric.NMI(metric.Known(g.Labels, clusters)))
	}
	return values
}
