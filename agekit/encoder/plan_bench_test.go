package encoder

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// BenchmarkCosts measures the costs of the operations of trainings, next to the constants.
// The machine should do nothing else. If a constant is far off on several machines, all are
// fitted anew by TestPlanCosts.
func BenchmarkCosts(b *testing.B) {
	const n, f, d, k = 20_000, 128, 500, 7
	random := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	ctx := b.Context()
	g := testutil.Value(dataset.Planted(ctx, dataset.PlantedConfig{Nodes: n, Classes: k, MeanDegree: 14, Features: f})).OrFatal(b)
	filter, laplace := laplacian.Filter{K: 2.0 / 3, Layers: 8}, laplacian.New(g.Adjacency)
	x := testutil.Value(filter.Smooth(ctx, laplace, g.Features)).OrFatal(b)
	const half = 10_000 // of the pairs of a step
	start := affine.InitialState(f, d, random())
	model := affine.NewGathered(x, start, affine.Steps{Loss: affine.Probability, LearningRate: 0.001, Pairs: 2 * half})
	batch, rnd := affine.Batch{}, random()
	for pair := range 2 * half {
		batch.I, batch.J = append(batch.I, rnd.Int32N(n)), append(batch.J, rnd.Int32N(n))
		batch.Labels = append(batch.Labels, float32(pair%2))
	}
	z := linalg.New(n, d)
	testutil.NoError(b, model.EmbedTo(ctx, z, start.Weights))
	few := blas32.General{Rows: 5000, Cols: d, Stride: z.Stride, Data: z.Data}
	spectral := func() (cluster.SpectralResult, error) {
		return cluster.Spectral(ctx, cluster.Gram(z), k, cluster.SpectralOptions{}, random())
	}
	found := testutil.Value(spectral()).OrFatal(b)
	vectors := linalg.New(n, k)
	for i := range vectors.Data {
		vectors.Data[i] = rnd.Float32()
	}
	vectors = linalg.Normalize(vectors)
	for i, class := range g.Labels {
		vectors.Data[i*vectors.Stride+class] += 2
	}
	rate := linalg.Rate() * float64(runtime.GOMAXPROCS(0))
	for _, op := range []struct {
		name            string
		constant, count float64 // count of operations in a run
		other           float64 // what else a run costs
		run             func() error
	}{
		{"Edge", edgeCost, float64(filter.Layers*(2*g.Edges()+n)) * f, 0, func() error {
			_, err := filter.Smooth(ctx, laplace, g.Features)
			return err
		}},
		{"Step", stepCost, 3*n*f*d + 2*half*pairCost*3*d, 0, func() error {
			_, err := affine.Step(model, batch)
			return err
		}},
		{"Ranking", rankingCost, 5000 * 5000 / 2 * d, 0, func() error {
			_, err := pairs.Select(ctx, few, 0.005, 0.3, pairs.Options{})
			return err
		}},
		{"Embedding", embeddingCost, n * f * d, 0, func() error {
			return model.EmbedTo(ctx, z, start.Weights)
		}},
		{"Index", indexCost, n * d * d, 0, func() error {
			_, err := cluster.DaviesBouldinGram(ctx, z, found.Labels)
			return err
		}},
		{"Vector", vectorCost, 2 * 96 * n * d, distanceCost * n * k * k, func() error {
			_, err := spectral()
			return err
		}},
		{"Distance", distanceCost, n * k * k, 0, func() error {
			_, err := cluster.KMeans(ctx, vectors, k, cluster.KMeansOptions{}, random())
			return err
		}},
	} {
		b.Run(op.name, func(b *testing.B) {
			for b.Loop() {
				testutil.NoError(b, op.run())
			}
			total := b.Elapsed().Seconds() / float64(b.N) * rate
			b.ReportMetric((total-op.other)/op.count, "measured")
			b.ReportMetric(op.constant, "constant")
		})
	}
}
