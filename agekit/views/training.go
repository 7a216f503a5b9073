package views

import (
	"cmp"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
)

const (
	// TrainingEpochs is the number of epochs of a training whose settings are not given: a training
	// of 400 takes longer, and had no better clusters.
	TrainingEpochs = 320
	// Larger graphs than ensembleNodes get a single training with fewer epochs and dimensions.
	ensembleNodes, largeEpochs, largeDims = 5000, 200, 256
	// Larger graphs than manyPairs select pairs half as often: an epoch on all positives has about a
	// thousand steps there with the paper's thresholds.
	manyPairs = 30_000
	// Positive pairs for each node, at the start and at the end.
	pairsAtStart, pairsAtEnd = 30, 3
)

// Settings returns the options of AGE's training on a graph of n nodes, with k clusters and some
// layers of the filter, for which o gives the dimensions, the learning rate, how pairs are ranked and
// sampled, and at most 320 epochs: best mode (docs/best-mode.md), with thresholds that follow
// the size of the graph. docs/views.md has the graphs by which they were chosen.
func Settings(o encoder.Options, n, k, layers int) encoder.Options {
	o.Filter = laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: layers}
	o.Members = 3
	o.BatchSize = encoder.AllPairs
	o.Epochs = min(cmp.Or(o.Epochs, TrainingEpochs), TrainingEpochs)
	if n > ensembleNodes {
		o.Members = 1
		o.Dims = min(largeDims, cmp.Or(o.Dims, largeDims))
		o.Epochs = min(o.Epochs, max(100, min(largeEpochs, largeEpochs*manyNodes/n)))
	}
	if n > manyPairs {
		o.UpdateEvery = 20
	}
	o.Thresholds = thresholds(n, k)
	o.Clusters = k
	o.Ranking = o.Ranks(encoder.BySize, n, 0)
	return o
}

// thresholds returns those of the pairs. Positive pairs are at most half of those that k clusters
// of equal size would have.
func thresholds(n, k int) pairs.Thresholds {
	most := 0.5 / float64(k)
	t := pairs.Thresholds{
		PosStart: min(pairsAtStart/float64(n), most),
		PosEnd:   min(pairsAtEnd/float64(n), most),
		NegEnd:   0.5,
	}
	t.NegStart = max(0.1, t.PosStart)
	return t
}
