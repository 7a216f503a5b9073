package run

import (
	"slices"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
)

// TestBaselines: on a planted graph, smoothing helps k-means, by labels and by the score, and
// Leiden's communities are joined to as many clusters.
func TestBaselines(t *testing.T) {
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 400, Classes: 4, Features: 200, Topic: 0.3, Seed: 4})).OrFatal(t)
	all, err := runBaselines(t.Context(), g, laplacian.Filter{K: 2. / 3, Layers: 3}, 4, 1)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	raw, smoothed, leiden := all[0], all[1], all[2]
	if raw.Name != "k-means of the features" || smoothed.Name != "k-means of the smoothed features" || leiden.Name != "Leiden" || leiden.Clusters != 4 || leiden.Note == "" {
		t.Errorf("%s, %s, %s", raw.Name, smoothed.Name, leiden.Name)
	}
	if raw.Clusters != 4 || smoothed.Clusters != 4 || *smoothed.ACC <= *raw.ACC || raw.Note != "" {
		t.Errorf("features %+v, smoothed %+v", raw, smoothed)
	}
	r := &Run{Data: &input.Data{Graph: g}, Record: Record{Baselines: all}}
	r.Labels = leiden.Labels
	r.measure(4)
	if all[1].Score <= all[0].Score || all[1].MeanConductance >= all[0].MeanConductance || r.Measures != all[2].Measures {
		t.Errorf("features %+v, smoothed %+v, result %+v", all[0].Measures, all[1].Measures, r.Measures)
	}
	var unlabeled graph.Graph = *g
	unlabeled.Labels, unlabeled.Classes = nil, 0
	same, err := runBaselines(t.Context(), &unlabeled, laplacian.Filter{K: 2. / 3, Layers: 3}, 4, 1)
	if err != nil || same[1].ACC != nil || !slices.Equal(same[1].Labels, smoothed.Labels) {
		t.Errorf("%+v, %v without labels", same, err)
	}
}
