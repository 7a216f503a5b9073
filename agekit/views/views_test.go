package views

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// graphOf returns a graph with the given rows of dense features and the edges u[e]–v[e].
func graphOf(t *testing.T, features [][]float32, u, v []int32) *graph.Graph {
	t.Helper()
	x := linalg.New(len(features), len(features[0]))
	for i, row := range features {
		copy(x.Data[i*x.Stride:], row)
	}
	return &graph.Graph{Adjacency: testutil.Value(graph.Adjacency(len(features), u, v, nil)).OrFatal(t), Features: graph.Features{Dense: &x}}
}

// words returns a planted graph of four classes with 120 words as features. topic is the share of a
// node's words that are drawn from the words of its class.
func words(t *testing.T, nodes int, topic float64) *graph.Graph {
	t.Helper()
	return testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: nodes, Classes: 4, MeanDegree: 8, Features: 120, Words: 10, Topic: topic, Seed: 3})).OrFatal(t)
}

// TestDefault: each kind of graph has the documented default view; Check refuses the views that a graph
// does not have; and a name is parsed whatever its case, but not an unknown one.
func TestDefault(t *testing.T) {
	few := graphOf(t, [][]float32{{1}, {2}, {3}}, []int32{0}, []int32{1})
	bare := graphOf(t, [][]float32{{1}, {2}, {3}}, nil, nil)
	many := words(t, 40, 0.5)
	kinds := &graph.Kinds{Of: []int8{0, 1, graph.NoKind}}
	for name, test := range map[string]struct {
		g    *graph.Graph
		s    Source
		want Name
	}{
		"edges of their own":                {g: few, want: Edges},
		"nearest neighbors":                 {g: few, s: Source{Nearest: true}, want: Features},
		"no edges":                          {g: bare, want: Features},
		"many columns":                      {g: many, want: AGE},
		"features made from the edges":      {g: many, s: Source{Structural: true}, want: Edges},
		"nearest neighbors by many columns": {g: many, s: Source{Nearest: true}, want: Features},
		"two kinds":                         {g: few, s: Source{Kinds: kinds}, want: Edges},
	} {
		if got := Default(test.g, test.s); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	testutil.Fails(t, Check(bare, Source{}, Edges), "view is edges: the graph has no edges: want features")
	testutil.Fails(t, Check(few, Source{Structural: true}, Features), "view is features: the graph has no features of its own: want edges")
	testutil.NoError(t, Check(few, Source{}, AGE))
	var n Name
	testutil.Fails(t, n.UnmarshalText([]byte("color")), "color: want features, edges, both, unlike or age")
	if err := n.UnmarshalText([]byte("AGE")); err != nil || n != AGE {
		t.Errorf("AGE is %s, %v", n, err)
	}
}

// TestRange: "auto", a number and a range are parsed, and the last two are written as they were read.
// Other texts are errors.
func TestRange(t *testing.T) {
	for text, want := range map[string]Range{"auto": Any(), "7": Exactly(7), "4..20": {Least: 4, Most: 20}} {
		var r Range
		if err := r.UnmarshalText([]byte(text)); err != nil || r != want {
			t.Errorf("%s: %v, %v", text, r, err)
		}
		if text != "auto" && r.String() != text {
			t.Errorf("%s is written %s", text, r)
		}
	}
	for _, text := range []string{"", "1", "9..3", "x", "2..", "1..4"} {
		testutil.Fails(t, new(Range).UnmarshalText([]byte(text)), "want a number, 2 or more")
	}
}

// TestViewsOfPlanted: the views Edges and Both find planted classes that Features alone does not. Each
// view has as many clusters as are asked for, numbered from the first node's. Resamples of the edges
// find nearly the same clusters, and AGE has no stability.
func TestViewsOfPlanted(t *testing.T) {
	const weakTopic = 0.3 // too few words of the class to tell it
	g := words(t, 600, weakTopic)
	f := NewFinder(g, Source{}, 0, 1)
	names := testutil.Value(f.Names(t.Context())).OrFatal(t)
	if !slices.Equal(names, []Name{Features, Edges, Both}) {
		t.Errorf("views %s", names)
	}
	accuracy := map[Name]float64{}
	for _, name := range names {
		labels := testutil.Value(f.Clusters(t.Context(), name, 4)).OrFatal(t)
		if labels[0] != 0 || slices.Max(labels) != 3 {
			t.Errorf("%s: clusters %v", name, labels[:10])
		}
		accuracy[name] = metric.Accuracy(g.Labels, labels)
		stability := testutil.Value(f.Stability(t.Context(), name, labels, 4)).OrFatal(t)
		if name == Edges && *stability < 0.8 {
			t.Errorf("%s: stability %.3f", name, *stability)
		}
	}
	if accuracy[Edges] < 0.95 || accuracy[Both] < 0.95 || accuracy[Features] > 0.8 {
		t.Errorf("accuracies %v", accuracy)
	}
	if s, err := f.Stability(t.Context(), AGE, g.Labels, 4); s != nil || err != nil {
		t.Errorf("a training has a stability: %v, %v", s, err)
	}
}

// TestOrder: if the nodes of a graph are shuffled, Features, Edges and Both find the same clusters, and
// the useful number of clusters is the same.
func TestOrder(t *testing.T) {
	g := words(t, 300, 0.4)
	order := rand.New(rand.NewPCG(5, 0)).Perm(g.N())
	shuffled := g.Subgraph(order)
	finder, shuffledFinder := NewFinder(g, Source{}, 0, 1), NewFinder(shuffled, Source{}, 0, 1)
	for _, name := range []Name{Features, Edges, Both} {
		clusters := testutil.Value(finder.Clusters(t.Context(), name, 5)).OrFatal(t)
		got := testutil.Value(shuffledFinder.Clusters(t.Context(), name, 5)).OrFatal(t)
		var want []int
		for _, i := range order {
			want = append(want, clusters[i])
		}
		if ari := metric.ARI(want, got); ari != 1 {
			t.Errorf("%s: ARI %v with the nodes in another order", name, ari)
		}
	}
	want := testutil.Value(finder.Number(t.Context(), Any())).OrFatal(t)
	got := testutil.Value(shuffledFinder.Number(t.Context(), Any())).OrFatal(t)
	if *got != *want {
		t.Errorf("numbers %+v, %+v", want, got)
	}
}

// cliques returns the ends of the edges u[e]–v[e] of cliques of the given sizes, each joined to the next
// by one edge, and the number of each node's clique.
func cliques(sizes ...int) (u, v []int32, labels []int) {
	start := 0
	for c, size := range sizes {
		for i := range size {
			labels = append(labels, c)
			for j := range i {
				u, v = append(u, int32(start+i)), append(v, int32(start+j))
			}
		}
		if c > 0 {
			u, v = append(u, int32(start)), append(v, int32(start-1))
		}
		start += size
	}
	return u, v, labels
}

// TestEdges: the clusters of the edges are three large cliques; a crumb of two nodes joins the clique to
// which it is tied, and nodes without edges are one more cluster. The useful number is that of the
// cliques, if the range allows it.
func TestEdges(t *testing.T) {
	u, v, labels := cliques(20, 20, 20, 2)
	features := make([][]float32, 65) // three nodes have no edges
	for i := range features {
		features[i] = []float32{float32(i)}
	}
	f := NewFinder(graphOf(t, features, u, v), Source{}, 0, 1)
	got := testutil.Value(f.Clusters(t.Context(), Edges, 3)).OrFatal(t)
	labels[60], labels[61] = 2, 2 // the two nodes are tied to the third clique
	want := append(slices.Clone(labels), 3, 3, 3)
	if !slices.Equal(got, want) {
		t.Errorf("clusters %v, want %v", got, want)
	}
	n := testutil.Value(f.Number(t.Context(), Any())).OrFatal(t)
	if *n != (Number{Useful: 3, Coarser: 2, Finer: 6, From: "edges"}) {
		t.Errorf("number %+v", n)
	}
	if levels := n.Levels(); !slices.Equal(levels, []int{3, 2, 6}) {
		t.Errorf("levels %v, want the useful number, the coarser and the finer one", levels)
	}
	if n := testutil.Value(f.Number(t.Context(), Range{Least: 4, Most: 9})).OrFatal(t); n.Useful != 4 {
		t.Errorf("of 4 to 9, %d is the useful number, want 4, the nearest to 3", n.Useful)
	}
	testutil.Value(f.Number(t.Context(), Range{Least: 40, Most: 50})).Fails(t, "clusters is 40..50: want at most 32, half the number of nodes")
}

// TestJoinCrumbs: in 20 random graphs, a crumb of two nodes joins the community with which the
// modularity, computed by package metric, is the largest of all.
func TestJoinCrumbs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 0))
	for range 20 {
		const n, k = 40, 5
		const crumb = k - 1
		communities := make([]int, n) // four of about ten nodes, and the crumb
		for i := range communities {
			communities[i] = i * (k - 1) / n
		}
		communities[0], communities[n-1] = crumb, crumb
		const randomEdges = 3 * n
		u, v := make([]int32, randomEdges), make([]int32, randomEdges)
		for e := range u {
			u[e], v[e] = int32(rnd.IntN(n)), int32(rnd.IntN(n))
		}
		for i := range int32(n) { // a ring, so that all nodes have edges
			u, v = append(u, i), append(v, (i+1)%n)
		}
		a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
		best := math.Inf(-1)
		for c := range k - 1 {
			joined := slices.Clone(communities)
			joined[0], joined[n-1] = c, c
			best = max(best, metric.Modularity(a, joined))
		}
		got := joinCrumbs(a, communities, nil, k-1)
		if q := metric.Modularity(a, got); math.Abs(q-best) > 1e-12 || slices.Max(got) != k-2 {
			t.Errorf("modularity %v, want %v", q, best)
		}
	}
}

// TestNumberOfTable: of six well separated clouds on a circle, without edges, the useful number is six,
// by the nearest neighbors.
func TestNumberOfTable(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 0))
	var features [][]float32
	for i := range 240 {
		angle := 2 * math.Pi * float64(i%6) / 6
		features = append(features, []float32{float32(10*math.Cos(angle) + rnd.NormFloat64()), float32(10*math.Sin(angle) + rnd.NormFloat64())})
	}
	f := NewFinder(graphOf(t, features, nil, nil), Source{}, 0, 1)
	if n := testutil.Value(f.Number(t.Context(), Any())).OrFatal(t); n.Useful != 6 || n.From != "nearest neighbors" {
		t.Errorf("six clouds: %+v", n)
	}
}

// TestUnlike: a graph whose edges join three classes, and few nodes within a class, has the view Unlike,
// which finds the classes. A graph of cliques does not have the view.
func TestUnlike(t *testing.T) {
	const n = 120
	rnd := rand.New(rand.NewPCG(4, 0))
	var u, v []int32
	features := make([][]float32, n)
	for i := range features {
		features[i] = []float32{rnd.Float32()}
		for range 6 { // edges to the two other classes, and rarely within the class
			j := rnd.IntN(n)
			for j%3 == i%3 && rnd.Float64() < 0.97 {
				j = rnd.IntN(n)
			}
			u, v = append(u, int32(i)), append(v, int32(j))
		}
	}
	f := NewFinder(graphOf(t, features, u, v), Source{}, 0, 1)
	names := testutil.Value(f.Names(t.Context())).OrFatal(t)
	if !slices.Contains(names, Unlike) {
		t.Errorf("views %s", names)
	}
	labels := testutil.Value(f.Clusters(t.Context(), Unlike, 3)).OrFatal(t)
	classes := make([]int, n)
	for i := range classes {
		classes[i] = i % 3
	}
	if acc := metric.Accuracy(classes, labels); acc < 0.95 {
		t.Errorf("ACC %.3f", acc)
	}
	u, v, _ = cliques(40, 40, 40)
	if names := testutil.Value(NewFinder(graphOf(t, features, u, v), Source{}, 0, 1).Names(t.Context())).OrFatal(t); slices.Contains(names, Unlike) {
		t.Errorf("cliques have the views %s", names)
	}
}

// TestReach: the reach is what follows by hand from the cosines. On a ring whose features turn by the
// same angle from node to node, it is the ratio of two cosines; it is +Inf if neighbors are opposite,
// and 0 in separate pairs, where no nodes are at distance two. The cosines of centered rows, sparse or
// dense, are those of rows from which the mean is subtracted directly.
func TestReach(t *testing.T) {
	// ring returns a finder for a ring of n nodes whose features turn by an angle from node to node.
	ring := func(turn float64, n int) *Finder {
		var features [][]float32
		u, v := make([]int32, n), make([]int32, n)
		for i := range n {
			angle := turn * float64(i)
			features = append(features, []float32{float32(math.Cos(angle)), float32(math.Sin(angle))})
			u[i], v[i] = int32(i), int32((i+1)%n)
		}
		return NewFinder(graphOf(t, features, u, v), Source{}, 2, 1)
	}
	const n = 48
	step := 2 * math.Pi / n
	// The mean of the features is 0, so the cosine of neighbors is cos(turn), and that of nodes at
	// distance two cos(2·turn).
	for _, steps := range []float64{1, 3, 5} {
		turn := steps * step
		if got, want := ring(turn, n).Reach(), math.Cos(2*turn)/math.Cos(turn); math.Abs(got-want) > 1e-5 {
			t.Errorf("turns of %v: %v, want %v", turn, got, want)
		}
	}
	if got := ring(math.Pi, n).Reach(); !math.IsInf(got, 1) {
		t.Errorf("opposite neighbors: %v", got)
	}
	pair := NewFinder(graphOf(t, [][]float32{{1, 0}, {1, 0.1}, {0, 1}, {0.1, 1}}, []int32{0, 2}, []int32{1, 3}), Source{}, 2, 1)
	if got := pair.Reach(); got != 0 {
		t.Errorf("pairs: %v", got)
	}
	g := words(t, 50, 0.5)
	dense := g.Features.ToDense()
	ofSparse, ofDense := newCenteredRows(g.Features), newCenteredRows(graph.Features{Dense: &dense})
	mean := make([]float64, dense.Cols)
	for i := range dense.Rows {
		for j := range mean {
			mean[j] += float64(dense.Data[i*dense.Stride+j]) / float64(dense.Rows)
		}
	}
	direct := func(i, j int) float64 {
		var dot, a, b float64
		for k, m := range mean {
			p, q := float64(dense.Data[i*dense.Stride+k])-m, float64(dense.Data[j*dense.Stride+k])-m
			dot, a, b = dot+p*q, a+p*p, b+q*q
		}
		return dot / math.Sqrt(a*b)
	}
	for i := range 20 {
		j := i + 20 // another node
		want := direct(i, j)
		if got := ofSparse.cosine(i, j); math.Abs(got-want) > 1e-9 {
			t.Errorf("sparse rows %d and %d: cosine %v, want %v", i, j, got, want)
		}
		if got := ofDense.cosine(i, j); math.Abs(got-want) > 1e-9 {
			t.Errorf("dense rows %d and %d: cosine %v, want %v", i, j, got, want)
		}
	}
}

// TestTrainingLayers: a training has four layers if features follow planted classes or were made from
// the edges, other than four if the edges are rewired at random, and none without edges.
func TestTrainingLayers(t *testing.T) {
	layers := func(g *graph.Graph) int {
		return testutil.Value(NewFinder(g, Source{}, 0, 1).TrainingLayers(t.Context())).OrFatal(t)
	}
	g := words(t, 400, 0.5)
	if got := layers(g); got != Layers {
		t.Errorf("planted classes: %d", got)
	}
	random := *g
	random.Adjacency = testutil.Value(rewire(g.Adjacency, rand.New(rand.NewPCG(1, 0)))).OrFatal(t)
	if got := layers(&random); got == Layers {
		t.Errorf("rewired edges: %d", got)
	}
	unit := make([][]float32, g.N()) // each node has a feature of its own
	for i := range unit {
		unit[i] = make([]float32, g.N())
		unit[i][i] = 1
	}
	distinct := graphOf(t, unit, nil, nil)
	distinct.Adjacency = g.Adjacency
	if got := testutil.Value(NewFinder(distinct, Source{Structural: true}, 0, 1).TrainingLayers(t.Context())).OrFatal(t); got != Layers {
		t.Errorf("features made from the edges: %d", got)
	}
	bare := *g
	bare.Adjacency = testutil.Value(graph.Adjacency(g.N(), nil, nil, nil)).OrFatal(t)
	if got := layers(&bare); got != 0 {
		t.Errorf("no edges: %d", got)
	}
}

// TestMadeFromFeatures: edges to each node's five nearest, found by sorting all distances, are taken
// for edges that were made from the features. If nearly a third of them are random, they are not.
func TestMadeFromFeatures(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 0))
	const n, k = 150, 5
	features := make([][]float32, n)
	for i := range features {
		features[i] = []float32{float32(rnd.NormFloat64()), float32(rnd.NormFloat64()), float32(rnd.NormFloat64())}
	}
	var u, v []int32
	for i := range n {
		others := make([]int, n)
		for j := range others {
			others[j] = j
		}
		distance := func(j int) (d float64) {
			for c, x := range features[i] {
				d += float64((x - features[j][c]) * (x - features[j][c]))
			}
			return d
		}
		slices.SortFunc(others, func(a, b int) int {
			return int(math.Copysign(1, distance(a)-distance(b)))
		})
		for _, j := range others[1 : k+1] { // the first is the node itself
			u, v = append(u, int32(i)), append(v, int32(j))
		}
	}
	g := graphOf(t, features, u, v)
	if made := testutil.Value(MadeFromFeatures(t.Context(), g)).OrFatal(t); !made {
		t.Error("nearest neighbors are not seen")
	}
	const randomShare = 0.3
	for e := range v {
		if rnd.Float64() < randomShare {
			v[e] = int32(rnd.IntN(n))
		}
	}
	if made := testutil.Value(MadeFromFeatures(t.Context(), graphOf(t, features, u, v))).OrFatal(t); made {
		t.Error("edges of which a third are random are taken for nearest neighbors")
	}
}

// TestSettings: by the documented rules, a graph of up to 5,000 nodes gets several trainings on all
// pairs, and a larger one a single training on sampled pairs. The layers and clusters are those that
// are asked for, the epochs 100 to 320 by default, and fewer if they are asked for. The thresholds fall
// or grow in the right order, and at most half of the clusters' pairs are positive.
func TestSettings(t *testing.T) {
	const layers = 4
	for _, n := range []int{20, 300, 5000, 5001, 30_000, 1_000_000} { // nodes
		for _, k := range []int{2, 8, 40} { // clusters
			s := Settings(encoder.Options{}.WithDefaults(), n, k, layers)
			isLarge := n > 5000
			if (s.Members == 1) != isLarge {
				t.Errorf("%d nodes: %d trainings", n, s.Members)
			}
			if (s.Ranking == pairs.Sampled) != isLarge {
				t.Errorf("%d nodes: ranking %s", n, s.Ranking)
			}
			if s.Layers != layers || s.Clusters != k {
				t.Errorf("%d layers and %d clusters, want %d and %d", s.Layers, s.Clusters, layers, k)
			}
			if s.Epochs < 100 || s.Epochs > TrainingEpochs {
				t.Errorf("%d nodes: %d epochs, want 100 to %d", n, s.Epochs, TrainingEpochs)
			}
			p := s.Thresholds
			if p.PosEnd > p.PosStart || p.NegStart > p.NegEnd || p.PosStart > p.NegStart {
				t.Errorf("%d nodes, %d clusters: thresholds in the wrong order: %+v", n, k, p)
			}
			if p.PosStart > 0.5/float64(k) {
				t.Errorf("%d nodes, %d clusters: a share of %v is positive, more than half of 1/%d", n, k, p.PosStart, k)
			}
		}
	}
	asked := encoder.Options{Config: encoder.Config{Epochs: 7, Ranking: pairs.Sampled}}
	if s := Settings(asked, 300, 3, layers); s.Epochs != 7 || s.Ranking != pairs.Sampled {
		t.Errorf("%d epochs, ranking %s: want those that were asked for", s.Epochs, s.Ranking)
	}
}

// TestStandardize: the first column, which is scaled already, stays. The others get mean 0 and variance
// 1, or 0 if all values are equal, by hand.
func TestStandardize(t *testing.T) {
	x := blas32.General{Rows: 4, Cols: 3, Stride: 3, Data: []float32{
		1, 10, 5,
		2, 20, 5,
		3, 30, 5,
		4, 40, 5,
	}}
	const scaled = 1 // column
	y := linalg.Standardize(x, x, scaled)
	unit := float32(1 / math.Sqrt(1.25)) // the second column, in tens, has mean 2.5 and variance 1.25
	want := [][]float32{{1, -1.5 * unit, 0}, {2, -0.5 * unit, 0}, {3, 0.5 * unit, 0}, {4, 1.5 * unit, 0}}
	for i, row := range want {
		for j, v := range row {
			if got := y.Data[i*y.Stride+j]; math.Abs(float64(got-v)) > 1e-6 {
				t.Errorf("row %d, column %d: %v, want %v", i, j, got, v)
			}
		}
	}
}

// TestRestarts: KMeans divides a small matrix into the clusters that package cluster finds with its
// default number of runs and the same random numbers.
func TestRestarts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 0))
	x := linalg.New(300, 4)
	for i := range x.Rows {
		for j := range x.Cols {
			x.Data[i*x.Stride+j] = rnd.Float32()
		}
	}
	got := testutil.Value(KMeans(t.Context(), x, 5, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	want := testutil.Value(cluster.KMeans(t.Context(), x, 5, cluster.KMeansOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	if !slices.Equal(got, want.Labels) {
		t.Error("other clusters")
	}
}
