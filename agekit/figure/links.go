package figure

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// The limits of a LinkExplorer. For each t, it filters the features once per
// edge.
const (
	linkLayers = 8
	linkNodes  = 120
)

// LinkExplorer draws a graph out of which the reader takes one edge after the
// other. Scores of pairs are the cosines of their features, smoothed with the
// filter Hᵗ of the drawn graph without that edge (paper, §5.2). The figure shows
// the rank of the edge's score among those of all pairs without an edge, which
// pairs score higher, and how the ranks of all edges make up the AUC. A slider
// sets t. The products are XXᵗ of the features, n×n.
func LinkExplorer(title string, d Drawing, products mat.Symmetric, start Response) Fragment {
	n := len(d.X)
	if products.SymmetricDim() != n {
		panic(fmt.Sprintf("figure: products of %d nodes: want %d", products.SymmetricDim(), n))
	}
	var err error
	switch {
	case n > linkNodes:
		err = fmt.Errorf("%d nodes: want at most %d", n, linkNodes)
	case len(d.Edges) == 0 || len(d.Edges) == n*(n-1)/2:
		err = fmt.Errorf("%d edges among %d nodes: want pairs with an edge and pairs without", len(d.Edges), n)
	case !(start.K > 0 && start.K <= 1) || start.Layers < 0 || start.Layers > linkLayers:
		err = fmt.Errorf("start with k = %v and t = %d: want k from 0 to 1 and t from 0 to %d", start.K, start.Layers, linkLayers)
	}
	rows := make([][]float64, n)
	for i := range n {
		for j := range n {
			v := products.At(i, j)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				err = fmt.Errorf("product of nodes %d and %d is %v: want finite numbers", i, j, v)
			}
			rows[i] = append(rows[i], shortened(v))
		}
	}
	if err != nil {
		return refused("%w", err)
	}
	return explorer{
		name: "links", title: title,
		data: struct {
			Title      string
			Graph      Drawing
			Products   [][]float64
			K          float64
			Layers     int
			MostLayers int
		}{title, d.rounded(), rows, start.K, start.Layers, linkLayers},
		still: Graph(title, d, nil),
		text:  fmt.Sprintf("%s: %d nodes, %d edges\n", title, n, len(d.Edges)),
	}.fragment()
}

// shortened returns v with seven digits, as many as a float32 has.
func shortened(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64)
	if err != nil {
		return v // not a number
	}
	return short
}
