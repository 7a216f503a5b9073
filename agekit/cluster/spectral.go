package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas64"
)

// Version is the version of the clusterings. It grows when the same input gives other
// clusters, so that stored ones are not used.
const Version = 2

// Scaling says how the leading eigenvectors u₁…u_k of D^-½SD^-½ become the points that
// k-means clusters: row i is (u₁ᵢ, …, u_kᵢ), scaled.
type Scaling string

const (
	// RandomWalk divides row i by √dᵢ, which gives the eigenvectors of the random walk
	// D⁻¹S (Shi and Malik, PAMI 22(8), 2000; scikit-learn today).
	RandomWalk Scaling = "randomwalk"
	// Degree multiplies row i by √dᵢ (scikit-learn 0.21, as in the paper's code).
	Degree Scaling = "degree"
	// NJW scales each row to length 1 (Ng, Jordan and Weiss, NIPS 2001: the paper's
	// reference).
	NJW Scaling = "njw"
)

// SpectralOptions are the settings of [Spectral].
type SpectralOptions struct {
	// Scaling of the spectral embedding. Default [RandomWalk].
	Scaling Scaling
	// KMeans are the settings of the k-means runs on the embedding.
	KMeans KMeansOptions
	// Scratch is the folder in which [SpectralRows] keeps the embedding, n×k, in a scratch
	// file, if it would take more than a sixteenth of the memory. Default "": in memory.
	Scratch string
}

// SpectralResult is the result of [Spectral].
type SpectralResult struct {
	// Labels holds each row's cluster, 0 to k−1.
	Labels []int
	// Eigenvalues are the k largest of D^-½SD^-½, in descending order; the first is 1.
	// A wide gap after the k-th suggests k clusters.
	Eigenvalues []float64
}

// Spectral clusters the n rows of an affinity matrix S into k clusters: k-means on the
// k leading eigenvectors of D^-½SD^-½, where D holds the row sums of S and the diagonal
// of S counts as zero (von Luxburg, Statistics and Computing 17(4), 2007). A row
// without any affinity gets dᵢ = 1. These are scikit-learn's conventions. The paper
// clusters its embeddings Z this way, with S = [Gram](Z) (§3.4).
//
// The eigenvectors take about 12 products of S with n×8 blocks. The number of cores
// does not change the result. It returns an error if k is outside 1…n, an option is
// negative, an entry of S is not a finite number, a row sum is negative, the
// eigenvectors do not converge, or ctx is done.
func Spectral(ctx context.Context, s Affinity, k int, opts SpectralOptions, rnd *rand.Rand) (result SpectralResult, err error) {
	defer prefix(&err, "spectral clustering")
	if err := checkClusters(k, s.Dim()); err != nil {
		return SpectralResult{}, err
	}
	points, eigenvalues, err := spectralEmbedding(ctx, s, k, 0, opts.Scaling, rnd)
	if err != nil {
		return SpectralResult{}, err
	}
	best, err := kMeans(ctx, points, k, opts.KMeans, rnd)
	if err != nil {
		return SpectralResult{}, err
	}
	return SpectralResult{Labels: best.labels, Eigenvalues: eigenvalues}, nil
}

// spectralEmbedding returns the leading eigenvectors of D^-½SD^-½ as columns, with rows scaled as scaling
// says, and their eigenvalues: k of them and, less accurately, `rough` more.
func spectralEmbedding(ctx context.Context, s Affinity, k, rough int, scaling Scaling, rnd *rand.Rand) (linalg.Matrix[float64], []float64, error) {
	n := s.Dim()
	degrees, err := s.Degrees(ctx)
	if err := cmp.Or(err, checkDegrees(degrees)); err != nil {
		return linalg.Matrix[float64]{}, nil, err
	}
	roots, inverse := make([]float64, n), make([]float64, n) // √dᵢ and 1/√dᵢ
	for i, d := range degrees {
		if d == 0 {
			d = 1
		}
		roots[i] = math.Sqrt(d)
		inverse[i] = 1 / roots[i]
	}
	scaled := linalg.NewMatrix[float64](0, 0) // buffer for D^-½x, kept between products
	normalized := linalg.NewOperator(n, func(ctx context.Context, dst, x blas64.General) error {
		if scaled.Cols != x.Cols {
			scaled = linalg.NewMatrix[float64](n, x.Cols)
		}
		scaleRows(scaled, linalg.Matrix[float64](x), inverse)
		if err := s.MulTo(ctx, dst, blas64.General(scaled)); err != nil {
			return err
		}
		scaleRows(linalg.Matrix[float64](dst), linalg.Matrix[float64](dst), inverse)
		return nil
	})
	values, vectors, err := linalg.LeadingEigenvectors(ctx, normalized, k, linalg.LeadingOptions{Rough: rough, Norm: 1}, rnd)
	if err != nil {
		return linalg.Matrix[float64]{}, nil, err
	}
	points := linalg.Matrix[float64](vectors)
	switch scaling {
	case RandomWalk, "":
		scaleRows(points, points, inverse)
	case Degree:
		scaleRows(points, points, roots)
	case NJW:
		for i := range n {
			// A row without affinities is embedded at zero up to rounding. The rounding
			// error must not become a direction.
			inverse[i] = 0
			if degrees[i] > 0 {
				inverse[i] = 1 / math.Sqrt(linalg.SumOfSquares(points.Row(i)))
			}
		}
		scaleRows(points, points, inverse)
	default:
		return points, nil, fmt.Errorf("unknown scaling %q: want %s, %s or %s", scaling, RandomWalk, Degree, NJW)
	}
	return points, values, nil
}

// scaleRows sets row i of dst to factors[i] times row i of x.
func scaleRows(dst, x linalg.Matrix[float64], factors []float64) {
	linalg.Parallel(x.Rows, linalg.RowGrain(x.Rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst.Row(i)
			for c, v := range x.Row(i) {
				row[c] = factors[i] * v
			}
		}
	})
}
