package method

import (
	"slices"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// TestBothBeatOne: on a graph whose edges and words tell about as much about the classes, every method
// that sees both has a better NMI and a better ARI than every method that sees one of them. Of the
// methods that train, only GAE takes part unless the test is long.
func TestBothBeatOne(t *testing.T) {
	if testing.Short() {
		t.Skip("trains every method")
	}
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{
		Nodes: 800, Classes: 4, MeanDegree: 3.9, Homophily: 0.8, Features: 300, Words: 20, Topic: 0.385, Seed: 1,
	})).OrFatal(t)
	type result struct {
		name     string
		seesBoth bool // features and edges
		nmi, ari float64
	}
	all := slices.DeleteFunc(slices.Clone(methods), func(m entry) bool { return m.Trained && m.Name != "GAE" && !testutil.IsLong() })
	results := make([]result, len(all))
	t.Run("methods", func(t *testing.T) { // returns when all parallel subtests have
		for i, info := range all {
			name := info.Name
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := testutil.Value(New(name, Settings{Filter: laplacian.Filter{K: 2. / 3, Layers: 4}, MostEpochs: 120})).OrFatal(t)
				out := testutil.Value(Cluster(t.Context(), m, g, Options{Clusters: g.Classes, Seed: 1})).OrFatal(t)
				r := result{
					name:     name,
					seesBoth: m.Info().Features && m.Info().Edges,
					nmi:      metric.NMI(g.Labels, out.Clusters),
					ari:      metric.ARI(g.Labels, out.Clusters),
				}
				t.Logf("NMI %.3f, ARI %.3f", r.nmi, r.ari)
				results[i] = r
			})
		}
	})
	for _, both := range results {
		for _, one := range results {
			if !both.seesBoth || one.seesBoth {
				continue
			}
			if both.nmi <= one.nmi || both.ari <= one.ari {
				t.Errorf("%s (NMI %.3f, ARI %.3f) sees features and graph, %s (%.3f, %.3f) does not", both.name, both.nmi, both.ari, one.name, one.nmi, one.ari)
			}
		}
	}
}
