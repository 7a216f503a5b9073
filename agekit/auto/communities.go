package auto

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
)

// communitiesGain is the ratio of the communities' held-out gain for edges to that of the
// features' clusters above which communities decide the number of clusters. On 240 generated graphs,
// 118 to 120 numbers are right with a gain from 1 to 2, and 110 without communities.
const communitiesGain = 1.25

// heldOutNodes divided by the number of nodes is how many parts of the edges are held out,
// between two and five: large graphs need fewer.
const heldOutNodes = 40_000

// largestResolution is that of Leiden's communities, at most.
const largestResolution = 64

// leastHeldOut is the number of edges in each fifth below which communities are not tried.
const leastHeldOut = 10

// measureCommunities returns the communities of the edges, joined to each number of clusters
// in a range, as far as there are so many, and their shares by number and part of the edges:
// the gain per held-out edge, divided as [Number.EdgeShare] is. It returns nil unless the best
// mean share is above communitiesGain times that of the chosen number of clusters of the
// smoothed features.
func measureCommunities(ctx context.Context, g *graph.Graph, r Range, chosen int, seed uint64) (clusterings [][]int, shares [][]float64, err error) {
	if g.Edges() < leastHeldOut*parts {
		return nil, nil, nil
	}
	rnd := rand.New(rand.NewPCG(seed, 2))
	if clusterings, err = joinedCommunities(ctx, g.Adjacency, r, rnd); err != nil {
		return nil, nil, err
	}
	division := divide(g, rnd)
	var featuresShares []float64 // of the smoothed features' clusters
	shares = make([][]float64, len(clusterings))
	for part := range max(2, min(parts, heldOutNodes/g.N())) {
		f, err := division.without(g, uint8(part))
		if err != nil {
			return nil, nil, err
		}
		f.g.Features = g.Features
		share := func(clusters []int, k int) float64 {
			return edgeGain(f.g.Adjacency, f.edges, clusters) / float64(len(f.edges)) / perCluster(k, countPower)
		}
		communities, err := joinedCommunities(ctx, f.g.Adjacency, r, rnd)
		if err != nil {
			return nil, nil, err
		}
		shares = shares[:min(len(shares), len(communities))]
		for i := range shares {
			shares[i] = append(shares[i], share(communities[i], r.Least+i))
		}
		z, err := similarityVectors(ctx, f.g)
		if err != nil {
			return nil, nil, err
		}
		found, err := cluster.Spectral(ctx, cluster.Gram(z), chosen, cluster.SpectralOptions{}, rnd)
		if err != nil {
			return nil, nil, err
		}
		featuresShares = append(featuresShares, share(found.Labels, chosen))
	}
	best := math.Inf(-1)
	for _, s := range shares {
		best = max(best, stat.Mean(s, nil))
	}
	if best <= communitiesGain*stat.Mean(featuresShares, nil) {
		return nil, nil, nil
	}
	return clusterings[:len(shares)], shares, nil
}

// communitiesFor returns Leiden's communities of the edges, with the lowest of the resolutions
// 1, 2, 4, … that finds k or more, as far as one does.
func communitiesFor(ctx context.Context, a *graph.CSR, k int, rnd *rand.Rand) ([]int, error) {
	for resolution := 1.; ; resolution *= 2 {
		communities, _, err := cluster.Leiden(ctx, a, cluster.LeidenOptions{Resolution: resolution}, rnd)
		if err != nil || slices.Max(communities) >= k-1 || resolution >= largestResolution {
			return communities, err
		}
	}
}

// joinedCommunities returns Leiden's communities joined to each number of clusters in a
// range, up to their own number.
func joinedCommunities(ctx context.Context, a *graph.CSR, r Range, rnd *rand.Rand) (clusterings [][]int, err error) {
	communities, err := communitiesFor(ctx, a, r.Most, rnd)
	if err != nil {
		return nil, err
	}
	few, err := communitiesFor(ctx, a, 1, rnd)
	if err != nil {
		return nil, err
	}
	for k := min(r.Most, slices.Max(communities)+1); k >= r.Least; k-- {
		if k <= slices.Max(few)+1 {
			communities = few
		}
		communities = cluster.JoinCommunities(a, communities, k)
		clusterings = append(clusterings, communities)
	}
	slices.Reverse(clusterings)
	return clusterings, nil
}
