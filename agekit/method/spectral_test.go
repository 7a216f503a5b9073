package method

import (
	"cmp"
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

// TestComponents: a graph of a triangle (nodes 0 to 2), two cliques of 8 and 6 nodes (3 to 10, 11 to
// 16) that an edge joins, and two nodes without edges (17 and 18). By default the giant component is
// split into its cliques, and the other nodes join the larger one. With all components, the giant
// component is one cluster, apart from the triangle.
func TestComponents(t *testing.T) {
	var u, v []int32
	// clique adds the edges between all nodes from lo to hi−1.
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
	triangle, component := all.Clusters[0], all.Clusters[3:17]
	if distinct := slices.Compact(slices.Clone(component)); len(distinct) != 1 {
		t.Errorf("clusters %v, want the giant component in one", all.Clusters)
	}
	if component[0] == triangle {
		t.Errorf("clusters %v, want the giant component apart from the triangle", all.Clusters)
	}
}

// TestConnectedGraph: a connected graph, Cora's largest component of 2,485 nodes, has the same clusters
// whether the giant component or all components are clustered.
func TestConnectedGraph(t *testing.T) {
	whole := testutil.LoadGraph(t, "cora")
	g := (&graph.Graph{Adjacency: whole.Adjacency}).Subgraph(largestComponent(whole.Adjacency))
	var found [2][]int
	for k, components := range []string{"giant", "all"} {
		out := testutil.Value(asMethod(spectralG{Components: components}).Fit(t.Context(), g, Options{Clusters: 7, Seed: 1})).OrFatal(t)
		found[k] = out.Clusters
	}
	if g.N() != 2485 {
		t.Errorf("a component of %d nodes, want 2485", g.N())
	}
	if !slices.Equal(found[0], found[1]) {
		t.Error("other clusters with all components")
	}
}

// TestExtremeEigenvectors compares the vectors, up to their signs, with those of gonum's dense
// decomposition, to 1e-5. The graph has large eigenvalues of both signs, which is a precondition: two
// stars and a few random edges.
func TestExtremeEigenvectors(t *testing.T) {
	const n, k = 150, 4
	rnd := rand.New(rand.NewPCG(1, 4))
	var u, v []int32
	for i := range int32(n) {
		u, v = append(u, 0, rnd.Int32N(n)), append(v, i, rnd.Int32N(n)) // a star around node 0, a random edge
		if i < 50 {
			u, v = append(u, 1), append(v, i) // a smaller star around node 1
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
	order := make([]int, n) // of the eigenvalues, by their absolute values from the largest on
	for c := range order {
		order[c] = c
	}
	slices.SortFunc(order, func(c, d int) int { return cmp.Compare(math.Abs(values[d]), math.Abs(values[c])) })
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

// TestSpectralGOnCora: on Cora, published mode gives what scikit-learn's k-means gives on SciPy's
// eigenvectors, ACC .328, NMI .149 and ARI .012, within .03. With all components, no edge is cut,
// because each component becomes one point ([spectralG]).
func TestSpectralGOnCora(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	published := testutil.Value(asMethod(spectralG{Published: true}).Fit(t.Context(), g, Options{Clusters: 7, Seed: 1})).OrFatal(t)
	wantScores(t, g.Labels, published.Clusters, .328, .149, .012, .03)
	all := testutil.Value(asMethod(spectralG{Components: "all"}).Fit(t.Context(), g, Options{Clusters: 7, Seed: 1, Scaling: cluster.RandomWalk})).OrFatal(t)
	if cut := metric.MeanConductance(g.Adjacency, all.Clusters); cut != 0 {
		t.Errorf("conductance %v, want 0", cut)
	}
}
