package community

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// twoKinds returns a graph of nodes of two kinds in planted groups, with the kinds and the groups of
// the nodes. Each of the first kind has some edges, a share of them to its own group.
func twoKinds(t *testing.T, first, second, groups, degree int, inside float64, weighted bool, seed uint64) (*graph.CSR, []int8, []int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 4))
	n := first + second
	kinds, groupOf := make([]int8, n), make([]int, n)
	for i := range groupOf {
		groupOf[i] = i % groups
		if i >= first {
			kinds[i] = 1
		}
	}
	var u, v []int32
	var w []float32
	for i := range first {
		for range degree {
			j, inGroup := first+rnd.IntN(second), rnd.Float64() < inside
			for inGroup && groupOf[j] != groupOf[i] {
				j = first + rnd.IntN(second)
			}
			u, v, w = append(u, int32(i)), append(v, int32(j)), append(w, 0.5+rnd.Float32())
		}
	}
	if !weighted {
		w = nil
	}
	return testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t), kinds, groupOf
}

// barber sums Barber's modularity over all pairs, as it is defined.
func barber(a *graph.CSR, kinds []int8, communities []int, resolution float64) float64 {
	strengths, m := make([]float64, a.Rows), 0.
	for i := range a.Rows {
		for _, w := range a.Each(i) {
			strengths[i] += float64(w)
			m += float64(w) / 2
		}
	}
	q := 0.
	for i := range a.Rows {
		for j := range a.Rows {
			if kinds[i] == 0 && kinds[j] == 1 && communities[i] == communities[j] {
				q += (float64(a.At(i, j)) - resolution*strengths[i]*strengths[j]/m) / m
			}
		}
	}
	return q
}

// TestKindsQuality: the quality, and the gain of a move, are those of the sum over all pairs of nodes
// ([barber]), for random communities, with and without weights and at two resolutions.
func TestKindsQuality(t *testing.T) {
	for seed := range uint64(8) {
		weighted := seed%2 == 1
		a, kinds, _ := twoKinds(t, 30, 14, 3, 4, 0.8, weighted, seed)
		rnd := rand.New(rand.NewPCG(seed, 5))
		communities := make([]int32, a.Rows)
		for i := range communities {
			communities[i] = rnd.Int32N(5)
		}
		resolution := []float64{1, 1.7}[seed/2%2]
		n := newWeightedGraph(a, kinds)
		total := n.total
		n.total /= resolution // as Leiden does
		p := newPartition(n, communities)
		before := barber(a, kinds, ints(communities), resolution)
		if got := quality(a, p, total, resolution); math.Abs(got-before) > 1e-12 {
			t.Fatalf("quality %v: want %v", got, before)
		}
		for v := range int32(a.Rows) {
			from, target := communities[v], rnd.Int32N(5)
			links := newLinkWeights(a.Rows)
			p.take(n, v)
			links.add(n, v, p.community, nil)
			gain := p.gain(n, v, target, links.weight[target]) - p.gain(n, v, from, links.weight[from])
			gain /= total / 2 // the weight of all edges
			p.put(n, v, target)
			after := barber(a, kinds, ints(communities), resolution)
			if math.Abs(gain-(after-before)) > 1e-9 {
				t.Fatalf("moving %d from %d to %d gains %v: want %v", v, from, target, gain, after-before)
			}
			before = after
		}
	}
}

// TestKindsRise: each step of the search, on each smaller graph, leaves the quality at least as high,
// and no node gains by a move in the end; communities are connected, so that those of several
// nodes have both kinds.
func TestKindsRise(t *testing.T) {
	for seed := range uint64(10) {
		a, kinds, _ := twoKinds(t, 60, 25, 4, 4, 0.7, seed%2 == 1, seed)
		s := testutil.Value(newSearch(a, kinds, rand.New(rand.NewPCG(seed, 6)))).OrFatal(t)
		last := barber(a, kinds, ints(singletons(s.whole).community), 1)
		found := singletons(s.whole).community
		for range 3 {
			testutil.NoError(t, s.improve(t.Context(), found))
			q := barber(a, kinds, ints(found), 1)
			if q < last-1e-12 {
				t.Fatalf("quality %v after %v", q, last)
			}
			last = q
		}
		communities, _, err := Leiden(t.Context(), a, LeidenOptions{Kinds: kinds}, rand.New(rand.NewPCG(seed, 6)))
		testutil.NoError(t, err)
		if !isConnected(a, communities) {
			t.Fatalf("seed %d: not connected: %v", seed, communities)
		}
		q := barber(a, kinds, communities, 1)
		for v := range communities {
			from := communities[v]
			for target := range slices.Max(communities) + 1 {
				communities[v] = target
				if after := barber(a, kinds, communities, 1); after > q+1e-9 {
					t.Fatalf("seed %d: node %d gains %v by a move", seed, v, after-q)
				}
			}
			communities[v] = from
		}
	}
}

// TestKindsOptimum: the best of five seeds has the highest quality of all partitions on most small
// graphs, and no higher one on any.
func TestKindsOptimum(t *testing.T) {
	optimal := 0
	for seed := range uint64(20) {
		a, kinds, _ := twoKinds(t, 5, 4, 2, 3, 0.6, true, seed)
		best := math.Inf(-1)
		labels := make([]int, a.Rows)
		var partitions func(i, used int)
		partitions = func(i, used int) {
			if i == len(labels) {
				best = max(best, barber(a, kinds, labels, 1))
				return
			}
			for labels[i] = 0; labels[i] <= used; labels[i]++ {
				partitions(i+1, max(used, labels[i]+1))
			}
		}
		partitions(0, 0)
		got := math.Inf(-1)
		for seed := range uint64(5) {
			communities, _, err := Leiden(t.Context(), a, LeidenOptions{Kinds: kinds}, rand.New(rand.NewPCG(seed, 7)))
			testutil.NoError(t, err)
			got = max(got, barber(a, kinds, communities, 1))
		}
		if got > best+1e-12 {
			t.Errorf("graph %d: quality %v, highest %v", seed, got, best)
		}
		if got > best-1e-12 {
			optimal++
		}
	}
	if optimal < 17 {
		t.Errorf("the highest quality on %d of 20 graphs, want 17", optimal)
	}
}

// TestKindsPlanted: planted groups of both kinds are found, where a resolution that finds more
// communities is joined to as many.
func TestKindsPlanted(t *testing.T) {
	a, kinds, groups := twoKinds(t, 300, 120, 4, 6, 0.65, false, 1)
	for resolution, want := range map[float64]float64{1: 0.9, 3: 0.85} {
		communities, _, err := Leiden(t.Context(), a, LeidenOptions{Kinds: kinds, Resolution: resolution}, rand.New(rand.NewPCG(1, 0)))
		testutil.NoError(t, err)
		joined := Join(a, communities, kinds, 4)
		if acc := metric.Accuracy(groups, joined); acc < want {
			t.Errorf("resolution %v: %d communities, joined ACC %.3f, want %v", resolution, slices.Max(communities)+1, acc, want)
		}
	}
}

// TestKindsJoin: of all pairs of communities, that is joined which costs the least of the direct sum.
func TestKindsJoin(t *testing.T) {
	differs := 0
	for seed := range uint64(20) {
		a, kinds, _ := twoKinds(t, 40, 12, 3, 3, 0.5, true, seed)
		rnd := rand.New(rand.NewPCG(seed, 8))
		communities := make([]int, a.Rows)
		for i := range communities {
			communities[i] = rnd.IntN(6)
		}
		best := math.Inf(-1)
		for b := range 6 {
			for c := range b {
				joined := slices.Clone(communities)
				for i, x := range joined {
					if x == b {
						joined[i] = c
					}
				}
				best = max(best, barber(a, kinds, joined, 1))
			}
		}
		joined := Join(a, communities, kinds, 5)
		if got := barber(a, kinds, joined, 1); math.Abs(got-best) > 1e-12 {
			t.Errorf("seed %d: quality %v, the best pair gives %v", seed, got, best)
		}
		if metric.ARI(joined, Join(a, communities, nil, 5)) < 1 {
			differs++
		}
	}
	if differs == 0 {
		t.Error("without kinds, the same pairs are joined: the graphs show nothing")
	}
}

// TestKindsRefused: kinds of another number of nodes are an error.
func TestKindsRefused(t *testing.T) {
	a, kinds, _ := twoKinds(t, 5, 4, 2, 3, 0.6, false, 1)
	if _, _, err := Leiden(t.Context(), a, LeidenOptions{Kinds: kinds[1:]}, source(1)); err == nil || !strings.Contains(err.Error(), "kinds has 8 entries: want one for each of the 9 nodes") {
		t.Errorf("error %v", err)
	}
}
