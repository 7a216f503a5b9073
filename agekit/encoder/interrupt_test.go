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

// TestInterruptedRun cancels the context of runs, with either ranking, at its checks in all stages,
// and starts the runs again: they give the bytes of an uninterrupted run. The error of a stopped
// run says after which epoch it resumes if, and only if, there is a checkpoint.
func TestInterruptedRun(t *testing.T) {
	g := SmallGraph(t)
	for name, c := range map[string]Options{"exact": Small(), "sampled": sampled()} {
		c.Epochs = 7
		want := MustTrain(t, g, c, Options{})
		leastChecks := 3 * c.Epochs // an epoch has several steps
		testutil.Interrupt(t, name+" run", leastChecks, func(ctx context.Context) error {
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
	const n, f, d = 2000, 40, 70
	start := step.InitialState(f, d, rand.New(rand.NewPCG(1, 1)))
	m := step.NewGathered(RandomRows(n, f, 1), start, step.Steps{Loss: Probability, LearningRate: 0.001, Pairs: 100})
	const blocks = n / step.RowGrain
	testutil.Interrupt(t, "embedding", blocks, func(ctx context.Context) error {
		return m.EmbedTo(ctx, linalg.New(n, d), start.Weights)
	})
}

// TestInterruptedSteps: Input.TimeSteps checks the context after each of its twelve steps.
func TestInterruptedSteps(t *testing.T) {
	g, c := SmallGraph(t), Small()
	input := testutil.Value(Prepare(t.Context(), g, Options{Filter: c.Filter, Config: c.Config})).OrFatal(t)
	start := InitialWeights(input.Smoothed.Cols, 8, rand.New(rand.NewPCG(1, 1)))
	const steps = 12 // three at a time: once to wait for compilers, and three times timed
	testutil.Interrupt(t, "timed steps", steps, func(ctx context.Context) error {
		// A positive pair (0, 2) and a negative one (1, 3).
		losses, _, err := input.TimeSteps(ctx, step.Native, start, []int32{0, 1}, []int32{2, 3}, []float32{1, 0}, c.Config)
		if err == nil && len(losses) != steps {
			t.Errorf("%d losses, want %d", len(losses), steps)
		}
		return err
	})
}
