package figure

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

// The limits of a LinkExplorer keep it fast: for each t, its script filters the features
// once per edge.
const (
	linkLayers = 8
	linkNodes  = 120
)

// LinkExplorer shows the graph of the drawing d, out of which the reader takes one edge after
// the other. The score of a pair of nodes is the cosine of their features, smoothed with the
// filter Hᵗ of the drawn graph without the chosen edge (paper, §5.2). The figure shows the
// rank of the edge's score among the scores of all pairs without an edge, which of these
// pairs score higher, and how the ranks of all edges make up the AUC. A slider sets t.
//
// products is XXᵀ, n×n, of the features X of the n nodes: all that a cosine after a filter
// needs. start has the filter's k, which stays, and the first t. The fragment holds an error
// if the graph is too large, if all pairs or none have an edge, or if a number is out of range.
func LinkExplorer(title string, d Drawing, products mat.Symmetric, start Response) Fragment {
	n := len(d.X)
	require(products.SymmetricDim() == n, "products of %d nodes: want %d", products.SymmetricDim(), n)
	switch {
	case n > linkNodes:
		return refused("%d nodes: want at most %d", n, linkNodes)
	case len(d.Edges) == 0 || len(d.Edges) == n*(n-1)/2:
		return refused("%d edges among %d nodes: want pairs with an edge and pairs without", len(d.Edges), n)
	case !(start.K > 0 && start.K <= 1) || start.Layers < 0 || start.Layers > linkLayers:
		return refused("start with k = %v and t = %d: want k from 0 to 1 and t from 0 to %d", start.K, start.Layers, linkLayers)
	}
	rows := make([][]json.Number, n)
	for i := range n {
		for j := range n {
			v := products.At(i, j)
			if !finite(v) {
				return refused("product of nodes %d and %d is %v: want finite numbers", i, j, v)
			}
			rows[i] = append(rows[i], shortened(v))
		}
	}
	return explorer{
		name: "links", title: title, needs: filterScript,
		data: map[string]any{
			"Title": title, "Graph": d.rounded(), "Laplacian": sparseRows(d.operator().Dense()), "Without": d.withoutEachEdge(),
			"Products": rows, "K": start.K, "Layers": start.Layers, "MostLayers": linkLayers,
		},
		still: Graph(title, d, nil),
		text:  fmt.Sprintf("%s: %d nodes, %d edges\n", title, n, len(d.Edges)),
	}.fragment()
}

// withoutEachEdge returns, for each edge e, the entries of L̃sym that change when e is taken
// out of the graph, each as {row, column, new value}. Entries below the diagonal are left
// out: L̃sym is symmetric.
func (d Drawing) withoutEachEdge() [][][3]float64 {
	whole, changes := d.operator().Dense(), make([][][3]float64, len(d.Edges))
	for e := range d.Edges {
		without := d
		without.Edges = slices.Delete(slices.Clone(d.Edges), e, e+1)
		l := without.operator().Dense()
		for i := range d.X {
			for j := i; j < len(d.X); j++ {
				if v := l.At(i, j); v != whole.At(i, j) {
					changes[e] = append(changes[e], [3]float64{float64(i), float64(j), v})
				}
			}
		}
	}
	return changes
}

// shortened returns the finite number v as JSON with seven digits, as many as a float32 has.
func shortened(v float64) json.Number { return json.Number(strconv.FormatFloat(v, 'g', 7, 64)) }
