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
	// A graph of at most ensembleNodes nodes gets an ensemble of ensembleMembers trainings.
	ensembleNodes, ensembleMembers = 5000, 3
	// A larger graph gets a single training, with at most largeDims dimensions and largeEpochs epochs.
	// Above manyNodes nodes the epochs are ever fewer, down to leastEpochs.
	largeDims, largeEpochs, leastEpochs = 256, 200, 100
	// A graph of more than manyPairs nodes selects pairs only every rareUpdates epochs, half as often as
	// by default: an epoch on all positives has about a thousand steps there with the paper's thresholds.
	manyPairs, rareUpdates = 30_000, 20
	// The number of positive pairs for each node, at the start of a training and at its end.
	pairsAtStart, pairsAtEnd = 30, 3
	// The share of pairs that are not negative at the start of a training, at least, and at its end.
	negativeAtStart, negativeAtEnd = 0.1, 0.5
)

// Settings returns the options of AGE's training on a graph of n nodes, with k clusters and the given
// number of layers of the filter. They are those of best mode (docs/best-mode.md), with thresholds
// that follow the size of the graph; docs/views.md has the graphs by which they were chosen. From o
// come the dimensions, the learning rate, how pairs are ranked and sampled, and the number of epochs,
// if it is below 320. For more than 5,000 nodes, the dimensions and epochs are limited further.
func Settings(o encoder.Options, n, k, layers int) encoder.Options {
	o.Filter = laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: layers}
	o.Members = ensembleMembers
	o.BatchSize = encoder.AllPairs
	o.Epochs = min(cmp.Or(o.Epochs, TrainingEpochs), TrainingEpochs)
	if n > ensembleNodes {
		o.Members = 1
		o.Dims = min(largeDims, cmp.Or(o.Dims, largeDims))
		o.Epochs = min(o.Epochs, max(leastEpochs, min(largeEpochs, largeEpochs*manyNodes/n)))
	}
	if n > manyPairs {
		o.UpdateEvery = rareUpdates
	}
	o.Thresholds = thresholds(n, k)
	o.Clusters = k
	o.Ranking = o.Ranks(encoder.BySize, n, 0)
	return o
}

// thresholds returns the shares of the pairs of n nodes that are positive and negative in a training
// with k clusters. At most half as many pairs are positive as k clusters of equal size have within
// them, which is 1/k of all pairs.
func thresholds(n, k int) pairs.Thresholds {
	mostPositive := 0.5 / float64(k)
	t := pairs.Thresholds{
		PosStart: min(pairsAtStart/float64(n), mostPositive),
		PosEnd:   min(pairsAtEnd/float64(n), mostPositive),
		NegEnd:   negativeAtEnd,
	}
	t.NegStart = max(negativeAtStart, t.PosStart) // no pair is positive and negative
	return t
}
