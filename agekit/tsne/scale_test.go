package tsne

import (
	"slices"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestMapScale checks that rows multiplied by a power of two have the same map, also if their squares
// leave the range of float32.
func TestMapScale(t *testing.T) {
	x, _ := clusters(60, 5, 3, 4, seeded())
	want := testutil.Value(Map(t.Context(), x, Options{Iterations: 100}, seeded())).OrFatal(t)
	for _, factor := range []float64{0x1p-100, 0x1p-20, 0x1p20, 0x1p100} {
		scaled := x
		scaled.Data = slices.Clone(x.Data)
		for k := range scaled.Data {
			scaled.Data[k] = float32(float64(scaled.Data[k]) * factor)
		}
		got := testutil.Value(Map(t.Context(), scaled, Options{Iterations: 100}, seeded())).OrFatal(t)
		if !slices.Equal(got.Data, want.Data) {
			t.Errorf("rows times %g have another map", factor)
		}
	}
}
