package cost_test

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/cost"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// measured is something whose time tells the cost of an operation.
type measured struct {
	operation cost.Operation
	does      cost.Estimate // all that run does
	run       func() error
}

// BenchmarkCosts measures the cost of one operation after the other, and prints it beside that of the
// table. The unit is that of a Gram matrix measured right before. The measured cost is
//
//	(processor time of a run / unit − cost of its other operations) / number of the operations
//
// Processor time is that of this process, so that other programs disturb it less. The costs that are
// not measured here were fitted to whole stages of the engine.
//
//	go test ./internal/cost -run '^$' -bench Costs -benchtime 3x -count 5
func BenchmarkCosts(b *testing.B) {
	for _, m := range append(training(b), passes()...) {
		b.Run(m.operation.String(), func(b *testing.B) {
			testutil.NoError(b, m.run()) // which allocates what later ones use
			unit, seconds := processor(gramMatrices)/gramUnits, 0.
			for b.Loop() {
				seconds += processor(func() { testutil.NoError(b, m.run()) })
			}
			count := m.does[m.operation]
			others := m.does
			others[m.operation] = 0
			b.ReportMetric((seconds/float64(b.N)/unit-others.Cost())/count, "measured")
			b.ReportMetric(m.operation.Cost(), "table")
		})
	}
}

// processor returns the processor seconds of this process that run takes.
func processor(run func()) float64 {
	used := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			panic(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	runtime.GC()
	start := used()
	run()
	return used() - start
}

// The sizes of the matrix whose Gram matrix [cost.Rate] measures by, and how often each core computes it.
const gramRows, gramColumns, gramTimes = 2048, 512, 10

// gramUnits is the cost of gramMatrices by the table.
var gramUnits = cost.GramMatrix(gramRows, gramColumns).Cost() * gramTimes * float64(runtime.GOMAXPROCS(0))

var gramData = random(gramRows, gramColumns)

// gramMatrices computes the Gram matrix of gramData gramTimes on each core.
func gramMatrices() {
	part := linalg.Pass{Kind: linalg.PassGram}.Prepare()
	linalg.Parallel(runtime.GOMAXPROCS(0), 1, func(int, int) {
		sum := linalg.NewMatrix[float64](gramColumns, gramColumns)
		for range gramTimes {
			part(linalg.InMemory(gramData), sum, 0, gramRows)
		}
	})
}

// source returns a source of random numbers, always the same ones.
func source() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// random returns a matrix of n rows and d columns with random numbers.
func random(n, d int) blas32.General {
	z, rnd := linalg.New(n, d), source()
	for i := range z.Data {
		z.Data[i] = rnd.Float32()
	}
	return z
}

// training returns the parts of a training on 20,000 planted nodes, and a step that filters Cora's words.
func training(b *testing.B) []measured {
	const n, f, d, k, positives = 20_000, 128, 500, 7, 10_000 // nodes, features, dimensions, classes, positive pairs of a step
	const few = 16                                            // features with which pairs decide what a step takes
	const fewer = 5000                                        // nodes to rank
	ctx := b.Context()
	g := testutil.Value(dataset.Planted(ctx, dataset.PlantedConfig{Nodes: n, Classes: k, MeanDegree: 14, Features: f})).OrFatal(b)
	filter := laplacian.Filter{K: 2.0 / 3, Layers: 8}
	x := testutil.Value(filter.Smooth(ctx, laplacian.New(g.Adjacency), g.Features)).OrFatal(b)
	steps := step.Steps{Loss: step.Probability, LearningRate: 0.001, Pairs: 2 * positives}
	many := steps
	many.Pairs *= 4
	start := step.InitialState(f, d, source())
	model, narrow := step.NewGathered(x, start, steps), step.NewGathered(random(n, few), step.InitialState(few, d, source()), many)
	batch := batchOf(n, positives)
	z := linalg.New(n, d)
	testutil.NoError(b, model.EmbedTo(ctx, z, start.Weights))
	ranked := blas32.General{Rows: fewer, Cols: d, Stride: z.Stride, Data: z.Data}
	spectral := func() (cluster.SpectralResult, error) {
		return cluster.Spectral(ctx, cluster.Gram(z), k, cluster.SpectralOptions{}, source())
	}
	found := testutil.Value(spectral()).OrFatal(b)
	vectors, rnd := linalg.New(n, k), source()
	for i, class := range g.Labels { // as far apart as a training leaves them
		row := linalg.Row(vectors, i)
		for c := range k {
			row[c] = float32(rnd.NormFloat64()) / 4
		}
		row[class]++
	}
	words := testutil.LoadGraph(b, "cora")
	filtered, entries := filteredModel(b, words, filter, d, steps)
	wordsBatch := batchOf(words.N(), positives)
	return []measured{
		{cost.StepRow, cost.DenseStep(n, few, d, positives/10, 0), func() error { return second(step.Step(narrow, batchOf(n, positives/10))) }},
		{cost.StepPair, cost.DenseStep(n, few, d, 4*positives, 0), func() error { return second(step.Step(narrow, batchOf(n, 4*positives))) }},
		{cost.Step, cost.DenseStep(n, f, d, positives, 0), func() error { return second(step.Step(model, batch)) }},
		{cost.StepEntry, cost.FilteredStep(float64(words.N()), entries, d, positives, 0), func() error { return second(step.Step(filtered, wordsBatch)) }},
		{cost.Rank, cost.Of(cost.Rank, fewer*fewer/2*d), func() error { return second(pairs.Select(ctx, ranked, 0.005, 0.3, pairs.Options{})) }},
		{cost.Embed, cost.Embedding(n, f, d), func() error { return model.EmbedTo(ctx, z, start.Weights) }},
		{cost.Length, cost.Index(n, d), func() error { return second(cluster.DaviesBouldinGram(ctx, z, found.Labels)) }},
		{cost.Distance, cost.KMeans(n, n, k), func() error { return second(cluster.KMeans(ctx, vectors, k, cluster.KMeansOptions{}, source())) }},
		{cost.Vector, cost.Spectral(n, d, k), func() error { return second(spectral()) }},
	}
}

// second returns the error of a call, its second result.
func second[T any](_ T, err error) error { return err }

// batchOf returns a batch of random pairs of n nodes: so many positive ones, and as many negative ones.
func batchOf(n, positives int) (b step.Batch) {
	rnd := source()
	for pair := range 2 * positives {
		b.I, b.J = append(b.I, rnd.Int32N(int32(n))), append(b.J, rnd.Int32N(int32(n)))
		b.Labels = append(b.Labels, float32(pair%2))
	}
	return b
}

// filteredModel returns the native model of a graph with sparse features, which filters in each
// step, and the number of entries that it multiplies a column by.
func filteredModel(b *testing.B, g *graph.Graph, filter laplacian.Filter, d int, s step.Steps) (step.Model, float64) {
	op, x := laplacian.New(g.Adjacency), g.Features.Sparse
	input := &step.Input{Smoothed: linalg.Narrow(x.Rows, x.Cols), Features: g.Features, Unit: 1, Operator: op, Filter: filter}
	m := testutil.Value(step.Native.NewModel(input, step.InitialState(x.Cols, d, source()), s)).OrFatal(b)
	return m, float64(x.NNZ() + filter.Layers*op.FilterEntries())
}

// passes returns the passes over rows that tasks of the engine make, one pass on each core.
func passes() (all []measured) {
	const n, d, columns = 4096, 500, 8 // rows that a cache holds
	cores := runtime.GOMAXPROCS(0)
	z := linalg.InMemory(random(n, d))
	row, factor := linalg.NewMatrix[float64](1, d), linalg.NewMatrix[float64](d, d)
	for _, p := range []struct {
		operation  cost.Operation
		does       cost.Estimate
		pass       linalg.Pass
		rows, cols int // of the sums
	}{
		{cost.Gram, cost.GramMatrix(n, d), linalg.Pass{Kind: linalg.PassGram}, d, d},
		{cost.LengthEntry, cost.Lengths(n, d), linalg.Pass{Kind: linalg.Lengths, Of: make([]float64, n), Matrix: row, Factor: factor}, n, 1},
		{cost.Degree, cost.Of(cost.Degree, n*d), linalg.Pass{Kind: linalg.Degrees, Matrix: row}, n, 1},
		{cost.Product, cost.Of(cost.Product, n*d*columns), linalg.Pass{Kind: linalg.Product, Matrix: linalg.NewMatrix[float64](d, columns)}, n, columns},
	} {
		part, sums := p.pass.Prepare(), make([]linalg.Matrix[float64], cores)
		for core := range sums {
			sums[core] = linalg.NewMatrix[float64](p.rows, p.cols)
		}
		all = append(all, measured{p.operation, p.does.Times(float64(cores)), func() error {
			linalg.Parallel(cores, 1, func(core, _ int) { part(z, sums[core], 0, n) })
			return nil
		}})
	}
	return all
}
