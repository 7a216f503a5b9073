package community

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"pgregory.net/rapid"
)

// randomGraph draws a graph, with or without weights. Isolated nodes are common.
func randomGraph(t *rapid.T, most int) *graph.CSR {
	n := rapid.IntRange(2, most).Draw(t, "nodes")
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "edges of"), 0))
	u, v, w := []int32{0}, []int32{1}, []float32{1}
	for range rnd.IntN(3 * n) {
		u, v, w = append(u, rnd.Int32N(int32(n))), append(v, rnd.Int32N(int32(n))), append(w, float32(rnd.ExpFloat64()+1e-3))
	}
	if rapid.Bool().Draw(t, "without weights") {
		w = nil
	}
	a, err := graph.Adjacency(n, u, v, w)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// randomCommunities draws a community below n for each of n nodes.
func randomCommunities(n int, rnd *rand.Rand) []int32 {
	communities := make([]int32, n)
	for i := range communities {
		communities[i] = rnd.Int32N(int32(min(n, 4)))
	}
	return communities
}

// TestGain: what a node gains by a move is the difference of the modularity before
// and after, to 1e-12.
func TestGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := randomGraph(t, 30)
		n := newWeightedGraph(a, nil)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "moves"), 0))
		p := newPartition(n, randomCommunities(a.Rows, rnd))
		links := newLinkWeights(a.Rows)
		for range 10 {
			v, c := rnd.Int32N(int32(a.Rows)), rnd.Int32N(int32(a.Rows))
			before, from := metric.Modularity(a, ints(p.community)), p.community[v]
			p.take(n, v)
			links.add(n, v, p.community, nil)
			gain := p.gain(n, v, c, links.weight[c]) - p.gain(n, v, from, links.weight[from])
			links.clear()
			p.put(n, v, c)
			if after := metric.Modularity(a, ints(p.community)); math.Abs(after-before-2*gain/n.total) > 1e-12 {
				t.Fatalf("modularity %v became %v, want a difference of %v", before, after, 2*gain/n.total)
			}
		}
	})
}

// TestAggregate: the groups' edges and strengths are sums over all pairs of nodes,
// to 1e-9, and no group has an edge to itself.
func TestAggregate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := randomGraph(t, 30)
		n := newWeightedGraph(a, nil)
		p := newPartition(n, randomCommunities(a.Rows, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "groups"), 0))))
		count := p.renumber(n)
		small, err := n.aggregate(t.Context(), p, count)
		if err != nil {
			t.Fatal(err)
		}
		got, want := make([]float64, count*count), make([]float64, count*count)
		strengths := make([]float64, count)
		for i := range a.Rows {
			for j := range a.Rows {
				w, c, d := float64(a.At(i, j)), int(p.community[i]), int(p.community[j])
				strengths[c] += w
				if c != d {
					want[c*count+d] += w
				}
			}
		}
		for c := range count {
			for e := small.indptr[c]; e < small.indptr[c+1]; e++ {
				got[c*count+int(small.neighbors[e])] += small.weight(e)
			}
		}
		near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9 }
		if !slices.EqualFunc(got, want, near) || !slices.EqualFunc(small.strengths, strengths, near) || !near(small.total, n.total) {
			t.Fatalf("edges %v and strengths %v, want %v and %v", got, small.strengths, want, strengths)
		}
	})
}

// isConnected reports whether the nodes of each community are connected by edges
// within it.
func isConnected(a *graph.CSR, clusters []int) bool {
	members := make([][]int, 1+slices.Max(clusters))
	for i, c := range clusters {
		members[c] = append(members[c], i)
	}
	for _, nodes := range members {
		if _, count := (&graph.Graph{Adjacency: a}).Subgraph(nodes).Adjacency.Components(); count != 1 {
			return false
		}
	}
	return true
}
