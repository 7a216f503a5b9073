package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
)

// nested returns a graph of 3 groups with 3 blocks each, whose features tell nothing.
func nested(t *testing.T) *graph.Graph {
	rnd := rand.New(rand.NewPCG(1, 1))
	const n = 360
	var u, v []int32
	for i := range n {
		for j := range i {
			p := 0.004
			switch {
			case i%9 == j%9:
				p = 0.4
			case i%3 == j%3:
				p = 0.06
			}
			if rnd.Float64() < p {
				u, v = append(u, int32(i)), append(v, int32(j))
			}
		}
	}
	a, err := graph.Adjacency(n, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &graph.Graph{Name: "nested", Adjacency: a, Features: normals(rnd, n, 50, func(i, j int) float64 { return 0 })}
}

// TestLevels: of nested blocks, both levels stand out, and one of them is chosen.
func TestLevels(t *testing.T) {
	g := nested(t)
	numbers, err := measureNumbers(t.Context(), g, Range{Least: 2, Most: 14}, 1)
	if err != nil {
		t.Fatal(err)
	}
	report := &SearchReport{Numbers: numbers}
	levels := report.Levels()
	if !slices.Contains(levels, 3) || !slices.Contains(levels, 9) {
		t.Errorf("levels %v: want 3 and 9 among them", levels)
	}
	// The clusters of the level that is not chosen are the blocks, or the groups.
	for i, n := range numbers {
		if want := n.Level && i != report.ChosenNumber(); want != (n.Labels != nil) {
			t.Errorf("%d clusters: their nodes are there: %v, want %v", n.Clusters, n.Labels != nil, want)
		}
		if n.Labels != nil && (n.Clusters == 3 || n.Clusters == 9) {
			blocks := make([]int, g.N())
			for i := range blocks {
				blocks[i] = i % n.Clusters
			}
			if ari := metric.ARI(blocks, n.Labels); ari < 0.95 {
				t.Errorf("level of %d: ARI %.2f with the true clusters", n.Clusters, ari)
			}
		}
	}
	least, most := report.LikelyNumbers()
	if chosen := numbers[report.ChosenNumber()].Clusters; chosen < least || chosen > most || chosen != 3 && chosen != 9 {
		t.Errorf("%d clusters, %d to %d for sure", chosen, least, most)
	}
	sum := 0.
	for _, n := range numbers {
		sum += n.Highest
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("one of the numbers is the highest in a share of %v of the resamples", sum)
	}
}

// TestRandomShares: no number of random clusters has a positive share, so that the edges do
// not decide the number; the blocks of the graph have one.
func TestRandomShares(t *testing.T) {
	g, rnd := nested(t), rand.New(rand.NewPCG(1, 2))
	random, blocks := make([][]int, 2), make([][]int, 2)
	for i := range g.N() {
		random[0], random[1] = append(random[0], rnd.IntN(3)), append(random[1], rnd.IntN(9))
		blocks[0], blocks[1] = append(blocks[0], i%3), append(blocks[1], i%9)
	}
	for _, c := range []struct {
		clusterings [][]int
		random      bool
	}{{random, true}, {blocks, false}} {
		numbers := []Number{{Clusters: 3}, {Clusters: 9}}
		measureShares(numbers, g.Adjacency, c.clusterings, rnd)
		best := numbers[(&SearchReport{Numbers: numbers}).ChosenNumber()]
		if random := best.EdgeShare <= 0; random != c.random {
			t.Errorf("shares %.3f and %.3f: random is %t", numbers[0].EdgeShare, numbers[1].EdgeShare, random)
		}
	}
}

// TestCountCommunities: where the features tell nothing about planted blocks, communities of
// the edges decide how many there are, up to their own number; where the features' clusters
// tell as much, or where edges are too few to be held out, these decide.
func TestCountCommunities(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	random := plantedBlocks(t, rnd)
	random.Features = normals(rnd, random.N(), 4, func(i, j int) float64 { return 0 })
	good := *random
	good.Features = normals(rnd, good.N(), 4, func(i, j int) float64 {
		if good.Labels[i] == j {
			return 3
		}
		return 0
	})
	few := *random
	var err error
	if few.Adjacency, err = graph.Adjacency(few.N(), []int32{0, 4, 8, 12, 16}, []int32{4, 8, 12, 16, 20}, nil); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		g           *graph.Graph
		communities bool
		want        int // 0: any
	}{"random features": {random, true, 4}, "good features": {&good, false, 4}, "five edges": {&few, false, 0}} {
		numbers, err := measureNumbers(t.Context(), test.g, Range{Least: 2, Most: 9}, 1)
		if err != nil {
			t.Fatal(err)
		}
		report := &SearchReport{Numbers: numbers}
		if n := numbers[report.ChosenNumber()]; n.Communities != test.communities || test.want > 0 && n.Clusters != test.want {
			t.Errorf("%s: %+v", name, n)
		}
		sum := 0.
		for _, n := range numbers {
			if sum += n.Highest; n.EdgeShare > math.Pow(math.Log(float64(n.Clusters)), 0.2) || n.Modularity > 1 {
				t.Errorf("%s: %+v", name, n)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: one of the numbers is the highest in a share of %v", name, sum)
		}
	}
}

// TestMeasureShares: the resampled tables of all edges, once each, give what the edges tell
// as package metric computes it, and numbers of clusterings that are alike are not sure.
func TestMeasureShares(t *testing.T) {
	g := nested(t)
	clusterings := make([][]int, 3)
	for i := range g.N() {
		clusterings[0] = append(clusterings[0], i%3)
		clusterings[1] = append(clusterings[1], i%9)
		clusterings[2] = append(clusterings[2], min(i%10, 9))
	}
	numbers := []Number{{Clusters: 3}, {Clusters: 9}, {Clusters: 10}}
	measureShares(numbers, g.Adjacency, clusterings, rand.New(rand.NewPCG(1, 0)))
	for at, n := range numbers {
		k := float64(n.Clusters)
		want := (metric.EdgeInformation(g.Adjacency, clusterings[at]) - k*(k-1)/float64(2*g.Edges())) / math.Pow(math.Log(k), 0.85)
		if math.Abs(n.EdgeShare-want) > 1e-12 {
			t.Errorf("%d clusters: share %v, want %v", n.Clusters, n.EdgeShare, want)
		}
	}
	if numbers[2].Highest > 0 || numbers[2].Level {
		t.Errorf("clusters by chance: highest in %v of the resamples, level %v", numbers[2].Highest, numbers[2].Level)
	}
}
