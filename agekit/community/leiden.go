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
	// edges, as in the authors' code. Default 0.01.
	Randomness float64 `json:"randomness"`
	// Resolution is γ of the quality Σ_c (w_c/m − γ(K_c/2m)²), for communities with edges of
	// weight w_c inside and strengths K_c: more find more communities (Reichardt and
	// Bornholdt, Phys. Rev. E 74, 2006). Default 1, the modularity.
	Resolution float64 `json:"resolution,omitempty"`
	// Kinds has the kind of each node, 0 or 1, of a graph whose edges join nodes of two kinds, such
	// as persons and events, or −1 for a node without edges. Then communities have nodes of both,
	// and the quality is
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
	return LeidenOptions{cmp.Or(o.Iterations, 10), cmp.Or(o.Randomness, 0.01), o.Resolution, o.Kinds}
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
	meanWeight := total / float64(a.NNZ())
	resolution := cmp.Or(o.Resolution, 1)
	s.whole.total /= resolution // the weight that a gain expects is divided by it
	s.refine = func(ctx context.Context, n *weightedGraph, p *partition) (*partition, error) {
		return s.split(ctx, n, p, o.Randomness*meanWeight)
	}
	found := singletons(s.whole).community
	for last := math.Inf(-1); searches < o.Iterations; searches++ {
		if err := s.improve(ctx, found); err != nil {
			return nil, 0, err
		}
		q := quality(a, newPartition(s.whole, found), total, resolution)
		if q < last+negligibleGain {
			break
		}
		last = q
	}
	return ints(found), searches, nil
}

// quality returns the modularity of a partition at a resolution, where expected weights count so many
// times. total is the sum of the strengths of the graph with the adjacency matrix a.
func quality(a *graph.CSR, p *partition, total, resolution float64) float64 {
	q := metric.Modularity(a, ints(p.community))
	for _, strength := range p.strengths {
		q -= (resolution - 1) * (strength / total) * (strength / total)
	}
	for _, difference := range p.differences { // K·K' = [(K + K')² − (K − K')²]/4
		q += resolution * (difference / total) * (difference / total)
	}
	return q
}

// split splits each community of p into groups that are connected well. Each
// begins as a single node. A node that is still alone, and well connected to the
// rest of its community, joins one of the groups there that are so too, if
// modularity does not fall: a random one, with probability ~ exp(gain/unit).
func (s *search) split(ctx context.Context, n *weightedGraph, p *partition, unit float64) (*partition, error) {
	groups := singletons(n)
	cut := make([]float64, len(p.community)) // weight from each group to the rest of its community
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
		connected := func(group int32) bool {
			k := groups.strengths[group]
			product := k * (p.strengths[community] - k)
			if p.differences != nil {
				difference := groups.differences[group]
				product -= difference * (p.differences[community] - difference)
			}
			return cut[group] >= product/n.total-negligibleGain*k
		}
		from := groups.community[v]
		if groups.nodes[from] > 1 || !connected(from) {
			continue
		}
		groups.take(n, v)
		links.add(n, v, groups.community, p.community)
		// The largest of gain/unit + Gumbel noise is a draw with these probabilities.
		best := from
		bestScore := s.gumbel()
		for _, c := range links.communities {
			gain := groups.gain(n, v, c, links.weight[c])
			if gain < -negligibleGain*n.strengths[v] || !connected(c) {
				continue
			}
			if score := gain/unit + s.gumbel(); score > bestScore {
				best = c
				bestScore = score
			}
		}
		groups.put(n, v, best)
		if best != from {
			cut[best] += cut[from] - 2*links.weight[best]
		}
		links.clear()
	}
	return groups, nil
}

// gumbel draws from the standard Gumbel distribution.
func (s *search) gumbel() float64 { return -math.Log(s.rnd.ExpFloat64()) }
