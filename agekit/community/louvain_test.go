package community

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	reference "gonum.org/v1/gonum/graph"
	gonum "gonum.org/v1/gonum/graph/community"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/stat"
)

// meanModularity returns the mean and the deviation of the modularity over ten
// seeds.
func meanModularity(t *testing.T, g *graph.Graph, find func(seed uint64) []int) (mean, deviation float64) {
	t.Helper()
	var values []float64
	for seed := range uint64(10) {
		values = append(values, metric.Modularity(g.Adjacency, find(seed)))
	}
	return stat.MeanStdDev(values, nil)
}

// method finds the communities of a graph.
type method func(ctx context.Context, a *graph.CSR, rnd *rand.Rand) ([]int, error)

func leiden(o LeidenOptions) method {
	return func(ctx context.Context, a *graph.CSR, rnd *rand.Rand) ([]int, error) {
		communities, _, err := Leiden(ctx, a, o, rnd)
		return communities, err
	}
}

var methods = map[string]method{"Louvain": Louvain, "Leiden": leiden(LeidenOptions{})}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func communitiesBy(t *testing.T, m method, a *graph.CSR) func(seed uint64) []int {
	return func(seed uint64) []int {
		communities := testutil.Value(m(t.Context(), a, source(seed))).OrFatal(t)
		return communities
	}
}

// gonumLouvain returns the communities that gonum's Louvain finds.
func gonumLouvain(g *graph.Graph) func(seed uint64) []int {
	copied := simple.NewWeightedUndirectedGraph(0, 0)
	for i := range g.N() {
		copied.AddNode(simple.Node(i))
	}
	for i := range g.N() {
		columns, _ := g.Adjacency.Row(i)
		for _, j := range columns {
			copied.SetWeightedEdge(simple.WeightedEdge{F: simple.Node(i), T: simple.Node(j), W: float64(g.Adjacency.At(i, int(j)))})
		}
	}
	return func(seed uint64) []int {
		clusters := make([]int, g.N())
		for c, members := range gonum.Modularize(reference.Undirected(copied), 1, rand.NewPCG(seed, 0)).Communities() {
			for _, v := range members {
				clusters[v.ID()] = c
			}
		}
		return clusters
	}
}

// TestLouvainAgainstGonum: the mean modularity over seeds is that of gonum's
// Louvain, within three deviations of the difference of two means.
func TestLouvainAgainstGonum(t *testing.T) {
	for _, name := range []string{"cora", "gostd"} {
		g := testutil.LoadGraph(t, name)
		got, spread := meanModularity(t, g, communitiesBy(t, Louvain, g.Adjacency))
		want, other := meanModularity(t, g, gonumLouvain(g))
		if bound := 3 * math.Hypot(spread, other) / math.Sqrt(10); math.Abs(got-want) > bound {
			t.Errorf("%s: modularity %v, want %v to %.2g", name, got, want, bound)
		}
	}
}
