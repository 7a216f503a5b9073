package encoder_test

import (
	"iter"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/internal/modeltest"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/pairs"
)

// slow is the native backend with steps that take a second each, but for a model's first one, which
// takes a minute more: as if for a compiler.
type slow struct{ Backend }

type slowModel struct {
	step.Model
	compiled bool
}

// NewModel wraps the model of the backend.
func (b slow) NewModel(input *step.Input, start *step.State, s step.Steps) (step.Model, error) {
	m, err := b.Backend.NewModel(input, start, s)
	return &slowModel{Model: m}, err
}

// Train sleeps before each report of a step, in the fake time of synctest.
func (m *slowModel) Train(batches iter.Seq2[step.Batch, error], done func([]float64) error) error {
	return m.Model.Train(batches, func(losses []float64) error {
		if !m.compiled {
			m.compiled = true
			time.Sleep(time.Minute)
		}
		time.Sleep(time.Second)
		return done(losses)
	})
}

// TestRemainingCompiled: after each epoch of a training on slow, in the fake time of synctest, the
// estimate of the time left is a second for each step that is left. So the minute of the first step
// is not in the estimate.
func TestRemainingCompiled(t *testing.T) {
	const epochs = 6
	g, c := SmallGraph(t), Small()
	c.Epochs, c.UpdateEvery, c.Ranking = epochs, 3, pairs.Exact
	const positive, negative = 0.02, 0.1 // the same fractions throughout, so that all epochs have as many steps
	c.Thresholds = pairs.Thresholds{PosStart: positive, PosEnd: positive, NegStart: negative, NegEnd: negative}
	positives, _ := pairs.Counts(g.N(), positive, negative)
	perEpoch := (positives + c.BatchSize - 1) / c.BatchSize // steps
	if perEpoch < 2 {                                       // a precondition
		t.Fatalf("%d positive pairs, one step", positives)
	}
	synctest.Test(t, func(t *testing.T) {
		reports := 0
		MustTrain(t, g, c, Options{Backend: slow{step.Native}, Running: Running{Progress: func(e Event) {
			if e.Line != "" {
				return
			}
			reports++
			want := time.Duration((epochs-int(e.Done))*perEpoch) * time.Second
			if off := e.Left - want; off.Abs() > time.Millisecond {
				t.Errorf("after epoch %d, %v left, want %v", int(e.Done), e.Left, want)
			}
		}}})
		if reports != epochs {
			t.Errorf("%d reports, want %d", reports, epochs)
		}
	})
}
