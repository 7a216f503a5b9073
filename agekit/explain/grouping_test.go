package explain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/internal/testutil"
)

// withoutEdges returns the data of nodes with features alone.
func withoutEdges(x graph.Features, names []string) *input.Data {
	n, _ := x.Dims()
	return &input.Data{Graph: &graph.Graph{Adjacency: &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1)}, Features: x, FeatureNames: names}}
}

// between returns the variance of values, and that of the means of their clusters, node by node.
func between(values []float64, labels []int) (total, betweenClusters float64) {
	means := make([]float64, len(values))
	for i := range values {
		var clusterValues []float64
		for j, c := range labels {
			if c == labels[i] {
				clusterValues = append(clusterValues, values[j])
			}
		}
		means[i] = stat.Mean(clusterValues, nil)
	}
	return stat.PopVariance(values, nil), stat.PopVariance(means, nil)
}

// TestExplainedVariance: the share of the variance that is between clusters, and the features with the largest share, are
// those computed directly from the definition. In a dense matrix, whose columns may have any unit, each column counts the
// same, and in a sparse one each counts by its variance.
func TestExplainedVariance(t *testing.T) {
	const n, f, k = 90, 6, 3
	rnd := rand.New(rand.NewPCG(1, 0))
	names := []string{"mass", "year", "constant", "noise", "length", "height"}
	x := blas32.General{Rows: n, Cols: f, Stride: f + 2, Data: make([]float32, n*(f+2))}
	labels := make([]int, n)
	for i := range n {
		labels[i] = rnd.IntN(k)
		c := float64(labels[i])
		for j, v := range []float64{
			1000 * (c + rnd.NormFloat64()), // mass
			2000 + c + 3*rnd.NormFloat64(), // year
			7,                              // constant
			rnd.NormFloat64(),              // noise
			c + 0.1*rnd.NormFloat64(),      // length
			0.5*c + rnd.NormFloat64(),      // height
		} {
			x.Data[i*x.Stride+j] = float32(v)
		}
	}
	sparse := &graph.CSR{Rows: n, Cols: f, Indptr: []int{0}}
	for i := range n {
		for j := range f {
			if rnd.IntN(4) == 0 || labels[i] == j {
				sparse.Indices = append(sparse.Indices, int32(j))
				sparse.Values = append(sparse.Values, rnd.Float32()*float32(j+1))
			}
		}
		sparse.Indptr = append(sparse.Indptr, len(sparse.Indices))
	}
	for name, features := range map[string]graph.Features{"dense": {Dense: &x}, "sparse": {Sparse: sparse}} {
		values := features.ToDense()
		var share [f]float64
		sum, sumBetween := 0., 0.
		for j := range f {
			column := make([]float64, n)
			for i := range column {
				column[i] = float64(values.Data[i*values.Stride+j])
			}
			total, betweenClusters := between(column, labels)
			if total == 0 {
				continue
			}
			share[j] = betweenClusters / total
			if name == "dense" {
				total, betweenClusters = 1, betweenClusters/total
			}
			sum += total
			sumBetween += betweenClusters
		}
		order := []int{0, 1, 2, 3, 4, 5}
		slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, share[b]-share[a])) })
		want := []string{names[order[0]], names[order[1]]}
		got, explained, err := GroupsBy(t.Context(), withoutEdges(features, names), labels, 2)
		if err != nil || math.Abs(explained-sumBetween/sum) > 1e-9 || !slices.Equal(got, want) {
			t.Errorf("%s: %q and %v (%v), want %q and %v", name, got, explained, err, want, sumBetween/sum)
		}
		oneCluster := make([]int, n)
		got, explained, err = GroupsBy(t.Context(), withoutEdges(features, nil), oneCluster, 2)
		if len(got) > 0 || math.Abs(explained) > 1e-12 || err != nil {
			t.Errorf("%s, one cluster: %q and %v (%v), want none", name, got, explained, err)
		}
	}
	testutil.Interrupt(t, "variances", 1, func(ctx context.Context) error {
		_, _, err := GroupsBy(ctx, withoutEdges(graph.Features{Dense: &x}, names), labels, 2)
		return err
	})
}

// TestGroupsBy: a category and the parts of a number count as the user's columns, with the
// variances of their parts added up; chance, rare words and numbered names say nothing.
func TestGroupsBy(t *testing.T) {
	const n = 200
	rows := []string{"id,species,mass,coin,embedding,note"}
	labels := make([]int, n)
	rnd := rand.New(rand.NewPCG(2, 0))
	for i := range n {
		labels[i] = i % 2
		if i < 2 {
			labels[i] = 2 // two nodes with a word of their own
		}
		mass := ""
		if i%5 > 0 {
			mass = fmt.Sprint(float64(100*labels[i]) + 150*rnd.NormFloat64())
		}
		note := "the quick fox"
		switch {
		case i < 2:
			note = "the zebra fox"
		case i%7 == 0:
			note = "the slow dog"
		}
		rows = append(rows, fmt.Sprintf("n%d,%s,%s,%d,%v,%s", i, []string{"owl", "finch", "owl"}[labels[i]], mass, rnd.IntN(2), rnd.Float64(), note))
	}
	file := filepath.Join(t.TempDir(), "nodes.csv")
	testutil.NoError(t, os.WriteFile(file, []byte(strings.Join(rows, "\n")+"\n"), 0o600))
	d := testutil.Value(input.Open(t.Context(), input.Source{Nodes: file, Neighbors: 3, Columns: recipe.Columns{Text: []string{"note"}}})).OrFatal(t)
	if !slices.Contains(d.Graph.FeatureNames, "mass is missing") || !slices.Contains(d.Graph.FeatureNames, "zebra") {
		t.Fatalf("features %q", d.Graph.FeatureNames)
	}
	got, explained, err := GroupsBy(t.Context(), d, labels, 9)
	if want := []string{"species", "mass"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("groups by %q (%v), want %q", got, err, want)
	}
	sum, sumBetween := 0., 0. // as the recipe makes the features
	x := d.Graph.Features.ToDense()
	for j := range x.Cols {
		column := make([]float64, n)
		for i := range column {
			column[i] = float64(x.Data[i*x.Stride+j])
		}
		total, betweenClusters := between(column, labels)
		sum += total
		sumBetween += betweenClusters
	}
	if math.Abs(explained-sumBetween/sum) > 1e-9 {
		t.Errorf("%v of the variance explained, want %v", explained, sumBetween/sum)
	}
	if got, _, err := GroupsBy(t.Context(), d, labels, 1); err != nil || len(got) != 1 {
		t.Errorf("%q (%v), want one", got, err)
	}
}

// TestOddities: clusters that are odd in each of the possible ways get the sentence for it, and no oddity is said twice.
func TestOddities(t *testing.T) {
	type edge [2]int32
	// A chain of the nodes from one to another.
	chain := func(first, last int) (edges []edge) {
		for i := first; i < last; i++ {
			edges = append(edges, edge{int32(i), int32(i + 1)})
		}
		return edges
	}
	pairs := func(count int) (edges []edge, labels []int) {
		for c := range count {
			edges = append(edges, edge{int32(2 * c), int32(2*c + 1)})
			labels = append(labels, c, c)
		}
		return edges, labels
	}
	five, fiveLabels := pairs(5)
	four, fourLabels := pairs(4)
	for name, test := range map[string]struct {
		edges  []edge
		labels []int
		want   []string
	}{
		"nothing":             {chain(0, 5), []int{0, 0, 0, 1, 1, 1}, nil},
		"two thirds":          {chain(0, 5), []int{0, 0, 0, 0, 1, 1}, nil},
		"more":                {chain(0, 6), []int{1, 1, 1, 1, 1, 0, 0}, []string{"Cluster 1 holds 71 % of the nodes."}},
		"nearly all":          {chain(0, 400), append(make([]int, 399), 1, 1), []string{"Cluster 0 holds all nodes but 2."}},
		"all":                 {chain(0, 3), make([]int, 4), nil},
		"single":              {chain(0, 5), []int{0, 0, 2, 1, 1, 1}, []string{"Cluster 2 is a single node (n2)."}},
		"two singles":         {chain(0, 5), []int{0, 3, 2, 1, 1, 1}, []string{"Clusters 0 (n0), 2 (n2) and 3 (n1) are single nodes."}},
		"many singles":        {chain(0, 5), []int{0, 1, 2, 3, 4, 4}, []string{"Clusters 0 (n0), 1 (n1), 2 (n2) and 3 (n3) are single nodes."}},
		"more singles":        {chain(0, 5), []int{0, 1, 2, 3, 4, 5}, []string{"Clusters 0 (n0), 1 (n1), 2 (n2) and 3 more are single nodes."}},
		"component":           {slices.Concat(chain(0, 3), chain(4, 6)), []int{0, 0, 1, 1, 2, 2, 2}, []string{"Cluster 2 is a connected component by itself."}},
		"part of a component": {slices.Concat(chain(0, 3), chain(4, 6)), []int{0, 0, 1, 1, 2, 2, 1}, nil},
		"four components":     {four, fourLabels, []string{"Clusters 0, 1, 2 and 3 are connected components by themselves."}},
		"five components":     {five, fiveLabels, []string{"Clusters 0, 1, 2 and 2 more are connected components by themselves."}},
		"isolated":            {chain(0, 3), []int{0, 0, 1, 1, 2, 2}, []string{"The 2 nodes without edges are cluster 2."}},
		"one isolated":        {chain(0, 3), []int{0, 0, 1, 1, 2}, []string{"The only node without edges (n4) is cluster 2."}},
		"some isolated":       {chain(0, 3), []int{0, 0, 1, 1, 2, 2, 1}, []string{"The 3 nodes without edges are in clusters 2 (2) and 1 (1)."}},
		"isolated and one":    {chain(0, 3), []int{0, 0, 1, 1, 2, 2, 3}, []string{"Cluster 3 is a single node (n6).", "The 3 nodes without edges are in clusters 2 (2) and 3 (1)."}},
		"isolated and more":   {chain(0, 4), []int{0, 0, 1, 1, 2, 2, 2}, []string{"The 2 nodes without edges are in cluster 2."}},
		"one among others":    {chain(0, 3), []int{0, 0, 1, 1, 1}, []string{"The only node without edges is in cluster 1."}},
		"isolated in six":     {chain(0, 5), []int{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 5}, []string{"The 7 nodes without edges are in clusters 5 (2), 0 (1), 1 (1) and 3 more (3)."}},
		"most are isolated": {chain(0, 1), []int{0, 0, 1, 1, 1, 1, 1}, []string{
			"Cluster 1 holds 71 % of the nodes.", "The 5 nodes without edges are cluster 1.", "Cluster 0 is a connected component by itself.",
		}},
		"no edges":  {nil, []int{0, 0, 0, 0, 1}, []string{"Cluster 0 holds 80 % of the nodes.", "Cluster 1 is a single node (n4)."}},
		"no number": {chain(0, 3), []int{0, 0, 3, 3}, nil},
	} {
		n := len(test.labels)
		var u, v []int32
		for _, e := range test.edges {
			u, v = append(u, e[0]), append(v, e[1])
		}
		g := &graph.Graph{Adjacency: testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)}
		for i := range n {
			g.NodeNames = append(g.NodeNames, fmt.Sprint("n", i))
		}
		if got := Oddities(test.labels, g); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
