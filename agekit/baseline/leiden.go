package baseline

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
)

// Leiden finds communities of high modularity in the graph alone (Traag, Waltman
// and van Eck, "From Louvain to Leiden: guaranteeing well-connected communities",
// Scientific Reports 9:5233, 2019, arXiv:1810.08473). Unlike those of [Louvain],
// its communities are connected. After nodes have moved, it splits each community
// into groups that are connected well, and these groups become the nodes of the
// smaller graph, where they begin in the communities that they are parts of. So a
// part can still leave its community.
//
// It finds the number of communities itself, as [Louvain] does, and repeats the
// search from single nodes, with the communities found so far ("iterations" among
// the measures).
//
// The zero value of a field means its default.
type Leiden struct {
	// Iterations is the largest number of searches. They end earlier when
	// one does not raise the modularity. Default 10.
	Iterations int `json:"iterations"`
	// Randomness is the paper's θ: a node joins a group with probability
	// ~ exp(gain/θ), where gain is that of the modularity times the number of
	// edges, as in the authors' code. Default 0.01.
	Randomness float64 `json:"randomness"`
}

func (m Leiden) withDefaults() Leiden {
	return Leiden{cmp.Or(m.Iterations, 10), cmp.Or(m.Randomness, 0.01)}
}

// Name returns "Leiden".
func (Leiden) Name() string { return "Leiden" }

// Sees implements [Method].
func (Leiden) Sees() Parts { return Edges }

// Gives implements [Method].
func (Leiden) Gives() Outputs { return Clusters | Number }

// Fit implements [Method].
func (m Leiden) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	m = m.withDefaults()
	switch {
	case m.Iterations < 1:
		return nil, named(m, fmt.Errorf("iterations is %d: want 1 or more", m.Iterations))
	case !(m.Randomness > 0) || math.IsInf(m.Randomness, 1):
		return nil, named(m, fmt.Errorf("randomness is %v: want a positive number", m.Randomness))
	}
	if err := needsEdges(g); err != nil {
		return nil, named(m, err)
	}
	s := communities{whole: newWeightedGraph(g.Adjacency), rnd: source(o.Seed)}
	s.refine = func(ctx context.Context, n *weightedGraph, p *partition) (*partition, error) {
		return s.split(ctx, n, p, m.Randomness*s.whole.meanWeight())
	}
	of := singletons(s.whole).of
	iterations := 0
	for last := math.Inf(-1); iterations < m.Iterations; iterations++ {
		if err := s.improve(ctx, of); err != nil {
			return nil, named(m, err)
		}
		q := metric.Modularity(g.Adjacency, asClusters(of))
		if q < last+negligible {
			break
		}
		last = q
	}
	return communityOutput(of, map[string]float64{"iterations": float64(iterations)}), nil
}

// split splits each community of p into groups that are connected well. Each
// begins as a single node. A node that is still alone, and connected well with the
// rest of its community, joins one of the groups there that are so too, if
// modularity does not fall: a random one, with probability ~ exp(gain/unit).
func (s *communities) split(ctx context.Context, n *weightedGraph, p *partition, unit float64) (*partition, error) {
	groups := singletons(n)
	cut := make([]float64, len(p.of)) // weight from each group to the rest of its community
	for v, c := range p.of {
		for e := n.indptr[v]; e < n.indptr[v+1]; e++ {
			if p.of[n.neighbors[e]] == c {
				cut[v] += n.weight(e)
			}
		}
	}
	to := newLinkWeights(len(p.of))
	for looks, v := range shuffled(len(p.of), s.rnd) {
		if looks%pause == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all := p.strengths[p.of[v]]
		connected := func(group int32) bool {
			k := groups.strengths[group]
			return cut[group] >= k*(all-k)/n.total-negligible*k
		}
		from := groups.of[v]
		if groups.nodes[from] > 1 || !connected(from) {
			continue
		}
		groups.take(n, v)
		to.add(n, v, groups.of, p.of)
		// The largest of gain/unit + Gumbel noise is a draw with these probabilities.
		best, most := from, s.gumbel()
		for _, c := range to.communities {
			gain := groups.gain(n, v, c, to.weight[c])
			if gain < -negligible*n.strengths[v] || !connected(c) {
				continue
			}
			if score := gain/unit + s.gumbel(); score > most {
				best, most = c, score
			}
		}
		groups.put(n, v, best)
		if best != from {
			cut[best] += cut[from] - 2*to.weight[best]
		}
		to.clear()
	}
	return groups, nil
}

// gumbel draws from the standard Gumbel distribution.
func (s *communities) gumbel() float64 { return -math.Log(s.rnd.ExpFloat64()) }
