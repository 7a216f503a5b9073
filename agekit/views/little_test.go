package views

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
)

// table returns a graph of n nodes without edges. Its features are standardized; before that, the
// function row sets the values of each node i.
func table(n, columns int, row func(values []float64, i int)) *graph.Graph {
	x := linalg.New(n, columns)
	values := make([]float64, columns)
	for i := range n {
		row(values, i)
		for j, v := range values {
			x.Data[i*x.Stride+j] = float32(v)
		}
	}
	x = linalg.Standardize(x, x, 0)
	return &graph.Graph{Adjacency: &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1)}, Features: graph.Features{Dense: &x}}
}

// isLittle returns what [Finder.Little] reports for a view of a graph and its labels, with seed 1.
func isLittle(t *testing.T, g *graph.Graph, s Source, view Name, labels []int) bool {
	t.Helper()
	found, err := NewFinder(g, s, 0, 1).Little(t.Context(), view, labels)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestClouds: eleven tables of one cloud (uniform, correlated or normal numbers) have little, and the
// same tables as three clouds, each moved along a column of its own, do not.
func TestClouds(t *testing.T) {
	for i := range 11 {
		for _, apart := range []float64{0, 6} {
			rnd := rand.New(rand.NewPCG(uint64(i), 77))
			columns := 5
			if i == 0 {
				columns = 2
			}
			g := table(200, columns, func(values []float64, r int) {
				common := rnd.NormFloat64()
				for j := range values {
					switch i % 3 {
					case 0:
						values[j] = rnd.Float64()
					case 1:
						values[j] = 0.3*rnd.NormFloat64() + common
					case 2:
						values[j] = rnd.NormFloat64()
					}
					if r%3 == j {
						values[j] += apart
					}
				}
			})
			if got := isLittle(t, g, Source{}, Features, nil); got != (apart == 0) {
				t.Errorf("table %d, clouds %v apart: little %v", i, apart, got)
			}
		}
	}
}

// TestShapes: a single cloud has little even if its numbers are skewed, have heavy tails, are rounded or
// have only two values.
func TestShapes(t *testing.T) {
	for name, draw := range map[string]func(rnd *rand.Rand, common float64) float64{
		"log-normal":  func(rnd *rand.Rand, common float64) float64 { return math.Exp(rnd.NormFloat64() + common) },
		"exponential": func(rnd *rand.Rand, _ float64) float64 { return rnd.ExpFloat64() },
		"ratios":      func(rnd *rand.Rand, _ float64) float64 { return rnd.NormFloat64() / (0.2 + rnd.Float64()) },
		"rounded":     func(rnd *rand.Rand, common float64) float64 { return math.Round(rnd.NormFloat64() + common) },
		"yes or no":   func(rnd *rand.Rand, _ float64) float64 { return float64(rnd.IntN(3) / 2) },
	} {
		for seed := range uint64(2) {
			rnd := rand.New(rand.NewPCG(seed, 78))
			g := table(300, 6, func(values []float64, _ int) {
				common := rnd.NormFloat64()
				for j := range values {
					values[j] = draw(rnd, common)
				}
			})
			if !isLittle(t, g, Source{}, Features, nil) {
				t.Errorf("%s, seed %d: groups", name, seed)
			}
		}
	}
}

// TestTwoGroups: two groups of normal numbers do not have little, whether their means differ in a single
// column, in one of several or in all.
func TestTwoGroups(t *testing.T) {
	for name, apart := range map[string][]float64{ // the difference of the means in each column
		"one column":      {6},
		"one of five":     {6, 0, 0, 0, 0},
		"all of five":     {2.7, 2.7, 2.7, 2.7, 2.7},
		"two of the same": {5, 5},
	} {
		rnd := rand.New(rand.NewPCG(1, 79))
		g := table(300, len(apart), func(values []float64, i int) {
			for j, a := range apart {
				values[j] = rnd.NormFloat64()
				if i%3 == 0 {
					values[j] += a
				}
			}
		})
		if isLittle(t, g, Source{}, Features, nil) {
			t.Errorf("%s: little", name)
		}
	}
}

// randomBlocks returns a graph of n nodes in k blocks with random edges. The probability of an edge
// between nodes i and j is inside if they are in the same block, and outside otherwise, times
// factor(i)·factor(j).
func randomBlocks(t *testing.T, n, k int, inside, outside float64, factor func(i int) float64) *graph.Graph {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3, 80))
	var u, v []int32
	for i := range n {
		for j := range i {
			p := outside
			if i%k == j%k {
				p = inside
			}
			if rnd.Float64() < p*factor(i)*factor(j) {
				u, v = append(u, int32(i)), append(v, int32(j))
			}
		}
	}
	a, err := graph.Adjacency(n, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &graph.Graph{Adjacency: a}
}

// TestRandomEdges: random edges have little, although their communities have a modularity of about .4,
// and so have those between two kinds of nodes. Edges of three planted blocks do not have little. Hubs,
// nodes of many edges, change neither.
func TestRandomEdges(t *testing.T) {
	same := func(int) float64 { return 1 }
	hubs := func(i int) float64 { return 3 / math.Sqrt(1+float64(i)/10) }
	structural := Source{Structural: true}
	for name, test := range map[string]struct {
		g    *graph.Graph
		want bool
	}{
		"random":          {randomBlocks(t, 300, 1, 0.02, 0, same), true},
		"random, hubs":    {randomBlocks(t, 300, 1, 0.02, 0, hubs), true},
		"random two-mode": {randomBlocks(t, 300, 2, 0, 0.04, same), true},
		"planted":         {randomBlocks(t, 300, 3, 0.05, 0.005, same), false},
		"planted, hubs":   {randomBlocks(t, 300, 3, 0.05, 0.005, hubs), false},
	} {
		if got := isLittle(t, test.g, structural, Edges, nil); got != test.want {
			t.Errorf("%s: little %v", name, got)
		}
	}
}

// TestLittleOfBoth: in Both and AGE there is little only if neither the features nor the edges have
// groups. Edges that were made from the features, and features that were made from the edges, do not
// count. In Unlike there never is little.
func TestLittleOfBoth(t *testing.T) {
	same := func(int) float64 { return 1 }
	random, planted := randomBlocks(t, 300, 1, 0.02, 0, same), randomBlocks(t, 300, 3, 0.05, 0.005, same)
	rnd := rand.New(rand.NewPCG(1, 81))
	cloud := table(300, 4, func(values []float64, _ int) {
		for j := range values {
			values[j] = rnd.NormFloat64()
		}
	}).Features
	groups := table(300, 4, func(values []float64, i int) {
		for j := range values {
			values[j] = rnd.NormFloat64() + 6*float64(i%3)
		}
	}).Features
	for _, test := range []struct {
		edges    *graph.Graph
		features graph.Features
		source   Source
		want     bool
	}{
		{edges: random, features: cloud, want: true},
		{edges: planted, features: cloud, want: false},
		{edges: random, features: groups, want: false},
		{edges: planted, features: cloud, source: Source{Nearest: true}, want: true},
		{edges: random, features: groups, source: Source{Structural: true}, want: true},
	} {
		g := &graph.Graph{Adjacency: test.edges.Adjacency, Features: test.features}
		for _, view := range []Name{Both, AGE} {
			if got := isLittle(t, g, test.source, view, nil); got != test.want {
				t.Errorf("%s, %+v: little %v, want %v", view, test.source, got, test.want)
			}
		}
		if isLittle(t, g, test.source, Unlike, nil) {
			t.Error("unlike edges: little")
		}
	}
}

// randomEnds returns the adjacency matrix of n nodes with about n·degree/2 random edges. If planted is
// true, about three quarters of them are within one of four blocks: node i is in block i mod 4.
func randomEnds(t *testing.T, n, degree int, planted bool) *graph.CSR {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 82))
	var u, v []int32
	for e := range n * degree / 2 {
		i, j := e%n, rnd.IntN(n)
		if planted && rnd.IntN(3) > 0 {
			j += i%4 - j%4
		}
		u, v = append(u, int32(i)), append(v, int32(j))
	}
	a, err := graph.Adjacency(n, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestManyEdges: with more than mostRewired edges, where the modularity of the labels decides, random
// edges have little with the clusters that Edges finds, and planted blocks do not with the blocks as
// labels. The ids of the blocks' nodes are in reverse order, so the finder's order is not the caller's.
func TestManyEdges(t *testing.T) {
	for _, degree := range []int{2, 3, 8} {
		edges := mostRewired + 2000     // a few more, since duplicates count once
		n := edges / degree * 2 / 4 * 4 // a multiple of 4
		f := NewFinder(&graph.Graph{Adjacency: randomEnds(t, n, degree, false)}, Source{Structural: true}, 0, 1)
		labels, err := f.Clusters(t.Context(), Edges, 10)
		if err != nil {
			t.Fatal(err)
		}
		little, err := f.Little(t.Context(), Edges, labels)
		if err != nil || !little || f.g.Edges() <= mostRewired {
			t.Errorf("%d random edges, degree %d: little %v, modularity %.3f, error %v", f.g.Edges(), degree, little, metric.Modularity(f.g.Adjacency, labels), err)
		}
	}
	const n = 16_000
	g := &graph.Graph{Adjacency: randomEnds(t, n, 8, true), NodeNames: make([]string, n)}
	labels := make([]int, n)
	for i := range n {
		g.NodeNames[i], labels[i] = string(rune('a'+n-i)), i%4
	}
	if isLittle(t, g, Source{Structural: true}, Edges, labels) {
		t.Error("planted: little")
	}
}

// TestRewire: rewired edges are others, but each node keeps its degree, edges of two sides still join
// both, and the weights stay. All graphs with the same degrees are equally likely: six nodes with two
// edges each form two triangles in 10 of 70 graphs, by counting.
func TestRewire(t *testing.T) {
	g := randomBlocks(t, 60, 2, 0, 0.2, func(int) float64 { return 1 })
	g.Adjacency.Values = nil
	rewired, err := rewire(g.Adjacency, rand.New(rand.NewPCG(1, 83)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rewired.Indptr, g.Adjacency.Indptr) {
		t.Error("other degrees")
	}
	for i := range rewired.Rows {
		for j := range rewired.Each(i) {
			if i%2 == j%2 {
				t.Fatalf("%d and %d are joined, of one side", i, j)
			}
		}
	}
	if slices.Equal(rewired.Indices, g.Adjacency.Indices) {
		t.Error("the same edges")
	}

	const draws = 4000
	// A hexagon is bipartite, and rewire would keep it so. Two triangles are not.
	triangles, err := graph.Adjacency(6, []int32{0, 1, 2, 3, 4, 5}, []int32{1, 2, 0, 4, 5, 3}, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 84))
	count := 0
	for range draws {
		r, err := rewire(triangles, rnd)
		if err != nil {
			t.Fatal(err)
		}
		sum := float32(0)
		for _, w := range r.Values {
			sum += w
		}
		if sum != 2*(1+2+3+4+5+6) || len(r.Values) != 2*6 { // both ends have each weight
			t.Fatalf("weights %v", r.Values)
		}
		if _, components := r.Components(); components == 2 {
			count++
		}
	}
	if share := float64(count) / draws; math.Abs(share-1./7) > 0.02 {
		t.Errorf("two triangles: %.3f, want %.3f", share, 1./7)
	}
}

// TestCloudDraw: rows that are drawn from a cloud have the same values in each column as the matrix, and
// the same rank correlations of two columns, within .07, as rankCorrelation computes them.
func TestCloudDraw(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 85))
	x := *table(2000, 3, func(values []float64, _ int) {
		common := rnd.NormFloat64()
		values[0], values[1], values[2] = math.Exp(common), 0.5*rnd.NormFloat64()-common, math.Round(rnd.NormFloat64())
	}).Features.Dense
	y := newCloud(x, rnd).draw(rnd)
	for j := range x.Cols {
		before, after := column32(x, j), column32(y, j)
		slices.Sort(before)
		slices.Sort(after)
		if !slices.Equal(before, after) {
			t.Errorf("column %d has other values", j)
		}
		for other := range j {
			want, got := rankCorrelation(x, j, other), rankCorrelation(y, j, other)
			if math.Abs(want-got) > 0.07 {
				t.Errorf("columns %d and %d: rank correlation %.3f, want %.3f", j, other, got, want)
			}
		}
	}
}

// rankCorrelation returns Spearman's rank correlation of the columns j and k. The rank of a value is the
// number of smaller values, and half the number of equal ones.
func rankCorrelation(x blas32.General, j, k int) float64 {
	ranks := func(j int) []float64 {
		values, ranks := column32(x, j), make([]float64, x.Rows)
		for i, v := range values {
			for _, w := range values {
				if w < v {
					ranks[i]++
				} else if w == v {
					ranks[i] += 0.5
				}
			}
		}
		return ranks
	}
	return stat.Correlation(ranks(j), ranks(k), nil)
}

// TestGap: the distance of random points above their lower convex hull is that above the lowest line
// between two of them. The gap of even numbers is 0, and that of two values 1/2, by hand.
func TestGap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 86))
	// above returns the largest distance of a point from the lowest line between a point on its left and
	// one on its right.
	above := func(x, y []float64) (most float64) {
		for i := range x {
			lowest := y[i]
			for a := range i {
				for b := i + 1; b < len(x); b++ {
					lowest = min(lowest, y[a]+(y[b]-y[a])*(x[i]-x[a])/(x[b]-x[a]))
				}
			}
			most = max(most, y[i]-lowest)
		}
		return most
	}
	for range 20 {
		x, y := make([]float64, 41), make([]float64, 41)
		for i := range x {
			x[i], y[i] = rnd.NormFloat64(), rnd.Float64()
		}
		slices.Sort(x)
		if got, want := distanceAboveHull(x, y), above(x, y); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v above the hull, want %v", got, want)
		}
	}
	even := make([]float64, 101)
	for i := range even {
		even[i] = float64(i)
	}
	if got := unimodalGap(even); got > 1e-12 {
		t.Errorf("even numbers: gap %v", got)
	}
	// Half of the numbers at 0 and half at 1: with the mode at 0, the others are as far from it.
	two := append(make([]float64, 500), slices.Repeat([]float64{1}, 500)...)
	if got := unimodalGap(two); math.Abs(got-0.5) > 0.01 {
		t.Errorf("two values: gap %v, want .5", got)
	}
}

// TestSortKey: keys are in the order of their numbers, from −Inf to +Inf, whatever the rows, and for
// equal numbers in the order of the rows.
func TestSortKey(t *testing.T) {
	values := []float32{float32(math.Inf(-1)), -2, -1, -1e-30, 0, 1e-30, 1, 2, float32(math.Inf(1))}
	for i := range values[1:] {
		if sortKey(values[i], 9) >= sortKey(values[i+1], 0) {
			t.Errorf("%v is not before %v", values[i], values[i+1])
		}
	}
	if sortKey(1, 1) >= sortKey(1, 2) {
		t.Error("equal numbers are not in the order of their rows")
	}
}
