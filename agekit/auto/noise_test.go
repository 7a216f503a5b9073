package auto

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// seeds returns a few seeds, or twenty in the long test.
func seeds() uint64 {
	if testutil.IsLong() {
		return 20
	}
	return 2
}

// accuracy returns the ACC of the clusters that Fit finds with the true number of them.
func accuracy(t *testing.T, g *graph.Graph, seed uint64) (acc float64, how string) {
	t.Helper()
	r, err := Fit(t.Context(), g, Options{Clusters: Exactly(g.Classes), Seed: seed, Encoder: encoder.Options{Config: encoder.Config{Dims: 64, Epochs: 100}}})
	if err != nil {
		t.Fatal(err)
	}
	return metric.Accuracy(g.Labels, r.Labels), r.Trials[r.Chosen].Name()
}

// normals returns n rows of normal numbers, around means that depend on the class.
func normals(rnd *rand.Rand, n, columns int, mean func(i, j int) float64) graph.Features {
	x := blas32.General{Rows: n, Cols: columns, Stride: columns, Data: make([]float32, n*columns)}
	for p := range x.Data {
		x.Data[p] = float32(rnd.NormFloat64() + mean(p/columns, p%columns))
	}
	return graph.Features{Dense: &x}
}

// TestNoiseOnKarate: the club's edges decide, whatever one column or ten of random numbers
// say: 31 of 34 nodes or more are in their group for 19 of 20 seeds, and 30 for one.
func TestNoiseOnKarate(t *testing.T) {
	l, err := input.Open(t.Context(), input.Source{Graph: "../../assets/examples/karate.graphml", Label: "club"})
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range []int{1, 10} {
		below := 0
		for seed := range seeds() {
			g := *l.Graph
			g.Features = normals(rand.New(rand.NewPCG(seed, uint64(columns))), g.N(), columns, func(int, int) float64 { return 0 })
			acc, how := accuracy(t, &g, seed)
			if acc < 0.9 {
				below++
			}
			if acc < 0.88 || below > 1 {
				t.Errorf("%d columns of noise, seed %d: ACC %.3f with %s, want .90, or .88 once", columns, seed, acc, how)
			}
		}
	}
}

// plantedBlocks returns a graph of 502 nodes in four blocks, with probabilities .12 and .012
// of an edge. Up to 500 nodes, there would be twice as many folds.
func plantedBlocks(t *testing.T, rnd *rand.Rand) *graph.Graph {
	const n, k = 502, 4
	g := &graph.Graph{Classes: k, Labels: make([]int, n)}
	var u, v []int32
	for i := range n {
		g.Labels[i] = i % k
		for j := range i {
			p := 0.012
			if i%k == j%k {
				p = 0.12
			}
			if rnd.Float64() < p {
				u, v = append(u, int32(i)), append(v, int32(j))
			}
		}
	}
	var err error
	if g.Adjacency, err = graph.Adjacency(n, u, v, nil); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestWeakFeatures: planted blocks with ten numbers whose means are 0 to 2 deviations apart.
func TestWeakFeatures(t *testing.T) {
	all := []float64{0.5}
	if testutil.IsLong() {
		all = []float64{0, 0.25, 0.5, 1, 2}
	}
	for _, apart := range all {
		for seed := range seeds() / 2 {
			rnd := rand.New(rand.NewPCG(seed, 3))
			g := plantedBlocks(t, rnd)
			g.Features = normals(rnd, g.N(), 10, func(i, _ int) float64 { return apart * float64(g.Labels[i]) })
			if acc, how := accuracy(t, g, seed); acc < 0.95 {
				t.Errorf("means %g apart, seed %d: ACC %.3f with %s, want .95", apart, seed, acc, how)
			}
		}
	}
}

// TestRandomCategory: planted blocks with a random category as standardized columns of
// zeros and ones. They follow from each other, but tell nothing about the blocks.
func TestRandomCategory(t *testing.T) {
	all := []int{3}
	if testutil.IsLong() {
		all = []int{2, 3, 4, 5, 8}
	}
	for _, values := range all {
		for seed := range seeds() / 2 {
			rnd := rand.New(rand.NewPCG(seed, uint64(values)))
			g := plantedBlocks(t, rnd)
			x := blas32.General{Rows: g.N(), Cols: values, Stride: values, Data: make([]float32, g.N()*values)}
			for i := range g.N() {
				x.Data[i*values+rnd.IntN(values)] = 1
			}
			standardize(x)
			g.Features = graph.Features{Dense: &x}
			if acc, how := accuracy(t, g, seed); acc < 0.95 {
				t.Errorf("%d values, seed %d: ACC %.3f with %s, want .95", values, seed, acc, how)
			}
		}
	}
}

// standardize gives each column the mean 0 and the deviation 1, if its values differ.
func standardize(x blas32.General) {
	for j := range x.Cols {
		values := column(x, j)
		mean, deviation := stat.PopMeanStdDev(values, nil)
		for i, v := range values {
			x.Data[i*x.Stride+j] = float32((v - mean) / max(deviation, 1e-9))
		}
	}
}

// TestMoreNoise: columns of noise, or random edges, added to a planted graph cost at most
// .03 in the mean, and .05 with any seed.
func TestMoreNoise(t *testing.T) {
	testutil.Long(t)
	losses := map[string][]float64{}
	for seed := range seeds() / 2 {
		g := planted(t, 3, 20+seed)
		before, _ := accuracy(t, g, seed)
		for what, change := range map[string]func(g *graph.Graph, rnd *rand.Rand) error{
			"columns": func(g *graph.Graph, rnd *rand.Rand) error {
				_, f := g.Features.Dims()
				var entries []graph.Entry
				for i := range g.N() {
					g.Features.EachInRow(i, func(j int, v float32) { entries = append(entries, graph.Entry{Row: int32(i), Col: int32(j), Value: v}) })
					for range 3 {
						entries = append(entries, graph.Entry{Row: int32(i), Col: int32(f + rnd.IntN(f)), Value: 1})
					}
				}
				g.Features = graph.Features{Sparse: graph.FromEntries(g.N(), 2*f, entries)}
				return nil
			},
			"edges": func(g *graph.Graph, rnd *rand.Rand) (err error) {
				var u, v []int32
				for i := range g.N() {
					for j := range g.Adjacency.Each(i) {
						u, v = append(u, int32(i)), append(v, int32(j))
					}
				}
				for range g.Edges() / 10 {
					u, v = append(u, int32(rnd.IntN(g.N()))), append(v, int32(rnd.IntN(g.N())))
				}
				g.Adjacency, err = graph.Adjacency(g.N(), u, v, nil)
				return err
			},
		} {
			noisy := *g
			if err := change(&noisy, rand.New(rand.NewPCG(seed, 5))); err != nil {
				t.Fatal(err)
			}
			acc, how := accuracy(t, &noisy, seed)
			losses[what] = append(losses[what], before-acc)
			if acc < before-0.05 {
				t.Errorf("more %s, seed %d: ACC %.3f with %s, %.3f without", what, seed, acc, how, before)
			}
		}
	}
	for what, all := range losses {
		if mean := floats.Sum(all) / float64(len(all)); mean > 0.03 {
			t.Errorf("more %s: they cost %.3f in the mean", what, mean)
		}
	}
}

// cloud returns a table of one cloud of points, or of three, with the edges of the 10 nearest
// neighbors: normal or uniform numbers, or numbers that vary together.
func cloud(t *testing.T, i int, apart float64) *graph.Graph {
	rnd := rand.New(rand.NewPCG(uint64(i), 77))
	n, f := 200, 2+3*min(1, i%11)
	g := &graph.Graph{Labels: make([]int, n)}
	g.Features = normals(rnd, n, f, func(int, int) float64 { return 0 })
	x := *g.Features.Dense
	for r := range n {
		g.Labels[r] = r % 3
		common := rnd.NormFloat64()
		for j := range f {
			v := &x.Data[r*f+j]
			switch i % 3 {
			case 0:
				*v = rnd.Float32()
			case 1:
				*v = float32(0.3*float64(*v) + common)
			}
			if g.Labels[r] == j {
				*v += float32(apart)
			}
		}
	}
	standardizeColumns(x)
	var err error
	if g.Adjacency, err = joinNearest(t.Context(), g.Features, 10); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestClouds: edges that join the nearest neighbors say nothing that the features do not, so
// that clusters of a single cloud tell little; those of three clouds tell more.
func TestClouds(t *testing.T) {
	count := 3
	if testutil.IsLong() {
		count = 11
	}
	for i := range count {
		for _, apart := range []float64{0, 6} {
			g := cloud(t, i, apart)
			if k, err := nearestNeighbors(t.Context(), g); k != 10 || err != nil {
				t.Fatalf("cloud %d: %d nearest neighbors, error %v", i, k, err)
			}
			s := &search{g: inUnits(g), k: 3, r: &Result{}, o: Options{Encoder: encoder.Options{}.WithDefaults()}}
			if err := s.tryUntrained(t.Context()); err != nil {
				t.Fatal(err)
			}
			all, _, _ := s.plan().folds()
			best := highestScore(s.trials, all)
			if little := (&SearchReport{Trials: []Trial{*best}}).WeakEvidence(); little != (apart == 0) {
				t.Errorf("cloud %d, means %v apart: %s tells %.3f", i, apart, best.Name(), best.combined())
			}
		}
	}
	if k, err := nearestNeighbors(t.Context(), plantedBlocks(t, rand.New(rand.NewPCG(1, 1)))); k != 0 || err != nil {
		t.Errorf("planted blocks: %d nearest neighbors, error %v", k, err)
	}
}
