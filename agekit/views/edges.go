package views

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
)

const (
	// The resolution of Leiden's communities is multiplied by resolutionStep until there are enough
	// communities, or until it is above mostResolution. With two kinds of nodes, it is then divided by
	// resolutionStep as long as there are enough, down to leastResolution.
	resolutionStep, mostResolution, leastResolution = 1.3, 1e4, 0.2
	// A community is a crumb if it has less than crumbShare of the nodes, or less than leastNodes.
	crumbShare, leastNodes = 0.01, 3
	// Edges join unlike nodes if the second eigenvalue by absolute value is negative, and its
	// absolute value more than unlikeRatio times the second largest eigenvalue.
	unlikeRatio = 1.05
	// mostUnlike is the number of nodes up to which the view Unlike is tested for.
	mostUnlike = 200_000
)

// crumbSize returns the number of nodes below which a community is a crumb.
func crumbSize(n int) int { return max(leastNodes, int(math.Ceil(crumbShare*float64(n)))) }

// edges returns the clusters of the nodes of a by its edges: Leiden's communities at the lowest of
// the resolutions 1, 1.3, 1.69, … that finds k or more, joined until there are k. Crumbs are joined
// first, then the communities whose joining raises the modularity most. The nodes without edges are
// one more cluster, the last. a has the nodes of f.g, with all of its edges or some.
//
// With two kinds of nodes, the modularity is Barber's, which expects edges between kinds alone
// (Phys. Rev. E 76, 066102, 2007). The resolution may then also be below 1: the lowest of 1/1.3,
// 1/1.69, … 0.2 that finds k or more, which finds planted groups of persons and items at least as
// often as joining the communities of resolution 1. With more than 20,000 nodes, where each try
// takes long, the first resolution that finds exactly k is taken.
func (f *Finder) edges(ctx context.Context, a *graph.CSR, k int, rnd *rand.Rand) ([]int, error) {
	connected, nodes := connectedPart(a)
	kinds := f.kindsOf(nodes)
	communities, err := f.findCommunities(ctx, connected, kinds, k, rnd)
	if err != nil {
		return nil, err
	}
	for resolution := 1 / resolutionStep; kinds != nil && resolution >= leastResolution; resolution /= resolutionStep {
		if slices.Max(communities)+1 == k && connected.Rows > manyNodes {
			break
		}
		coarser, _, err := community.Leiden(ctx, connected, community.LeidenOptions{Resolution: resolution, Kinds: kinds}, rnd)
		if err != nil {
			return nil, err
		}
		if slices.Max(coarser)+1 < k {
			break
		}
		communities = coarser
	}
	communities = community.Join(connected, joinCrumbs(connected, communities, kinds, k), kinds, k)
	return withIsolated(a.Rows, nodes, communities), nil
}

// connectedPart returns the graph of the nodes that have edges, and the numbers of these nodes in a.
// If all nodes have edges, it returns a itself and nil.
func connectedPart(a *graph.CSR) (connected *graph.CSR, nodes []int) {
	for i := range a.Rows {
		if a.Indptr[i+1] > a.Indptr[i] {
			nodes = append(nodes, i)
		}
	}
	if len(nodes) == a.Rows {
		return a, nil
	}
	return (&graph.Graph{Adjacency: a}).Subgraph(nodes).Adjacency, nodes
}

// withIsolated returns the clusters of n nodes. clusters has those of the listed nodes; all other
// nodes form one more cluster, the last. If nodes is nil, clusters has all nodes, and is returned.
func withIsolated(n int, nodes, clusters []int) []int {
	if nodes == nil {
		return clusters
	}
	all := slices.Repeat([]int{slices.Max(clusters) + 1}, n)
	for i, node := range nodes {
		all[node] = clusters[i]
	}
	return all
}

// kindsOf returns the kind of each listed node, or of each node if nodes is nil. It returns nil if the
// graph does not have two kinds of nodes.
func (f *Finder) kindsOf(nodes []int) []int8 {
	kinds := f.source.Kinds
	switch {
	case kinds == nil:
		return nil
	case nodes != nil:
		kinds = kinds.Select(nodes)
	}
	return kinds.Of
}

// findCommunities returns Leiden's communities of the graph a, all of whose nodes have edges, at the
// lowest of the resolutions 1, 1.3, 1.69, … that finds k or more, or at the highest one tried. kinds
// has the kind of each node for Barber's modularity; nil for the ordinary one.
func (f *Finder) findCommunities(ctx context.Context, a *graph.CSR, kinds []int8, k int, rnd *rand.Rand) ([]int, error) {
	for resolution := 1.; ; resolution *= resolutionStep {
		var found []int
		var err error
		// Several views ask for the communities of the whole graph, with all kinds that it has.
		isWholeGraph := a == f.g.Adjacency && (kinds == nil) == (f.source.Kinds == nil)
		if resolution == 1 && isWholeGraph {
			found, err = f.communitiesOfGraph(ctx, kinds)
		} else {
			found, _, err = community.Leiden(ctx, a, community.LeidenOptions{Resolution: resolution, Kinds: kinds}, rnd)
		}
		if err != nil || slices.Max(found)+1 >= k || resolution > mostResolution {
			return found, err
		}
	}
}

// communitiesOfGraph returns Leiden's communities of the whole graph, all of whose nodes have edges,
// at resolution 1. It finds them once and stores them in f. kinds are the graph's.
func (f *Finder) communitiesOfGraph(ctx context.Context, kinds []int8) (found []int, err error) {
	if f.graphCommunities == nil {
		f.graphCommunities, _, err = community.Leiden(ctx, f.g.Adjacency, community.LeidenOptions{Kinds: kinds}, f.random(rng.ViewLeiden))
	}
	return f.graphCommunities, err
}

// joinCrumbs returns the communities of the nodes of a after joining crumbs, numbered in the order of
// their first nodes. As long as there are more than k communities, the smallest one, if it is a crumb,
// joins the community for which that costs the least modularity: Barber's if kinds has the kind of
// each node, the ordinary one if kinds is nil.
func joinCrumbs(a *graph.CSR, communities []int, kinds []int8, k int) []int {
	count := slices.Max(communities) + 1
	// Of each community:
	sizes := make([]int, count)             // the number of its nodes
	strengths := make([]float64, count)     // the sum of its nodes' weighted degrees
	differences := make([]float64, count)   // that sum over kind 0 less that over kind 1; 0 without kinds
	links := make([]map[int]float64, count) // the weight of its edges to each community
	total := 0.                             // the sum of all strengths
	for c := range links {
		links[c] = map[int]float64{}
	}
	for i, c := range communities {
		sizes[c]++
		for j, w := range a.Each(i) {
			links[c][communities[j]] += float64(w)
			strengths[c] += float64(w)
			total += float64(w)
			if kinds != nil {
				differences[c] += float64(w) * float64(1-2*kinds[i]) // w for kind 0, −w for kind 1
			}
		}
	}
	least := crumbSize(a.Rows)
	joinedTo := make([]int, count) // the community that each has joined, or itself
	var present []int              // the communities that have not joined another
	for c := range joinedTo {
		joinedTo[c] = c
		present = append(present, c)
	}
	bySize := func(b, c int) int { return cmp.Or(cmp.Compare(sizes[b], sizes[c]), cmp.Compare(b, c)) }
	for len(present) > k {
		smallest := slices.MinFunc(present, bySize)
		if sizes[smallest] >= least {
			break
		}
		present = slices.DeleteFunc(present, func(c int) bool { return c == smallest })
		// gain returns by how much the modularity grows if the smallest joins c, times a constant: the
		// weight of the edges between both less the expected one. Barber expects no edges between nodes
		// of the same kind, and twice as many between kinds: so the differences count.
		gain := func(c int) float64 {
			return links[smallest][c] - (strengths[smallest]*strengths[c]-differences[smallest]*differences[c])/total
		}
		best := slices.MaxFunc(present, func(b, c int) int { return cmp.Or(cmp.Compare(gain(b), gain(c)), cmp.Compare(c, b)) })
		for c, w := range links[smallest] {
			links[best][c] += w
			links[c][best] += w
		}
		sizes[best] += sizes[smallest]
		strengths[best] += strengths[smallest]
		differences[best] += differences[smallest]
		joinedTo[smallest] = best
	}
	labels := make([]int, len(communities))
	for i, c := range communities {
		for joinedTo[c] != c {
			c = joinedTo[c]
		}
		labels[i] = c
	}
	return renumber(labels)
}

// hasUnlikeEdges reports whether edges join unlike nodes, such as those of different classes: whether
// the second eigenvalue by absolute value of the normalized adjacency matrix is negative, and clearly
// larger in size than the second largest eigenvalue. In a graph with two kinds of nodes, this is
// always so and says nothing.
func (f *Finder) hasUnlikeEdges(ctx context.Context) (bool, error) {
	n := f.g.N()
	if n < 3 { // there are no eigenvalues to compare
		return false, nil
	}
	m := newNormalized(f.g.Adjacency)
	rnd := f.random(rng.ViewSpectral)
	// second returns the second largest eigenvalue of a matrix, at least 0. The solver returns it,
	// roughly, beside the one leading eigenvalue that it is asked for.
	second := func(mul product) (float64, error) {
		values, _, err := linalg.LeadingEigenvectors(ctx, linalg.NewOperator(n, mul), 1, linalg.LeadingOptions{Rough: 1}, rnd)
		if err != nil {
			return 0, err
		}
		return max(0, values[1]), nil
	}
	largest, err := second(m.mul)
	if err != nil {
		return false, err
	}
	// The eigenvalues of N² are the squares of those of N, so a negative one can be the second, too.
	square, err := second(m.mulSquare)
	return math.Sqrt(square) > unlikeRatio*largest, err
}

// product sets dst to the product of a symmetric matrix and x.
type product = func(ctx context.Context, dst, x blas64.General) error

// unlikeEdges returns the k clusters of the view Unlike: k-means of the rows of the k eigenvectors of
// the normalized adjacency matrix whose eigenvalues have the largest absolute values. The rows are
// scaled to length 1 (Ng, Jordan and Weiss, NIPS 2001).
func (f *Finder) unlikeEdges(ctx context.Context, k int) ([]int, error) {
	square := newNormalized(f.g.Adjacency).mulSquare
	_, vectors, err := linalg.LeadingEigenvectors(ctx, linalg.NewOperator(f.g.N(), square), k, linalg.LeadingOptions{}, f.random(rng.ViewSpectral))
	if err != nil {
		return nil, err
	}
	x := linalg.New(vectors.Rows, k)
	for i := range x.Rows {
		for j := range k {
			x.Data[i*x.Stride+j] = float32(vectors.Data[i*vectors.Stride+j])
		}
	}
	return f.kMeans(ctx, linalg.Normalize(x), k)
}
