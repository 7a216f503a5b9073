package encoder

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/internal/store"
)

// checkpoint holds all that a member's training needs to resume with the same result: no
// random numbers, because each epoch draws from its own stream and repeats the draws of
// its first steps, and no pairs, because they follow from the weights at their selection.
// It is a stream: encoding it as a whole would take several times the memory of training.
type checkpoint struct {
	checkpointHead
	State    *step.State
	Selected *Weights   // weights at the last selection; nil before the second one
	Best     *Weights   // weights of the best epoch so far; nil before the first is judged
	Waiting  []*Weights // weights of the saved embeddings that are not judged yet
}

// checkpointHead says how far a training is. In a file it precedes the weights, which
// StateSteps to HasBest and the length of Unjudged describe.
type checkpointHead struct {
	Epoch, Steps         int     // epochs done, and steps done of the next epoch
	LossSum              float64 // sum of the losses of these steps
	StateSteps           int     // State.Steps: all steps of Adam
	Features, Dims       int     // of all weights
	HasSelected, HasBest bool    // whether Selected and Best follow
	Member               Member  // results so far; its Epoch is the chosen one
	// Unjudged describes the embeddings that were saved after those in Member, but not judged yet.
	Unjudged []Saved
	Labels   []int // clusters of the chosen epoch; nil with a Judge
	Seconds  Seconds
}

// EncodeTo writes the length of the head in eight bytes, the head, and the weights as raw numbers.
func (c *checkpoint) EncodeTo(w io.Writer) error {
	head := c.checkpointHead
	head.StateSteps, head.Features, head.Dims = c.State.Steps, c.State.Weights.W.Rows, c.State.Weights.W.Cols
	head.HasSelected, head.HasBest = c.Selected != nil, c.Best != nil
	text, err := store.Encode(head)
	if err != nil {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return c.eachPart(func(numbers []float32) error { return binary.Write(w, binary.LittleEndian, numbers) })
}

// DecodeFrom reads what EncodeTo wrote from r, which has size bytes. It is an error, before memory
// is taken for weights, if the head states other than the bytes that follow.
func (c *checkpoint) DecodeFrom(r io.Reader, size int64) error {
	var length uint64
	if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
		return err
	}
	if length > uint64(size) {
		return fmt.Errorf("a head of %d bytes in %d bytes", length, size)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return err
	}
	head := &c.checkpointHead
	if err := store.Decode(text, head); err != nil {
		return err
	}
	parts := int64(3 + len(head.Unjudged)) // weights: the State has three
	for _, has := range []bool{head.HasSelected, head.HasBest} {
		if has {
			parts++
		}
	}
	rest := size - 8 - int64(length)
	f, d := int64(head.Features), int64(head.Dims)
	outside := f < 0 || d < 1 || f >= rest/d // where the product below could overflow
	if outside || 4*parts*(f+1)*d != rest {
		return fmt.Errorf("%d times weights of %d features and %d dimensions in %d bytes", parts, f, d, rest)
	}
	weights := func() *Weights {
		w := step.NewWeights(head.Features, head.Dims)
		return &w
	}
	c.State = &step.State{Weights: *weights(), First: *weights(), Second: *weights(), Steps: head.StateSteps}
	if head.HasSelected {
		c.Selected = weights()
	}
	if head.HasBest {
		c.Best = weights()
	}
	for range head.Unjudged {
		c.Waiting = append(c.Waiting, weights())
	}
	return c.eachPart(func(numbers []float32) error { return binary.Read(r, binary.LittleEndian, numbers) })
}

// eachPart calls visit with all weights and moments, in a fixed order and in parts whose
// bytes take little memory.
func (c *checkpoint) eachPart(visit func([]float32) error) error {
	for _, w := range append([]*Weights{&c.State.Weights, &c.State.First, &c.State.Second, c.Selected, c.Best}, c.Waiting...) {
		if w == nil {
			continue
		}
		for _, numbers := range [][]float32{w.W.Data, w.B} {
			for part := range slices.Chunk(numbers, 4096) {
				if err := visit(part); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkpoints saves and loads the state of one member.
type checkpoints struct {
	store *store.Store // nil for no checkpoints
	key   store.Key
	every time.Duration // the least between two
	given *checkpoint   // without a store: where a session begins; nil at the beginning

	last    time.Time // time of the last checkpoint
	current bool      // whether it has the present state
	epoch   int       // epoch of the last checkpoint; −1 if there is none
	failed  bool      // the last attempt to save failed
}

// checkpointKey identifies a member's training by the graph, the options with the
// defaults, the filter and the member's settings filled in, and the weights to begin with.
func checkpointKey(input *Input, member Config, initial *Weights, o Options) store.Key {
	o.Filter, o.Config = input.Filter, member
	o.Initial = nil // of which initial is the member's part
	return store.NewKey("encoder checkpoint", Version, input.Graph, initial, o)
}

// load returns the last checkpoint of the store, and sets p.epoch to its epoch, or without a store
// p.given. It returns nil if there is none.
func (p *checkpoints) load() *checkpoint {
	if p.store == nil {
		return p.given
	}
	c, ok := store.Stored[checkpoint](p.store, p.key)
	if !ok {
		return nil
	}
	p.epoch = c.Epoch
	return &c
}

// save stores the checkpoint that take returns, unless there is no store or the last checkpoint has
// the present state. Whether it succeeds or not, it sets the time of the last checkpoint.
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

// Discard removes the checkpoints that the training left, if any, and closes the input that a result
// with [Running].InBlocks keeps open. Call it once the result is safe.
func (r *Result) Discard() error {
	var all []error
	for _, remove := range r.cleanups {
		all = append(all, remove())
	}
	return errors.Join(all...)
}
