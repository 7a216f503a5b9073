package method

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestWalks: in each pass there is one walk from each node, of nine nodes or, from the node without
// neighbors, of one, and the order of the walks differs between passes. A χ² test compares the counts
// of all steps with probabilities in proportion to the weights of the edges, which they follow, and with
// equal ones, which they follow only without weights.
func TestWalks(t *testing.T) {
	const nodes, alone, length, passes = 6, 5, 9, 2000
	u, v := []int32{0, 0, 0, 1, 2, 3}, []int32{1, 2, 3, 2, 3, 4}
	for name, weights := range map[string][]float32{"binary": nil, "weighted": {1, 2.5, 4, 0.5, 3, 1}} {
		a, err := graph.Adjacency(nodes, u, v, weights)
		testutil.NoError(t, err)
		rnd := rand.New(rand.NewPCG(1, 1))
		counts := make([][]float64, nodes) // of steps from node i to node j
		for i := range counts {
			counts[i] = make([]float64, nodes)
		}
		w := newWalker(a, length)
		var orders [][]int32 // of the walks' first nodes, for each pass
		for range passes {
			var order []int32
			for walk := range w.pass(rnd) {
				order = append(order, walk[0])
				want := length
				if walk[0] == alone {
					want = 1
				}
				if len(walk) != want {
					t.Fatalf("%s: walk %v, want %d nodes", name, walk, want)
				}
				for k := 1; k < len(walk); k++ {
					counts[walk[k-1]][walk[k]]++
				}
			}
			orders = append(orders, order)
			if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, []int32{0, 1, 2, 3, 4, 5}) {
				t.Fatalf("%s: walks from %v, want one from each node", name, order)
			}
		}
		if slices.Equal(orders[0], orders[1]) && slices.Equal(orders[1], orders[2]) {
			t.Errorf("%s: the order of the nodes is always %v", name, orders[0])
		}
		// p returns the χ² test's p-value of the counts, if a step from i goes to j in proportion to
		// weight(i, j).
		p := func(weight func(i, j int) float64) float64 {
			var observed, expected []float64
			freedom := 0 // degrees: for each node with neighbors, one less than these
			for i := range nodes {
				steps, sum := 0.0, 0.0
				for j := range nodes {
					steps += counts[i][j]
					sum += weight(i, j)
				}
				for j := range nodes {
					if weight(i, j) > 0 {
						observed, expected = append(observed, counts[i][j]), append(expected, steps*weight(i, j)/sum)
						freedom++
					} else if counts[i][j] > 0 {
						t.Fatalf("%s: a step from %d to %d", name, i, j)
					}
				}
				if sum > 0 {
					freedom--
				}
			}
			return distuv.ChiSquared{K: float64(freedom)}.Survival(stat.ChiSquare(observed, expected))
		}
		if got := p(func(i, j int) float64 { return float64(a.At(i, j)) }); got < 0.001 {
			t.Errorf("%s: steps do not follow the weights: p = %g", name, got)
		}
		uniform := p(func(i, j int) float64 {
			if a.At(i, j) > 0 {
				return 1
			}
			return 0
		})
		looksUniform := uniform >= 1e-9
		if isBinary := weights == nil; looksUniform != isBinary {
			t.Errorf("%s: p = %g for uniform steps", name, uniform)
		}
	}
}

// TestWindowPairs: with windows drawn uniformly from 1 to 4, two nodes δ ≤ 4 steps apart are a pair with
// probability (5−δ)/4, by a χ² test for each δ and direction. A node is no pair with itself or with
// nodes farther away.
func TestWindowPairs(t *testing.T) {
	const length, window = 30, 4
	walk := make([]int32, length) // node k is its position k
	for k := range walk {
		walk[k] = int32(k)
	}
	const repeats = 3000
	rnd := rand.New(rand.NewPCG(2, 2))
	counts := map[[2]int32]int{}
	for range repeats {
		for center, context := range windowPairs(walk, window, rnd) {
			counts[[2]int32{center, context}]++
		}
	}
	for delta := int32(-window - 1); delta <= window+1; delta++ {
		p := max(0, float64(window+1-max(delta, -delta))/window) // the share of windows of |delta| or more
		if delta == 0 {
			p = 0
		}
		statistic, trials := 0.0, 0
		for i := max(0, -delta); i < min(length, length-delta); i++ {
			found := float64(counts[[2]int32{i, i + delta}])
			if p == 0 || p == 1 {
				if found != p*repeats {
					t.Errorf("pair (%d, %d) %v times of %d", i, i+delta, found, repeats)
				}
				continue
			}
			statistic += (found - p*repeats) * (found - p*repeats) / (repeats * p * (1 - p))
			trials++
		}
		if trials > 0 {
			if survival := (distuv.ChiSquared{K: float64(trials)}).Survival(statistic); survival < 0.001 {
				t.Errorf("pairs %d apart: p = %g", delta, survival)
			}
		}
	}
}

// twoCommunities returns a random graph of two groups of 40 nodes, and the group of each node. Two nodes
// of a group have an edge with probability 0.3, and others with probability 0.02.
func twoCommunities(t testing.TB) (a *graph.CSR, labels []int) {
	t.Helper()
	const nodes, group, within, between = 80, 40, 0.3, 0.02
	rnd := rand.New(rand.NewPCG(3, 3))
	labels = make([]int, nodes)
	var u, v []int32
	for i := range nodes {
		labels[i] = i / group
		for j := range i {
			p := between
			if labels[i] == labels[j] {
				p = within
			}
			if rnd.Float64() < p {
				u, v = append(u, int32(i)), append(v, int32(j))
			}
		}
	}
	a = testutil.Value(graph.Adjacency(nodes, u, v, nil)).OrFatal(t)
	return a, labels
}

// TestDeepWalkFindsCommunities: the clusters that Cluster finds in the embedding are the two groups of a
// graph, but for a few nodes.
func TestDeepWalkFindsCommunities(t *testing.T) {
	a, labels := twoCommunities(t)
	g := &graph.Graph{Name: "communities", Adjacency: a}
	found := testutil.Value(Cluster(t.Context(), asMethod(deepWalk{Dims: 16}), g, Options{Clusters: 2, Seed: 1})).OrFatal(t)
	if ari := metric.ARI(labels, found.Clusters); ari < 0.95 {
		t.Errorf("ARI %.3f, want nearly 1", ari)
	}
}

// TestDeepWalkIsolated: node 2 of the path 0–1–3, which has no neighbors, keeps its initial vector, and
// no other node does.
func TestDeepWalkIsolated(t *testing.T) {
	const nodes, isolated, dims, seed = 4, 2, 8, 7
	a := testutil.Value(graph.Adjacency(nodes, []int32{0, 1}, []int32{1, 3}, nil)).OrFatal(t)
	z, _ := embed(t, asMethod(deepWalk{Dims: dims}), &graph.Graph{Name: "path", Adjacency: a}, seed)
	initial := newSkipGram(make([]int, nodes), dims, source(seed)).vectors // whatever the counts
	for i := range nodes {
		same := slices.Equal(z.Data[i*z.Stride:][:dims], initial.Data[i*initial.Stride:][:dims])
		if same != (i == isolated) {
			t.Errorf("node %d has its initial vector: %v", i, same)
		}
	}
}

// countdown is a context that is done after its Err was called left times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestDeepWalkStopsInAPass: a training that is stopped in the middle of a pass, and started again, gives
// the bytes of one that was not stopped. So the checkpoint has nothing of that pass.
func TestDeepWalkStopsInAPass(t *testing.T) {
	const walks = 300 // three from each node: first all to count visits, then all to train
	g, m := planted(t, 100), deepWalk{Walks: 3, Length: 10, Dims: 8}
	want, _ := embed(t, asMethod(m), g, 3)
	kept := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	o := Options{Seed: 3, Running: encoder.Running{Checkpoints: kept}}
	for _, done := range []int{50, 150, 250} { // trained walks, in the middle of the first, second and third pass
		// Fit asks for the context's error once for each walk.
		stopping := &countdown{Context: t.Context(), left: walks + done}
		if _, err := asMethod(m).Fit(stopping, g, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want that it was stopped", err)
		}
		out := testutil.Value(asMethod(m).Fit(t.Context(), g, o)).OrFatal(t)
		if !slices.Equal(out.Embedding.Data, want.Data) {
			t.Errorf("other bytes after a stop at walk %d", done)
		}
	}
}
