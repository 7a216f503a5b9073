package run

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
)

// TestCopies: clusters that come from the edges alone do not show in the embedding of features
// that tell nothing. The neighbors' clusters beside it put copies of the nodes, with the same
// features and edges, into the nodes' clusters, also after the model was written and read.
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
	r.Model = newModel(r.Data, trained, o.Config, centersOf(t, r.Embedding, clusters), "test")
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
	if err := r.place(t.Context()); err != nil {
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
