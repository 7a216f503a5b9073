package views

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/rng"
)

// Number is a useful number of clusters, with half and twice as many.
type Number struct {
	Useful  int `json:"useful"`
	Coarser int `json:"coarser"`
	Finer   int `json:"finer"`
	// From says what was counted: "edges", or "nearest neighbors" by the features.
	From string `json:"from"`
}

const (
	// neighbors is the number of nearest rows that a table's nodes are joined to.
	neighbors = 10
	// mostNeighbors is the number of rows up to which all are joined: of more, a sample is.
	mostNeighbors = 20_000
)

// Number returns a useful number of clusters: that of Leiden's communities of at least a hundredth of
// the nodes, and three, in the graph, or in that of the nearest neighbors if it has no edges; at least
// r.Least and at most r.Most or half the nodes. On 50 graphs with labels, no rule guesses their
// number better than a constant does, but clusters of this number accord with labels
// better (docs/views.md).
func (f *Finder) Number(ctx context.Context, r Range) (*Number, error) {
	n := f.g.N()
	largest := min(r.Most, encoder.MostClusters(n))
	if largest < r.Least {
		return nil, message.Errorf("%s is %s: want at most %d, half the number of nodes", message.Option("clusters"), r, encoder.MostClusters(n))
	}
	number := &Number{From: "edges"}
	a := f.g.Adjacency
	if f.source.Nearest {
		number.From = "nearest neighbors"
	}
	if f.g.Edges() == 0 {
		number.From = "nearest neighbors"
		var err error
		if a, err = f.nearestGraph(ctx); err != nil {
			return nil, err
		}
	}
	connected, nodes := connectedPart(a)
	var kinds []int8
	if number.From == "edges" {
		kinds = f.kindsOf(nodes)
	}
	communities, err := f.findCommunities(ctx, connected, kinds, 1, f.random(rng.ViewLeiden))
	if err != nil {
		return nil, err
	}
	sizes := make([]int, slices.Max(communities)+1)
	for _, c := range communities {
		sizes[c]++
	}
	for _, size := range sizes {
		if size >= crumbSize(a.Rows) {
			number.Useful++
		}
	}
	number.Useful = max(r.Least, min(largest, number.Useful))
	number.Coarser = max(2, (number.Useful+1)/2)
	number.Finer = min(encoder.MostClusters(n), 2*number.Useful)
	return number, nil
}

// Levels returns the numbers that differ, the useful one first.
func (n *Number) Levels() (levels []int) {
	for _, k := range []int{n.Useful, n.Coarser, n.Finer} {
		if !slices.Contains(levels, k) {
			levels = append(levels, k)
		}
	}
	return levels
}

// nearestGraph returns the graph in which each row of the features, or of a sample of them, is joined
// to the nearest.
func (f *Finder) nearestGraph(ctx context.Context) (*graph.CSR, error) {
	x, err := f.standardized(ctx)
	if err != nil {
		return nil, err
	}
	if x.Rows > mostNeighbors {
		x = sampleRows(x, mostNeighbors, f.random(rng.ViewColumns))
	}
	return graph.JoinNearest(ctx, x, min(neighbors, x.Rows-1))
}

// sampleRows returns some rows of x, drawn at random.
func sampleRows(x blas32.General, count int, rnd *rand.Rand) blas32.General {
	return chosenRows(x, rnd.Perm(x.Rows)[:count])
}

// chosenRows returns some rows of x.
func chosenRows(x blas32.General, rows []int) blas32.General {
	chosen := linalg.New(len(rows), x.Cols)
	for k, i := range rows {
		copy(chosen.Data[k*chosen.Stride:][:x.Cols], x.Data[i*x.Stride:][:x.Cols])
	}
	return chosen
}
