package encoder

import (
	"fmt"
	"runtime"

	"gonum.org/v1/gonum/blas/blas32"
)

// firstSelection selects the pairs to begin or to go on with: from the
// smoothed features, or from the embedding that the weights of the last
// selection give. It leaves the model in the given state, and X̃ to a model
// that multiplies with it.
func (t *training) firstSelection(state *State) error {
	x := t.input.Smoothed
	t.input = Input{}
	if t.epoch >= t.c.Epochs || t.updateDue() { // the update selects
		return nil
	}
	if t.selected == nil {
		if m, ok := t.model.(interface{ keeps() bool }); ok && !m.keeps() {
			normalizeTo(x, x)
		} else {
			n := newEmbeddingShape(x.Rows, x.Cols)
			var err error
			if n.Data, err = t.numbers("the smoothed features, rows of length 1,", n.Rows*n.Stride); err != nil {
				return err
			}
			normalizeTo(n, x)
			x = n
		}
		return t.choosePairs(x, 0)
	}
	z, err := t.embedWith(*t.selected)
	if err != nil {
		return err
	}
	if err := t.model.SetState(state); err != nil {
		return err
	}
	return t.choosePairs(z, t.epoch/t.c.UpdateEvery)
}

// choosePairs makes the selection with the given number, 0 being the one
// before the first epoch.
func (t *training) choosePairs(z blas32.General, number int) (err error) {
	defer stopwatch(&t.result.Seconds.Select)()
	pos, neg := t.c.Thresholds.At(number, t.updates)
	if t.c.Mode == Sampled {
		t.selection, err = selectSampled(t.ctx, z, pos, neg, t.c.Anchors, t.c.EpochPairs*t.c.UpdateEvery, t.random(streamAnchors, number), t.similar, (*anchorRows).guess)
	} else {
		count, _ := counts(z.Rows, pos, neg)
		epochs := min(t.c.UpdateEvery, t.c.Epochs-t.epoch+t.sinceSelection(), mostDraws/max(1, count))
		t.selection, err = selectExact(t.ctx, z, pos, neg, draws{epochs * count, t.random(streamDraws, number).Uint64()}, t.similar, (*anchorRows).guess)
	}
	if err != nil {
		return fmt.Errorf("epoch %d: %w", t.epoch, err)
	}
	// What it leaves is larger than what it found: without a collection now
	// the next would let the heap double from there.
	runtime.GC()
	// The published code takes positives in the order that a partial sort
	// leaves, which is none to speak of; by node, batches would be biased.
	s := t.selection
	t.random(streamShuffle, number).Shuffle(len(s.I), func(a, b int) {
		s.I[a], s.I[b] = s.I[b], s.I[a]
		s.J[a], s.J[b] = s.J[b], s.J[a]
	})
	return nil
}

// mostDraws bounds the negatives that a selection draws, 20 bytes each while it
// does. Epochs that they do not last for draw by rejection.
const mostDraws = 1 << 23

// sinceSelection returns the number of epochs done since the pairs were selected.
func (t *training) sinceSelection() int {
	if t.c.FixedPairs {
		return t.epoch
	}
	return t.epoch % t.c.UpdateEvery
}

// epochPairs returns the positive pairs of the epoch that comes: all of them,
// or in sampled mode as many as an epoch may have. There the epochs between
// two selections share the listed pairs and start over when all had their
// turn.
func (t *training) epochPairs() (i, j []int32) {
	s := t.selection
	if t.c.Mode == Exact {
		return s.I, s.J
	}
	count := t.c.epochPairs(s.Positives)
	from := t.epoch % t.c.UpdateEvery * count
	i, j = make([]int32, count), make([]int32, count)
	for k := range count {
		at := (from + k) % len(s.I)
		i[k], j[k] = s.I[at], s.J[at]
	}
	return i, j
}
