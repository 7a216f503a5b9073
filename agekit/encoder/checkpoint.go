package encoder

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"fmt"
	"io"
	"time"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// checkpoint is all that a run needs to go on after epoch Epoch, and Steps
// steps of the next, to the same result as if it had not stopped. Random
// numbers are not in it: each epoch draws from a stream of its own, and what
// its first steps drew is drawn again. The pairs are not either: they follow
// from the weights at their selection.
//
// It goes to its file, and comes back, number by number: encoded as a whole it
// would for a moment be several times as large as all that training needs.
type checkpoint struct {
	Epoch    int
	Steps    int     // done of the epoch after Epoch
	LossSum  float64 // of these steps
	State    *State
	Selected *Weights // weights at the last selection; nil before the second one
	Best     *Weights // weights at the best epoch so far; nil when none was saved
	Result   Result   // what is known so far, without the embedding
}

// checkpointHead is what comes before the weights in a checkpoint's file.
type checkpointHead struct {
	Epoch, Steps   int
	LossSum        float64
	StateSteps     int
	Features, Dims int
	Selected, Best bool // whether they are there
	Result         Result
}

// EncodeTo writes the checkpoint as a head in gob's form and the weights as
// plain numbers.
func (c *checkpoint) EncodeTo(w io.Writer) error {
	head := checkpointHead{
		Epoch: c.Epoch, Steps: c.Steps, LossSum: c.LossSum, StateSteps: c.State.Steps,
		Features: c.State.Weights.W.Rows, Dims: c.State.Weights.W.Cols,
		Selected: c.Selected != nil, Best: c.Best != nil, Result: c.Result,
	}
	if err := gob.NewEncoder(w).Encode(head); err != nil {
		return err
	}
	return c.eachPart(func(numbers []float32) error { return store.WriteFloats(w, numbers) })
}

// DecodeFrom reads what EncodeTo wrote.
func (c *checkpoint) DecodeFrom(r *bufio.Reader) error {
	var head checkpointHead
	if err := gob.NewDecoder(r).Decode(&head); err != nil {
		return err
	}
	weights := func() Weights { return NewWeights(head.Features, head.Dims) }
	c.Epoch, c.Steps, c.LossSum, c.Result = head.Epoch, head.Steps, head.LossSum, head.Result
	c.State = &State{Weights: weights(), First: weights(), Second: weights(), Steps: head.StateSteps}
	if head.Selected {
		w := weights()
		c.Selected = &w
	}
	if head.Best {
		w := weights()
		c.Best = &w
	}
	return c.eachPart(func(numbers []float32) error { return store.ReadFloats(r, numbers) })
}

// eachPart calls visit with all weights and moments, in a fixed order.
func (c *checkpoint) eachPart(visit func([]float32) error) error {
	for _, w := range []*Weights{&c.State.Weights, &c.State.First, &c.State.Second, c.Selected, c.Best} {
		if w == nil {
			continue
		}
		if err := visit(w.W.Data); err != nil {
			return err
		}
		if err := visit(w.B); err != nil {
			return err
		}
	}
	return nil
}

// checkpointKey identifies a run: the graph, the settings as they are used,
// the backend, and the version of what is computed from them.
func checkpointKey(g *graph.Graph, c Config, backendName string) store.Key {
	return store.NewKey("encoder checkpoint", 3, g.Fingerprint(), c.forGraph(g), backendName)
}

// Discard removes the checkpoint that Fit left for a run on the backend of the
// given name, once its result is safe. A run without one is no error.
func Discard(s *store.Store, g *graph.Graph, c Config, backendName string) error {
	return store.Remove[checkpoint](s, checkpointKey(g, c, backendName))
}

// restore takes over the run's checkpoint and returns the model's state, or
// nil if there is no checkpoint.
func (t *training) restore() *State {
	if t.o.Checkpoints == nil {
		return nil
	}
	from, ok := store.Get[checkpoint](t.o.Checkpoints, t.key)
	if !ok {
		return nil
	}
	t.epoch, t.steps, t.lossSum = from.Epoch, from.Steps, from.LossSum
	t.selected, t.best, t.result = from.Selected, from.Best, from.Result
	t.savedEpoch = t.epoch
	return from.State
}

// checkpointIfDue saves the run's state if the last time is some seconds ago,
// or if the run is about to stop.
func (t *training) checkpointIfDue() {
	if time.Since(t.lastSaved) >= t.o.CheckpointEvery || t.ctx.Err() != nil {
		t.checkpoint()
	}
}

// checkpoint saves the run's state, unless it was saved since it changed.
// Where that fails the run goes on, and a line says that it could not be
// resumed.
func (t *training) checkpoint() {
	if t.o.Checkpoints == nil || t.saved {
		return
	}
	t.lastSaved = time.Now()
	state, err := t.model.State()
	if err == nil {
		c := checkpoint{Epoch: t.epoch, Steps: t.steps, LossSum: t.lossSum, State: state, Selected: t.selected, Best: t.best, Result: t.result}
		c.Result.Embedding = blas32.General{}
		err = store.Put(t.o.Checkpoints, t.key, c)
	}
	if err != nil {
		t.log("no checkpoint after epoch %d: %v", t.epoch, err)
		return
	}
	t.saved, t.savedEpoch = true, t.epoch
}

// interrupted says, when the run's context is done, where the run goes on the
// next time.
func (t *training) interrupted(err error) error {
	switch {
	case t.ctx.Err() == nil:
		return err
	case t.savedEpoch >= 0:
		return fmt.Errorf("stopped; the same run goes on after epoch %d of %d: %w", t.savedEpoch, t.c.Epochs, t.ctx.Err())
	}
	return fmt.Errorf("stopped before the first checkpoint: %w", t.ctx.Err())
}

// storedWeights is the form in which weights are kept.
type storedWeights struct{ W, B store.Matrix }

// GobEncode writes the weights as plain numbers.
func (w Weights) GobEncode() ([]byte, error) {
	bias := w.W
	bias.Rows, bias.Data, bias.Cols, bias.Stride = 1, w.B, len(w.B), len(w.B)
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(storedWeights{store.Matrix{General: w.W}, store.Matrix{General: bias}})
	return b.Bytes(), err
}

// GobDecode reads what GobEncode wrote.
func (w *Weights) GobDecode(data []byte) error {
	var s storedWeights
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&s); err != nil {
		return err
	}
	w.W, w.B = s.W.General, s.B.Data
	return nil
}
