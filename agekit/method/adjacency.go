package method

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// adjacency is the cross entropy of σ(ZZᵗ) as a prediction of A + I,
//
//	L = c Σᵢⱼ [ p·yᵢⱼ·softplus(−sᵢⱼ) + (1−yᵢⱼ)·softplus(sᵢⱼ) ],  s = zᵢ·zⱼ,
//
// over all n² ordered pairs. It is Σᵢⱼ softplus(sᵢⱼ), in blocks that are not stored,
// plus a correction for the edges.
type adjacency struct {
	targets *graph.CSR // A + I, whose entries are the pairs with y = 1
	p, c    float64
	sample  int     // how many nodes represent all n in the sum over j; 0: all nodes
	drawn   []int32 // those nodes, set by draw
}

// newAdjacency returns GAE's loss for the adjacency matrix a, which must have edges. Its weights
// make edges count as much as all other pairs together: p = (n²−2m)/2m and c = 1/(2(n²−2m))
// for m edges (Kipf and Welling 2016; the factors are those of their code). In the sum over j,
// sample nodes represent all: see draw. If sample is 0 or not below n, all nodes count.
func newAdjacency(a *graph.CSR, sample int) *adjacency {
	entries := float64(a.NNZ()) // 2m
	others := float64(a.Rows)*float64(a.Rows) - entries
	l := &adjacency{targets: withDiagonal(a), p: others / entries, c: 1 / (2 * others)}
	if sample < a.Rows {
		l.sample = sample
	}
	return l
}

// draw draws the nodes of a step's sample without replacement, for compute, which reads them from
// drawn, and for code, whose input 0 they are. It returns the inputs: none without a sample.
func (a *adjacency) draw(rnd *rand.Rand) (inputs []any) {
	if a.sample == 0 {
		return nil
	}
	a.drawn = a.drawn[:0]
	for _, i := range rnd.Perm(a.targets.Rows)[:a.sample] {
		a.drawn = append(a.drawn, int32(i))
	}
	return []any{a.drawn}
}

// compute implements [objective]. It counts all pairs as others, y = 0, and then corrects the
// terms of the targets.
func (a *adjacency) compute(ctx context.Context, z, gradient blas32.General) (float64, error) {
	columns, weight := a.columns(z)
	return sumBands(ctx, z.Rows, func(lo, hi int) float64 {
		// A pair is in the sum twice, as (i, j) and as (j, i), so that the gradient has the factor 2.
		all := gradientBand(z, columns, lo, hi, float32(2*a.c*weight), gradient, simd.Logistic)
		return a.c * (weight*all + a.edges(z, lo, hi, gradient))
	})
}

// columns returns the rows of z that each row is compared with, and how many rows each of them
// stands for: all rows and 1, or the sample's and n/sample, which makes the loss and the gradient
// unbiased estimates.
func (a *adjacency) columns(z blas32.General) (columns blas32.General, weight float64) {
	if a.sample == 0 {
		return z, 1
	}
	columns = linalg.New(a.sample, z.Cols)
	for k, i := range a.drawn {
		copy(linalg.Row(columns, k), linalg.Row(z, int(i)))
	}
	return columns, float64(z.Rows) / float64(a.sample)
}

// code implements [pairObjective].
func (a *adjacency) code(t *trainer) func(v *nodes, z *Node) (value, gradient *Node) {
	targets := t.sparse(a.targets)
	return func(v *nodes, z *Node) (value, gradient *Node) {
		n, columns, weight := z.Shape().Dim(0), z, 1.0
		if a.sample > 0 {
			columns, weight = Gather(z, ExpandAxes(v.input(0), -1)), float64(n)/float64(a.sample)
		}
		others, gradient, _ := pairSums(z, columns, tileRows(n, columns.Shape().Dim(0)), false, softplus)
		// For each target (i, j): its own term minus the one that others counted for it, and the
		// derivative of that. s is zᵢ·zⱼ.
		neighbors := targets.cols.spread(v, z)
		s := ReduceAndKeep(Mul(targets.rows.spread(v, z), neighbors), ReduceSum, -1)
		positive, probability := softplus(s)
		// p·softplus(−s) − softplus(s), with softplus(−s) = softplus(s) − s, summed for each row.
		edges := targets.rows.sum(v, Sub(MulScalar(Sub(positive, s), a.p), positive))
		change := Sub(MulScalar(AddScalar(probability, -1), a.p), probability)
		value = Add(MulScalar(others, weight), ConvertDType(ReduceAllSum(edges), others.DType()))
		value = MulScalar(value, a.c)
		gradient = Add(MulScalar(gradient, weight), targets.rows.sum(v, Mul(change, neighbors)))
		return value, MulScalar(gradient, 2*a.c)
	}
}

// softplus is graph code of log(1 + exp(s)) and its derivative. Its zero is a Const, so that the body
// of a loop can have it, too ([pairSums]).
func softplus(s *Node) (value, derivative *Node) {
	zero := Const(s.Graph(), float32(0))
	return Add(Max(s, zero), Log1p(Exp(Neg(Abs(s))))), Logistic(s)
}

// Similarities are computed in blocks of bandRows×blockCols, which stay in a core's caches.
const bandRows, blockCols = simd.TileWidth, 256

// sumBands calls f for bands of bandRows of n rows, lo to hi, on all cores, and returns the sum of
// what f returns. It adds in the order of the bands, so that the number of cores makes no difference.
func sumBands(ctx context.Context, n int, f func(lo, hi int) float64) (sum float64, err error) {
	bands := make([]float64, (n+bandRows-1)/bandRows)
	err = linalg.ParallelContext(ctx, n, bandRows, func(lo, hi int) { bands[lo/bandRows] = f(lo, hi) })
	for _, b := range bands {
		sum += b
	}
	return sum, err
}

// gradientBand returns the sum of f(zᵢ·cⱼ) over the rows i of z from lo to hi, at most bandRows, and
// all rows cⱼ of columns. It sets rows lo to hi of gradient to scale·Σⱼ f′(zᵢ·cⱼ)cⱼ. derive is the
// function: it replaces products by f′ of them and returns the sum of f.
func gradientBand(z, columns blas32.General, lo, hi int, scale float32, gradient blas32.General, derive func(products []float32) float64) float64 {
	var products [blockCols * bandRows]float32 // of a block: a row for each cⱼ, a column for each zᵢ
	// The band's rows of z, and of its gradient before the scale, both transposed and with zeros up
	// to bandRows columns.
	band, sums := make([]float32, z.Cols*bandRows), make([]float32, z.Cols*bandRows)
	for i := lo; i < hi; i++ {
		for c, v := range z.Data[i*z.Stride:][:z.Cols] {
			band[c*bandRows+i-lo] = v
		}
	}
	var sum float64
	for from := 0; from < columns.Rows; from += blockCols {
		cols, block := min(blockCols, columns.Rows-from), columns.Data[from*columns.Stride:]
		simd.DenseTile(products[:], bandRows, block, columns.Stride, columns.Cols, band, bandRows, 0, cols)
		if hi-lo == bandRows {
			sum += derive(products[:cols*bandRows])
		} else { // without the columns of zeros
			for j := range cols {
				sum += derive(products[j*bandRows:][:hi-lo])
			}
		}
		simd.AddTransposedTile(sums, bandRows, block, columns.Stride, cols, products[:], bandRows, 0, z.Cols)
	}
	for i := lo; i < hi; i++ {
		for c := range z.Cols {
			gradient.Data[i*gradient.Stride+c] = scale * sums[c*bandRows+i-lo]
		}
	}
	return sum
}

// edges returns what is to be added to the sum of softplus(s) for the targets in rows lo to hi,
// each of which counts p·softplus(−s) instead. It adds the derivative of that, times c and 2 as in
// compute, to rows lo to hi of gradient.
func (a *adjacency) edges(z blas32.General, lo, hi int, gradient blas32.General) float64 {
	var sum float64
	for i := lo; i < hi; i++ {
		neighbors, _ := a.targets.Row(i)
		for _, j := range neighbors {
			s := float64(simd.Dot(linalg.Row(z, i), linalg.Row(z, int(j))))
			positive := max(s, 0) + math.Log1p(math.Exp(-math.Abs(s))) // softplus(s)
			probability := 1 / (1 + math.Exp(-s))
			sum += a.p*(positive-s) - positive // softplus(−s) = softplus(s) − s
			simd.Axpy(float32(2*a.c*(a.p*(probability-1)-probability)), linalg.Row(z, int(j)), linalg.Row(gradient, i))
		}
	}
	return sum
}

// withLoops returns A + w̄I, where w̄ is the mean weight of the edges: 1 if they have no weights.
func withLoops(a *graph.CSR) *graph.CSR {
	entries, loop := make([]graph.Entry, 0, a.NNZ()+a.Rows), float32(a.MeanWeight())
	for i := range a.Rows {
		entries = append(entries, graph.Entry{Row: int32(i), Col: int32(i), Value: loop})
		for j, v := range a.Each(i) {
			entries = append(entries, graph.Entry{Row: int32(i), Col: int32(j), Value: v})
		}
	}
	return graph.FromEntries(a.Rows, a.Cols, entries)
}

// withDiagonal returns the pattern of A + I: all values are 1.
func withDiagonal(a *graph.CSR) *graph.CSR {
	pattern := withLoops(a)
	pattern.Values = nil
	return pattern
}
