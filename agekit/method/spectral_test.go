package method

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/mat"
)

// TestComponents: a graph of two cliques of 8 and 6 nodes, joined by an edge, of a
// triangle and of two nodes without edges. The giant component is split, and the
// others join the larger part. With all components, it is not split.
func TestComponents(t *testing.T) {
	var u, v []int32
	clique := func(lo, hi int32) {
		for i := lo; i < hi; i++ {
			for j := lo; j < i; j++ {
				u, v = append(u, i), append(v, j)
			}
		}
	}
	clique(0, 3) // so that the giant component is not the first
	clique(3, 11)
	clique(11, 17)
	a := testutil.Value(graph.Adjacency(19, append(u, 10), append(v, 11), nil)).OrFatal(t)
	g := &graph.Graph{Adjacency: a}
	giant := testutil.Value(asMethod(spectralG{}).Fit(t.Context(), g, Options{Clusters: 2, Seed: 1})).OrFatal(t)
	want := slices.Concat(slices.Repeat([]int{0}, 11), slices.Repeat([]int{1}, 6), []int{0, 0})
	if metric.ARI(want, giant.Clusters) != 1 {
		t.Errorf("clusters %v, want %v", giant.Clusters, want)
	}
	all := testutil.Value(asMethod(spectralG{Components: "all"}).Fit(t.Context(), g, Options{Clusters: 2, Seed: 1})).OrFatal(t)
	if c := all.Clusters; len(slices.Compact(slices.Clone(c[3:17]))) != 1 || c[0] == c[3] {
		t.Errorf("clusters %v, want the giant component apart from the triangle", c)
	}
}

// TestConnectedGraph: a connected graph has the same clusters either way.
func TestConnectedGraph(t *testing.T) {
	whole := testutil.LoadGraph(t, "cora")
	g := (&graph.Graph{Adjacency: whole.Adjacency}).Subgraph(largestComponent(whole.Adjacency))
	var found [2][]int
	for k, components := range []string{"giant", "all"} {
		out := testutil.Value(asMethod(spectralG{Components: components}).Fit(t.Context(), g, Options{Clusters: 7, Seed: 1})).OrFatal(t)
		found[k] = out.Clusters
	}
	if g.N() != 2485 || !slices.Equal(found[0], found[1]) {
		t.Errorf("other clusters of %d nodes, want 2485", g.N())
	}
}

// TestExtremeEigenvectors compares with gonum's dense solution, to 1e-5. A star
// with a few more edges has large eigenvalues of both signs.
func TestExtremeEigenvectors(t *testing.T) {
	const n, k = 150, 4
	rnd := rand.New(rand.NewPCG(1, 4))
	var u, v []int32
	for i := range int32(n) {
		u, v = append(u, 0, rnd.Int32N(n)), append(v, i, rnd.Int32N(n))
		if i < 50 {
			u, v = append(u, 1), append(v, i)
		}
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	got := testutil.Value(extremeEigenvectors(t.Context(), a, k, rnd)).OrFatal(t)
	full := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			full.SetSym(i, j, float64(a.At(i, j)))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(full, true) {
		t.Fatal("no eigenvalues")
	}
	values := e.Values(nil)
	order := make([]int, n)
	for c := range order {
		order[c] = c
	}
	slices.SortFunc(order, func(c, d int) int { return int(math.Copysign(1, math.Abs(values[d])-math.Abs(values[c]))) })
	if values[order[0]] < 0 || values[order[1]] > 0 {
		t.Fatalf("leading eigenvalues %v and %v, want both signs", values[order[0]], values[order[1]])
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	for c := range k {
		product := 0.0
		for i := range n {
			product += float64(got.Data[i*got.Stride+c]) * vectors.At(i, order[c])
		}
		if math.Abs(math.Abs(product)-1) > 1e-5 {
			t.Errorf("vector %d: product %v with that of eigenvalue %v, want ±1", c, product, values[order[c]])
		}
	}
}

// TestSpectralGOnCora: published mode gives what scikit-learn's k-means
// gives on SciPy's eigenvectors, .328/.149/.012, within .03. With all components
// each is a point, so no edge is cut.
func TestSpectralGOnCora(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	published := testutil.Value(asMethod(spectralG{Published: true}).Fit(t.Context(), g, Options{Clusters: 7, Seed: 1})).OrFatal(t)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"ACC", metric.Accuracy(g.Labels, published.Clusters), .328},
		{"NMI", metric.NMI(g.Labels, published.Clusters), .149},
		{"ARI", metric.ARI(g.Labels, published.Clusters), .012},
	} {
		if math.Abs(c.got-c.want) > 0.03 {
			t.Errorf("%s %.3f, want %v", c.name, c.got, c.want)
		}
	}
	all := testutil.Value(asMethod(spectralG{Components: "all"}).Fit(t.Context(), g, Options{Clusters: 7, Seed: 1, Scaling: cluster.RandomWalk})).OrFatal(t)
	if cut := metric.MeanConductance(g.Adjacency, all.Clusters); cut != 0 {
		t.Errorf("conductance %v, want 0", cut)
	}
}
