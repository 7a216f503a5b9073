package community

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
)

// LeidenOptions are the settings of [Leiden]. The zero value of a field means its
// default.
type LeidenOptions struct {
	// Iterations is the largest number of searches. They end earlier when a
	// search does not raise the modularity. Default 10.
	Iterations int `json:"iterations"`
	// Randomness is the paper's θ: a node joins a group with probability
	// ~ exp(gain/θ), where gain is the gain in modularity times the number of
	// edges, as in the authors' code. With weights, θ is in units of the mean weight of an
	// edge. Default 0.01.
	Randomness float64 `json:"randomness"`
	// Resolution is γ in the quality Σ_c (w_c/m − γ(K_c/2m)²). Here m is the weight of all
	// edges, w_c that of the edges within community c, and K_c the sum of the strengths of the
	// nodes of c. A higher γ gives more communities (Reichardt and Bornholdt, Phys. Rev. E 74,
	// 2006). Default 1, where the quality is the modularity.
	Resolution float64 `json:"resolution,omitempty"`
	// Kinds has the kind of each node, 0 or 1, of a graph whose edges join nodes of two kinds, such
	// as persons and events, or −1 for a node without edges. Then communities have nodes of both
	// kinds, and the quality is
	//
	//	Q = 1/m Σ_ij (A_ij − γ·k_i·d_j/m)
	//
	// over the nodes i of kind 0 and j of kind 1 in one community, with strengths k and d
	// (Barber, "Modularity and community detection in bipartite networks", Phys. Rev. E 76,
	// 066102, 2007). Default nil: all nodes are of one kind.
	Kinds []int8 `json:"-"`
}

// WithDefaults returns o with its defaults filled in.
func (o LeidenOptions) WithDefaults() LeidenOptions {
	o.Iterations = cmp.Or(o.Iterations, 10)
	o.Randomness = cmp.Or(o.Randomness, 0.01)
	return o // Resolution stays 0 where it is 1: the JSON omits it
}

// Leiden returns each node's community, numbered from 0 in the order of their first
// nodes, and the number of searches that raised the modularity (Traag, Waltman and
// van Eck, "From Louvain to Leiden: guaranteeing well-connected communities",
// Scientific Reports 9:5233, 2019, arXiv:1810.08473).
//
// Unlike the communities of [Louvain], each of Leiden's is connected. After nodes
// have moved, it splits each community into well-connected groups. These groups
// become the nodes of the smaller graph, where they begin in the communities that
// they came from, so a part can still leave its community. When a search has ended,
// the next one starts from single nodes again, with the communities found so far.
//
// The adjacency matrix a must be symmetric; its values are the weights of the edges.
// A graph without edges and invalid options are errors.
func Leiden(ctx context.Context, a *graph.CSR, o LeidenOptions, rnd *rand.Rand) (communities []int, searches int, err error) {
	o = o.WithDefaults()
	switch {
	case o.Iterations < 1:
		return nil, 0, fmt.Errorf("iterations is %d: want 1 or more", o.Iterations)
	case !(o.Randomness > 0) || math.IsInf(o.Randomness, 1):
		return nil, 0, fmt.Errorf("randomness is %v: want a positive number", o.Randomness)
	case !(o.Resolution >= 0) || math.IsInf(o.Resolution, 1):
		return nil, 0, fmt.Errorf("resolution is %v: want a positive number, or 0 for 1", o.Resolution)
	case o.Kinds != nil && len(o.Kinds) != a.Rows:
		return nil, 0, fmt.Errorf("kinds has %d entries: want one for each of the %d nodes", len(o.Kinds), a.Rows)
	}
	s, err := newSearch(a, o.Kinds, rnd)
	if err != nil {
		return nil, 0, err
	}
	total := s.whole.total
	resolution := cmp.Or(o.Resolution, 1)
	// A gain is the weight of a node's edges to a community less the expected weight, k·K/total
	// ([partition.gain]). The quality has γ times the expected weight: dividing total by γ does that
	// for all gains.
	s.whole.total /= resolution
	// Gains have the unit of the weights. With θ in that unit, a change of unit changes nothing.
	meanWeight := total / float64(a.NNZ())
	s.refine = func(ctx context.Context, n *weightedGraph, p *partition) (*partition, error) {
		return s.split(ctx, n, p, o.Randomness*meanWeight)
	}
	current := singletons(s.whole).community
	for last := math.Inf(-1); searches < o.Iterations; searches++ {
		if err := s.improve(ctx, current); err != nil { // overwrites current
			return nil, 0, err
		}
		q := quality(a, newPartition(s.whole, current), total, resolution)
		if q < last+negligibleGain {
			break
		}
		last = q
	}
	return ints(current), searches, nil
}

// quality returns the quality of the partition p of the graph with adjacency matrix a, as
// [LeidenOptions] defines it: for one kind of nodes, or for two if p has differences. It adds to the
// modularity what differs. total is the sum of the strengths of all nodes, and resolution is γ.
func quality(a *graph.CSR, p *partition, total, resolution float64) float64 {
	q := metric.Modularity(a, ints(p.community))
	for _, strength := range p.strengths { // the modularity has subtracted (K/2m)² once, not γ times
		q -= (resolution - 1) * (strength / total) * (strength / total)
	}
	// A community with the strengths K and K' of its two kinds has the expected weight of
	// K·K' = [(K + K')² − (K − K')²]/4: the loop above has subtracted the first square.
	for _, difference := range p.differences {
		q += resolution * (difference / total) * (difference / total)
	}
	return q
}

// split returns the partition of the nodes of n in which each community of p is split into well-connected
// groups. Each group begins as a single node. A node that is still alone, and well connected to the
// rest of its community, joins a group of its community that is well connected to the rest, too,
// and where modularity does not fall: a random one, with probability ~ exp(gain/randomness).
// The group of the node itself, where it gains 0, is one of them. randomness is θ as a weight of edges.
func (s *search) split(ctx context.Context, n *weightedGraph, p *partition, randomness float64) (*partition, error) {
	groups := singletons(n)
	// cut has the weight of the edges from each group to the rest of its community.
	cut := make([]float64, len(p.community))
	for v, c := range p.community {
		for e := n.indptr[v]; e < n.indptr[v+1]; e++ {
			if p.community[n.neighbors[e]] == c {
				cut[v] += n.weight(e)
			}
		}
	}
	links := newLinkWeights(len(p.community))
	for looks, v := range shuffled(len(p.community), s.rnd) {
		if looks%pause == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		community := p.community[v]
		// wellConnected reports whether a group has at least the expected weight of edges to the rest
		// of the community: the product of the two strengths divided by total, as in a gain.
		wellConnected := func(group int32) bool {
			k := groups.strengths[group]
			product := k * (p.strengths[community] - k)
			if p.differences != nil {
				difference := groups.differences[group]
				product -= difference * (p.differences[community] - difference)
			}
			return cut[group] >= product/n.total-negligibleGain*k
		}
		from := groups.community[v]
		if groups.nodes[from] > 1 || !wellConnected(from) {
			continue
		}
		groups.take(n, v)
		links.add(n, v, groups.community, p.community)
		// To draw a group with probability ~ exp(gain/randomness), add Gumbel noise to each
		// gain/randomness: the group with the largest sum is such a draw.
		best := from
		bestScore := s.gumbel()
		for _, c := range links.communities {
			gain := groups.gain(n, v, c, links.weight[c])
			if gain < -negligibleGain*n.strengths[v] || !wellConnected(c) {
				continue
			}
			if score := gain/randomness + s.gumbel(); score > bestScore {
				best = c
				bestScore = score
			}
		}
		groups.put(n, v, best)
		if best != from { // edges between v and the group have become internal: they leave both cuts
			cut[best] += cut[from] - 2*links.weight[best]
		}
		links.clear()
	}
	return groups, nil
}

// gumbel draws from the standard Gumbel distribution.
func (s *search) gumbel() float64 { return -math.Log(s.rnd.ExpFloat64()) }
