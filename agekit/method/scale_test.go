package method

import (
	"slices"
	"testing"

	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
)

// TestFeatureScale: with its features times a power of two, each method that sees features returns the same
// clusters, "DBI" and embedding, bit for bit, in both modes and for sparse and dense features. Two epochs
// show it: a difference would be there from the first step. K-means' embedding, the features themselves,
// does change. TADW's published mode is left out, because it depends on the unit (see [tadw]). Published
// modes of methods that train take part if the test is long.
func TestFeatureScale(t *testing.T) {
	var all []Method
	for _, info := range methods {
		name := info.Name
		for _, published := range []bool{false, true} {
			if published && info.Trained && !testutil.IsLong() {
				continue
			}
			m := testutil.Value(New(name, Settings{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 3}, MostEpochs: 2, Published: published})).OrFatal(t)
			hasMode := !published || (info.Published && name != "TADW")
			if m.Info().Features && hasMode {
				all = append(all, m)
			}
		}
	}
	for form, g := range testutil.GraphForms(planted(t, 90)) {
		for _, m := range all {
			want := testutil.Value(m.Fit(t.Context(), g, Options{Clusters: 3, Seed: 1})).OrFatal(t)
			for _, factor := range []float64{slices.Min(testutil.Scales), slices.Max(testutil.Scales)} {
				got, err := m.Fit(t.Context(), testutil.ScaledGraph(g, factor), Options{Clusters: 3, Seed: 1})
				if err != nil {
					t.Fatalf("%s, %s, features times %g: %v", m.Name(), form, factor, err)
				}
				if !slices.Equal(got.Clusters, want.Clusters) || got.Measures["DBI"] != want.Measures["DBI"] {
					t.Errorf("%s, %s, features times %g: other clusters", m.Name(), form, factor)
				}
				if m.Name() != "K-means" && !slices.Equal(got.Embedding.Data, want.Embedding.Data) {
					t.Errorf("%s, %s, features times %g: another embedding", m.Name(), form, factor)
				}
			}
		}
	}
}
