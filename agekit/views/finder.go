package views

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
)

const (
	// Layers is the number of times that the features are smoothed for [Both].
	Layers = 4
	// Features with more than mostColumns columns are reduced to mostColumns before they are
	// clustered. If that makes more than mostNumbers numbers, they are reduced further, but to no
	// less than fewColumns.
	mostColumns, fewColumns, mostNumbers = 256, 32, 20_000_000
	// k-means has fewRuns runs for a matrix with more than manyNumbers numbers, and one run for a
	// matrix with more than mostNumbers.
	fewRuns, manyNumbers = 3, 2_000_000
	// mostSorted is the number of nodes up to which a finder sorts them, so that the caller's order
	// does not matter.
	mostSorted = 100_000
)

// Finder finds the clusters of one graph in its views. What several views need is computed once and
// stored in the finder.
type Finder struct {
	g      *graph.Graph // without labels, with standardized features, its nodes sorted (see NewFinder)
	source Source
	seed   uint64
	// order has the number that each node of g has in the caller's graph; nil if the numbers are the same.
	order []int

	// What is stored; nil until it is computed.
	features         *blas32.General // see standardized
	smoothed         *blas32.General // see smoothedFeatures
	graphCommunities []int           // see communitiesOfGraph
	littleFeatures   *bool           // what isOneCloud returned
	littleEdges      *bool           // what areEdgesRandom returned
}

// NewFinder returns a finder for the graph g, whose edges and features come from s. The first scaled
// columns of dense features are scaled already, as those of a table are; the other columns are
// standardized. All random choices follow from the seed.
//
// With up to 100,000 nodes, the clusters do not depend on the order of the nodes in g, as far as
// features or ids tell the nodes apart: the finder sorts them by these.
func NewFinder(g *graph.Graph, s Source, scaled int, seed uint64) *Finder {
	f := &Finder{g: g, source: s, seed: seed}
	bare := *g
	bare.Labels, bare.ClassNames, bare.Classes = nil, nil, 0
	if x := g.Features.Dense; x != nil && scaled < x.Cols && !s.Structural {
		standardized := linalg.Padded(linalg.Standardize(*x, *x, scaled))
		bare.Features = graph.Features{Dense: &standardized}
	}
	f.g = &bare
	if order := canonicalOrder(g, s.Structural); order != nil {
		f.g, f.order = bare.Subgraph(order), order
		if s.Kinds != nil {
			f.source.Kinds = s.Kinds.Select(order)
		}
	}
	return f
}

// canonicalOrder returns the nodes of g sorted by the rows of their features, unless these are
// structural (made from the edges), and then by their ids. It returns nil if the nodes are in this
// order already, or if there are more than mostSorted.
func canonicalOrder(g *graph.Graph, structural bool) []int {
	n := g.N()
	if n > mostSorted {
		return nil
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	compare := func(i, j int) int {
		if !structural {
			if c := compareRows(g.Features, i, j); c != 0 {
				return c
			}
		}
		if g.NodeNames != nil {
			return strings.Compare(g.NodeNames[i], g.NodeNames[j])
		}
		return 0
	}
	if slices.IsSortedFunc(order, compare) {
		return nil
	}
	slices.SortStableFunc(order, compare)
	return order
}

// compareRows compares the rows i and j of x at their first difference: −1, 0 or 1. Sparse rows are
// compared by their entries, first the columns, then the values.
func compareRows(x graph.Features, i, j int) int {
	if m := x.Dense; m != nil {
		row := func(i int) []float32 { return m.Data[i*m.Stride:][:m.Cols] }
		return slices.Compare(row(i), row(j))
	}
	m := x.Sparse
	if m == nil {
		return 0
	}
	a, b := m.Indptr[i], m.Indptr[j] // the next entry of each row
	for ; a < m.Indptr[i+1] && b < m.Indptr[j+1]; a, b = a+1, b+1 {
		if c := cmp.Compare(m.Indices[a], m.Indices[b]); c != 0 {
			return c
		}
		if m.Values != nil && m.Values[a] != m.Values[b] {
			return cmp.Compare(m.Values[a], m.Values[b])
		}
	}
	return cmp.Compare(m.Indptr[i+1]-a, m.Indptr[j+1]-b)
}

// random returns a new source of random numbers for one purpose, from the finder's seed.
func (f *Finder) random(s rng.Stream) *rand.Rand { return rng.New(f.seed, s) }

// Names returns the views that the graph has, other than AGE. [Unlike] is never among them above
// 200,000 nodes, where the test for it takes long.
func (f *Finder) Names(ctx context.Context) (names []Name, err error) {
	if !f.source.Structural && graph.LargestFeature(f.g.Features) > 0 {
		names = append(names, Features)
	}
	if f.g.Edges() == 0 {
		return names, nil
	}
	if !f.source.Nearest {
		names = append(names, Edges)
	}
	names = append(names, Both)
	if f.source.Nearest || f.source.Kinds != nil || f.g.N() > mostUnlike {
		return names, nil
	}
	unlike, err := f.hasUnlikeEdges(ctx)
	if unlike {
		names = append(names, Unlike)
	}
	return names, err
}

// Clusters returns the cluster of each node, in the caller's order, when the graph is divided into k
// clusters in the view. Clusters are numbered in the order of their first nodes. In [Edges], nodes
// without edges form one more cluster.
func (f *Finder) Clusters(ctx context.Context, view Name, k int) ([]int, error) {
	labels, err := f.clusters(ctx, view, k)
	if err != nil {
		return nil, err
	}
	return f.inCallersOrder(labels), nil
}

// inCallersOrder takes clusters of the nodes of f.g and returns those of the nodes in the caller's order,
// numbered in the order of their first nodes.
func (f *Finder) inCallersOrder(labels []int) []int {
	ordered := slices.Clone(labels)
	for i, node := range f.order {
		ordered[node] = labels[i]
	}
	return renumber(ordered)
}

// renumber numbers clusters in the order of their first nodes. It overwrites labels, and returns it.
func renumber(labels []int) []int {
	number := map[int]int{}
	for i, c := range labels {
		if _, known := number[c]; !known {
			number[c] = len(number)
		}
		labels[i] = number[c]
	}
	return labels
}

// clusters returns the clusters of the nodes of f.g, in its order. The view is not AGE.
func (f *Finder) clusters(ctx context.Context, view Name, k int) ([]int, error) {
	switch view {
	case Features:
		x, err := f.standardized(ctx)
		if err != nil {
			return nil, err
		}
		return f.kMeans(ctx, x, k)
	case Edges:
		return f.edges(ctx, f.g.Adjacency, k, f.random(rng.ViewLeiden))
	case Unlike:
		return f.unlikeEdges(ctx, k)
	}
	x, err := f.smoothedFeatures(ctx) // Both
	if err != nil {
		return nil, err
	}
	return f.kMeans(ctx, x, k)
}

// standardized returns the features as a dense matrix of at most 256 columns, fewer for many nodes.
func (f *Finder) standardized(ctx context.Context) (blas32.General, error) {
	if f.features != nil {
		return *f.features, nil
	}
	x := graph.NormalizedFeatures(f.g.Features)
	n, columns := x.Dims()
	if most := min(mostColumns, max(fewColumns, mostNumbers/n)); columns > most {
		var err error
		if x, err = ReduceColumns(ctx, x, most, f.random(rng.ViewColumns)); err != nil {
			return blas32.General{}, err
		}
	}
	dense := linalg.Padded(x.ToDense())
	f.features = &dense
	return dense, nil
}

// smoothedFeatures returns the standardized features, smoothed by the paper's filter with k = 1/λmax
// and Layers layers, in rows of length 1.
func (f *Finder) smoothedFeatures(ctx context.Context) (blas32.General, error) {
	if f.smoothed != nil {
		return *f.smoothed, nil
	}
	x, err := f.standardized(ctx)
	if err != nil {
		return x, err
	}
	g := *f.g
	g.Features = graph.Features{Dense: &x}
	filter := laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: Layers}
	prepared, err := encoder.Prepare(ctx, &g, encoder.Options{Filter: filter})
	if err != nil {
		return x, err
	}
	defer prepared.Close()
	rows := linalg.Normalize(prepared.Smoothed)
	f.smoothed = &rows
	return rows, nil
}

// kMeans is KMeans with the finder's random numbers.
func (f *Finder) kMeans(ctx context.Context, x blas32.General, k int) ([]int, error) {
	return KMeans(ctx, x, k, f.random(rng.ViewKMeans))
}

// KMeans returns the cluster of each row of x, divided into k clusters by the best of ten runs of
// k-means, or of three or one on large matrices.
func KMeans(ctx context.Context, x blas32.General, k int, rnd *rand.Rand) ([]int, error) {
	var o cluster.KMeansOptions
	switch numbers := x.Rows * x.Cols; {
	case numbers > mostNumbers:
		o.Restarts = 1
	case numbers > manyNumbers:
		o.Restarts = fewRuns
	}
	found, err := cluster.KMeans(ctx, x, k, o, rnd)
	return found.Labels, err
}
