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

// TestWalks compares the steps of walks with the transition probabilities, by a
// χ² test. Counts of steps that follow the weights must look like other
// probabilities than uniform ones.
func TestWalks(t *testing.T) {
	u, v := []int32{0, 0, 0, 1, 2, 3}, []int32{1, 2, 3, 2, 3, 4}
	for name, weights := range map[string][]float32{"binary": nil, "weighted": {1, 2.5, 4, 0.5, 3, 1}} {
		a, err := graph.Adjacency(6, u, v, weights) // node 5 is alone
		testutil.NoError(t, err)
		rnd := rand.New(rand.NewPCG(1, 1))
		counts := make([][]float64, 6)
		for i := range counts {
			counts[i] = make([]float64, 6)
		}
		w := newWalker(a, 9)
		var orders [][]int32
		for range 2000 {
			var order []int32
			for walk := range w.pass(rnd) {
				order = append(order, walk[0])
				if want := map[bool]int{true: 1, false: 9}[walk[0] == 5]; len(walk) != want {
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
		p := func(weight func(i, j int) float64) float64 {
			var observed, expected []float64
			freedom := 0
			for i := range 6 {
				steps, sum := 0.0, 0.0
				for j := range 6 {
					steps += counts[i][j]
					sum += weight(i, j)
				}
				for j := range 6 {
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
		if (uniform < 1e-9) != (weights != nil) {
			t.Errorf("%s: p = %g for uniform steps", name, uniform)
		}
	}
}

// TestWindowPairs: with windows uniform in 1 to 4, two nodes δ steps apart are a
// pair with probability (5−δ)/4, by a χ² test, and others never.
func TestWindowPairs(t *testing.T) {
	walk := make([]int32, 30)
	for k := range walk {
		walk[k] = int32(k)
	}
	const repeats = 3000
	rnd := rand.New(rand.NewPCG(2, 2))
	counts := map[[2]int32]int{}
	for range repeats {
		for center, context := range windowPairs(walk, 4, rnd) {
			counts[[2]int32{center, context}]++
		}
	}
	for delta := int32(-5); delta <= 5; delta++ {
		p := max(0, float64(5-max(delta, -delta))/4)
		if delta == 0 {
			p = 0
		}
		statistic, trials := 0.0, 0
		for i := max(0, -delta); i < min(30, 30-delta); i++ {
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

// twoCommunities is a graph of two groups of 40 nodes, within which pairs are edges
// with probability 0.3, and between which with probability 0.02.
func twoCommunities(t testing.TB) (a *graph.CSR, labels []int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3, 3))
	labels = make([]int, 80)
	var u, v []int32
	for i := range 80 {
		labels[i] = i / 40
		for j := range i {
			if p := map[bool]float64{true: 0.3, false: 0.02}[i/40 == j/40]; rnd.Float64() < p {
				u, v = append(u, int32(i)), append(v, int32(j))
			}
		}
	}
	a = testutil.Value(graph.Adjacency(80, u, v, nil)).OrFatal(t)
	return a, labels
}

// TestDeepWalkFindsCommunities: the clusters of the embedding are the two groups.
func TestDeepWalkFindsCommunities(t *testing.T) {
	a, labels := twoCommunities(t)
	g := &graph.Graph{Name: "communities", Adjacency: a}
	found := testutil.Value(Cluster(t.Context(), asMethod(deepWalk{Dims: 16}), g, Options{Clusters: 2, Seed: 1})).OrFatal(t)
	if ari := metric.ARI(labels, found.Clusters); ari < 0.95 {
		t.Errorf("ARI %.3f, want nearly 1", ari)
	}
}

// TestDeepWalkIsolated: a node without neighbors keeps its initial vector, and no
// other does.
func TestDeepWalkIsolated(t *testing.T) {
	a := testutil.Value(graph.Adjacency(4, []int32{0, 1}, []int32{1, 3}, nil)).OrFatal(t)
	z, _ := embed(t, asMethod(deepWalk{Dims: 8}), &graph.Graph{Name: "path", Adjacency: a}, 7)
	initial := newSkipGram(make([]int, 4), 8, source(7)).vectors
	for i := range 4 {
		same := slices.Equal(z.Data[i*z.Stride:][:8], initial.Data[i*initial.Stride:][:8])
		if same != (i == 2) {
			t.Errorf("node %d has its initial vector: %v", i, same)
		}
	}
}

// countdown is a context that is done when its error was asked for so many times.
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

// TestDeepWalkStopsInAPass: what a pass that was stopped has changed is not kept.
func TestDeepWalkStopsInAPass(t *testing.T) {
	g, m := planted(t, 100), deepWalk{Walks: 3, Length: 10, Dims: 8}
	want, _ := embed(t, asMethod(m), g, 3)
	kept := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	o := Options{Seed: 3, Running: encoder.Running{Checkpoints: kept}}
	for _, after := range []int{350, 450, 550} { // of 300 walks to count and 300 to train
		if _, err := asMethod(m).Fit(&countdown{t.Context(), after}, g, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want that it was stopped", err)
		}
		out := testutil.Value(asMethod(m).Fit(t.Context(), g, o)).OrFatal(t)
		if !slices.Equal(out.Embedding.Data, want.Data) {
			t.Errorf("other bytes after a stop at walk %d", after-300)
		}
	}
}
