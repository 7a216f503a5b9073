package encoder

import (
	"cmp"
	"math"

	"github.com/agekit/age/agekit/pairs"
)

// The costs of a training in multiply-adds of a core ([linalg.Rate]), fitted to trainings on
// planted graphs of 10,000 to a million nodes (docs/bench/jobs.md). They decide how pairs are
// ranked and how many nodes are sampled: a changed cost changes results on large graphs.
// BenchmarkCosts measures those of whole stages.
const (
	stepCost      = 1.35 // of a multiply-add of a step
	pairCost      = 4    // of one of a pair, compared with others of a step: its rows come from anywhere
	rankingCost   = 3.4  // of one that ranks a pair: the similarities are counted, too
	embeddingCost = 3    // of one of an embedding, which is written to memory
	indexCost     = 2    // of one of the Davies–Bouldin index
	vectorCost    = 20   // of one of the eigenvectors, in float64, with their orthogonalization
	distanceCost  = 3400 // of a distance of k-means, with its runs and iterations
)

// AllNodes as Sample trains on the whole graph.
const AllNodes = -1

// For fills in the ranking and the number of nodes to train on, for n nodes with f
// features, by the predicted cost: Auto ranks exactly what costs little more than a sample,
// and by default a training samples what costs more than its steps allow. Both borders are
// where the costs meet, so that a larger graph takes no less time than a smaller one.
func (c Config) For(n, f int) Config {
	auto := cmp.Or(c.Ranking, pairs.Auto) == pairs.Auto
	if c.Sample == 0 && (auto || c.Ranking == pairs.Sampled) {
		c.Sample = c.sampleSize(f)
	}
	if c.Sample == AllNodes || c.Sample >= n || c.Sample == 0 {
		c.Sample = n
	}
	if auto {
		exact, sampled := c, c
		exact.Ranking, sampled.Ranking = pairs.Exact, pairs.Sampled
		c.Ranking = pairs.Sampled
		if exact.TrainingCost(c.Sample, f) <= preferExact*sampled.TrainingCost(c.Sample, f) {
			c.Ranking = pairs.Exact
		}
	}
	return c
}

// lengthened makes a training of AllPairs with the default number of epochs longer, and its
// selections fewer, if one selection has more pairs than a step takes.
func (c Config) lengthened() Config {
	positives, _ := pairs.Counts(c.Sample, c.Thresholds.PosStart, c.Thresholds.NegStart)
	if c.BatchSize != AllPairs || c.Ranking != pairs.Exact || positives <= mostPairs ||
		c.Epochs != defaultEpochs || c.UpdateEvery != defaultUpdateEvery {
		return c
	}
	batches := (positives + defaultBatchSize - 1) / defaultBatchSize
	c.UpdateEvery = min(defaultUpdateEvery*batches, defaultEpochs)
	c.Epochs = max(defaultEpochs, 2*c.UpdateEvery)
	return c
}

const (
	// preferExact is how much more than sampled ranking the paper's exact one may cost. On
	// Cora it costs 1.15 times as much.
	preferExact = 1.2
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
	steps, one := c.stepsCost(many, f), c.updatesCost(2*leastSample, f)-c.updatesCost(leastSample, f)
	s := updateShare * steps / one * leastSample
	return int(math.Round(min(max(leastSample, s), mostSample)/1000)) * 1000
}

// TrainingCost returns what a training on n nodes with f features costs, in multiply-adds of a
// dense float32 product.
func (c Config) TrainingCost(n, f int) float64 {
	return float64(c.Members) * (c.stepsCost(n, f) + c.updatesCost(n, f))
}

// stepsCost returns what the steps of one training on n nodes cost; of AllPairs on many nodes
// it is what they would cost with all pairs, so that the ranking does not depend on its limits.
func (c Config) stepsCost(n, f int) float64 {
	updates := max(1, c.Epochs/c.UpdateEvery)
	steps := 0.0
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
		rows := min(float64(n), 4*batch)
		perStep := 3*rows*float64(f) + 2*batch*pairCost*(3+tries)
		steps += count / max(1, batch) * perStep * float64(c.Dims)
	}
	return stepCost * steps / float64(updates) * float64(c.Epochs)
}

// updatesCost returns what the selections of one training on n nodes cost, with an
// embedding, a clustering and its index each.
func (c Config) updatesCost(n, f int) float64 {
	nodes, d := float64(n), float64(c.Dims)
	ranked := nodes * nodes / 2
	if c.Ranking == pairs.Sampled {
		anchors := min(nodes, float64(c.Anchors))
		ranked = anchors * (nodes + anchors)
	}
	return float64(c.Epochs/c.UpdateEvery) * (rankingCost*ranked*d + c.passCost(n, f))
}

// passCost returns what embedding and clustering n nodes once costs.
func (c Config) passCost(n, f int) float64 {
	nodes, d, k := float64(n), float64(c.Dims), float64(max(2, c.Clusters))
	vectors := max(12*8, 4*k) // that the eigenvectors take, 8 at a time
	return nodes * (embeddingCost*float64(f)*d + 2*vectors*vectorCost*d + indexCost*d*d + distanceCost*k*k)
}
