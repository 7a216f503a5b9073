package linkpred

import (
	"slices"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestFeatureScale: features times a power of two give the same scores and the
// same embedding.
func TestFeatureScale(t *testing.T) {
	s, o := plantedSplit(t)
	o.Epochs = 6
	want := testutil.Value(Fit(t.Context(), s, o)).OrFatal(t)
	for _, factor := range testutil.Scales {
		scaled := *s
		scaled.Train = testutil.ScaledGraph(s.Train, factor)
		got := testutil.Value(Fit(t.Context(), &scaled, o)).OrFatal(t)
		if got.Test != want.Test || !slices.Equal(got.Training.Embedding.Data, want.Training.Embedding.Data) {
			t.Errorf("features times %g: scores %+v, want %+v", factor, got.Test, want.Test)
		}
	}
}
