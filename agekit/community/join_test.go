package community_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// TestJoin joins four cliques of five nodes to fewer communities. Two edges join the first two
// cliques, two the last two, and only one the middle ones, so by hand: the first two and the last two
// are joined first, and then all. The communities that Join gets are numbered backward, those that it
// returns in the order of their first nodes.
func TestJoin(t *testing.T) {
	const cliques, size = 4, 5
	var u, v []int32
	edge := func(a, b int32) { u, v = append(u, a), append(v, b) }
	for c := range int32(cliques) {
		for i := range int32(size) {
			for j := range i {
				edge(size*c+i, size*c+j)
			}
		}
	}
	// Nodes 0 to 4 are the first clique, 5 to 9 the second, and so on.
	edge(0, 5)
	edge(1, 6)
	edge(9, 10)
	edge(10, 15)
	edge(11, 16)
	a := testutil.Value(graph.Adjacency(cliques*size, u, v, nil)).OrFatal(t)
	communities := make([]int, cliques*size)
	for i := range communities {
		communities[i] = cliques - 1 - i/size
	}
	for k, wantOfClique := range map[int][cliques]int{
		5: {0, 1, 2, 3}, // more than there are
		4: {0, 1, 2, 3},
		2: {0, 0, 1, 1},
		1: {0, 0, 0, 0},
	} {
		for i, c := range community.Join(a, communities, nil, k) {
			if want := wantOfClique[i/size]; c != want {
				t.Errorf("%d communities: node %d is in %d, want %d", k, i, c, want)
			}
		}
	}
}

// TestJoinBest checks Join twice on a random graph. Of 600 communities, for which Join does not compare
// all pairs, as many are left as asked for. Of 12 communities, Join joins the best pair: the
// modularity ([metric.Modularity]) is the highest that joining any two can leave.
func TestJoinBest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	const n, count = 600, 12
	var u, v []int32
	for range 3 * n {
		i := rnd.IntN(n)
		j := rnd.IntN(n)
		if rnd.IntN(4) > 0 { // three of four edges join nodes with near numbers
			j = (i + rnd.IntN(20)) % n
		}
		u, v = append(u, int32(i)), append(v, int32(j))
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	single := make([]int, n)
	for i := range single {
		single[i] = i
	}
	const left = 7
	if got := community.Join(a, single, nil, left); slices.Max(got) != left-1 {
		t.Errorf("%d communities of single nodes, want %d", slices.Max(got)+1, left)
	}
	communities := make([]int, n)
	for i := range communities {
		communities[i] = i / (n / count)
	}
	best := -1. // the modularity is never lower
	for b := range count {
		for c := range b {
			joined := slices.Clone(communities)
			for i, x := range joined {
				if x == b {
					joined[i] = c
				}
			}
			best = max(best, metric.Modularity(a, joined))
		}
	}
	if got := metric.Modularity(a, community.Join(a, communities, nil, count-1)); got < best-1e-9 {
		t.Errorf("modularity %v, the best pair gives %v", got, best)
	}
}
