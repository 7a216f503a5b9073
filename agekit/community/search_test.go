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

// randomGraph draws the adjacency matrix of a graph of 2 to `most` nodes, with or without weights. It
// has at least one edge. Isolated nodes are common.
func randomGraph(t *rapid.T, most int) *graph.CSR {
	n := rapid.IntRange(2, most).Draw(t, "nodes")
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "edges of"), 0))
	u, v, w := []int32{0}, []int32{1}, []float32{1}
	for range rnd.IntN(3 * n) {
		u = append(u, rnd.Int32N(int32(n)))
		v = append(v, rnd.Int32N(int32(n)))
		w = append(w, float32(rnd.ExpFloat64()+1e-3))
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

// randomCommunities draws one of four communities, or of n if n is smaller, for each of n nodes.
func randomCommunities(n int, rnd *rand.Rand) []int32 {
	communities := make([]int32, n)
	for i := range communities {
		communities[i] = rnd.Int32N(int32(min(n, 4)))
	}
	return communities
}

// TestGain compares the gain of a node's move, [partition.gain] at its target less that at its origin,
// with the difference of [metric.Modularity] after and before the move, to 1e-12, on random graphs.
// A gain is times the weight of all edges, n.total/2.
func TestGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := randomGraph(t, 30)
		n := newWeightedGraph(a, nil)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "moves"), 0))
		p := newPartition(n, randomCommunities(a.Rows, rnd))
		links := newLinkWeights(a.Rows)
		for range 10 {
			v, c := rnd.Int32N(int32(a.Rows)), rnd.Int32N(int32(a.Rows))
			from := p.community[v]
			before := metric.Modularity(a, ints(p.community))
			p.take(n, v)
			links.add(n, v, p.community, nil)
			gain := p.gain(n, v, c, links.weight[c]) - p.gain(n, v, from, links.weight[from])
			links.clear()
			p.put(n, v, c)
			want := gain / (n.total / 2)
			if after := metric.Modularity(a, ints(p.community)); math.Abs(after-before-want) > 1e-12 {
				t.Fatalf("modularity %v became %v, want a difference of %v", before, after, want)
			}
		}
	})
}

// TestAggregate compares the smaller graph of random communities with direct sums over all pairs of
// nodes, to 1e-9: the weights between two communities, the strengths and their total. The smaller graph
// has no edge from a node to itself.
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
		// Entry c·count+d is the weight between the communities c and d.
		got, want := make([]float64, count*count), make([]float64, count*count)
		strengths := make([]float64, count)
		for i := range a.Rows {
			for j := range a.Rows {
				w := float64(a.At(i, j))
				c, d := int(p.community[i]), int(p.community[j])
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
		if !slices.EqualFunc(got, want, near) {
			t.Fatalf("edges %v, want %v", got, want)
		}
		if !slices.EqualFunc(small.strengths, strengths, near) {
			t.Fatalf("strengths %v, want %v", small.strengths, strengths)
		}
		if !near(small.total, n.total) {
			t.Fatalf("total %v, want %v", small.total, n.total)
		}
	})
}

// isConnected reports whether each of the clusters is connected: its nodes reach each other by edges of
// a between nodes of the cluster.
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
