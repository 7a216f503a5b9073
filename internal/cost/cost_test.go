package cost_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/cost"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

const n, f, d, k = 20_000, 128, 500, 7

// operation is one whose cost is measured.
type operation struct {
	name     string
	constant float64
	count    float64 // of operations in a run
	other    float64 // what else a run costs
	run      func() error
}

// BenchmarkCosts measures the costs of operations that package cost lists, in its unit, next
// to the constant. The machine should do nothing else. A constant that is far off on several
// machines is fitted anew by what it is made for: a training's by TestPlanCosts, a task's by
// the stages that docs/scale.md compares.
func BenchmarkCosts(b *testing.B) {
	rate := cost.Rate() * float64(runtime.GOMAXPROCS(0))
	measured := append(trainingCosts(b), taskCosts()...)
	for _, op := range measured {
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

// trainingCosts are the operations of trainings, which use all cores.
func trainingCosts(b *testing.B) []operation {
	random := func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
	ctx := b.Context()
	g := testutil.Value(dataset.Planted(ctx, dataset.PlantedConfig{Nodes: n, Classes: k, MeanDegree: 14, Features: f})).OrFatal(b)
	filter, laplace := laplacian.Filter{K: 2.0 / 3, Layers: 8}, laplacian.New(g.Adjacency)
	x := testutil.Value(filter.Smooth(ctx, laplace, g.Features)).OrFatal(b)
	const half = 10_000 // of the pairs of a step
	start := affine.InitialState(f, d, random())
	model := affine.NewGathered(x, start, affine.Probability, 0.001, 2*half)
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
	vectors := modeltest.RandomRows(n, k, 3)
	for i, class := range g.Labels {
		vectors.Data[i*vectors.Stride+class] += 2
	}
	return []operation{
		{"Edge", cost.Edge, float64(filter.Layers*(2*g.Edges()+n)) * f, 0, func() error {
			_, err := filter.Smooth(ctx, laplace, g.Features)
			return err
		}},
		{"Step", cost.Step, 3*n*f*d + 2*half*cost.Pair*3*d, 0, func() error {
			_, err := model.Step(batch)
			return err
		}},
		{"Ranking", cost.Ranking, 5000 * 5000 / 2 * d, 0, func() error {
			_, err := pairs.Select(ctx, few, 0.005, 0.3, pairs.Options{})
			return err
		}},
		{"Embedding", cost.Embedding, n * f * d, 0, func() error {
			return model.EmbedTo(ctx, z, start.Weights)
		}},
		{"Index", cost.Index, n * d * d, 0, func() error {
			_, err := cluster.DaviesBouldinGram(ctx, z, found.Labels)
			return err
		}},
		{"Vector", cost.Vector, 2 * 96 * n * d, cost.Distance * n * k * k, func() error {
			_, err := spectral()
			return err
		}},
		{"Distance", cost.Distance, n * k * k, 0, func() error {
			_, err := cluster.KMeans(ctx, vectors, k, cluster.KMeansOptions{}, random())
			return err
		}},
	}
}

// taskCosts are the passes of tasks, of which each core makes one at a time.
func taskCosts() []operation {
	const count = 4096
	cores := runtime.GOMAXPROCS(0)
	z := modeltest.RandomRows(count, d, 1)
	pass := func(name string, constant, perEntry, other float64, p linalg.Pass, height, width int) operation {
		part := p.Prepare()
		sums := make([]linalg.Matrix[float64], cores)
		for core := range sums {
			sums[core] = linalg.NewMatrix[float64](height, width)
		}
		entries := float64(cores * count * d)
		return operation{name, constant, entries * perEntry, entries * other, func() error {
			linalg.Parallel(cores, 1, func(core, _ int) { part(linalg.InMemory(z), sums[core], 0, count) })
			return nil
		}}
	}
	row, factor := linalg.NewMatrix[float64](1, d), linalg.NewMatrix[float64](d, d)
	columns := linalg.WholePanels(k)
	return []operation{
		pass("Gram", cost.Gram, d/2, cost.CopiedEntry, linalg.Pass{Kind: linalg.PassGram}, d, d),
		pass("Lengths", cost.Lengths, d/2, cost.CopiedEntry, linalg.Pass{Kind: linalg.Lengths, Of: make([]float64, count), Matrix: row, Factor: factor}, count, 1),
		pass("Degree", cost.Degree, 1, 0, linalg.Pass{Kind: linalg.Degrees, Matrix: row}, count, 1),
		pass("Product", cost.Product, float64(columns), 0, linalg.Pass{Kind: linalg.Product, Matrix: linalg.NewMatrix[float64](d, columns)}, count, columns),
	}
}
