package encoder

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/cost"
)

// TestPlanGrows: from 1,000 nodes to 100 million, for many settings, the predicted cost of a graph
// is not above that of a graph with twice as many nodes. It is not above that of a graph with 2 %
// more nodes either, except once: at the border of the exact ranking, the cost may fall by the
// factor preferExact.
func TestPlanGrows(t *testing.T) {
	const edgesPerNode, layers, slightly = 7, 8, 1.02
	for name, c := range map[string]Config{
		"defaults":      {},
		"best":          Options{}.Best().Config,
		"few epochs":    {Epochs: 20},
		"one update":    {Epochs: 10, UpdateEvery: 10},
		"narrow":        {Dims: 64},
		"many clusters": {Clusters: 300},
		"wiki":          {Thresholds: pairs.Thresholds{PosStart: 0.0011, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5}},
		"every epoch":   {UpdateEvery: 1},
		"own sample":    {Sample: 20000},
		"whole":         {Sample: AllNodes},
		"exact":         {Ranking: pairs.Exact},
		"sampled":       {Ranking: pairs.Sampled},
	} {
		c.Clusters = max(7, c.Clusters) // which have no default
		c = c.withDefaults()
		for _, f := range []int{1, 128, 1433} {
			costOf := func(n float64) float64 { return c.cost(int(n), f, int(edgesPerNode*n), layers) }
			borders := 0 // where the cost falls
			for n := 1000.; n < 1e8; n *= slightly {
				if costOf(n) > costOf(2*n) {
					t.Errorf("%s, %d features: %.0f nodes cost %.3g, %.0f only %.3g", name, f, n, costOf(n), 2*n, costOf(2*n))
				}
				if next := costOf(slightly * n); costOf(n) > next {
					borders++
					if costOf(n) > preferExact*next {
						t.Errorf("%s, %d features: %.0f nodes cost %.3g, %.0f only %.3g", name, f, n, costOf(n), slightly*n, next)
					}
				}
			}
			if borders > 1 {
				t.Errorf("%s, %d features: the cost falls %d times, want once at most", name, f, borders)
			}
		}
	}
}

// TestPlanCounts compares the multiply-adds that [Config.Training] estimates, for the similarities
// that are ranked and for the pairs of steps, with those counted epoch by epoch in the training's
// schedule. They may differ by 2 %, because steps are not whole and numbers of pairs are rounded.
func TestPlanCounts(t *testing.T) {
	const n, f = 4000, 50
	const perPair = 3 // products of rows for a pair: its similarity, and the gradients of both ends
	for name, c := range map[string]Config{
		"exact": {Ranking: pairs.Exact}, "sampled": {Ranking: pairs.Sampled}, "all pairs": {Ranking: pairs.Sampled, BatchSize: AllPairs},
		"members": {Ranking: pairs.Sampled, Members: 3, Epochs: 60, UpdateEvery: 7},
	} {
		c.Clusters = 5
		c = c.withDefaults()
		var ranked, paired float64                 // dot products of rows, as a count
		whole := c.Epochs - c.Epochs%c.UpdateEvery // the epochs of whole selections
		for epoch := range whole {
			number := epoch / c.UpdateEvery
			pos, neg := c.fractions(number)
			positives, negatives := pairs.Counts(n, pos, neg)
			if epoch%c.UpdateEvery == 0 {
				if c.Ranking == pairs.Exact {
					ranked += n * n / 2
				} else {
					ranked += float64(c.Anchors*n + c.Anchors*c.Anchors)
				}
			}
			tries := 0. // candidates for a negative pair, whose similarities are computed
			if c.Ranking == pairs.Sampled {
				tries = n * n / float64(negatives)
			}
			paired += 2 * float64(c.epochPairs(positives)) * (perPair + tries) // as many negatives as positives
		}
		paired *= float64(c.Epochs) / float64(whole)
		estimate := c.Training(n, f)
		multiplyAdds := float64(c.Members * c.Dims) // of a dot product, in all members
		for what, test := range map[string]struct{ estimated, counted float64 }{
			"similarities to rank": {estimate[cost.Rank], multiplyAdds * ranked},
			"pairs of steps":       {estimate[cost.StepPair], multiplyAdds * paired},
		} {
			if math.Abs(test.estimated/test.counted-1) > 0.02 {
				t.Errorf("%s: %.4g multiply-adds of %s estimated, %.4g counted", name, test.estimated, what, test.counted)
			}
		}
	}
}

// TestPlan compares the ranking and the sample that [Config.For] fills in with those wanted. Cora,
// Citeseer and Wiki with their own settings are ranked exactly, larger graphs by a sampled ranking.
// By default, only a graph of more than 84,000 nodes with 128 features is sampled. What the settings
// say stays, but a sample has no more nodes than the graph.
func TestPlan(t *testing.T) {
	for _, test := range []struct {
		n, f    int
		c       Config
		ranking pairs.Ranking // wanted
		sample  int           // wanted
	}{
		{2708, 1433, Config{}, pairs.Exact, 2708}, // Cora, whose settings are the defaults
		{3327, 3703, Config{Thresholds: pairs.Thresholds{PosStart: 0.0015, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5}}, pairs.Exact, 3327}, // Citeseer
		{2405, 4973, Config{Thresholds: pairs.Thresholds{PosStart: 0.0011, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5}}, pairs.Exact, 2405}, // Wiki
		{17700, 128, Config{}, pairs.Sampled, 17700},
		{17700, 128, Config{Ranking: pairs.Exact}, pairs.Exact, 17700},
		{84000, 128, Config{}, pairs.Sampled, 84000},
		{84001, 128, Config{}, pairs.Sampled, 84000},
		{1e6, 128, Config{}, pairs.Sampled, 84000},
		{1e6, 1433, Config{}, pairs.Sampled, mostSample},
		{1e6, 8, Config{}, pairs.Sampled, leastSample},
		{1e6, 128, Config{Sample: AllNodes}, pairs.Sampled, 1e6},
		{1e6, 128, Config{Sample: 2000}, pairs.Exact, 2000},
		{1e6, 128, Config{Ranking: pairs.Exact}, pairs.Exact, 1e6},
		{1000, 128, Config{Sample: 2000}, pairs.Exact, 1000},
		{100_000, 128, Config{Ranking: pairs.Exact}, pairs.Exact, 100_000},
	} {
		test.c.Clusters = 7
		got := test.c.withDefaults().For(test.n, test.f)
		if got.Ranking != test.ranking || got.Sample != test.sample {
			t.Errorf("%d nodes, %d features, %+v: %s ranking of %d nodes, want %s of %d", test.n, test.f, test.c, got.Ranking, got.Sample, test.ranking, test.sample)
		}
	}
}

// TestRanks: [Config.Ranks] keeps a ranking that is given. An automatic one is exact for any graph
// by ByPaper, up to 5,000 nodes by BySize, and for 2,708 nodes but not for 17,700 by ByCost.
func TestRanks(t *testing.T) {
	for _, test := range []struct {
		given  pairs.Ranking
		budget Budget
		n      int
		want   pairs.Ranking
	}{
		{pairs.Auto, ByPaper, 19717, pairs.Exact}, {"", ByPaper, 19717, pairs.Exact}, {pairs.Sampled, ByPaper, 2708, pairs.Sampled},
		{pairs.Auto, BySize, 5000, pairs.Exact}, {pairs.Auto, BySize, 5001, pairs.Sampled}, {pairs.Exact, BySize, 5001, pairs.Exact},
		{pairs.Auto, ByCost, 2708, pairs.Exact}, {pairs.Auto, ByCost, 17700, pairs.Sampled}, {pairs.Exact, ByCost, 17700, pairs.Exact},
	} {
		c := Config{Clusters: 7}.withDefaults()
		c.Ranking = test.given // withDefaults would replace an empty one
		if got := c.Ranks(test.budget, test.n, 1433); got != test.want {
			t.Errorf("%q by %d, %d nodes: %s, want %s", test.given, test.budget, test.n, got, test.want)
		}
	}
}

// cost returns the predicted cost of a whole run on a graph: smoothing by that many layers,
// training and, after a training on a sample, one embedding and clustering of all nodes.
func (c Config) cost(n, f, edges, layers int) float64 {
	c = c.For(n, f)
	whole := cost.Of(cost.FetchColumn, float64(layers)*float64(2*edges+n)*float64(f)).Plus(c.Training(c.Sample, f))
	if c.Sample < n {
		wide := c // the members' embeddings side by side
		wide.Dims *= c.Members
		whole = whole.Plus(wide.passCost(n, f))
	}
	return whole.Cost()
}
