package explain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// ten returns ten nodes in three clusters with a number, a binary feature and an
// embedding in which node 3 is far from its cluster.
func ten(t *testing.T) (g *graph.Graph, z blas32.General, clusters []int) {
	t.Helper()
	clusters = []int{0, 0, 0, 0, 1, 1, 1, 2, 2, 2}
	x := blas32.General{Rows: 10, Cols: 2, Stride: 2, Data: []float32{1.5, 1, 2, 1, 1, 1, 2.5, 0, -1, 0, -2, 0, -0.5, 1, 4, 0, 3, 0, 5, 0}}
	a := testutil.Value(graph.Adjacency(10, []int32{0, 1, 2, 3, 4, 7, 0}, []int32{1, 2, 3, 4, 5, 8, 4}, []float32{1, 1, 1, 2, 1, 1, 1})).OrFatal(t)
	z = blas32.General{Rows: 10, Cols: 3, Stride: 3, Data: []float32{
		1, 0.1, 0, 1, 0, 0.1, 1, 0, 0, 0.7, 0.7, 0,
		0, 1, 0.2, 0, 1, 0.1, 0.1, 1, 0,
		0, 0.1, 1, 0, 0, 1, 0.1, 0, 1,
	}}
	return &graph.Graph{Name: "ten", Adjacency: a, Features: graph.Features{Dense: &x}, FeatureNames: []string{"size", "red"}}, z, clusters
}

// explainMatrix explains clusters of an embedding in memory.
func explainMatrix(ctx context.Context, g *graph.Graph, z blas32.General, clusters []int) (*Result, error) {
	return Explain(ctx, g, nil, linalg.LocalRows(linalg.InMemory(z)), clusters)
}

// centersOf returns the centers of clusters of an embedding in memory.
func centersOf(t *testing.T, z blas32.General, clusters []int) blas32.General {
	t.Helper()
	return testutil.Value(Centers(t.Context(), linalg.LocalRows(linalg.InMemory(z)), clusters)).OrFatal(t)
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*max(1, math.Abs(want)) }

// TestFeatures: in a graph of ten nodes, the strengths of features are those of scipy's ttest_ind(equal_var=False) and of
// the two-proportion z-test, and the lifts follow from their definitions by hand.
func TestFeatures(t *testing.T) {
	g, z, clusters := ten(t)
	e := testutil.Value(explainMatrix(t.Context(), g, z, clusters)).OrFatal(t)
	want := [3]struct{ sizeT, sizeLift, redZ, redInside, redOutside float64 }{
		{0.26822089039291, 0.15761718638014977, 1.8446619684315546, 3. / 4, 1. / 6},
		{-5.6106913851953415, -1.8351143842831728, -0.2817180849095055, 1. / 3, 3. / 7},
		{4.073913866731646, 1.654980456991573, -1.6903085094570331, 0, 4. / 7},
	}
	for c, want := range want {
		var size, red Feature
		for _, f := range e.Clusters[c].Features {
			if f.Name == "size" {
				size = f
			} else {
				red = f
			}
		}
		if size.Binary || !near(size.Strength, want.sizeT) || !near(*size.Lift, want.sizeLift) {
			t.Errorf("cluster %d: size %+v, want strength %v and lift %v", c, size, want.sizeT, want.sizeLift)
		}
		if !red.Binary || !near(red.Strength, want.redZ) || !near(red.Inside, want.redInside) || !near(red.Outside, want.redOutside) {
			t.Errorf("cluster %d: red %+v, want strength %v and shares %v and %v", c, red, want.redZ, want.redInside, want.redOutside)
		}
		if wantLift := want.redInside / want.redOutside; !near(*red.Lift, wantLift) {
			t.Errorf("cluster %d: lift of red %v, want %v", c, *red.Lift, wantLift)
		}
		if list := e.Clusters[c].Features; len(list) == 2 && math.Abs(list[0].Strength) < math.Abs(list[1].Strength) {
			t.Errorf("cluster %d: the weaker feature is first", c)
		}
	}
}

// TestClusters: the sizes, central nodes, cohesion and edges of the clusters of ten nodes are those found by hand.
func TestClusters(t *testing.T) {
	g, z, clusters := ten(t)
	e := testutil.Value(explainMatrix(t.Context(), g, z, clusters)).OrFatal(t)
	first := e.Clusters[0]
	if first.Size != 4 || first.Central[len(first.Central)-1] != "3" {
		t.Errorf("cluster 0 has %d nodes, the least central is %v", first.Size, first.Central)
	}
	// Edges of cluster 0: 3 inside, counted from both ends, and two to cluster 1 of
	// weight 2 and 1.
	if !near(first.Inside, 6./9) || !slices.Equal(first.Neighbors, []clusterNeighbor{{Cluster: 1, Share: 3. / 9}}) {
		t.Errorf("%v inside, neighbors %v", first.Inside, first.Neighbors)
	}
	if last := e.Clusters[2]; last.Inside != 1 || last.Neighbors != nil {
		t.Errorf("cluster 2: %v inside, neighbors %v", last.Inside, last.Neighbors)
	}
	// The cosine with the center, computed directly.
	var center [3]float64
	for i := range 4 {
		row := z.Data[3*i : 3*i+3]
		length := math.Sqrt(float64(row[0]*row[0] + row[1]*row[1] + row[2]*row[2]))
		for j, v := range row {
			center[j] += float64(v) / length
		}
	}
	length := math.Sqrt(center[0]*center[0] + center[1]*center[1] + center[2]*center[2])
	if !near(first.Cohesion, length/4) { // the mean of zᵢ·s/|s| is |s|/n
		t.Errorf("cohesion %v, want %v", first.Cohesion, length/4)
	}
}

// TestNodes: confidences follow their definition, and the node far from its cluster is the
// outlier. A node that is assigned to its own cluster, as if it were new, has the same
// confidence.
func TestNodes(t *testing.T) {
	g, z, clusters := ten(t)
	clusters[3] = 1 // which is closer in fact
	e, err := explainMatrix(t.Context(), g, z, clusters)
	if err != nil {
		t.Fatal(err)
	}
	unit, centers := make([][]float64, 10), [3][]float64{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}
	for i, c := range clusters {
		unit[i] = []float64{float64(z.Data[3*i]), float64(z.Data[3*i+1]), float64(z.Data[3*i+2])}
		floats.Scale(1/floats.Norm(unit[i], 2), unit[i])
		floats.Add(centers[c], unit[i])
	}
	assigned, second, confidence := Assign(z, centersOf(t, z, clusters))
	for i, c := range clusters {
		var distances [3]float64 // 1 − cosine
		for b, center := range centers {
			distances[b] = 1 - floats.Dot(unit[i], center)/floats.Norm(center, 2)
		}
		// The second-best cluster is the nearer one of the two to which the node is not assigned.
		wantSecond := (assigned[i] + 1) % 3
		if other := (assigned[i] + 2) % 3; distances[other] < distances[wantSecond] {
			wantSecond = other
		}
		if second[i] != wantSecond {
			t.Errorf("node %d: second-best cluster %d, want %d", i, second[i], wantSecond)
		}
		within, nearest := distances[c], min(distances[(c+1)%3], distances[(c+2)%3])
		if want := (nearest - within) / max(within, nearest); math.Abs(e.Confidence[i]-want) > 1e-5 {
			t.Errorf("node %d: confidence %v, want %v", i, e.Confidence[i], want)
		}
		wantAssigned := e.Confidence[i]
		if assigned[i] != c { // to the nearest of the others: both distances change their parts
			wantAssigned = -wantAssigned
		}
		if confidence[i] != wantAssigned {
			t.Errorf("node %d of cluster %d: assigned to %d with confidence %v, want %v", i, c, assigned[i], confidence[i], wantAssigned)
		}
	}
	clusters[3] = 0
	if e, err = explainMatrix(t.Context(), g, z, clusters); err != nil {
		t.Fatal(err)
	}
	for i := range clusters {
		if outlier := e.Outlier[i] > 2; outlier != (i == 3) {
			t.Errorf("node %d: outlier score %v", i, e.Outlier[i])
		}
	}
}

// TestTree: the joins of clusters are those of average linkage, computed here over all pairs of nodes, pair by pair.
func TestTree(t *testing.T) {
	g, z, clusters := ten(t)
	e := testutil.Value(explainMatrix(t.Context(), g, z, clusters)).OrFatal(t)
	groups := map[int][]int{0: {0, 1, 2, 3}, 1: {4, 5, 6}, 2: {7, 8, 9}}
	cosine := func(i, j int) float64 {
		var product, a, b float64
		for k := range 3 {
			u, v := float64(z.Data[3*i+k]), float64(z.Data[3*j+k])
			product, a, b = product+u*v, a+u*u, b+v*v
		}
		return product / math.Sqrt(a*b)
	}
	if len(e.Tree) != 2 {
		t.Fatalf("%d joins of three clusters", len(e.Tree))
	}
	for step, join := range e.Tree {
		best := math.Inf(-1)
		var groupPair [2]int
		for a := range groups {
			for b := range groups {
				sum := 0.
				for _, i := range groups[a] {
					for _, j := range groups[b] {
						sum += cosine(i, j) / float64(len(groups[a])*len(groups[b]))
					}
				}
				if a < b && sum > best {
					best, groupPair = sum, [2]int{a, b}
				}
			}
		}
		if got := [2]int{min(join.Left, join.Right), max(join.Left, join.Right)}; got != groupPair || math.Abs(join.Similarity-best) > 1e-6 {
			t.Errorf("join %d: %+v, want %v at %v", step, join, groupPair, best)
		}
		groups[3+step] = append(groups[groupPair[0]], groups[groupPair[1]]...)
		delete(groups, groupPair[0])
		delete(groups, groupPair[1])
	}
}

// TestUnexplained: a single cluster, an empty cluster and an embedding that is not finite are errors that say so.
func TestUnexplained(t *testing.T) {
	g, z, clusters := ten(t)
	testutil.Value(explainMatrix(t.Context(), g, z, make([]int, 10))).Fails(t, "there is only one")
	testutil.Value(explainMatrix(t.Context(), g, z, []int{0, 0, 0, 0, 3, 3, 3, 2, 2, 2})).Fails(t, "cluster 1 of ")
	z.Data[4] = float32(math.NaN())
	testutil.Value(explainMatrix(t.Context(), g, z, clusters)).Fails(t, "finite")
	_, z, _ = ten(t)
	testutil.Interrupt(t, "explanation", 2, func(ctx context.Context) error {
		_, err := explainMatrix(ctx, g, z, clusters)
		return err
	})
}

// TestOutlierRates: whether the nodes of a cluster lie around its center normally or with heavy tails, about a twentieth
// have an outlier score above 1, and a node far out has one above 2.
func TestOutlierRates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	for name, draw := range map[string]func() float64{"normal": rnd.NormFloat64, "heavy tails": func() float64 { return math.Pow(rnd.NormFloat64(), 3) }} {
		const n, d = 1000, 4
		z := blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
		clusters := make([]int, n)
		for i := range n {
			clusters[i] = i % 2
			for j := range d {
				z.Data[i*d+j] = float32(0.05 * draw())
			}
			z.Data[i*d+i%2]++
		}
		z.Data[2] = 100 // node 0 points elsewhere
		g := &graph.Graph{Adjacency: &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1)}, Features: graph.Features{Dense: &z}}
		e := testutil.Value(explainMatrix(t.Context(), g, z, clusters)).OrFatal(t)
		above := 0
		for _, v := range e.Outlier {
			if v > 1 {
				above++
			}
		}
		if above < n/20-4 || above > n/20+4 || e.Outlier[0] < 2 {
			t.Errorf("%s: %d of %d nodes above 1, the far one %v", name, above, n, e.Outlier[0])
		}
	}
}

// TestAnimals explains six animals in two clusters, and assigns one that comes later: the means of the legs
// and the shares of the edges are by hand.
func TestAnimals(t *testing.T) {
	adjacency := testutil.Value(graph.Adjacency(6, []int32{0, 1, 3, 4, 2}, []int32{1, 2, 4, 5, 3}, nil)).OrFatal(t)
	x := blas32.General{Rows: 6, Cols: 2, Stride: 2, Data: []float32{4, 1, 4, 0, 4, 0, 2, 1, 2, 1, 2, 0}}
	g := &graph.Graph{Adjacency: adjacency, Features: graph.Features{Dense: &x}, FeatureNames: []string{"legs", "tail"}}
	z := blas32.General{Rows: 6, Cols: 2, Stride: 2, Data: []float32{1, 0, 1, 0.1, 1, 0.4, 0.1, 1, 0, 1, 0, 1}}
	clusters := []int{0, 0, 0, 1, 1, 1}
	e := testutil.Value(explainMatrix(t.Context(), g, z, clusters)).OrFatal(t)
	var got strings.Builder
	for _, c := range e.Clusters {
		fmt.Fprintf(&got, "%d: %d nodes, %s, edges %.2f\n", c.Cluster, c.Size, c.Features[0], c.Inside)
	}
	fmt.Fprintf(&got, "confidence %.2f and %.2f\n", e.Confidence[0], e.Confidence[2])
	later := blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: []float32{0.5, 0.6}}
	found, _, confidence := Assign(later, centersOf(t, z, clusters))
	fmt.Fprintf(&got, "new: %d, %.2f", found[0], confidence[0])
	const want = `0: 3 nodes, legs 4.00 (others 2.00), edges 0.80
1: 3 nodes, legs 2.00 (others 4.00), edges 0.80
confidence 0.99 and 0.96
new: 1, 0.14`
	if got.String() != want {
		t.Errorf("explained as\n%s\nwant\n%s", &got, want)
	}
}

// TestSizes: in a path of four nodes with the weights 1, 2, 5, the first two nodes have 2 + 2 ends of which 2·1 are
// inside, and the others 2 + 10. The fifth node has no edges.
func TestSizes(t *testing.T) {
	g := &graph.Graph{Adjacency: testutil.Value(graph.Adjacency(5, []int32{0, 1, 2}, []int32{1, 2, 3}, []float32{1, 2, 5})).OrFatal(t)}
	got := Sizes(g, []int{0, 0, 1, 1, 2})
	want := []Cluster{
		{Cluster: 0, Size: 2, Inside: 2. / 4, Neighbors: []clusterNeighbor{{1, 2. / 4}}},
		{Cluster: 1, Size: 2, Inside: 10. / 12, Neighbors: []clusterNeighbor{{0, 2. / 12}}},
		{Cluster: 2, Size: 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestManyClusters: a cluster for each of 200,000 nodes takes memory in proportion to the nodes.
func TestManyClusters(t *testing.T) {
	const n = 200_000
	g := &graph.Graph{Adjacency: testutil.Value(graph.Adjacency(n, []int32{0}, []int32{1}, nil)).OrFatal(t)}
	clusters := make([]int, n)
	for i := range clusters {
		clusters[i] = i
	}
	got := Sizes(g, clusters)
	if want := (Cluster{Cluster: 1, Size: 1, Neighbors: []clusterNeighbor{{0, 1}}}); !reflect.DeepEqual(got[1], want) {
		t.Errorf("%+v, want %+v", got[1], want)
	}
	if last := got[n-1]; last.Size != 1 || last.Neighbors != nil {
		t.Errorf("the last: %+v", last)
	}
}
