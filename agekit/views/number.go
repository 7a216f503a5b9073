package views

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
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
	// neighbors is the number of nearest rows to which each row of features is joined.
	neighbors = 10
	// mostJoined is the number of rows up to which all are joined to their nearest. If there are more, a
	// sample of mostJoined rows is.
	mostJoined = 20_000
)

// Number returns a useful number of clusters: the number of Leiden's communities that are no crumbs
// (at least a hundredth of the nodes, and three). They are those of the graph or, if it has no edges,
// of the graph of nearest neighbors by the features. The number is at least r.Least, and at most
// r.Most and half the number of nodes; the error is that r.Least is more than this. On 50 graphs with
// labels, no rule guesses the number of classes better than a constant does, but clusters of this
// number agree with the labels better (docs/views.md).
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
	connected, nodes := f.connectedByContent(a)
	var kinds []int8
	if number.From == "edges" {
		kinds = f.kindsOf(nodes)
	}
	communities, err := bestCommunities(ctx, connected, kinds, f.random(rng.ViewLeiden))
	if err != nil {
		return nil, err
	}
	sizes := make([]int, slices.Max(communities)+1) // of the communities
	for _, c := range communities {
		sizes[c]++
	}
	for _, size := range sizes {
		if size >= crumbSize(a.Rows) {
			number.Useful++
		}
	}
	number.Useful = max(r.Least, min(largest, number.Useful))
	number.Coarser = max(2, (number.Useful+1)/2) // half, rounded up
	number.Finer = min(encoder.MostClusters(n), 2*number.Useful)
	return number, nil
}

// bestCommunities returns those of Leiden's communities of a in several searches, or in one with many nodes, that
// have the largest modularity: Barber's if kinds has the kind of each node. How many there are then depends
// less on chance.
func bestCommunities(ctx context.Context, a *graph.CSR, kinds []int8, rnd *rand.Rand) (best []int, err error) {
	searches := 5
	if a.Rows > manyNodes {
		searches = 1
	}
	largest := math.Inf(-1)
	for range searches {
		found, _, err := community.Leiden(ctx, a, community.LeidenOptions{Kinds: kinds}, rnd)
		if err != nil {
			return nil, err
		}
		if q := modularityOf(a, found, kinds); q > largest {
			best, largest = found, q
		}
	}
	return best, nil
}

// modularityOf returns the modularity of communities: Barber's if kinds has the kind of each node. Of a community
// with the total degrees s and t of the nodes of both kinds, Barber's has s·t/m² in place of ((s+t)/2m)², which
// is ((s−t)/2m)² less.
func modularityOf(a *graph.CSR, communities []int, kinds []int8) float64 {
	q := metric.Modularity(a, communities)
	if kinds == nil {
		return q
	}
	differences := make([]float64, slices.Max(communities)+1)
	total := 0.
	for i, c := range communities {
		for _, weight := range a.Each(i) {
			total += float64(weight)
			differences[c] += float64(weight) * float64(1-2*int(kinds[i]))
		}
	}
	for _, d := range differences {
		q += (d / total) * (d / total)
	}
	return q
}

// connectedByContent returns the graph of the nodes of a that have edges, and their numbers in a. Up to mostSorted
// nodes are in an order that follows from features and edges, and neither from the order of the nodes or columns
// nor from ids: the order decides how many communities Leiden finds where several numbers are nearly as good.
func (f *Finder) connectedByContent(a *graph.CSR) (connected *graph.CSR, nodes []int) {
	if a.Rows > mostSorted {
		return connectedPart(a)
	}
	var x graph.Features
	if !f.source.Structural {
		x = f.g.Features
	}
	keys := graph.ContentKeys(a, x)
	for i := range a.Rows {
		if a.Indptr[i+1] > a.Indptr[i] {
			nodes = append(nodes, i)
		}
	}
	slices.SortStableFunc(nodes, func(i, j int) int { return cmp.Compare(keys[i], keys[j]) })
	return (&graph.Graph{Adjacency: a}).Subgraph(nodes).Adjacency, nodes
}

// Levels returns the useful number, the coarser and the finer one, in this order, each number once.
func (n *Number) Levels() (levels []int) {
	for _, k := range []int{n.Useful, n.Coarser, n.Finer} {
		if !slices.Contains(levels, k) {
			levels = append(levels, k)
		}
	}
	return levels
}

// nearestGraph returns the graph in which each row of the standardized features, or of a sample of
// them, is joined to the nearest rows.
func (f *Finder) nearestGraph(ctx context.Context) (*graph.CSR, error) {
	x, err := f.standardized(ctx)
	if err != nil {
		return nil, err
	}
	if x.Rows > mostJoined {
		x = sampleRows(x, mostJoined, f.random(rng.ViewColumns))
	}
	return graph.JoinNearest(ctx, x, min(neighbors, x.Rows-1))
}

// sampleRows returns count different rows of x, drawn at random, in a random order.
func sampleRows(x blas32.General, count int, rnd *rand.Rand) blas32.General {
	return chosenRows(x, rnd.Perm(x.Rows)[:count])
}

// chosenRows returns the rows of x with the given numbers, in the given order.
func chosenRows(x blas32.General, rows []int) blas32.General {
	chosen := linalg.New(len(rows), x.Cols)
	for k, i := range rows {
		copy(chosen.Data[k*chosen.Stride:][:x.Cols], x.Data[i*x.Stride:][:x.Cols])
	}
	return chosen
}
