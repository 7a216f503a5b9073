package agekit

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/linkpred"
	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// LinkSplit holds out 5 % of g's edges for validation and 10 % for the test, at
// random, with an equal number of pairs without an edge (paper, §5.2). Each seed
// gives another split.
func LinkSplit(g *graph.Graph, seed uint64) (*linkpred.Split, error) {
	return linkpred.NewSplit(g, rand.New(rand.NewPCG(seed, 0)))
}

// LinkScores ranks pairs by the cosines of their rows of z and scores the ranking.
func LinkScores(z blas32.General, p linkpred.Pairs) (linkpred.Scores, error) {
	return linkpred.Score(linkpred.InnerProduct(linalg.Normalize(z)), p)
}

// FeatureProducts returns XXᵗ, n×n, of a small graph: for words, how many two nodes share.
func FeatureProducts(g *graph.Graph) *mat.SymDense {
	x := g.Features.ToDense()
	product, products := linkpred.InnerProduct(x), mat.NewSymDense(x.Rows, nil)
	for i := range x.Rows {
		for j := range i + 1 {
			products.SetSym(i, j, product(linkpred.Pair{I: int32(i), J: int32(j)}))
		}
	}
	return products
}

// Comparisons returns a table that compares the score of each edge with that of
// each pair without an edge, and counts those in the right order: the AUC.
func Comparisons(edges, others []float64) figure.Fragment {
	header := []string{"edge \\ other pair"}
	for _, o := range others {
		header = append(header, fmt.Sprint(o))
	}
	right := 0.0
	var rows [][]string
	for _, e := range edges {
		row := []string{fmt.Sprint(e)}
		for _, o := range others {
			switch {
			case e > o:
				row, right = append(row, "1"), right+1
			case e == o:
				row, right = append(row, "0.5"), right+0.5
			default:
				row = append(row, "0")
			}
		}
		rows = append(rows, row)
	}
	sum := fmt.Sprintf("%v of %d", right, len(edges)*len(others))
	rows = append(rows, append([]string{"right: " + sum}, make([]string, len(others))...))
	return figure.Table(header, rows)
}

// Ranking returns a table of the scores from the highest to the lowest, with the numbers
// of edges and of other pairs down to each, and the share of edges among them: the
// precision. AP is its mean over the edges. Pairs with the same score enter together.
func Ranking(edges, others []float64) figure.Fragment {
	scores := slices.Compact(slices.Sorted(slices.Values(slices.Concat(edges, others))))
	slices.Reverse(scores)
	count := func(list []float64, least float64) (n int) {
		for _, v := range list {
			if v >= least {
				n++
			}
		}
		return n
	}
	var rows [][]string
	before := 0
	for _, s := range scores {
		e, o := count(edges, s), count(others, s)
		precision := ""
		if e > before {
			precision = fmt.Sprintf("%d/%d = %.3f", e, e+o, float64(e)/float64(e+o))
		}
		rows = append(rows, []string{fmt.Sprint(s), fmt.Sprint(e), fmt.Sprint(o), precision})
		before = e
	}
	return figure.Table([]string{"score", "edges so far", "others so far", "precision at an edge"}, rows)
}
