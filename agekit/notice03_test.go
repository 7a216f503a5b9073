package agekit

import (
	"testing"

	"github.com/agekit/age/agekit/pairs"
)

var notices03 = []notice{
	{"03", "On Cora, there are about eighty times as many.", func(t *testing.T) {
		c := Settings(cora())
		positives, negatives := pairs.Counts(cora().N(), c.Thresholds.PosStart, c.Thresholds.NegStart)
		near(t, "negatives for a positive", float64(negatives)/float64(positives), 80, 2)
	}},
	{"03", "On Cora, training has moved most pairs to the two ends, above all to the left one: less than 5 % of them were there before, and most are now.", func(t *testing.T) {
		if testing.Short() {
			t.Skip("trains")
		}
		c := Settings(cora())
		// A smaller encoder takes two seconds. The notebook's moves more pairs.
		c.Seed, c.Epochs, c.Dims, c.LearningRate = 1, 100, 100, 0.003
		x := must(Smooth(cora(), c.K, c.Layers))
		before := must(Select(x, c.Thresholds.PosStart, c.Thresholds.NegStart)).Histogram
		r := must(Train(cora(), c))
		after := must(Select(r.Embedding, c.Thresholds.PosEnd, c.Thresholds.NegEnd)).Histogram
		share := func(part []int) float64 {
			sum := 0
			for _, count := range part {
				sum += count
			}
			return float64(sum) / float64(cora().N()*cora().N())
		}
		tenth := len(after) / 10
		below(t, "ends before training", share(before[:tenth])+share(before[9*tenth:]), 0.05)
		left, right := share(after[:tenth]), share(after[9*tenth:])
		below(t, "the middle after it", 1-left-right, 0.5)
		below(t, "right end", right, left)
	}},
}
