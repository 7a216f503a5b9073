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

// communityGains are the held-out gains of communities joined to each number of clusters.
type communityGains struct {
	clusterings [][]int     // of all edges, by number
	shares      [][]float64 // by part of the edges and number: gain per edge, divided as EdgeShare is
}

// measureCommunities returns the communities of the edges, joined to each number of clusters
// in a range, as far as there are so many. It returns nil unless the held-out gain of the
// best number is above communitiesGain times that of the chosen number of clusters of the
// smoothed features.
func measureCommunities(ctx context.Context, g *graph.Graph, r Range, chosen int, seed uint64) (*communityGains, error) {
	if g.Edges() < leastHeldOut*parts {
		return nil, nil
	}
	rnd := rand.New(rand.NewPCG(seed, 2))
	c := &communityGains{}
	var err error
	if c.clusterings, err = joinedCommunities(ctx, g.Adjacency, r, rnd); err != nil {
		return nil, err
	}
	division := divide(g, rnd)
	featuresShare := 0. // of the smoothed features' clusters, the mean over the parts
	c.shares = make([][]float64, max(2, min(parts, heldOutNodes/g.N())))
	for part := range c.shares {
		f, err := division.without(g, uint8(part))
		if err != nil {
			return nil, err
		}
		f.g.Features = g.Features
		share := func(clusters []int, k int) float64 {
			return edgeGain(f.g.Adjacency, f.edges, clusters) / float64(len(f.edges)) / perCluster(k, countPower)
		}
		communities, err := joinedCommunities(ctx, f.g.Adjacency, r, rnd)
		if err != nil {
			return nil, err
		}
		c.clusterings = c.clusterings[:min(len(c.clusterings), len(communities))]
		for i, clusters := range communities {
			c.shares[part] = append(c.shares[part], share(clusters, r.Least+i))
		}
		z, err := similarityVectors(ctx, f.g)
		if err != nil {
			return nil, err
		}
		found, err := cluster.Spectral(ctx, cluster.Gram(z), chosen, cluster.SpectralOptions{}, rnd)
		if err != nil {
			return nil, err
		}
		featuresShare += share(found.Labels, chosen) / float64(len(c.shares))
	}
	best := math.Inf(-1)
	for i := range c.clusterings {
		best = max(best, stat.Mean(c.numberShares(i), nil))
	}
	if best <= communitiesGain*featuresShare {
		return nil, nil
	}
	return c, nil
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

// numberShares returns the shares of number i by part.
func (c *communityGains) numberShares(i int) (shares []float64) {
	for _, s := range c.shares {
		shares = append(shares, s[i])
	}
	return shares
}

// setShares sets the fields of numbers that follow from the held-out gains.
func (c *communityGains) setShares(numbers []Number) {
	for i := range numbers {
		numbers[i].Communities = true
		numbers[i].EdgeShare = stat.Mean(c.numberShares(i), nil)
	}
	for _, shares := range c.shares {
		shares = shares[:len(numbers)]
		numbers[slices.Index(shares, slices.Max(shares))].Highest += 1 / float64(len(c.shares))
	}
	setLevels(numbers)
}
