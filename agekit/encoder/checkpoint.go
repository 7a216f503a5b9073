package encoder

import (
	"bufio"
	"encoding/gob"
	"errors"
	"io"
	"time"

	"github.com/agekit/age/agekit/store"
)

// checkpoint is all that a member's training needs to resume after epoch Epoch,
// and Steps steps of the next, to the same result as if it had not stopped.
// Random numbers are not in it: each epoch draws from a stream of its own, and
// what its first steps drew is drawn again. The pairs are not either: they
// follow from the weights at their selection.
//
// It goes to its file, and comes back, number by number: encoded as a whole it
// would for a moment be several times as large as all that training needs.
type checkpoint struct {
	checkpointHead
	State    *State
	Selected *Weights // weights at the last selection; nil before the second one
	Best     *Weights // weights of the chosen epoch so far; nil when none was saved
}

// checkpointHead is what comes before the weights in a checkpoint's file.
type checkpointHead struct {
	Epoch, Steps         int     // done, the latter of the epoch after Epoch
	LossSum              float64 // of these steps
	StateSteps           int
	Features, Dims       int
	HasSelected, HasBest bool
	Member               Member // what is known so far
	Labels               []int
	Seconds              Seconds
}

// EncodeTo writes the checkpoint as a head in gob's form and the weights as
// plain numbers.
func (c *checkpoint) EncodeTo(w io.Writer) error {
	head := c.checkpointHead
	head.StateSteps, head.Features, head.Dims = c.State.Steps, c.State.Weights.W.Rows, c.State.Weights.W.Cols
	head.HasSelected, head.HasBest = c.Selected != nil, c.Best != nil
	if err := gob.NewEncoder(w).Encode(head); err != nil {
		return err
	}
	return c.eachPart(func(numbers []float32) error { return store.WriteFloats(w, numbers) })
}

// DecodeFrom reads what EncodeTo wrote.
func (c *checkpoint) DecodeFrom(r *bufio.Reader) error {
	head := &c.checkpointHead
	if err := gob.NewDecoder(r).Decode(head); err != nil {
		return err
	}
	weights := func() Weights { return NewWeights(head.Features, head.Dims) }
	c.State = &State{Weights: weights(), First: weights(), Second: weights(), Steps: head.StateSteps}
	if head.HasSelected {
		w := weights()
		c.Selected = &w
	}
	if head.HasBest {
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

// checkpoints are where a member keeps its state, and what is there.
type checkpoints struct {
	store *store.Store // nil: nowhere
	key   store.Key
	every time.Duration

	last    time.Time // of the last one
	current bool      // whether it is of the present state
	epoch   int       // of the last one; −1 without one
}

// newCheckpoints returns the place for the checkpoints of a member with the
// given settings.
func newCheckpoints(in *Input, member Config, o Options) *checkpoints {
	return &checkpoints{store: o.Checkpoints, key: checkpointKey(in, member, o), every: o.CheckpointEvery, last: time.Now(), current: true, epoch: -1}
}

// checkpointKey identifies a member's run: the graph, the settings as they are
// used, judge and backend, and the version of what is computed from them.
func checkpointKey(in *Input, member Config, o Options) store.Key {
	return store.NewKey("encoder checkpoint", 4, in.Graph.Fingerprint(), in.Filter, member, o.judgeName(), o.Backend.Name())
}

// load returns the last checkpoint, or nil if there is none.
func (p *checkpoints) load() *checkpoint {
	if p.store == nil {
		return nil
	}
	c, ok := store.Get[checkpoint](p.store, p.key)
	if !ok {
		return nil
	}
	p.epoch = c.Epoch
	return &c
}

// changed says that there is something new to save.
func (p *checkpoints) changed() { p.current = false }

// due says whether the last checkpoint is long enough ago.
func (p *checkpoints) due() bool { return time.Since(p.last) >= p.every }

// save saves what take returns, unless the last checkpoint is current.
func (p *checkpoints) save(take func() (checkpoint, error)) error {
	if p.store == nil || p.current {
		return nil
	}
	p.last = time.Now()
	c, err := take()
	if err == nil {
		err = store.Put(p.store, p.key, c)
	}
	if err == nil {
		p.current, p.epoch = true, c.Epoch
	}
	return err
}

// Discard removes the checkpoints that Fit left for a run with the same input,
// settings and options, once its result is safe. It is no error if there are
// none.
func Discard(in *Input, c Config, o Options) error {
	if o.Checkpoints == nil {
		return nil
	}
	o = o.withDefaults()
	var all []error
	for _, member := range c.forNodes(in.Graph.N()).members() {
		all = append(all, store.Remove[checkpoint](o.Checkpoints, checkpointKey(in, member, o)))
	}
	return errors.Join(all...)
}
