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
	// The resolution of Leiden's communities grows by resolutionStep until there are enough, up
	// to mostResolution. With two kinds of nodes, it falls as long as there are, to leastResolution.
	resolutionStep, mostResolution, leastResolution = 1.3, 1e4, 0.2
	// Communities of less than crumbShare of the nodes, or leastNodes, are crumbs.
	crumbShare, leastNodes = 0.01, 3
	// Edges join unlike nodes if the second eigenvalue by size is negative, and larger by so
	// much than the second largest.
	unlikeRatio = 1.05
	// mostUnlike is the number of nodes up to which that is looked at.
	mostUnlike = 200_000
)

// crumbSize returns the number of nodes below which a community is a crumb.
func crumbSize(n int) int { return max(leastNodes, int(math.Ceil(crumbShare*float64(n)))) }

// edges returns Leiden's communities, with the lowest of the resolutions 1, 1.3, 1.69, … that finds
// k or more, joined to k: crumbs first, then those whose joining raises the modularity most. The
// nodes without edges are one cluster more, the last.
//
// With two kinds of nodes, modularity is Barber's, which expects edges between kinds alone (Phys.
// Rev. E 76, 066102, 2007), and the resolution may also be lower, 1/1.3, 1/1.69, … to 0.2: planted
// groups of persons and items are found by the lowest that finds k or more at least as often as by
// joining what resolution 1 finds. Of more than 20,000 nodes, it is the highest that finds exactly k.
func (f *Finder) edges(ctx context.Context, a *graph.CSR, k int, rnd *rand.Rand) ([]int, error) {
	connected, nodes := connectedPart(a)
	kinds := f.kindsOf(nodes)
	communities, err := f.findCommunities(ctx, connected, kinds, k, rnd)
	if err != nil {
		return nil, err
	}
	for resolution := 1 / resolutionStep; kinds != nil && resolution >= leastResolution; resolution /= resolutionStep {
		if slices.Max(communities)+1 == k && connected.Rows > manyNodes { // exactly k are good enough
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

// connectedPart returns the graph of the nodes with edges, and these nodes; if all have edges, the
// graph itself and nil.
func connectedPart(a *graph.CSR) (*graph.CSR, []int) {
	var nodes []int
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

// withIsolated returns the clusters of n nodes, given those of the listed nodes: all others are one
// cluster more, the last. If nodes is nil, there are no others.
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

// kindsOf returns the kinds of the listed nodes, or of all if nodes is nil. It returns nil if the graph
// has no two kinds of nodes.
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

// findCommunities returns Leiden's communities, at the lowest resolution from 1 on that finds k or
// more, or at the highest one tried.
func (f *Finder) findCommunities(ctx context.Context, a *graph.CSR, kinds []int8, k int, rnd *rand.Rand) ([]int, error) {
	for resolution := 1.; ; resolution *= resolutionStep {
		var found []int
		var err error
		isGraph := a == f.g.Adjacency && (kinds == nil) == (f.source.Kinds == nil)
		if resolution == 1 && isGraph { // which several views ask for
			found, err = f.communitiesOfGraph(ctx, kinds)
		} else {
			found, _, err = community.Leiden(ctx, a, community.LeidenOptions{Resolution: resolution, Kinds: kinds}, rnd)
		}
		if err != nil || slices.Max(found)+1 >= k || resolution > mostResolution {
			return found, err
		}
	}
}

// communitiesOfGraph returns Leiden's communities of the whole graph at resolution 1, which are found once.
// All nodes have edges.
func (f *Finder) communitiesOfGraph(ctx context.Context, kinds []int8) (found []int, err error) {
	if f.graphCommunities == nil {
		f.graphCommunities, _, err = community.Leiden(ctx, f.g.Adjacency, community.LeidenOptions{Kinds: kinds}, f.random(rng.ViewLeiden))
	}
	return f.graphCommunities, err
}

// joinCrumbs joins each crumb to the community for which that costs the least modularity, the
// smallest first, as long as there are more than k communities.
func joinCrumbs(a *graph.CSR, communities []int, kinds []int8, k int) []int {
	count := slices.Max(communities) + 1
	sizes := make([]int, count)             // numbers of nodes
	strengths := make([]float64, count)     // sums of the nodes' degrees
	differences := make([]float64, count)   // strengths of the first kind less those of the second
	links := make([]map[int]float64, count) // weights of the edges between communities
	total := 0.                             // of all strengths
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
				differences[c] += float64(w) * float64(1-2*kinds[i])
			}
		}
	}
	least := crumbSize(a.Rows)
	joinedTo := make([]int, count) // the community itself until it is joined to another
	var present []int              // those that are not joined to another
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
		// gain is that of the modularity, times total, from joining the smallest to c.
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

// hasUnlikeEdges reports whether the second eigenvalue by size of the normalized adjacency matrix is
// negative, as where edges join classes. Of a graph of two kinds of nodes, it always is: there, that
// says nothing.
func (f *Finder) hasUnlikeEdges(ctx context.Context) (bool, error) {
	n := f.g.N()
	if n < 3 {
		return false, nil
	}
	m := newNormalized(f.g.Adjacency)
	rnd := f.random(rng.ViewSpectral)
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
	square, err := second(m.mulSquare)
	return math.Sqrt(square) > unlikeRatio*largest, err
}

// product multiplies a symmetric matrix.
type product = func(ctx context.Context, dst, x blas64.General) error

// unlikeEdges runs k-means on the rows of the k eigenvectors of the largest size, scaled to length 1
// (Ng, Jordan and Weiss, NIPS 2001).
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
