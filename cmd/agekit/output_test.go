package main

import (
	"context"
	"errors"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/format"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/testctx"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestInterruptedOutput: an interrupt while files are being written leaves
// none.
func TestInterruptedOutput(t *testing.T) {
	const n, d = 3000, 200 // the embeddings fill two and a half buffers
	r := &encoder.Result{
		Encoder:   &encoder.Encoder{Filter: laplacian.Filter{K: 1, Layers: 1}, Features: 5, Weights: []encoder.Weights{affine.NewWeights(5, d)}},
		Embedding: blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)},
		Labels:    make([]int, n),
	}
	o := outcome{
		loaded: &format.Loaded{Graph: &graph.Graph{Adjacency: &graph.CSR{Rows: n, Cols: n}}}, clusters: r.Labels, embedding: r.Embedding,
		log: []string{"a line"}, model: r.Encoder.Write,
	}
	testctx.Interrupt(t, "output", 5, func(ctx context.Context) error {
		dir := t.TempDir()
		folder, err := openOutput(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		err = folder.Write(ctx, o.files(nil))
		files := snapshot(t, dir)
		if errors.Is(err, context.Canceled) && files != nil || err == nil && len(files) != 5 {
			t.Errorf("%v, %d files", err, len(files))
		}
		return err
	})
}
