package run

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestSimple: on a planted graph, smoothing helps k-means, and Leiden, which finds
// the number itself, is there too; the measures are those of the clusters.
func TestSimple(t *testing.T) {
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 400, Classes: 4, Features: 200, Topic: 0.3, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	all, err := runSimple(t.Context(), g, laplacian.Filter{K: 2. / 3, Layers: 3}, 4, 1)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	raw, smoothed, leiden := all[0], all[1], all[2]
	if raw.Name != "k-means of the features" || smoothed.Name != "k-means of the smoothed features" || leiden.Name != "Leiden" {
		t.Errorf("%s, %s, %s", raw.Name, smoothed.Name, leiden.Name)
	}
	if raw.Clusters != 4 || smoothed.Clusters != 4 || *smoothed.ACC <= *raw.ACC || smoothed.Score <= raw.Score || smoothed.MeanConductance >= raw.MeanConductance {
		t.Errorf("features %+v, smoothed %+v", raw, smoothed)
	}
	var unlabeled graph.Graph = *g
	unlabeled.Labels, unlabeled.Classes = nil, 0
	same, err := runSimple(t.Context(), &unlabeled, laplacian.Filter{K: 2. / 3, Layers: 3}, 4, 1)
	if err != nil || same[1].ACC != nil || same[1].Measures != (auto.Measures{FeatureInformation: smoothed.FeatureInformation, MeanConductance: smoothed.MeanConductance, Modularity: smoothed.Modularity, Score: smoothed.Score}) {
		t.Errorf("%+v, %v without labels", same, err)
	}
}

// TestProject: distances between random rows remain within 4/√256 of their size.
func TestProject(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	const n, f = 30, 900
	x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	for p := range x.Data {
		if rnd.IntN(20) == 0 {
			x.Data[p] = float32(rnd.NormFloat64())
		}
	}
	y := project(graph.Features{Sparse: graph.FromDense(x)}, 7)
	distance := func(m blas32.General, i, j int) float64 {
		sum := 0.
		for c := range m.Cols {
			d := float64(m.Data[i*m.Stride+c] - m.Data[j*m.Stride+c])
			sum += d * d
		}
		return math.Sqrt(sum)
	}
	for i := range n {
		for j := range i {
			if was, is := distance(x, i, j), distance(y, i, j); math.Abs(is/was-1) > 0.25 {
				t.Errorf("rows %d and %d: distance %.3f, was %.3f", i, j, is, was)
			}
		}
	}
}
