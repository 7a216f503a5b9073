package linkpred

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// Pair is an unordered pair of nodes, I < J.
type Pair struct{ I, J int32 }

// Pairs are the pairs that predictions are scored on: edges, and an equal
// number of non-edges.
type Pairs struct{ Edges, NonEdges []Pair }

// Split is a graph with some of its edges held out, and those edges.
type Split struct {
	// Train is the graph with all nodes and features and the training edges
	// only. It has no labels.
	Train *graph.Graph
	// Validation is for model selection, Test for the final score. No pair
	// is in both, and no non-edge is an edge of the whole graph.
	Validation, Test Pairs
}

// SplitOptions are the shares of the edges to hold out.
type SplitOptions struct {
	// Validation and Test are shares of the edges, in (0, 1), together
	// below 1. Defaults 0.05 and 0.10 (paper, §5.2).
	Validation, Test float64
}

// NewSplit divides g's edges at random, as GAE does (Kipf and Welling 2016,
// §3): of m edges, ⌊m·Validation⌋ are for validation, ⌊m·Test⌋ for the test
// and the rest for training. For validation and test, NewSplit also draws an
// equal number of non-edges, uniformly without replacement from all pairs
// i ≠ j that are not edges of g. The same graph and the same state of rnd give
// the same split.
//
// The training edges need not connect the graph, and nodes can become
// isolated. The error says which share is out of range or yields no edges, or
// that the graph has too few non-edges.
func NewSplit(g *graph.Graph, o SplitOptions, rnd *rand.Rand) (*Split, error) {
	if o.Validation == 0 {
		o.Validation = 0.05
	}
	if o.Test == 0 {
		o.Test = 0.10
	}
	if !(o.Validation > 0 && o.Test > 0 && o.Validation+o.Test < 1) {
		return nil, fmt.Errorf("split: shares %v for validation and %v for the test: want positive shares that leave edges for training", o.Validation, o.Test)
	}
	n, m := g.N(), g.Edges()
	validation, test := int(float64(m)*o.Validation), int(float64(m)*o.Test)
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
	slices.SortFunc(train, compare)
	return &Split{
		Train:      subgraph(g, train),
		Validation: Pairs{edges[:validation:validation], nonEdges[:validation:validation]},
		Test:       Pairs{edges[validation : validation+test : validation+test], nonEdges[validation:]},
	}, nil
}

// upperTriangle lists each edge once.
func upperTriangle(a *graph.CSR) []Pair {
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

// drawNonEdges draws distinct pairs by rejection.
func drawNonEdges(a *graph.CSR, count int, rnd *rand.Rand) []Pair {
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

// subgraph returns g restricted to the given edges of g, without labels.
func subgraph(g *graph.Graph, edges []Pair) *graph.Graph {
	u, v := make([]int32, len(edges)), make([]int32, len(edges))
	var w []float32
	if g.Adjacency.Values != nil {
		w = make([]float32, len(edges))
	}
	for k, e := range edges {
		u[k], v[k] = e.I, e.J
		if w != nil {
			w[k] = g.Adjacency.At(int(e.I), int(e.J))
		}
	}
	adjacency, err := graph.Adjacency(g.N(), u, v, w)
	if err != nil {
		panic(fmt.Sprintf("linkpred: edges of graph %q: %v", g.Name, err)) // only if g is invalid
	}
	return &graph.Graph{
		Name: g.Name, Catalogue: g.Catalogue, Adjacency: adjacency, Features: g.Features,
		NodeNames: g.NodeNames, ListedEdges: len(edges),
	}
}

func compare(a, b Pair) int { return cmp.Or(cmp.Compare(a.I, b.I), cmp.Compare(a.J, b.J)) }
