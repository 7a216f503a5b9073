package encoder

import (
	"context"
	"fmt"
	"iter"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// source selects the training pairs and returns them batch by batch. The batches depend
// only on settings, embedding and epoch: a resumed run gets the same ones.
type source struct {
	c Config
	// selectAll is [pairs.Select], or a model's that selects the same pairs on a device.
	selectAll func(ctx context.Context, z blas32.General, positives, negatives float64, o pairs.Options) (*pairs.Selection, error)
	selection *pairs.Selection // the present one; nil before the first and after drop
}

// choose sets s.selection to the pairs for the epochs from the given one on, selected by the rows
// of z, which must not change until the next selection. The positive pairs are in random order.
func (s *source) choose(ctx context.Context, z blas32.General, epoch int) (err error) {
	c := s.c
	number := epoch / c.UpdateEvery // of the selection
	pos, neg := c.fractions(number)
	if c.Ranking == pairs.Sampled {
		s.selection, err = pairs.SelectSampled(ctx, z, pos, neg, c.Anchors, c.EpochPairs*c.UpdateEvery, c.random(rng.Anchors, number))
	} else {
		s.selection, err = s.selectAll(ctx, z, pos, neg, pairs.Options{Draws: c.draws(number, z.Rows), Key: c.random(rng.Draws, number).Uint64()})
	}
	if err != nil {
		return fmt.Errorf("epoch %d: %w", epoch, err)
	}
	// The selection leaves more garbage than live data. Without a collection now, the
	// heap could grow to twice that size before the next one.
	collect()
	// The published code takes positives in the arbitrary order that a partial sort
	// leaves. If they were sorted by node, batches would be biased.
	i, j := s.selection.I, s.selection.J
	c.random(rng.Shuffle, number).Shuffle(len(i), func(a, b int) {
		i[a], i[b] = i[b], i[a]
		j[a], j[b] = j[b], j[a]
	})
	return nil
}

// fractions returns the thresholds for positives and negatives of the selection with that number,
// counted from 0, as fractions of all pairs.
func (c Config) fractions(number int) (positives, negatives float64) {
	return c.Thresholds.At(number, c.Epochs/c.UpdateEvery)
}

// draws returns the number of negatives that the selection with that number, among all pairs of n
// nodes, draws: as many as the epochs until the next selection take, up to about mostDraws.
func (c Config) draws(number, n int) int {
	pos, neg := c.fractions(number)
	positives, _ := pairs.Counts(n, pos, neg)
	perEpoch := c.epochPairs(positives) // as many negatives as positives
	epochs := min(c.UpdateEvery, c.Epochs-number*c.UpdateEvery, mostDraws/max(1, perEpoch))
	return perEpoch * epochs
}

// mostDraws bounds the number of negatives that a selection draws: each takes 20 bytes
// meanwhile. Once they are used up, epochs draw by rejection.
const mostDraws = 1 << 23

// drop discards the selection, because the embedding that the selection depends on is about to
// change. With FixedPairs, the selection depends on the features and stays.
func (s *source) drop() {
	if !s.c.FixedPairs {
		s.selection = nil
	}
}

// positives returns the ends of the positive pairs of the epoch after that many epochs. If an epoch
// cannot have all pairs of the selection, the epochs until the next selection take them in turn and
// start over at the end. Otherwise the slices are the selection's own.
func (s *source) positives(epoch int) (i, j []int32) {
	count := s.c.epochPairs(s.selection.Positives)
	if s.c.Ranking == pairs.Exact && count == s.selection.Positives {
		return s.selection.I, s.selection.J
	}
	from := epoch % s.c.UpdateEvery * count
	i, j = make([]int32, count), make([]int32, count)
	for k := range count {
		position := (from + k) % len(s.selection.I)
		i[k], j[k] = s.selection.I[position], s.selection.J[position]
	}
	return i, j
}

// steps returns what a model must have room for in a training on n nodes: the most pairs of a step,
// steps of an epoch and, with an exact ranking that is repeated, positives and candidates of a
// selection.
func (c Config) steps(n int) step.Steps {
	th := c.Thresholds
	first, _ := pairs.Counts(n, th.PosStart, th.NegStart)
	last, _ := pairs.Counts(n, th.PosEnd, th.NegEnd)
	positives := c.epochPairs(max(first, last))
	size := c.batchSize(positives)
	s := step.Steps{Loss: c.Loss, LearningRate: c.LearningRate, Pairs: 2 * size, Epoch: (positives + size - 1) / size}
	if c.Ranking == pairs.Sampled || c.FixedPairs {
		return s
	}
	s.Positives = max(first, last)
	for number := range (c.Epochs + c.UpdateEvery - 1) / c.UpdateEvery {
		pos, neg := c.fractions(number)
		_, negatives := pairs.Counts(n, pos, neg)
		s.Candidates = max(s.Candidates, pairs.Candidates(n, negatives, c.draws(number, n)))
	}
	return s
}

// steps returns the number of batches that an epoch of this selection has.
func (s *source) steps() int {
	positives := s.c.epochPairs(s.selection.Positives)
	size := s.c.batchSize(positives)
	return (positives + size - 1) / size
}

// batches returns the batches of the epochs after that many epochs, up to end: positives and an
// equal number of random negatives. The last batch of an epoch may be short, as in the published
// code. Of the first epoch, the batches before step from are drawn but left out, so that a resumed
// epoch continues with the same random numbers.
func (s *source) batches(ctx context.Context, epoch, from, end int) iter.Seq2[step.Batch, error] {
	return func(yield func(step.Batch, error) bool) {
		for ; epoch < end; epoch, from = epoch+1, 0 {
			if !s.epochBatches(ctx, epoch, from, yield) {
				return
			}
		}
	}
}

// epochBatches yields the batches of one epoch from step from on. It returns false if yield did or
// after an error, when no more batches are wanted.
func (s *source) epochBatches(ctx context.Context, epoch, from int, yield func(step.Batch, error) bool) bool {
	i, j := s.positives(epoch)
	rnd, size := s.c.random(rng.Negatives, epoch), s.c.batchSize(len(i))
	done := s.sinceSelection(epoch) * len(i) // negatives of the selection that earlier epochs took
	for lo := 0; lo < len(i); lo, from = lo+size, from-1 {
		hi := min(len(i), lo+size)
		negativeI, negativeJ, err := s.selection.NextNegatives(ctx, done+lo, hi-lo, rnd)
		if err != nil {
			yield(step.Batch{}, err)
			return false
		}
		if from > 0 {
			continue
		}
		if !yield(step.NewBatch(i[lo:hi], j[lo:hi], negativeI, negativeJ), nil) {
			return false
		}
	}
	return true
}

// sinceSelection returns how many of the given number of epochs came after the pairs were selected.
func (s *source) sinceSelection(epoch int) int {
	if s.c.FixedPairs {
		return epoch
	}
	return epoch % s.c.UpdateEvery
}
