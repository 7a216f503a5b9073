package community

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"pgregory.net/rapid"
)

// TestLeidenConnected checks properties of Leiden's communities on random graphs: they are
// connected, numbered in the order of their first nodes, and joining any two of them does not raise
// the modularity by more than 1e-9.
func TestLeidenConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const mostNodes = 80
		a := randomGraph(t, mostNodes)
		o := LeidenOptions{Iterations: rapid.IntRange(1, 4).Draw(t, "iterations")}
		found, _, err := Leiden(t.Context(), a, o, source(rapid.Uint64().Draw(t, "seed")))
		if err != nil {
			t.Fatal(err)
		}
		if !isConnected(a, found) {
			t.Fatalf("communities %v are not connected", found)
		}
		count := 0
		for _, c := range found {
			if c > count {
				t.Fatalf("communities %v are not in the order of their first nodes", found)
			}
			count = max(count, c+1)
		}
		before := metric.Modularity(a, found)
		for c := range count {
			for d := range c {
				joined := slices.Clone(found)
				for i, e := range joined {
					if e == c {
						joined[i] = d
					}
				}
				if after := metric.Modularity(a, joined); after > before+1e-9 {
					t.Fatalf("communities %d and %d joined give modularity %v, alone %v", c, d, after, before)
				}
			}
		}
	})
}

// TestDisconnected checks that it is the refinement that makes Leiden's communities connected: on the
// same graph, Leiden's are connected, and a search without refine ([search]) leaves some that are not.
func TestDisconnected(t *testing.T) {
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 20000})).OrFatal(t)
	a := g.Adjacency
	for _, o := range []LeidenOptions{{}, {Iterations: 1}} {
		if !isConnected(a, communitiesBy(t, leiden(o), a)(1)) {
			t.Errorf("communities of %+v are not connected", o)
		}
	}
	unrefined := search{whole: newWeightedGraph(a, nil), rnd: source(1)} // refine is nil
	communities := singletons(unrefined.whole).community
	for range 3 { // searches, each from the communities of the one before
		testutil.NoError(t, unrefined.improve(t.Context(), communities))
		if !isConnected(a, ints(communities)) {
			return
		}
	}
	t.Error("all communities are connected: the graph shows nothing")
}

// TestLeidenAgainstLouvain checks that Leiden's modularity, the mean over ten seeds, is no lower than
// that of [Louvain], on four data sets and on three random graphs with weights.
func TestLeidenAgainstLouvain(t *testing.T) {
	check := func(t *testing.T, g *graph.Graph) {
		leiden, _ := meanModularity(t, g, communitiesBy(t, methods["Leiden"], g.Adjacency))
		louvain, _ := meanModularity(t, g, communitiesBy(t, Louvain, g.Adjacency))
		t.Logf("Leiden %.4f, Louvain %.4f", leiden, louvain)
		if leiden < louvain {
			t.Errorf("modularity %v, of Louvain %v", leiden, louvain)
		}
	}
	for _, name := range []string{"cora", "citeseer", "wiki", "gostd"} {
		t.Run(name, func(t *testing.T) { check(t, testutil.LoadGraph(t, name)) })
	}
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var u, v []int32
		var w []float32
		const nodes, edges = 300, 900
		for range edges {
			u = append(u, rnd.Int32N(nodes))
			v = append(v, rnd.Int32N(nodes))
			w = append(w, float32(rnd.ExpFloat64()))
		}
		a := testutil.Value(graph.Adjacency(nodes, u, v, w)).OrFatal(t)
		t.Run("random", func(t *testing.T) { check(t, &graph.Graph{Adjacency: a}) })
	}
}

// TestLeidenOptimum compares Leiden, the best of five seeds, with the highest modularity of all
// partitions of a graph of eight nodes, found by trying every one. On at least 17 of 20 random graphs
// Leiden reaches it, to 1e-12; on none is Leiden's higher.
func TestLeidenOptimum(t *testing.T) {
	const n, graphs, wantOptimal = 8, 20, 17
	optimal := 0
	for number := range uint64(graphs) {
		rnd := rand.New(rand.NewPCG(number, 2))
		var u, v []int32
		var w []float32
		for range 14 {
			u = append(u, rnd.Int32N(n))
			v = append(v, rnd.Int32N(n))
			w = append(w, 1+rnd.Float32())
		}
		a := testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t)
		best := bestOfAllPartitions(n, func(labels []int) float64 { return metric.Modularity(a, labels) })
		got := math.Inf(-1)
		for seed := range uint64(5) {
			got = max(got, metric.Modularity(a, communitiesBy(t, methods["Leiden"], a)(seed)))
		}
		if got > best+1e-12 {
			t.Errorf("graph %d: modularity %v, highest %v", number, got, best)
		}
		if got > best-1e-12 {
			optimal++
		}
	}
	if optimal < wantOptimal {
		t.Errorf("the highest modularity on %d of %d graphs, want %d", optimal, graphs, wantOptimal)
	}
}

// bestOfAllPartitions returns the highest quality of all partitions of n nodes, given as each node's
// label, numbered in the order of the first nodes.
func bestOfAllPartitions(n int, quality func(labels []int) float64) float64 {
	best := math.Inf(-1)
	labels := make([]int, n)
	var label func(i, used int) // tries all labels of the nodes from i on, where `used` labels are in use
	label = func(i, used int) {
		if i == n {
			best = max(best, quality(labels))
			return
		}
		for labels[i] = 0; labels[i] <= used; labels[i]++ {
			label(i+1, max(used, labels[i]+1))
		}
	}
	label(0, 0)
	return best
}

// density describes the edges of [blocks].
type density struct {
	within, between float64 // probability of an edge between two nodes of a block, and of different blocks
	weightWithin    float32 // weight of an edge within a block; between blocks it is 1
}

// blocks returns a random graph of five blocks of 40 nodes. Its labels are the blocks.
func blocks(t *testing.T, d density) *graph.Graph {
	t.Helper()
	const nodes, blockCount = 200, 5
	rnd := rand.New(rand.NewPCG(3, 3))
	g := &graph.Graph{}
	var u, v []int32
	var w []float32
	for i := range int32(nodes) {
		g.Labels = append(g.Labels, int(i%blockCount))
		for j := range i {
			probability, weight := d.between, float32(1)
			if i%blockCount == j%blockCount {
				probability, weight = d.within, d.weightWithin
			}
			if rnd.Float64() < probability {
				u, v, w = append(u, i), append(v, j), append(w, weight)
			}
		}
	}
	var err error
	if g.Adjacency, err = graph.Adjacency(nodes, u, v, w); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPlantedBlocks checks Louvain and Leiden on planted blocks: they find exactly the blocks, where
// these have more edges within, or edges of more weight in a complete graph. Weights multiplied by a
// power of two, which changes no rounding, give the same communities. The complete graph without
// weights is one community.
func TestPlantedBlocks(t *testing.T) {
	graphs := map[string]*graph.Graph{
		"edges":   blocks(t, density{within: 0.5, between: 0.03, weightWithin: 1}),
		"weights": blocks(t, density{within: 1, between: 1, weightWithin: 6}),
	}
	complete := blocks(t, density{within: 1, between: 1, weightWithin: 1}).Adjacency
	for method, m := range methods {
		for name, g := range graphs {
			found := communitiesBy(t, m, g.Adjacency)(1)
			if ari := metric.ARI(g.Labels, found); ari != 1 {
				t.Errorf("%s, %s: ARI %v, want 1", method, name, ari)
			}
			scaled := *g.Adjacency
			scaled.Values = slices.Clone(scaled.Values)
			if scaled.Values == nil { // all weights are 1
				scaled.Values = slices.Repeat([]float32{1}, scaled.NNZ())
			}
			for k := range scaled.Values {
				scaled.Values[k] *= 0x1p-40
			}
			if again := communitiesBy(t, m, &scaled)(1); !slices.Equal(again, found) {
				t.Errorf("%s, %s: weights times 2⁻⁴⁰ give other communities", method, name)
			}
		}
		if found := communitiesBy(t, m, complete)(1); slices.Max(found) != 0 {
			t.Errorf("%s: %d communities of a complete graph, want 1", method, 1+slices.Max(found))
		}
	}
}

// TestCommunitiesSeeds checks Louvain and Leiden: the same seed gives the same communities, also on
// one core, and another seed others. A canceled context ends the search with its error.
func TestCommunitiesSeeds(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	for method, m := range methods {
		find := communitiesBy(t, m, g.Adjacency)
		want := find(1)
		cores := runtime.GOMAXPROCS(1)
		again := find(1)
		runtime.GOMAXPROCS(cores)
		if !slices.Equal(again, want) {
			t.Errorf("%s: the same seed gives other communities on one core", method)
		}
		if slices.Equal(find(2), want) {
			t.Errorf("%s: another seed gives the same communities", method)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m(ctx, g.Adjacency, source(0)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that it was stopped", method, err)
		}
	}
}

// TestLeidenIterations checks that on Cora, with one seed, a larger limit on the iterations does not lower
// the modularity.
func TestLeidenIterations(t *testing.T) {
	const seed = 4
	g := testutil.LoadGraph(t, "cora")
	last := 0.0
	for iterations := 1; iterations <= 5; iterations++ {
		find := communitiesBy(t, leiden(LeidenOptions{Iterations: iterations}), g.Adjacency)
		q := metric.Modularity(g.Adjacency, find(seed))
		if q < last-1e-12 {
			t.Errorf("modularity %v after %d iterations, %v before", q, iterations, last)
		}
		last = q
	}
}

// TestCommunityErrors checks that a graph without edges and options out of range are errors that say
// what is wrong.
func TestCommunityErrors(t *testing.T) {
	a := testutil.LoadGraph(t, "cora").Adjacency
	alone := testutil.Value(graph.Adjacency(3, nil, nil, nil)).OrFatal(t)
	for _, c := range []struct {
		m    method
		a    *graph.CSR
		want string
	}{
		{m: Louvain, a: alone, want: "no edges"},
		{m: methods["Leiden"], a: alone, want: "no edges"},
		{m: leiden(LeidenOptions{Iterations: -1}), a: a, want: "iterations is -1"},
		{m: leiden(LeidenOptions{Randomness: math.NaN()}), a: a, want: "randomness is NaN"},
	} {
		testutil.Value(c.m(t.Context(), c.a, source(0))).Fails(t, c.want)
	}
}

// TestResolution checks communities found with three resolutions, on a graph of 3 groups that
// consist of 4 small groups each. Joining two communities does not raise the quality, which the test
// computes from its definition over all pairs of nodes. A higher resolution finds more communities,
// and the highest the 12 small groups. A negative one is an error.
func TestResolution(t *testing.T) {
	rnd := source(3)
	const n, groups, smallGroups = 120, 3, 12
	var u, v []int32
	for i := range int32(n) {
		for j := range i {
			p := 0.01 // probability of an edge
			switch {
			case i%smallGroups == j%smallGroups:
				p = 0.7
			case i%groups == j%groups:
				p = 0.15
			}
			if rnd.Float64() < p {
				u, v = append(u, i), append(v, j)
			}
		}
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	quality := func(resolution float64, communities []int) (q float64) {
		ends := float64(a.NNZ()) // of all edges: 2m
		degree := func(i int) float64 { return float64(a.Indptr[i+1] - a.Indptr[i]) }
		for i := range n {
			for j := range n {
				if communities[i] == communities[j] {
					q += float64(a.At(i, j))/ends - resolution*degree(i)*degree(j)/(ends*ends)
				}
			}
		}
		return q
	}
	last := 0 // number of communities at the resolution before
	for _, resolution := range []float64{0.1, 1, 2.5} {
		found, _, err := Leiden(t.Context(), a, LeidenOptions{Resolution: resolution}, source(1))
		testutil.NoError(t, err)
		count := slices.Max(found) + 1
		if count <= last {
			t.Errorf("resolution %v finds %d communities, a lower one %d", resolution, count, last)
		}
		last = count
		before := quality(resolution, found)
		for c := range count {
			for d := range c {
				joined := slices.Clone(found)
				for i, community := range joined {
					if community == c {
						joined[i] = d
					}
				}
				if after := quality(resolution, joined); after > before+1e-9 {
					t.Errorf("resolution %v: communities %d and %d joined have quality %v, alone %v", resolution, c, d, after, before)
				}
			}
		}
	}
	if last != smallGroups {
		t.Errorf("resolution 2.5 finds %d communities, want the 12 small groups", last)
	}
	if _, _, err := Leiden(t.Context(), a, LeidenOptions{Resolution: -1}, source(1)); err == nil || !strings.Contains(err.Error(), "resolution is -1") {
		t.Errorf("resolution -1: %v", err)
	}
}
