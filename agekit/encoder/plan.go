package encoder

import (
	"cmp"
	"math"

	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/cost"
)

// AllNodes as Sample trains on the whole graph.
const AllNodes = -1

// Budget says how much of an exact ranking is affordable ([Config.Ranks]).
type Budget int

const (
	// ByCost ranks exactly what is predicted to cost at most a fifth more than a sample.
	ByCost Budget = iota
	// ByPaper always ranks exactly, as the paper does on its data sets.
	ByPaper
	// BySize ranks up to 5,000 nodes exactly.
	BySize
)

const (
	// preferExact is how much more than sampled ranking the paper's exact one may cost. On
	// Cora it costs 1.1 times as much.
	preferExact = 1.2
	// smallNodes is the number of nodes up to which BySize ranks exactly.
	smallNodes = 5000
)

// Ranks returns the ranking of a training on n nodes with f features: the given one or, if that is
// [pairs.Auto], exact where the budget allows it. Nothing else decides it.
func (c Config) Ranks(b Budget, n, f int) pairs.Ranking {
	asked := cmp.Or(c.Ranking, pairs.Auto)
	exact := false
	switch {
	case asked != pairs.Auto:
		return asked
	case b == ByPaper:
		exact = true
	case b == BySize:
		exact = n <= smallNodes
	default:
		all, some := c, c
		all.Ranking, some.Ranking = pairs.Exact, pairs.Sampled
		exact = all.Training(n, f).Cost() <= preferExact*some.Training(n, f).Cost()
	}
	if exact {
		return pairs.Exact
	}
	return pairs.Sampled
}

// For returns the settings with Sample and Ranking filled in for n nodes with f features. Sample
// becomes the number of nodes to train on: n or, by default on large graphs, as many as the
// predicted cost of the steps allows. Ranking is that of Ranks with [ByCost]. Both borders are
// where the costs meet, so that a larger graph takes no less time than a smaller one.
func (c Config) For(n, f int) Config {
	if c.Sample == 0 && c.Ranking != pairs.Exact {
		c.Sample = c.sampleSize(f)
	}
	if c.Sample == AllNodes || c.Sample >= n || c.Sample == 0 {
		c.Sample = n
	}
	c.Ranking = c.Ranks(ByCost, c.Sample, f)
	return c
}

// lengthened returns the settings with more epochs and fewer selections, as [AllPairs] says, if the
// first selection of an exact ranking has more pairs than a step takes. It changes only a training
// of AllPairs whose Epochs and UpdateEvery are the default ones. c must have its Sample and
// Ranking.
func (c Config) lengthened() Config {
	positives, _ := pairs.Counts(c.Sample, c.Thresholds.PosStart, c.Thresholds.NegStart)
	published := Config{}.withDefaults()
	limited := c.BatchSize == AllPairs && c.Ranking == pairs.Exact && positives > mostPairs
	chosen := c.Epochs != published.Epochs || c.UpdateEvery != published.UpdateEvery
	if !limited || chosen {
		return c
	}
	batches := (positives + published.BatchSize - 1) / published.BatchSize
	c.UpdateEvery = min(published.UpdateEvery*batches, published.Epochs)
	c.Epochs = max(published.Epochs, 2*c.UpdateEvery)
	return c
}

const (
	// leastSample and mostSample bound a default sample: of a cluster with a thousandth of the
	// nodes, it has 50 or more, and its X̃ with 1,000 features takes no more than 0.4 GB.
	leastSample, mostSample = 50_000, 100_000
	// updateShare is what the updates of a training on a default sample cost (embedding,
	// clustering and selecting) as a share of its steps, whose cost no longer grows with the
	// nodes.
	updateShare = 0.5
)

// sampleSize returns the number of nodes of the default sample, in whole thousands: as many as make
// the updates cost updateShare of the steps, from leastSample to mostSample. f is the number of
// features.
func (c Config) sampleSize(f int) int {
	c.Ranking = pairs.Sampled
	const many = 1 << 30 // so many that steps gather the nodes of a batch
	steps := c.steppingCost(many, f).Cost()
	// The updates' cost grows linearly with the nodes: each is that of leastSample nodes more.
	each := c.updatingCost(2*leastSample, f).Cost() - c.updatingCost(leastSample, f).Cost()
	size := updateShare * steps / each * leastSample
	const rounding = 1000
	return int(math.Round(min(max(leastSample, size), mostSample)/rounding)) * rounding
}

// Training estimates the operations of a training on n nodes with f features, of all members.
func (c Config) Training(n, f int) cost.Estimate {
	return c.steppingCost(n, f).Plus(c.updatingCost(n, f)).Times(float64(c.Members))
}

// steppingCost estimates the steps of one member's training on n nodes with f features. With
// AllPairs it counts all pairs of a selection in every epoch, although steps are limited to
// mostPairs, so that the choice of a ranking does not depend on that limit.
func (c Config) steppingCost(n, f int) (e cost.Estimate) {
	updates := max(1, c.Epochs/c.UpdateEvery)
	for number := range updates {
		pos, neg := c.Thresholds.At(number, updates)
		count := pos * float64(n) * float64(n) // positive pairs of an epoch
		tries := 0.                            // candidates per negative; an exact ranking draws negatives while it ranks
		if c.Ranking == pairs.Sampled {
			const leastShare = 1e-3 // of the candidates that are negative
			count, tries = min(count, float64(c.EpochPairs)), 1/max(1-neg, leastShare)
		}
		batch := count // positive pairs of a step
		if c.BatchSize != AllPairs {
			batch = min(count, float64(c.BatchSize))
		}
		e = e.Plus(cost.DenseStep(float64(n), float64(f), float64(c.Dims), batch, tries).Times(count / max(1, batch)))
	}
	return e.Times(float64(c.Epochs) / float64(updates))
}

// updatingCost estimates the updates of one member's training on n nodes with f features: each
// ranks pairs, embeds, clusters and computes the index.
func (c Config) updatingCost(n, f int) (e cost.Estimate) {
	nodes := float64(n)
	ranked := nodes * nodes / 2 // similarities
	if c.Ranking == pairs.Sampled {
		anchors := min(nodes, float64(c.Anchors))
		ranked = anchors * (nodes + anchors)
	}
	e.Add(cost.Rank, ranked*float64(c.Dims))
	return e.Plus(c.passCost(n, f)).Times(float64(c.Epochs / c.UpdateEvery))
}

// passCost estimates embedding and clustering n nodes once, with the index of the clusters.
func (c Config) passCost(n, f int) cost.Estimate {
	nodes, d := float64(n), float64(c.Dims)
	return cost.Embedding(nodes, float64(f), d).Plus(cost.Spectral(nodes, d, float64(max(2, c.Clusters)))).Plus(cost.Index(nodes, d))
}
