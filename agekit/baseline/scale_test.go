package baseline

import (
	"slices"
	"testing"

	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testgraph"
)

// TestFeatureScale: features times a power of two give every method the same
// clusters, and the methods that train the same embedding.
func TestFeatureScale(t *testing.T) {
	methods := append([]Method{KMeans{}, KMeans{Published: true}, SpectralF{}, LS{laplacian.Filter{K: 2.0 / 3, Layers: 3}}}, append(trained, untrained...)...)
	for form, g := range testgraph.Forms(planted(t, 300, false)) {
		for _, m := range methods {
			want, err := m.Fit(t.Context(), g, Options{Clusters: 3, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, factor := range testgraph.Scales {
				got, err := m.Fit(t.Context(), testgraph.Scaled(g, factor), Options{Clusters: 3, Seed: 1})
				if err != nil {
					t.Fatalf("%s, %s, features times %g: %v", m.Name(), form, factor, err)
				}
				if !slices.Equal(got.Clusters, want.Clusters) || got.Measures["DBI"] != want.Measures["DBI"] {
					t.Errorf("%s, %s, features times %g: other clusters", m.Name(), form, factor)
				}
				if _, raw := m.(KMeans); !raw && !slices.Equal(got.Embedding.Data, want.Embedding.Data) {
					t.Errorf("%s, %s, features times %g: another embedding", m.Name(), form, factor)
				}
			}
		}
	}
}
