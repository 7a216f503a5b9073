package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas64"
)

// SpectralRows is [Spectral] with S = ZZᵀ for rows that may be computed when they are asked for. It passes
// over the rows four times and keeps only n×k numbers. With Y = D^-½Z, the leading eigenvectors of
// YYᵀ are YVΛ^-½, where V and Λ are the leading eigenvectors and eigenvalues of the d×d matrix YᵀY.
//
// Two things differ from Spectral. The diagonal of S counts as zero in D but not in YYᵀ,
// which changes eigenvalues by at most the largest |zᵢ|²/dᵢ, about 1/n of rows of length 1;
// and the products of YᵀY are float32, which leaves about six digits. Directions without
// variance, as beyond the d-th, are left out.
func SpectralRows(ctx context.Context, z linalg.Rows, k int, opts SpectralOptions, rnd *rand.Rand) (result SpectralResult, err error) {
	defer prefix(&err, "spectral clustering")
	n, _ := z.Dims()
	if err := checkClusters(k, n); err != nil {
		return result, err
	}
	points, values, scratch, err := rowsEmbedding(ctx, z, k, opts, rnd)
	if scratch != nil {
		defer scratch.Close()
	}
	if err != nil {
		return result, err
	}
	best, err := kMeans(ctx, points, k, opts.KMeans, rnd)
	if err != nil {
		return result, err
	}
	return SpectralResult{Labels: best.labels, Eigenvalues: values}, nil
}

// rowsEmbedding returns the leading eigenvectors, as columns with rows scaled as opts say, and their
// eigenvalues. If the eigenvectors are in a scratch file, rowsEmbedding returns that file, too, which the
// caller must close; otherwise nil.
func rowsEmbedding(ctx context.Context, z linalg.Rows, k int, opts SpectralOptions, rnd *rand.Rand) (points linalg.Matrix[float64], values []float64, scratch *mapped.Scratch, err error) {
	n, _ := z.Dims()
	scale, err := rowScale(opts.Scaling)
	if err != nil {
		return points, nil, nil, err
	}
	degrees, err := degreesOf(ctx, z)
	if err := cmp.Or(err, checkDegrees(degrees)); err != nil {
		return points, nil, nil, err
	}
	for i, d := range degrees { // a row without any affinity gets 1, as in Spectral
		degrees[i] = cmp.Or(d, 1)
	}
	basis, values, err := rightVectors(ctx, z, degrees, k, rnd)
	if err != nil {
		return points, nil, nil, err
	}
	points = linalg.Matrix[float64]{Rows: n, Cols: len(values), Stride: len(values)}
	bigInMemory := system.TotalMemory() / 16
	if count := n * points.Stride; opts.Scratch != "" && 8*int64(count) > bigInMemory {
		const numbersOfFloat64 = 2 // a scratch file's numbers are float32
		if scratch, err = mapped.NewScratch(opts.Scratch, numbersOfFloat64*count); err != nil {
			return points, nil, nil, err
		}
		points.Data = mapped.Numbers[float64](mapped.Bytes(scratch.Numbers))
	} else {
		points.Data = make([]float64, count)
	}
	// Z times basis is √dᵢ times the eigenvectors.
	err = z.Each(ctx, linalg.Pass{Kind: linalg.Product, Matrix: basis}, func(lo int, computed linalg.Matrix[float64]) {
		for i := range computed.Rows {
			row := computed.Row(i)
			factor := scale(row, degrees[lo+i])
			for j := range points.Cols {
				points.Row(lo + i)[j] = row[j] * factor
			}
		}
	})
	return points, values, scratch, err
}

// rowScale returns the function that gives the factor for a row of √dᵢ times the eigenvectors, from the row
// and its degree dᵢ. The factor turns the row into the scaling's: 1/√dᵢ times the eigenvectors for
// RandomWalk, √dᵢ times for Degree, and length 1 for NJW.
func rowScale(scaling Scaling) (func(row []float64, degree float64) float64, error) {
	switch scaling {
	case RandomWalk, "":
		return func(_ []float64, degree float64) float64 { return 1 / degree }, nil
	case Degree:
		return func([]float64, float64) float64 { return 1 }, nil
	case NJW:
		return func(row []float64, _ float64) float64 {
			squares := linalg.SumOfSquares(row)
			if squares == 0 {
				return 0
			}
			return 1 / math.Sqrt(squares)
		}, nil
	}
	return nil, fmt.Errorf("unknown scaling %q: want %s, %s or %s", scaling, RandomWalk, Degree, NJW)
}

// degreesOf returns the degree of each row of z, Σ_{j≠i} zᵢ·zⱼ = zᵢ·Σⱼ zⱼ − |zᵢ|².
func degreesOf(ctx context.Context, z linalg.Rows) ([]float64, error) {
	sums, err := z.Sum(ctx, linalg.Pass{Kind: linalg.Sums, Groups: 1})
	if err != nil {
		return nil, err
	}
	if err := linalg.CheckFinite(sums); err != nil { // then an entry of z is not finite, or the sum overflows
		return nil, cmp.Or(finiteRows(ctx, z), fmt.Errorf("sum of the rows: %w", err))
	}
	return linalg.PassColumn(ctx, z, linalg.Pass{Kind: linalg.Degrees, Matrix: sums})
}

// rightVectors returns VΛ^-½ for the k leading eigenvectors V of YᵀY, Y = D^-½Z with the degrees D, and
// the eigenvalues Λ. Eigenvalues that are 0 up to rounding are left out, and columns of zeros fill the
// matrix up to a whole panel.
func rightVectors(ctx context.Context, z linalg.Rows, degrees []float64, k int, rnd *rand.Rand) (linalg.Matrix[float64], []float64, error) {
	_, d := z.Dims()
	g, err := z.Sum(ctx, linalg.Pass{Kind: linalg.PassGram, Of: degrees})
	if err != nil {
		return g, nil, err
	}
	for i := range d { // the pass computes the lower triangle
		for j := range i {
			g.Row(j)[i] = g.Row(i)[j]
		}
	}
	product := func(ctx context.Context, dst, x blas64.General) error {
		return linalg.Mul(ctx, linalg.Matrix[float64](dst), g, linalg.Matrix[float64](x))
	}
	values, vectors, err := linalg.LeadingEigenvectors(ctx, linalg.NewOperator(d, product), min(k, d), linalg.LeadingOptions{Norm: 1}, rnd)
	if err != nil {
		return g, nil, err
	}
	const rounding = 1e-7 // of products in float32
	basis := linalg.NewMatrix[float64](d, linalg.WholePanels(len(values)))
	for c, v := range values {
		if v <= rounding*values[0] {
			values = values[:c]
			break
		}
		for j := range d {
			basis.Row(j)[c] = vectors.Data[j*vectors.Stride+c] / math.Sqrt(v)
		}
	}
	return basis, values, nil
}
