package gomlx

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"
	mlx "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
)

// BenchmarkStep measures a training step of the paper's model on each data set.
func BenchmarkStep(b *testing.B) {
	// The encoding forward and backward; for each pair, a dot product and two rows of the gradient.
	multiplyAdds := func(encoding float64, dims int) float64 { return float64(dims) * (2*encoding + 3*batchPairs) }
	bench(b, multiplyAdds, func(_ *testing.B, m Model, batch Batch, _ blas32.General, _ Weights) error {
		_, err := Step(m, batch)
		return err
	})
}

// BenchmarkEmbed measures the computation of an embedding.
func BenchmarkEmbed(b *testing.B) {
	multiplyAdds := func(encoding float64, dims int) float64 { return float64(dims) * encoding }
	bench(b, multiplyAdds, func(b *testing.B, m Model, _ Batch, z blas32.General, w Weights) error {
		return m.EmbedTo(b.Context(), z, w)
	})
}

// batchPairs is the number of pairs of a step.
const batchPairs = 20_000

// encoding returns the multiply-adds per dimension that encode all nodes: of the nonzero elements of
// X̃, or of the features and the filter's layers within the step, whichever are fewer.
func encoding(input *Input, g *graph.Graph) float64 {
	within := g.Features.NNZ() + input.Filter.Layers*(2*g.Edges()+g.N())
	return float64(min(within, testutil.Nonzero(input.Smoothed.Data)))
}

// bench measures a stage of a model on every backend. multiplyAdds returns the least number of
// multiply-adds of the stage, given those that encode all nodes per dimension, and the dimensions.
func bench(b *testing.B, multiplyAdds func(encoding float64, dims int) float64, stage func(*testing.B, Model, Batch, blas32.General, Weights) error) {
	benchOn(b, Native, multiplyAdds, stage)
	for _, choice := range choices(b) {
		benchOn(b, On(choice), multiplyAdds, stage)
	}
}

// benchOn is bench on one backend, for three data sets with the paper's settings.
func benchOn(b *testing.B, on Backend, multiplyAdds func(encoding float64, dims int) float64, stage func(*testing.B, Model, Batch, blas32.General, Weights) error) {
	for _, name := range []string{"cora", "citeseer", "wiki"} {
		testutil.BenchOne(b, name, on.Name(), func(b *testing.B) func() error {
			g, rnd := testutil.LoadGraph(b, name), rand.New(rand.NewPCG(1, 2))
			c, _ := encoder.PaperOptions(name)
			input, _ := inputs(b, g, c.Filter)
			start := InitialState(input.Smoothed.Cols, c.Dims, rnd)
			m := testutil.Value(on.NewModel(input, start, Steps{Loss: Probability, LearningRate: c.LearningRate, Pairs: batchPairs})).OrFatal(b)
			b.Cleanup(m.Close)
			z := linalg.New(g.N(), c.Dims)
			batch := randomBatch(g.N(), batchPairs, rnd)
			testutil.ReportFloor(b, multiplyAdds(encoding(input, g), c.Dims), 0)
			if err := stage(b, m, batch, z, start.Weights); err != nil { // compiles
				b.Fatal(err)
			}
			return func() error { return stage(b, m, batch, z, start.Weights) }
		})
	}
}

// BenchmarkProduct measures the dense product of Cora's size, 2708×1433 by 1433×500, on every
// backend of GoMLX. It serves to compare machines.
func BenchmarkProduct(b *testing.B) {
	const n, f, width = 2708, 1433, 500
	ramp := func(rows, cols int) *tensors.Tensor {
		values := make([]float32, rows*cols)
		for i := range values {
			values[i] = float32(i%97)/97 - 0.5
		}
		return tensors.FromFlatDataAndDimensions(values, rows, cols)
	}
	for _, choice := range choices(b) {
		testutil.BenchOne(b, "cora", choice.Name, func(b *testing.B) func() error {
			d := testutil.Value(on.Open(choice, on.Need{What: "the product"})).OrFatal(b)
			b.Cleanup(d.Close)
			// The maximum is small, but still requires the whole product.
			product := d.Program(func(inputs []*mlx.Node) []*mlx.Node {
				return []*mlx.Node{mlx.ReduceAllMax(mlx.Dot(inputs[0], inputs[1]).Product())}
			})
			x, w := ramp(n, f), ramp(f, width)
			run := func() error {
				out, err := product.Call(x, w)
				if err == nil {
					tensors.ToScalar[float32](out[0]) // waits for the result
				}
				return err
			}
			if err := run(); err != nil { // compiles
				b.Fatal(err)
			}
			testutil.ReportFloor(b, n*f*width, 4*(n*f+f*width))
			return run
		})
	}
}

// BenchmarkStepGathered measures a native step that encodes only a batch's nodes, on graphs of three
// sizes. Except for cache effects, its time should not depend on n.
func BenchmarkStepGathered(b *testing.B) {
	const f, d = 128, 500
	testutil.BenchSizes(b, [3]int{10_000, 40_000, 160_000}, func(b *testing.B, n int) func() error {
		rnd := rand.New(rand.NewPCG(1, 2))
		batch := randomBatch(n, batchPairs, rnd)
		m := NewGathered(modeltest.RandomRows(n, f, 1), InitialState(f, d, rnd), Steps{Loss: Probability, LearningRate: 0.001, Pairs: batchPairs})
		return func() error {
			_, err := Step(m, batch)
			return err
		}
	})
}
