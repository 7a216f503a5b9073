package auto

import (
	"cmp"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/pairs"
)

// plan has the effort of a search on a graph of n nodes.
type plan struct {
	n    int
	size size
}

const (
	// exactNodes is the number of nodes above which selections rank sampled pairs.
	exactNodes = 5000
	// manyNodes is the number of nodes above which a fold is not worth its time.
	manyNodes = 20000
	// More columns than mostColumns are reduced to as many before they are clustered, or to
	// fewColumns or more if the matrix would have more than mostNumbers.
	mostColumns, fewColumns, mostNumbers = 256, 32, 20_000_000
	// fewRuns is the number of runs of k-means on matrices of more than manyNumbers.
	fewRuns, manyNumbers = 3, 2e6
)

// columns is the number of columns that are clustered.
func (p plan) columns() int { return min(mostColumns, max(fewColumns, mostNumbers/p.n)) }

// folds returns the number of folds, the number after which candidates are dropped, and the
// number of folds of short trainings: fewer with more nodes, whose folds are less random and
// take longer.
func (p plan) folds() (all, first, trained int) {
	switch {
	case p.n > 2*manyNodes:
		return 2, 1, 1
	case p.n > 12000:
		return 3, 1, 2
	case p.n > 8000:
		return 4, 2, 2
	}
	all = parts * min(max(1, smallNodes/p.n), mostDivisions)
	first = max(2, all/4)
	return all, first, first + 1
}

// many reports whether there are so many nodes that fewer candidates and folds are tried.
func (p plan) many() bool { return p.n > manyNodes }

// runs returns the number of runs of k-means on some columns.
func (p plan) runs(columns int) int {
	switch {
	case p.many():
		return 1
	case float64(p.n)*float64(columns) > manyNumbers:
		return fewRuns
	}
	return 10
}

// short returns the configuration of short trainings.
func (p plan) short(c encoder.Config) encoder.Config {
	c.Epochs = max(40, min(100, 100*12000/p.n))
	c.UpdateEvery, c.Dims = c.Epochs/5, min(256, cmp.Or(c.Dims, 256))
	c.Ranking = p.ranking(c.Ranking)
	if p.many() || p.size.entries > mostNumbers {
		c.Dims = min(128, c.Dims)
	}
	return c
}

// full returns the configuration of the full training: three of 400 epochs would take more
// than four times as long as one with the paper's settings; three of 250, and two of
// 400, lost .02 of ACC on Wiki.
func (p plan) full(c encoder.Config) encoder.Config {
	c.Members, c.Epochs = 3, min(cmp.Or(c.Epochs, fullEpochs), fullEpochs)
	if p.n > exactNodes {
		c.Members, c.Dims = 1, min(256, cmp.Or(c.Dims, 256))
		c.Epochs = min(c.Epochs, max(100, min(200, 200*manyNodes/p.n)))
	}
	if p.n > pairs.SampledAbove {
		c.UpdateEvery = 20
	}
	c.Ranking = p.ranking(c.Ranking)
	return c
}

// ranking returns the ranking asked for; in place of Auto, that of which the search was
// measured.
func (p plan) ranking(r pairs.Ranking) pairs.Ranking {
	switch {
	case r != pairs.Auto && r != "":
		return r
	case p.n > exactNodes:
		return pairs.Sampled
	}
	return pairs.Exact
}

// trainedLayers are the t of short trainings.
var trainedLayers = []int{0, 1, 2, 4}

// layers returns the t of short trainings.
func (p plan) layers() []int {
	if p.size.edges == 0 {
		return trainedLayers[:1]
	}
	return trainedLayers
}
