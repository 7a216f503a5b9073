package encoder_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/linalg"
	. "github.com/agekit/age/internal/modeltest"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// TestInterruptedRun stops runs with either ranking at context checks in all
// stages and starts them again: they resume and give the bytes of an
// uninterrupted run. Epochs have several steps here. A run that is stopped
// between steps or during an update reports the epoch after which it resumes.
func TestInterruptedRun(t *testing.T) {
	g := SmallGraph(t)
	for name, c := range map[string]Options{"exact": Small(), "sampled": sampled()} {
		c.Epochs = 7
		want := MustTrain(t, g, c, Options{})
		testutil.Interrupt(t, name+" run", 7*3, func(ctx context.Context) error {
			checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
			r, err := Train(ctx, g, c, Options{Running: Running{Checkpoints: checkpoints}})
			if err != nil {
				files := testutil.Value(os.ReadDir(checkpoints.Dir)).OrFatal(t)
				if resumes := strings.Contains(err.Error(), "resume after epoch"); resumes != (len(files) > 0) {
					t.Errorf("%s run: %v, with %d checkpoints", name, err, len(files))
				}
				r = MustTrain(t, g, c, Options{Running: Running{Checkpoints: checkpoints}})
			}
			SameResult(t, name, r, want)
			return err
		})
	}
}

// TestInterruptedEmbedding: embedding checks the context for each block of rows.
func TestInterruptedEmbedding(t *testing.T) {
	const n, d = 2000, 40
	start := step.InitialState(d, 70, rand.New(rand.NewPCG(1, 1)))
	m := step.NewGathered(RandomRows(n, d, 1), start, step.Steps{Loss: Probability, LearningRate: 0.001, Pairs: 100})
	testutil.Interrupt(t, "embedding", n/step.RowGrain, func(ctx context.Context) error {
		return m.EmbedTo(ctx, linalg.New(n, 70), start.Weights)
	})
}

// TestInterruptedSteps: timed steps check the context after each one.
func TestInterruptedSteps(t *testing.T) {
	g, c := SmallGraph(t), Small()
	input := testutil.Value(Prepare(t.Context(), g, Options{Filter: c.Filter, Config: c.Config})).OrFatal(t)
	start := InitialWeights(input.Smoothed.Cols, 8, rand.New(rand.NewPCG(1, 1)))
	const steps = 12 // three at a time, three times, and once before
	testutil.Interrupt(t, "timed steps", steps, func(ctx context.Context) error {
		losses, _, err := input.TimeSteps(ctx, step.Native, start, []int32{0, 1}, []int32{2, 3}, []float32{1, 0}, c.Config)
		if err == nil && len(losses) != steps {
			t.Errorf("%d losses, want %d", len(losses), steps)
		}
		return err
	})
}
