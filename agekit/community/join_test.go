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

// TestJoin: of four cliques in a row, the first two and the last two have two bridges between them, and
// the middle ones one. The two pairs are joined first, and then all. Communities come in another order,
// and are numbered in that of their first nodes.
func TestJoin(t *testing.T) {
	var u, v []int32
	edge := func(a, b int32) { u, v = append(u, a), append(v, b) }
	for c := range int32(4) {
		for i := range int32(5) {
			for j := range i {
				edge(5*c+i, 5*c+j)
			}
		}
	}
	edge(0, 5)
	edge(1, 6)
	edge(9, 10)
	edge(10, 15)
	edge(11, 16)
	a := testutil.Value(graph.Adjacency(20, u, v, nil)).OrFatal(t)
	communities := make([]int, 20)
	for i := range communities {
		communities[i] = 3 - i/5
	}
	for k, wantOfClique := range map[int][4]int{
		5: {0, 1, 2, 3}, // more than there are
		4: {0, 1, 2, 3},
		2: {0, 0, 1, 1},
		1: {0, 0, 0, 0},
	} {
		for i, c := range community.Join(a, communities, nil, k) {
			if want := wantOfClique[i/5]; c != want {
				t.Errorf("%d communities: node %d is in %d, want %d", k, i, c, want)
			}
		}
	}
}

// TestJoinBest: each pair that is joined raises the modularity most, or lowers it least,
// with few communities; with many, as many as wanted are left.
func TestJoinBest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	const n = 600
	var u, v []int32
	for range 3 * n {
		i := rnd.IntN(n)
		j := rnd.IntN(n)
		if rnd.IntN(4) > 0 {
			j = (i + rnd.IntN(20)) % n
		}
		u, v = append(u, int32(i)), append(v, int32(j))
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	single := make([]int, n)
	for i := range single {
		single[i] = i
	}
	if got := community.Join(a, single, nil, 7); slices.Max(got) != 6 {
		t.Errorf("%d communities of single nodes, want 7", slices.Max(got)+1)
	}
	communities := make([]int, n)
	for i := range communities {
		communities[i] = i / 50
	}
	best := -1.
	for b := range 12 {
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
	if got := metric.Modularity(a, community.Join(a, communities, nil, 11)); got < best-1e-9 {
		t.Errorf("modularity %v, the best pair gives %v", got, best)
	}
}
