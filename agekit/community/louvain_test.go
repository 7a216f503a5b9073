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

// seeds is the number of seeds in the means of [meanModularity].
const seeds = 10

// meanModularity returns the mean and the standard deviation, over ten seeds, of the modularity of the
// communities that find returns.
func meanModularity(t *testing.T, g *graph.Graph, find func(seed uint64) []int) (mean, deviation float64) {
	t.Helper()
	var values []float64
	for seed := range uint64(seeds) {
		values = append(values, metric.Modularity(g.Adjacency, find(seed)))
	}
	return stat.MeanStdDev(values, nil)
}

// method finds the communities of a graph.
type method func(ctx context.Context, a *graph.CSR, rnd *rand.Rand) ([]int, error)

// leiden returns [Leiden] with the options o.
func leiden(o LeidenOptions) method {
	return func(ctx context.Context, a *graph.CSR, rnd *rand.Rand) ([]int, error) {
		communities, _, err := Leiden(ctx, a, o, rnd)
		return communities, err
	}
}

// methods are the package's methods with default options, by name.
var methods = map[string]method{"Louvain": Louvain, "Leiden": leiden(LeidenOptions{})}

// source returns random numbers from a seed.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// communitiesBy returns a function that finds the communities of a by the method m with a seed.
func communitiesBy(t *testing.T, m method, a *graph.CSR) func(seed uint64) []int {
	return func(seed uint64) []int {
		return testutil.Value(m(t.Context(), a, source(seed))).OrFatal(t)
	}
}

// gonumLouvain returns a function that finds the communities of g by gonum's Louvain with a seed.
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

// TestLouvainAgainstGonum compares the mean modularity over ten seeds with that of gonum's Louvain. The
// two may differ by three standard deviations of the difference of such means.
func TestLouvainAgainstGonum(t *testing.T) {
	for _, name := range []string{"cora", "gostd"} {
		g := testutil.LoadGraph(t, name)
		got, gotDeviation := meanModularity(t, g, communitiesBy(t, Louvain, g.Adjacency))
		want, wantDeviation := meanModularity(t, g, gonumLouvain(g))
		if bound := 3 * math.Hypot(gotDeviation, wantDeviation) / math.Sqrt(seeds); math.Abs(got-want) > bound {
			t.Errorf("%s: modularity %v, want %v to %.2g", name, got, want, bound)
		}
	}
}
