package graph

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Pair is an unordered pair of nodes, I < J.
type Pair struct{ I, J int32 }

// Pairs are the pairs of nodes that predictions are scored on: edges, and an equal number of non-edges.
type Pairs struct{ Edges, NonEdges []Pair }

// Split is a graph with some of its edges held out, and those edges.
type Split struct {
	// Train is the graph with all nodes and features and the training edges only. It
	// has no labels.
	Train *Graph
	// Validation is for model selection, Test for the final score. No pair is in both,
	// and no non-edge is an edge of the whole graph.
	Validation, Test Pairs
}

// The shares of the edges that are held out (paper, §5.2).
const validationShare, testShare = 0.05, 0.10

// NewSplit divides g's edges at random, as GAE does (Kipf and Welling 2016, §3): of m
// edges, 5 %, rounded down, are for validation, 10 % for the test (paper, §5.2) and the
// rest for training. For validation and test, NewSplit also draws an equal number of
// non-edges, uniformly without replacement from all pairs i ≠ j that are not edges of
// g. The same graph and the same state of rnd give the same split.
//
// The training edges need not connect the graph, and nodes can become isolated. A graph
// with too few edges or non-edges is an error.
func NewSplit(g *Graph, rnd *rand.Rand) (*Split, error) {
	n, m := g.N(), g.Edges()
	validation, test := int(float64(m)*validationShare), int(float64(m)*testShare)
	if validation < 1 || test < 1 {
		return nil, fmt.Errorf("split: %d of %d edges for validation and %d for the test: want 1 or more", validation, m, test)
	}
	if others := n*(n-1)/2 - m; others < validation+test {
		return nil, fmt.Errorf("split: the graph has %d pairs that are not edges: want at least %d, the number of held-out edges", others, validation+test)
	}
	edges := upperTriangle(g.Adjacency)
	rnd.Shuffle(m, func(a, b int) { edges[a], edges[b] = edges[b], edges[a] })
	nonEdges := drawNonEdges(g.Adjacency, validation+test, rnd)
	train := edges[validation+test:]
	slices.SortFunc(train, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) })
	return &Split{
		Train:      onlyEdges(g, train),
		Validation: Pairs{edges[:validation:validation], nonEdges[:validation:validation]},
		Test:       Pairs{edges[validation : validation+test : validation+test], nonEdges[validation:]},
	}, nil
}

// upperTriangle returns each edge of the graph with adjacency matrix a once, sorted.
func upperTriangle(a *CSR) []Pair {
	edges := make([]Pair, 0, a.NNZ()/2)
	for i := range a.Rows {
		columns, _ := a.Row(i)
		for _, j := range columns {
			if int(j) > i {
				edges = append(edges, Pair{int32(i), j})
			}
		}
	}
	return edges
}

// drawNonEdges returns count distinct pairs of different nodes that are not edges of the graph with adjacency
// matrix a. It draws random pairs and rejects the others.
func drawNonEdges(a *CSR, count int, rnd *rand.Rand) []Pair {
	drawn := make(map[Pair]bool, count)
	list := make([]Pair, 0, count)
	n := int32(a.Rows)
	for len(list) < count {
		i, j := rnd.Int32N(n), rnd.Int32N(n)
		p := Pair{min(i, j), max(i, j)}
		if i == j || drawn[p] || a.At(int(i), int(j)) != 0 {
			continue
		}
		drawn[p] = true
		list = append(list, p)
	}
	return list
}

// onlyEdges returns the graph with all nodes and features of g, but only the given edges of g, with their
// weights, and no labels.
func onlyEdges(g *Graph, edges []Pair) *Graph {
	var u, v []int32
	var w []float32
	for _, e := range edges {
		u, v = append(u, e.I), append(v, e.J)
		if g.Adjacency.Values != nil {
			w = append(w, g.Adjacency.At(int(e.I), int(e.J)))
		}
	}
	adjacency, err := Adjacency(g.N(), u, v, w)
	if err != nil {
		panic(fmt.Sprintf("graph: edges of graph %q: %v", g.Name, err)) // only if g is invalid
	}
	return &Graph{
		Name: g.Name, Catalogue: g.Catalogue, Adjacency: adjacency, Features: g.Features,
		NodeNames: g.NodeNames, ListedEdges: len(edges),
	}
}
