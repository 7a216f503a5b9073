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

// For fills in the ranking and the number of nodes to train on, for n nodes with f features, by
// the predicted cost: by default a training samples what costs more than its steps allow, and
// ranks [ByCost]. Both borders are where the costs meet, so that a larger graph takes no
// less time than a smaller one.
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

// lengthened makes a training of AllPairs with the default number of epochs longer, and its
// selections fewer, if one selection has more pairs than a step takes.
func (c Config) lengthened() Config {
	positives, _ := pairs.Counts(c.Sample, c.Thresholds.PosStart, c.Thresholds.NegStart)
	published := Config{}.withDefaults()
	if c.BatchSize != AllPairs || c.Ranking != pairs.Exact || positives <= mostPairs ||
		c.Epochs != published.Epochs || c.UpdateEvery != published.UpdateEvery {
		return c
	}
	batches := (positives + published.BatchSize - 1) / published.BatchSize
	c.UpdateEvery = min(published.UpdateEvery*batches, published.Epochs)
	c.Epochs = max(published.Epochs, 2*c.UpdateEvery)
	return c
}

const (
	// A default sample has 50 nodes of a cluster of a thousandth, or more, and its X̃ with
	// 1,000 features takes no more than 0.4 GB.
	leastSample, mostSample = 50_000, 100_000
	// updateShare is what the updates of a training on a default sample cost (embedding,
	// clustering and selecting) as a share of its steps, whose cost no longer grows with the
	// nodes.
	updateShare = 0.5
)

// sampleSize returns the number of nodes of the default sample: as many as cost updateShare
// of the steps, within bounds.
func (c Config) sampleSize(f int) int {
	c.Ranking = pairs.Sampled
	const many = 1 << 30 // so many that steps gather the nodes of a batch
	steps := c.steppingCost(many, f).Cost()
	each := c.updatingCost(2*leastSample, f).Cost() - c.updatingCost(leastSample, f).Cost()
	s := updateShare * steps / each * leastSample
	return int(math.Round(min(max(leastSample, s), mostSample)/1000)) * 1000
}

// Training estimates a training on n nodes with f features.
func (c Config) Training(n, f int) cost.Estimate {
	return c.steppingCost(n, f).Plus(c.updatingCost(n, f)).Times(float64(c.Members))
}

// steppingCost estimates the steps of one training on n nodes; with AllPairs on many nodes those
// that it would have with all pairs, so that the ranking does not depend on its limits.
func (c Config) steppingCost(n, f int) (e cost.Estimate) {
	updates := max(1, c.Epochs/c.UpdateEvery)
	for s := range updates {
		pos, neg := c.Thresholds.At(s, updates)
		count := pos * float64(n) * float64(n)
		tries := 0. // of negatives, which an exact ranking draws while it ranks
		if c.Ranking == pairs.Sampled {
			count, tries = min(count, float64(c.EpochPairs)), 1/max(1-neg, 1e-3)
		}
		batch := count
		if c.BatchSize != AllPairs {
			batch = min(count, float64(c.BatchSize))
		}
		e = e.Plus(cost.DenseStep(float64(n), float64(f), float64(c.Dims), batch, tries).Times(count / max(1, batch)))
	}
	return e.Times(float64(c.Epochs) / float64(updates))
}

// updatingCost estimates the selections of one training on n nodes, with an embedding, a clustering
// and its index each.
func (c Config) updatingCost(n, f int) (e cost.Estimate) {
	nodes := float64(n)
	ranked := nodes * nodes / 2
	if c.Ranking == pairs.Sampled {
		anchors := min(nodes, float64(c.Anchors))
		ranked = anchors * (nodes + anchors)
	}
	e.Add(cost.Rank, ranked*float64(c.Dims))
	return e.Plus(c.passCost(n, f)).Times(float64(c.Epochs / c.UpdateEvery))
}

// passCost estimates embedding and clustering n nodes once.
func (c Config) passCost(n, f int) cost.Estimate {
	nodes, d := float64(n), float64(c.Dims)
	return cost.Embedding(nodes, float64(f), d).Plus(cost.Spectral(nodes, d, float64(max(2, c.Clusters)))).Plus(cost.Index(nodes, d))
}
