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

// graphOf returns a graph with dense features and edges u–v.
func graphOf(t *testing.T, features [][]float32, u, v []int32) *graph.Graph {
	t.Helper()
	x := linalg.New(len(features), len(features[0]))
	for i, row := range features {
		copy(x.Data[i*x.Stride:], row)
	}
	return &graph.Graph{Adjacency: testutil.Value(graph.Adjacency(len(features), u, v, nil)).OrFatal(t), Features: graph.Features{Dense: &x}}
}

// words returns a planted graph of four classes with words as features.
func words(t *testing.T, nodes int, topic float64) *graph.Graph {
	t.Helper()
	return testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: nodes, Classes: 4, MeanDegree: 8, Features: 120, Words: 10, Topic: topic, Seed: 3})).OrFatal(t)
}

// TestDefault: the default view of each kind of graph, and the views that it does not have.
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
		"edges of their own": {few, Source{}, Edges}, "nearest neighbors": {few, Source{Nearest: true}, Features}, "no edges": {bare, Source{}, Features},
		"many columns": {many, Source{}, AGE}, "features made from the edges": {many, Source{Structural: true}, Edges},
		"nearest neighbors by many columns": {many, Source{Nearest: true}, Features}, "two kinds": {few, Source{Kinds: kinds}, Edges},
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

// TestRange: what a range is written as, and what is none.
func TestRange(t *testing.T) {
	for text, want := range map[string]Range{"auto": Any(), "7": Exactly(7), "4..20": {4, 20}} {
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

// TestViewsOfPlanted: edges and both find planted classes that the features alone do not, each view
// has as many clusters as are asked for, and a resample of a clear view finds the same.
func TestViewsOfPlanted(t *testing.T) {
	g := words(t, 600, 0.3)
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

// TestOrder: the order of the nodes does not matter in any view, nor for the number of clusters.
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

// cliques returns the ends of the edges of cliques of some sizes, each joined to the next by one edge.
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

// TestEdges: cliques are the clusters, a crumb joins the one it is tied to, and nodes without edges are a
// cluster of their own.
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
	if *n != (Number{Useful: 3, Coarser: 2, Finer: 6, From: "edges"}) || !slices.Equal(n.Levels(), []int{3, 2, 6}) {
		t.Errorf("number %+v", n)
	}
	if n := testutil.Value(f.Number(t.Context(), Range{4, 9})).OrFatal(t); n.Useful != 4 {
		t.Errorf("of 4 to 9, %d", n.Useful)
	}
	testutil.Value(f.Number(t.Context(), Range{40, 50})).Fails(t, "clusters is 40..50: want at most 32, half the number of nodes")
}

// TestJoinCrumbs: a crumb of two nodes goes where it costs the least modularity, as trying all
// communities shows, in 20 random graphs.
func TestJoinCrumbs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 0))
	for range 20 {
		const n, k = 40, 5
		communities := make([]int, n)
		for i := range communities {
			communities[i] = i * (k - 1) / n
		}
		communities[0], communities[n-1] = k-1, k-1 // of two nodes
		u, v := make([]int32, 120), make([]int32, 120)
		for e := range u {
			u[e], v[e] = int32(rnd.IntN(n)), int32(rnd.IntN(n))
		}
		for i := range int32(n) { // all have edges
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

// TestNumberOfTable: the number of well separated clouds, by the nearest neighbors.
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

// TestUnlike: edges between three classes, and few inside, are those of unlike nodes; in cliques they are
// not.
func TestUnlike(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 0))
	var u, v []int32
	features := make([][]float32, 120)
	for i := range features {
		features[i] = []float32{rnd.Float32()}
		for range 6 { // to the two other classes, and rarely to the own
			j := rnd.IntN(120)
			for j%3 == i%3 && rnd.Float64() < 0.97 {
				j = rnd.IntN(120)
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
	classes := make([]int, 120)
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

// TestReach compares with cosines by hand: on a ring whose features turn slowly, all near nodes are alike; where they change
// from node to node and back, only those at distance two are; and in separate pairs, no node has another
// at distance two.
func TestReach(t *testing.T) {
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
	// The mean is 0, so the cosine of neighbors is cos(step), and of the second ones cos(2·step).
	for _, k := range []float64{1, 3, 5} {
		if got, want := ring(k*step, n).Reach(), math.Cos(2*k*step)/math.Cos(k*step); math.Abs(got-want) > 1e-5 {
			t.Errorf("turns of %v: %v, want %v", k*step, got, want)
		}
	}
	if got := ring(math.Pi, n).Reach(); !math.IsInf(got, 1) {
		t.Errorf("opposite neighbors: %v", got)
	}
	pair := NewFinder(graphOf(t, [][]float32{{1, 0}, {1, 0.1}, {0, 1}, {0.1, 1}}, []int32{0, 2}, []int32{1, 3}), Source{}, 2, 1)
	if got := pair.Reach(); got != 0 {
		t.Errorf("pairs: %v", got)
	}
	// Sparse rows have the cosines of the same dense ones.
	g := words(t, 50, 0.5)
	dense := g.Features.ToDense()
	x, y := newCenteredRows(g.Features), newCenteredRows(graph.Features{Dense: &dense})
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
		if want := direct(i, i+20); math.Abs(x.cosine(i, i+20)-want) > 1e-9 || math.Abs(y.cosine(i, i+20)-want) > 1e-9 {
			t.Errorf("cosines %v and %v, want %v", x.cosine(i, i+20), y.cosine(i, i+20), want)
		}
	}
}

// TestTrainingLayers: no layers where neighbors are unlike, one where the edges have no clear
// communities, and four where features follow clear ones.
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

// TestMadeFromFeatures: the edges to the nearest nodes are seen, and others are not.
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
		for _, j := range others[1 : k+1] {
			u, v = append(u, int32(i)), append(v, int32(j))
		}
	}
	g := graphOf(t, features, u, v)
	if made := testutil.Value(MadeFromFeatures(t.Context(), g)).OrFatal(t); !made {
		t.Error("nearest neighbors are not seen")
	}
	for e := range v {
		if rnd.Float64() < 0.3 {
			v[e] = int32(rnd.IntN(n))
		}
	}
	if made := testutil.Value(MadeFromFeatures(t.Context(), graphOf(t, features, u, v))).OrFatal(t); made {
		t.Error("edges of which a third are random are taken for nearest neighbors")
	}
}

// TestSettings: small graphs get three trainings, large ones one on sampled pairs; thresholds are within
// the clusters' pairs and valid.
func TestSettings(t *testing.T) {
	for _, n := range []int{20, 300, 5000, 5001, 30_000, 1_000_000} {
		for _, k := range []int{2, 8, 40} {
			s := Settings(encoder.Options{}.WithDefaults(), n, k, 4)
			large := n > 5000
			if (s.Members == 1) != large || (s.Ranking == pairs.Sampled) != large || s.Layers != 4 || s.Clusters != k || s.Epochs > TrainingEpochs || s.Epochs < 100 {
				t.Errorf("%d nodes, %d clusters: %+v", n, k, s)
			}
			p := s.Thresholds
			if p.PosEnd > p.PosStart || p.PosStart > 0.5/float64(k) || p.NegStart < p.PosStart || p.NegStart > p.NegEnd {
				t.Errorf("%d nodes, %d clusters: thresholds %+v", n, k, p)
			}
		}
	}
	if s := Settings(encoder.Options{Config: encoder.Config{Epochs: 7, Ranking: pairs.Sampled}}, 300, 3, 1); s.Epochs != 7 || s.Ranking != pairs.Sampled {
		t.Errorf("asked settings: %+v", s)
	}
}

// TestStandardize compares with numbers by hand: columns that are scaled already stay, and the others get mean 0 and variance 1.
func TestStandardize(t *testing.T) {
	x := blas32.General{Rows: 4, Cols: 3, Stride: 3, Data: []float32{1, 10, 5, 2, 20, 5, 3, 30, 5, 4, 40, 5}}
	y := linalg.Standardize(x, x, 1)
	root := float32(1 / math.Sqrt(1.25))
	want := [][]float32{{1, -1.5 * root, 0}, {2, -0.5 * root, 0}, {3, 0.5 * root, 0}, {4, 1.5 * root, 0}}
	for i, row := range want {
		for j, v := range row {
			if got := y.Data[i*y.Stride+j]; math.Abs(float64(got-v)) > 1e-6 {
				t.Errorf("row %d, column %d: %v, want %v", i, j, got, v)
			}
		}
	}
}

// TestRestarts: the clusters of a small matrix are those of package cluster with its default runs.
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
