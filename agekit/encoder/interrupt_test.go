package encoder_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/dense"
	. "github.com/agekit/age/internal/modeltest"

	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/testctx"
)

// TestInterruptedRun stops runs of both modes at looks at the context that
// fall on all stages, and starts them again: they go on to the bytes of an
// undisturbed run. Epochs have several steps here, and a run that was stopped
// among them, or in an update, says the epoch that it goes on after.
func TestInterruptedRun(t *testing.T) {
	g := SmallGraph(t)
	for name, c := range map[string]Settings{"exact": Small(), "sampled": Sampled()} {
		c.Epochs = 7
		want := MustTrain(t, g, c, Options{})
		testctx.Interrupt(t, name+" run", 7*3, func(ctx context.Context) error {
			checkpoints, err := store.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			r, err := Train(ctx, g, c, Options{Checkpoints: checkpoints})
			if err != nil {
				size, sizeErr := checkpoints.Size()
				if sizeErr != nil {
					t.Fatal(sizeErr)
				}
				if goesOn := strings.Contains(err.Error(), "resume after epoch"); goesOn != (size > 0) {
					t.Errorf("%s run: %v, with %d bytes of checkpoint", name, err, size)
				}
				r = MustTrain(t, g, c, Options{Checkpoints: checkpoints})
			}
			SameResult(t, name, r, want)
			return err
		})
	}
}

// TestInterruptedEmbedding: embedding checks the context for each block of rows.
func TestInterruptedEmbedding(t *testing.T) {
	const n, d = 2000, 40
	start := InitialState(d, 70, rand.New(rand.NewPCG(1, 1)))
	m, err := NewGathered(&Input{Smoothed: RandomRows(n, d, 1)}, start, Probability, 0.001, 100)
	if err != nil {
		t.Fatal(err)
	}
	testctx.Interrupt(t, "embedding", n/RowGrain, func(ctx context.Context) error {
		return m.EmbedTo(ctx, dense.New(n, 70), start.Weights)
	})
}
