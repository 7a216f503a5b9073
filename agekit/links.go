package agekit

import (
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// LinkSplit returns g with 15 % of its edges held out, at random: 5 % for validation and 10 %
// for the test, each with an equal number of pairs without an edge (paper, §5.2). Each seed
// gives another split.
func LinkSplit(g *graph.Graph, seed uint64) (*graph.Split, error) {
	return graph.NewSplit(g, rng.New(seed, rng.Only))
}

// LinkScores ranks the pairs of nodes p by the cosines of the nodes' rows of z, and returns the
// scores of this ranking.
func LinkScores(z blas32.General, p graph.Pairs) (metric.LinkScores, error) {
	return metric.Links(linalg.Normalize(z), p)
}
