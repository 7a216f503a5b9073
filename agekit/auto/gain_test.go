package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/graph"
)

// TestNumberEvidence compares with the definition: each node's distance from the mean of
// the others in its cluster, and from that of all others.
func TestNumberEvidence(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	const n, f = 40, 3
	x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	clusters := make([]int, n)
	for i := range clusters {
		clusters[i] = []int{7, 2, 2, 5}[i%4]
		for j := range f {
			x.Data[i*f+j] = float32(rnd.NormFloat64() + float64(j*clusters[i])/4)
		}
	}
	clusters[3] = 9 // alone: nothing predicts it but the mean of all
	want := 0.
	for j := range f {
		within, total := 0., 0.
		for i := range n {
			var same, all []float64
			for l := range n {
				if l != i {
					v := float64(x.Data[l*f+j])
					if all = append(all, v); clusters[l] == clusters[i] {
						same = append(same, v)
					}
				}
			}
			v := float64(x.Data[i*f+j])
			d := v - stat.Mean(all, nil)
			total += d * d
			if same != nil {
				d = v - stat.Mean(same, nil)
			} else {
				d *= float64(n-1) / float64(n) // from the mean of all with it
			}
			within += d * d
		}
		want -= float64(n) / 2 * math.Log(within/total)
	}
	features := graph.Features{Dense: &x}
	if got := featureGain(features, newColumnStats(features), clusters, nil, nil); math.Abs(got-want) > 1e-4 {
		t.Errorf("%v, want %v", got, want)
	}
	first := []bool{true, false, false}
	rest := []bool{false, true, true}
	c := newColumnStats(features)
	each := make([]float64, f)
	if got := featureGain(features, c, clusters, first, each) + featureGain(features, c, clusters, rest, each); math.Abs(got-want) > 1e-4 || math.Abs(floats.Sum(each)-want) > 1e-4 {
		t.Errorf("the columns apart tell %v, each %v, together %v", got, each, want)
	}
	if got := featureGain(features, c, clusters, first, nil); math.Abs(got-each[0]) > 1e-9 {
		t.Errorf("the first column tells %v, and %v of all", got, each[0])
	}
}

// TestFewValues: clusters that decide a column of two or three numbers tell its entropy, and
// no more; a column of many numbers has no such limit.
func TestFewValues(t *testing.T) {
	const n, f = 60, 3
	x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	clusters := make([]int, n)
	for i := range clusters {
		clusters[i] = i % 3
		copy(x.Data[i*f:], []float32{[]float32{-1, 2, 2}[i%3], []float32{1, 5, -3}[i%3], float32(9*(i%3)) + 1 + float32(i)/1000})
	}
	features := graph.Features{Dense: &x}
	each := make([]float64, f)
	featureGain(features, newColumnStats(features), clusters, nil, each)
	two := -math.Log(1./3)/3 - 2*math.Log(2./3)/3
	if math.Abs(each[0]-n*two) > 1e-6 || math.Abs(each[1]-n*math.Log(3)) > 1e-6 || each[2] < 2*n*math.Log(3) {
		t.Errorf("columns tell %v: want %v, %v and much more", each, n*two, n*math.Log(3))
	}
}

// TestNoEvidence: clusters by chance tell nothing about features or about edges that were
// held out, and true ones tell the entropy of what they decide.
func TestNoEvidence(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 0))
	const n, k, words = 900, 3, 60
	m := &graph.CSR{Rows: n, Cols: words, Indptr: make([]int, 1, n+1)}
	truth, chance := make([]int, n), make([]int, n)
	var u, v []int32
	var held []edge
	for i := range n {
		truth[i], chance[i] = i%k, rnd.IntN(k)
		for w := range words { // of each class, its own third of the words
			if w%k == i%k && rnd.IntN(2) == 0 {
				m.Indices = append(m.Indices, int32(w))
			}
		}
		m.Indptr = append(m.Indptr, len(m.Indices))
		for range 6 { // with a node of the next class
			j := (k*rnd.IntN(n/k) + truth[i] + 1) % n
			if j == i {
				continue
			}
			if rnd.IntN(5) == 0 {
				held = append(held, edge{i, j, 1})
			} else {
				u, v = append(u, int32(i)), append(v, int32(j))
			}
		}
	}
	a, err := graph.Adjacency(n, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := graph.Features{Sparse: m}
	draws := float64(m.NNZ())
	each := make([]float64, words)
	all := featureGain(x, newColumnStats(x), truth, nil, each)
	for name, test := range map[string]struct{ got, want, tolerance float64 }{
		"words by chance":     {featureGain(x, newColumnStats(x), chance, nil, nil) / draws, 0, 0.001},
		"words":               {all / draws, math.Log(3), 0.02},
		"each word":           {floats.Sum(each), all, 1e-6},
		"edges by chance":     {edgeGain(a, held, chance) / float64(len(held)), 0, 0.005},
		"edges":               {edgeGain(a, held, truth) / float64(len(held)), math.Log(1.5), 0.02}, // one of two other classes
		"independent edges":   {independentEdges(a, truth, rnd), 1, 0.02},
		"independent words":   {independentFeatures(x, newColumnStats(x), truth, rnd), 1, 0.1},
		"no edges":            {edgeGain(a, nil, truth), 0, 0},
		"every word 3 times":  {independentFeatures(repeated(x, 3), newColumnStats(repeated(x, 3)), truth, rnd), 1. / 3, 0.04},
		"every word 10 times": {independentFeatures(repeated(x, 10), newColumnStats(repeated(x, 10)), truth, rnd), 0.1, 0.02},
	} {
		if math.Abs(test.got-test.want) > test.tolerance {
			t.Errorf("%s: %v, want %v", name, test.got, test.want)
		}
	}
}

// repeated returns x with each column several times.
func repeated(x graph.Features, times int) graph.Features {
	n, f := x.Dims()
	var entries []graph.Entry
	for i := range n {
		x.EachInRow(i, func(j int, v float32) {
			for r := range times {
				entries = append(entries, graph.Entry{Row: int32(i), Col: int32(r*f + j), Value: v})
			}
		})
	}
	return graph.Features{Sparse: graph.FromEntries(n, times*f, entries)}
}

// TestIndependentEdges: in cliques, edges follow from each other, and clusters of several
// cliques show it. Of 32 random vectors for few nodes and of 2 for many, the error of the
// trace falls with the root of their number times the nodes.
func TestIndependentEdges(t *testing.T) {
	for _, test := range []struct {
		cliques, probes int
		tolerance       float64
	}{{40, mostProbes, 0.15}, {140_000, leastProbes, 0.01}} {
		const size = 6
		nodes := test.cliques * size
		if got := probesFor(nodes); got != test.probes {
			t.Errorf("%d nodes: %d random vectors, want %d", nodes, got, test.probes)
		}
		var u, v []int32
		clusters := make([]int, nodes)
		for c := range test.cliques {
			for i := range size {
				clusters[c*size+i] = c % 4
				for j := range i {
					u, v = append(u, int32(c*size+i)), append(v, int32(c*size+j))
				}
			}
		}
		a, err := graph.Adjacency(nodes, u, v, nil)
		if err != nil {
			t.Fatal(err)
		}
		// N has the eigenvalues 1 and −1/5 in each clique, and its walks there and back are
		// 1/5 for each node.
		n, d := float64(nodes), float64(size-1)
		fourth := float64(test.cliques) * (1 + d/math.Pow(d, 4))
		back := n * (2/(d*d) - 1/(d*d*d))
		want := 1 / (1 + (fourth-back-4)/(n/(d*d)))
		for seed := range uint64(4) {
			if got := independentEdges(a, clusters, rand.New(rand.NewPCG(seed, 0))); math.Abs(got/want-1) > test.tolerance {
				t.Errorf("%d nodes, seed %d: %v, want %v", nodes, seed, got, want)
			}
		}
	}
}

// TestUnstable: clusters that tell 30 nats about 800 nodes score higher than others that
// tell nothing, however stable these are.
func TestUnstable(t *testing.T) {
	const n = 800
	rnd := rand.New(rand.NewPCG(1, 0))
	same := make([]int, n)
	telling, stable := &Trial{}, &Trial{}
	for range parts {
		other := make([]int, n)
		for i := range n {
			other[i], same[i] = rnd.IntN(4), i%4
		}
		telling.foldScores = append(telling.foldScores, foldScore{clusters: other, features: 30. / n})
		stable.foldScores = append(stable.foldScores, foldScore{clusters: same, features: -0.001})
	}
	if best := highestScore([]*Trial{telling, stable}, parts); best != telling || stable.Stability != 1 || telling.Stability > 0.1 {
		t.Errorf("scores %v of clusters that tell something, with stability %v, and %v of others, with %v", telling.Score, telling.Stability, stable.Score, stable.Stability)
	}
}

// TestEffectiveEdges: edges of equal weight count in full; of weights 1 and 3, each of half of
// the edges, (1 + 3)²/(2·(1 + 9)) of them do.
func TestEffectiveEdges(t *testing.T) {
	u, v := []int32{0, 1, 2, 3}, []int32{1, 2, 3, 4}
	for _, test := range []struct {
		weights []float32
		want    float64
	}{{nil, 1}, {[]float32{2, 2, 2, 2}, 1}, {[]float32{1, 3, 3, 1}, 0.8}} {
		a, err := graph.Adjacency(5, u, v, test.weights)
		if err != nil {
			t.Fatal(err)
		}
		if got := effectiveEdges(a); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("weights %v: %v of the edges count, want %v", test.weights, got, test.want)
		}
	}
}
