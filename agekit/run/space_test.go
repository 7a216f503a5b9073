package run

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/testutil"
)

// TestCopies: clusters that come only from the edges do not show in an embedding of features that tell nothing; that is a
// precondition. After setCenters, the model puts copies of the nodes, with the same features and edges, into the nodes' own
// clusters, also after it was written and read.
func TestCopies(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	const n, f = 120, 5
	x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	for p := range x.Data {
		x.Data[p] = float32(rnd.NormFloat64())
	}
	clusters := make([]int, n)
	var u, v []int32
	var copies strings.Builder // their edges to the nodes
	for i := range n {
		clusters[i] = i % 3
		for j := range i {
			if i%3 == j%3 && rnd.Float64() < 0.3 || rnd.Float64() < 0.02 {
				u, v = append(u, int32(i)), append(v, int32(j))
				fmt.Fprintf(&copies, "%d\t%d\n%d\t%d\n", n+i, j, n+j, i)
			}
		}
	}
	g := &graph.Graph{Name: "blocks", Features: graph.Features{Dense: &x}}
	var err error
	if g.Adjacency, err = graph.Adjacency(n, u, v, nil); err != nil {
		t.Fatal(err)
	}
	o := encoder.Options{Filter: laplacian.Filter{K: 2. / 3}, Config: encoder.Config{Dims: 8, Epochs: 2, Clusters: 3, Seed: 1}}
	trained, err := encoder.Fit(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	trained.Labels = clusters
	r := &Run{Data: &input.Data{Graph: g}, Result: trained, Embedding: trained.Embedding, Labels: clusters}
	r.Model = newModel(r.Data, trained, learned{Settings: o.Config}, centersOf(t, r.Embedding, clusters), "test")
	dir := t.TempDir()
	edges := filepath.Join(dir, "copies.tsv")
	if err := os.WriteFile(edges, []byte(copies.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	source := input.Source{Features: tables{dir: dir}.matrix(t, g.Features), Edges: edges}
	right := func(m *Model) (right int) {
		found, err := m.Predict(t.Context(), source, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range found.Clusters {
			if c == clusters[i] {
				right++
			}
		}
		return right
	}
	if alone := right(r.Model); alone > 3*n/4 {
		t.Errorf("the embedding alone puts %d of %d copies right: the graph shows nothing", alone, n)
	}
	if err := r.setCenters(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.npz")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Model.write(out); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := LoadModel(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if got := right(m); got < 95*n/100 || !m.About.Neighbors {
		t.Errorf("%d of %d copies are right, with neighbors: %t", got, n, m.About.Neighbors)
	}
}

// TestCopiesOfRows: where edges lead to the nearest neighbors, and 16 layers of smoothing make embeddings nearly alike, a
// new row that repeats an old one gets the cluster of the old one.
func TestCopiesOfRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 0))
	const n = 150
	var rows, copies strings.Builder
	rows.WriteString("id,a,b,c\n")
	copies.WriteString("id,a,b,c\n")
	for i := range n {
		center := 1.5 * float64(i%3)
		values := fmt.Sprintf("%g,%g,%g\n", center+rnd.NormFloat64(), center*center/3+rnd.NormFloat64(), rnd.NormFloat64())
		fmt.Fprintf(&rows, "n%d,%s", i, values)
		fmt.Fprintf(&copies, "copy%d,%s", i, values)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		testutil.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	d := testutil.Value(input.Open(t.Context(), input.Source{Nodes: write("nodes.csv", rows.String()), Neighbors: 10})).OrFatal(t)
	o := &Options{Settings: settings.Settings{Clusters: views.Exactly(3), Filter: laplacian.Filter{K: 2. / 3, Layers: 16}, Config: encoder.Config{Dims: 8, Epochs: 5}}}
	r := testutil.Value(Fit(t.Context(), d, o)).OrFatal(t)
	r.Model.About.Vote = false // as where nearly all nodes are nearest to their own center
	found := testutil.Value(r.Model.Predict(t.Context(), input.Source{Nodes: write("copies.csv", copies.String())}, false)).OrFatal(t)
	if !slices.Equal(found.Clusters, r.Labels) {
		t.Errorf("copies are in clusters %v, the rows in %v", found.Clusters, r.Labels)
	}
}
