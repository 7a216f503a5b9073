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

// TestLeidenConnected: the communities are connected. No two of them would gain by
// being joined. The clusters are numbered in the order of their first nodes.
func TestLeidenConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := randomGraph(t, 80)
		found, _, err := Leiden(t.Context(), a, LeidenOptions{Iterations: rapid.IntRange(1, 4).Draw(t, "iterations")}, source(rapid.Uint64().Draw(t, "seed")))
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

// TestDisconnected: the same search without the refinement leaves communities that
// are not connected, on a graph where Leiden's are.
func TestDisconnected(t *testing.T) {
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 20000})).OrFatal(t)
	a := g.Adjacency
	for _, m := range []LeidenOptions{{}, {Iterations: 1}} {
		if !isConnected(a, communitiesBy(t, leiden(m), a)(1)) {
			t.Errorf("communities of %+v are not connected", m)
		}
	}
	s := search{whole: newWeightedGraph(a, nil), rnd: source(1)}
	communities := singletons(s.whole).community
	for range 3 {
		testutil.NoError(t, s.improve(t.Context(), communities))
		if !isConnected(a, ints(communities)) {
			return
		}
	}
	t.Error("all communities are connected: the graph shows nothing")
}

// TestLeidenAgainstLouvain: the mean modularity is no lower than Louvain's.
func TestLeidenAgainstLouvain(t *testing.T) {
	check := func(t *testing.T, g *graph.Graph) {
		got, _ := meanModularity(t, g, communitiesBy(t, methods["Leiden"], g.Adjacency))
		louvain, _ := meanModularity(t, g, communitiesBy(t, Louvain, g.Adjacency))
		t.Logf("Leiden %.4f, Louvain %.4f", got, louvain)
		if got < louvain {
			t.Errorf("modularity %v, of Louvain %v", got, louvain)
		}
	}
	for _, name := range []string{"cora", "citeseer", "wiki", "gostd"} {
		t.Run(name, func(t *testing.T) { check(t, testutil.LoadGraph(t, name)) })
	}
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var u, v []int32
		var w []float32
		for range 900 {
			u, v, w = append(u, rnd.Int32N(300)), append(v, rnd.Int32N(300)), append(w, float32(rnd.ExpFloat64()))
		}
		a := testutil.Value(graph.Adjacency(300, u, v, w)).OrFatal(t)
		t.Run("random", func(t *testing.T) { check(t, &graph.Graph{Adjacency: a}) })
	}
}

// TestLeidenOptimum: on most small graphs, the best of five seeds has the highest
// modularity of all partitions, to 1e-12. It has no higher one on any.
func TestLeidenOptimum(t *testing.T) {
	const n = 8
	optimal := 0
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		var u, v []int32
		var w []float32
		for range 14 {
			u, v, w = append(u, rnd.Int32N(n)), append(v, rnd.Int32N(n)), append(w, 1+rnd.Float32())
		}
		a := testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t)
		best := math.Inf(-1)
		labels := make([]int, n)
		var partitions func(i, used int)
		partitions = func(i, used int) {
			if i == n {
				best = max(best, metric.Modularity(a, labels))
				return
			}
			for labels[i] = 0; labels[i] <= used; labels[i]++ {
				partitions(i+1, max(used, labels[i]+1))
			}
		}
		partitions(0, 0)
		got := math.Inf(-1)
		for seed := range uint64(5) {
			got = max(got, metric.Modularity(a, communitiesBy(t, methods["Leiden"], a)(seed)))
		}
		if got > best+1e-12 {
			t.Errorf("graph %d: modularity %v, highest %v", seed, got, best)
		}
		if got > best-1e-12 {
			optimal++
		}
	}
	if optimal < 17 {
		t.Errorf("the highest modularity on %d of 20 graphs, want 17", optimal)
	}
}

// blocks returns a graph of five blocks of 40 nodes: with the probability `within`
// an edge joins two nodes of a block, and with the probability `between` two of
// different blocks. Edges within blocks weigh `weight`, the others 1.
func blocks(t *testing.T, within, between float64, weight float32) *graph.Graph {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3, 3))
	g := &graph.Graph{}
	var u, v []int32
	var w []float32
	for i := range int32(200) {
		g.Labels = append(g.Labels, int(i%5))
		for j := range i {
			probability, edge := between, float32(1)
			if i%5 == j%5 {
				probability, edge = within, weight
			}
			if rnd.Float64() < probability {
				u, v, w = append(u, i), append(v, j), append(w, edge)
			}
		}
	}
	var err error
	if g.Adjacency, err = graph.Adjacency(200, u, v, w); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPlantedBlocks: both methods find blocks that have more edges within, or edges
// of more weight in a complete graph, which without weights is one community. Units
// of the weights, which are powers of two, change nothing.
func TestPlantedBlocks(t *testing.T) {
	for method, m := range methods {
		for name, g := range map[string]*graph.Graph{"edges": blocks(t, 0.5, 0.03, 1), "weights": blocks(t, 1, 1, 6)} {
			found := communitiesBy(t, m, g.Adjacency)(1)
			if ari := metric.ARI(g.Labels, found); ari != 1 {
				t.Errorf("%s, %s: ARI %v, want 1", method, name, ari)
			}
			scaled := *g.Adjacency
			scaled.Values = slices.Clone(scaled.Values)
			if scaled.Values == nil {
				scaled.Values = slices.Repeat([]float32{1}, scaled.NNZ())
			}
			for k := range scaled.Values {
				scaled.Values[k] *= 0x1p-40
			}
			if again := communitiesBy(t, m, &scaled)(1); !slices.Equal(again, found) {
				t.Errorf("%s, %s: weights times 2⁻⁴⁰ give other communities", method, name)
			}
		}
		if found := communitiesBy(t, m, blocks(t, 1, 1, 1).Adjacency)(1); slices.Max(found) != 0 {
			t.Errorf("%s: %d communities of a complete graph, want 1", method, 1+slices.Max(found))
		}
	}
}

// TestCommunitiesSeeds: the same seed gives the same communities, also on one core,
// and another seed others. A stop ends the search.
func TestCommunitiesSeeds(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	for method, m := range methods {
		find := communitiesBy(t, m, g.Adjacency)
		want := find(1)
		cores := runtime.GOMAXPROCS(1)
		again := find(1)
		runtime.GOMAXPROCS(cores)
		if !slices.Equal(again, want) || slices.Equal(find(2), want) {
			t.Errorf("%s: the communities do not depend on the seed alone", method)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m(ctx, g.Adjacency, source(0)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that it was stopped", method, err)
		}
	}
}

// TestLeidenIterations: more iterations from the same seed do not lower the
// modularity.
func TestLeidenIterations(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	last := 0.0
	for iterations := 1; iterations <= 5; iterations++ {
		q := metric.Modularity(g.Adjacency, communitiesBy(t, leiden(LeidenOptions{Iterations: iterations}), g.Adjacency)(4))
		if q < last-1e-12 {
			t.Errorf("modularity %v after %d iterations, %v before", q, iterations, last)
		}
		last = q
	}
}

// TestCommunityErrors: a graph without edges, and options out of range, are errors.
func TestCommunityErrors(t *testing.T) {
	a := testutil.LoadGraph(t, "cora").Adjacency
	alone := testutil.Value(graph.Adjacency(3, nil, nil, nil)).OrFatal(t)
	for _, c := range []struct {
		m    method
		a    *graph.CSR
		want string
	}{
		{Louvain, alone, "no edges"},
		{methods["Leiden"], alone, "no edges"},
		{leiden(LeidenOptions{Iterations: -1}), a, "iterations is -1"},
		{leiden(LeidenOptions{Randomness: math.NaN()}), a, "randomness is NaN"},
	} {
		testutil.Value(c.m(t.Context(), c.a, source(0))).Fails(t, c.want)
	}
}

// TestResolution: of communities found with a resolution, no two joined have a higher quality,
// computed from its definition, and a higher resolution finds more of them.
func TestResolution(t *testing.T) {
	rnd := source(3)
	const n = 120
	var u, v []int32
	for i := range int32(n) {
		for j := range i {
			p := 0.01
			switch {
			case i%12 == j%12:
				p = 0.7
			case i%3 == j%3:
				p = 0.15
			}
			if rnd.Float64() < p {
				u, v = append(u, i), append(v, j)
			}
		}
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	quality := func(resolution float64, communities []int) (q float64) {
		ends := float64(a.NNZ())
		for i := range n {
			for j := range n {
				if communities[i] == communities[j] {
					q += float64(a.At(i, j))/ends - resolution*float64(a.Indptr[i+1]-a.Indptr[i])*float64(a.Indptr[j+1]-a.Indptr[j])/(ends*ends)
				}
			}
		}
		return q
	}
	last := 0
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
	if last != 12 {
		t.Errorf("resolution 2.5 finds %d communities, want the 12 small groups", last)
	}
	if _, _, err := Leiden(t.Context(), a, LeidenOptions{Resolution: -1}, source(1)); err == nil || !strings.Contains(err.Error(), "resolution is -1") {
		t.Errorf("resolution -1: %v", err)
	}
}
