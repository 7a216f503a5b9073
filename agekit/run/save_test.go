package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testctx"
)

// TestLoad: errors name the file.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fails := func(want string) {
		t.Helper()
		if _, err := Load(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	fails("run.json does not exist: want the folder of a run")
	put("run.json", "{")
	fails("run.json: unexpected end of JSON input")
	put("run.json", `{"n": 2, "clusters": [{}, {}], "columns": {"id": "id", "cluster": "cluster"}}`)
	fails("nodes.csv")
	put("nodes.csv", "id,cluster\na,0\nb,1\nc,1\n")
	fails("has 2 nodes, nodes.csv 3: want files of the same run")
	put("nodes.csv", "id,0,cluster\na,5,0\nb,6,1\n") // a column with a number as its name
	put("model.npz", "no archive")
	fails("model.npz")
	os.Remove(filepath.Join(dir, "model.npz"))
	p, err := Load(t.Context(), dir)
	if err != nil || p.Model != nil || p.Nodes().Rows != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
}

// TestInterruptedSave: an interrupt while files are being written leaves none.
func TestInterruptedSave(t *testing.T) {
	const n, d = 3000, 200 // the embeddings fill two and a half buffers
	adjacency, err := graph.Adjacency(n, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &graph.Graph{Adjacency: adjacency, Features: graph.Features{Dense: &blas32.General{Rows: n, Cols: 5, Stride: 5, Data: make([]float32, 5*n)}}}
	result := &encoder.Result{
		Encoder:   &encoder.Encoder{Filter: laplacian.Filter{K: 1, Layers: 1}, Features: 5, Weights: []encoder.Weights{{W: blas32.General{Rows: 5, Cols: d, Stride: d, Data: make([]float32, 5*d)}, B: make([]float32, d)}}},
		Embedding: blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)},
		Labels:    make([]int, n),
	}
	data := &input.Data{Graph: g}
	r := &Run{Data: data, Embedding: result.Embedding, Labels: result.Labels, Log: []string{"a line"}, Model: newModel(data, result, encoder.Config{}, "")}
	testctx.Interrupt(t, "output", 5, func(ctx context.Context) error {
		dir := t.TempDir()
		err := r.Save(ctx, dir)
		entries, _ := os.ReadDir(dir)
		files := 0
		for _, e := range entries {
			if e.Name()[0] != '.' {
				files++
			}
		}
		if errors.Is(err, context.Canceled) && files != 0 || err == nil && files != 6 {
			t.Errorf("%v, %d files", err, files)
		}
		return err
	})
}
