package encoder

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/testctx"
)

// TestInterruptedRun stops runs of both modes at looks at the context that
// fall on all stages, and starts them again: they go on to the bytes of an
// undisturbed run. Epochs have several steps here, and a run that was stopped
// among them, or in an update, says the epoch that it goes on after.
func TestInterruptedRun(t *testing.T) {
	g := smallGraph(t)
	for name, c := range map[string]Config{"exact": smallConfig(), "sampled": sampledConfig()} {
		c.Epochs = 7
		want := fit(t, g, c, Options{})
		testctx.Interrupt(t, name+" run", 7*3, func(ctx context.Context) error {
			checkpoints, err := store.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			r, err := Fit(ctx, g, c, Options{Checkpoints: checkpoints})
			if err != nil {
				size, sizeErr := checkpoints.Size()
				if sizeErr != nil {
					t.Fatal(sizeErr)
				}
				if goesOn := strings.Contains(err.Error(), "goes on after epoch"); goesOn != (size > 0) {
					t.Errorf("%s run: %v, with %d bytes of checkpoint", name, err, size)
				}
				r = fit(t, g, c, Options{Checkpoints: checkpoints})
			}
			sameResult(t, name, r, want)
			return err
		})
	}
}

// TestInterruptedStages: what a run does beside smoothing and clustering looks
// at the context for each block of rows, or of tries.
func TestInterruptedStages(t *testing.T) {
	const n, d = 2000, 40
	z := Normalize(randomRows(n, d, 1))
	testctx.Interrupt(t, "exact selection", 2*n/blockRows, func(ctx context.Context) error {
		_, err := Select(ctx, z, 0.01, 0.5)
		return err
	})
	testctx.Interrupt(t, "sampled selection", n/blockRows, func(ctx context.Context) error {
		_, err := SelectSampled(ctx, z, 0.01, 0.5, 100, 1000, rand.New(rand.NewPCG(1, 1)))
		return err
	})
	s, err := Select(t.Context(), z, 0.01, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	testctx.Interrupt(t, "negatives", 10, func(ctx context.Context) error {
		_, _, err := s.DrawNegatives(ctx, 100_000, rand.New(rand.NewPCG(1, 1)))
		return err
	})
	m := newGathered(z, InitialState(d, 70, rand.New(rand.NewPCG(1, 1))), Probability, 0.001, 100)
	testctx.Interrupt(t, "embedding", n/rowGrain, func(ctx context.Context) error {
		return m.embedInto(ctx, newEmbedding(n, 70))
	})
}
