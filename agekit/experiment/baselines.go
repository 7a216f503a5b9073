package experiment

import (
	"context"
	"math"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// embedder is a method of package baseline, whose embedding is clustered in
// the same way as AGE's.
type embedder struct {
	name string
	make func(r Run) baseline.Method
}

func (e embedder) Name() string { return e.name }

func (e embedder) Settings(r Run) any {
	return map[string]any{"method": e.make(r), "similarity": "(1+cosine)/2", "scaling": r.Mode.scaling()}
}

func (e embedder) Fit(ctx context.Context, g *graph.Graph, r Run, o FitOptions) (*Fitted, error) {
	z, err := e.make(r).Embed(ctx, g, r.Seed, baseline.Options{Progress: func(at baseline.Event) {
		o.Progress(float64(at.Epoch) / float64(at.Epochs))
	}})
	if err != nil {
		return nil, err
	}
	f, err := clusterGram(ctx, g, shiftedCosines(z), r)
	if err != nil {
		return nil, err
	}
	f.Embedding, f.Backend = z, backend.Native
	return f, nil
}

// shiftedCosines returns rows whose inner products are (1 + cosine)/2. Unlike
// AGE's, these embeddings have entries of both signs; spectral clustering
// wants similarities that are not negative.
func shiftedCosines(z blas32.General) blas32.General {
	unit := encoder.Normalize(z)
	out := blas32.General{Rows: z.Rows, Cols: z.Cols + 1, Stride: z.Cols + 1, Data: make([]float32, z.Rows*(z.Cols+1))}
	for i := range z.Rows {
		to := out.Data[i*out.Stride:][:out.Cols]
		for j, v := range unit.Data[i*unit.Stride:][:z.Cols] {
			to[j] = v * math.Sqrt2 / 2
		}
		to[z.Cols] = math.Sqrt2 / 2
	}
	return out
}

// The variants of AGE in table 3 (§4.2) have its filter, width, epochs and
// learning rate.
var lsra = embedder{"LS+RA", func(r Run) baseline.Method {
	c := age{}.config(r)
	return baseline.LSRA{K: filterOf(r).K, Layers: filterOf(r).Layers, Dims: c.Dims, Epochs: c.Epochs, LearningRate: c.LearningRate, Loss: c.Loss}
}}

var lsrx = embedder{"LS+RX", func(r Run) baseline.Method {
	c := age{}.config(r)
	return baseline.LSRX{K: filterOf(r).K, Layers: filterOf(r).Layers, Dims: c.Dims, Epochs: c.Epochs, LearningRate: c.LearningRate}
}}

// The two networks of figure 3 (§5.3) differ in the place of their weights
// alone: widths 64 and 16, GAE's epochs and learning rate. Their names say the
// width, since other tables have the same methods with other settings.
var (
	gae64 = embedder{"GAE-64", func(r Run) baseline.Method { return entangled(r) }}

	lsra64 = embedder{"LS+RA-64", func(r Run) baseline.Method { return baseline.LSRAPerceptron(entangled(r)) }}
)

func entangled(r Run) baseline.GAE {
	return baseline.GAE{Layers: max(1, r.Layers), Hidden: 64, Dims: 16, Epochs: r.epochs(200), LearningRate: 0.01}
}
