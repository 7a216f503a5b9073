package pairs

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// TestInterrupted checks that selecting, exact or sampled, and drawing negatives stop when the context
// is done, and that they ask the context at least as often as the number in each call says: about once
// for each band of rows, or block of tries ([testutil.Interrupt]).
func TestInterrupted(t *testing.T) {
	const n, d = 2000, 40
	z := linalg.Normalize(randomRows(n, d, 1))
	testutil.Interrupt(t, "exact selection", 2*n/linalg.GramRows, func(ctx context.Context) error {
		_, err := Select(ctx, z, 0.01, 0.5, Options{})
		return err
	})
	testutil.Interrupt(t, "sampled selection", n/linalg.GramRows, func(ctx context.Context) error {
		_, err := SelectSampled(ctx, z, 0.01, 0.5, 100, 1000, rand.New(rand.NewPCG(1, 1)))
		return err
	})
	s := testutil.Value(Select(t.Context(), z, 0.01, 0.5, Options{})).OrFatal(t)
	testutil.Interrupt(t, "negatives", 10, func(ctx context.Context) error {
		_, _, err := s.DrawNegatives(ctx, 100_000, rand.New(rand.NewPCG(1, 1)))
		return err
	})
}
