package cluster

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// The affinities that SpectralConsensus clusters are the similarities to each of these powers, with each
// of these shares of the mean degree spread over all pairs ([regularized]); a share of 0 leaves them
// unchanged. The eigengap of the first affinity tells whether the clusters are well separated.
var (
	consensusPowers = []float64{3, 2, 1}
	consensusShares = []float64{0, 1}
)

const (
	// consensusRounds is the number of times that each affinity is clustered with each number of
	// eigenvectors.
	consensusRounds = 3
	// leastGap is the eigengap above which clusters count as well separated. It is not 0, because
	// random clouds have gaps, too.
	leastGap = 0.1
	// softPower is the power of the similarities if clusters are not well separated.
	softPower = 0.5
)

// ConsensusResult is the result of [SpectralConsensus].
type ConsensusResult struct {
	// Labels holds each row's cluster, 0 to k−1.
	Labels []int
	// Clusterings is the number of clusterings of which Labels is the consensus.
	Clusterings int
	// Scaling is the scaling of the clusterings' eigenvectors.
	Scaling Scaling
	// Gap is (λ_k − λ_k₊₁)/(1 − λ_k₊₁) of the cubes of the similarities: 1 for clusters
	// without any similarity between them, and near 0 if k clusters are not well separated.
	Gap float64
}

// SpectralConsensus clusters the rows of z by the consensus of several spectral
// clusterings, since many good ones exist. They use the similarities, their squares and
// their cubes (gramPower), each unchanged and regularized, with the first k, ⌊3k/2⌋ and
// 2k eigenvectors, three times each.
//
// Regularization spreads the mean degree evenly over all pairs, Sᵢⱼ + d̄/n, so that small
// groups loosely attached to the rest do not become clusters (Amini, Chen, Bickel and
// Levina, Ann. Stat. 41(4), 2013; Zhang and Rohe, NeurIPS 2018). The j-th eigenvector,
// scaled by RandomWalk, has length λⱼ^¼, which weights those after the k-th by their
// eigenvalues. The share of the clusterings that put two rows in the same cluster is the
// affinity of a final spectral clustering (Fred and Jain, PAMI 27(6), 2005).
//
// If the Gap of the cubes is 0.1 or less, the clusters are not well separated, and sharp
// affinities would split off small groups of outliers. The result is then one clustering,
// of the similarities' square roots with the scaling Degree, in which rows that are
// similar to few others weigh less.
//
// It takes about fifty products of n²·d/2 multiplications, and returns [Spectral]'s
// errors.
func SpectralConsensus(ctx context.Context, z blas32.General, k int, opts KMeansOptions, rnd *rand.Rand) (result ConsensusResult, err error) {
	defer prefix(&err, "consensus")
	if err := checkClusters(k, z.Rows); err != nil {
		return ConsensusResult{}, err
	}
	var gap float64
	found := agreement{rows: z.Rows, k: k} // all clusterings so far
	for _, p := range consensusPowers {
		for _, share := range consensusShares {
			s, err := regularized(ctx, newGramPower(z, p), share)
			if err != nil {
				return ConsensusResult{}, err
			}
			more := min(2*k, z.Rows) - k // eigenvectors beyond the k-th: k, if there are so many rows
			vectors, values, err := spectralEmbedding(ctx, s, k, more, RandomWalk, rnd)
			if err != nil {
				return ConsensusResult{}, err
			}
			if found.labels == nil { // the first affinity
				if gap = eigengap(values, k); gap <= leastGap {
					soft, err := Spectral(ctx, newGramPower(z, softPower), k, SpectralOptions{Scaling: Degree, KMeans: opts}, rnd)
					return ConsensusResult{Labels: soft.Labels, Clusterings: 1, Scaling: Degree, Gap: gap}, err
				}
			}
			setLengths(vectors, values)
			for _, columns := range []int{k, k + more/2, k + more} {
				for range consensusRounds {
					clustering, err := kMeans(ctx, vectors.Slice(0, z.Rows, 0, columns), k, opts, rnd)
					if err != nil {
						return ConsensusResult{}, err
					}
					found.labels = append(found.labels, clustering.labels)
				}
			}
		}
	}
	agreed, err := Spectral(ctx, found, k, SpectralOptions{KMeans: opts}, rnd)
	return ConsensusResult{Labels: agreed.Labels, Clusterings: len(found.labels), Scaling: RandomWalk, Gap: gap}, err
}

// eigengap returns (λ_k − λ_k₊₁)/(1 − λ_k₊₁) of the eigenvalues λ₁, λ₂, … in descending order. It returns
// 0 if k is 1, if there are only k eigenvalues, or if λ_k₊₁ is 1.
func eigengap(values []float64, k int) float64 {
	if k < 2 || k >= len(values) || values[k] >= 1 {
		return 0
	}
	return (values[k-1] - values[k]) / (1 - values[k])
}

// setLengths scales column j, in place, to length λⱼ^¼, or to 0 if λⱼ is negative. values are the λⱼ.
func setLengths(columns linalg.Matrix[float64], values []float64) {
	factors := make([]float64, columns.Cols) // first the squared lengths, then the factors
	for i := range columns.Rows {
		for j, v := range columns.Row(i) {
			factors[j] += v * v
		}
	}
	for j, squared := range factors {
		factors[j] = math.Pow(max(values[j], 0), 0.25) / math.Sqrt(squared)
	}
	for i := range columns.Rows {
		floats.Mul(columns.Row(i), factors)
	}
}

// agreement is the affinity whose entry (i, j) is the number of clusterings that put
// rows i and j in the same cluster.
type agreement struct {
	rows, k int     // number of rows, and of clusters in each clustering
	labels  [][]int // each clustering's labels of all rows
}

func (a agreement) Dim() int { return a.rows }

// Degrees returns, for each row, the sum over the clusterings of the number of other rows in its cluster.
func (a agreement) Degrees(context.Context) ([]float64, error) {
	degrees := make([]float64, a.rows)
	for _, labels := range a.labels {
		sizes := make([]float64, a.k) // of the clusters
		for _, c := range labels {
			sizes[c]++
		}
		for i, c := range labels {
			degrees[i] += sizes[c] - 1
		}
	}
	return degrees, nil
}

// MulTo sets row i of dst to the sum, over the clusterings, of the rows of x whose rows are in the
// cluster of row i, except for row i itself.
func (a agreement) MulTo(ctx context.Context, dst, x blas64.General) error {
	factors, products := linalg.Matrix[float64](x), linalg.Matrix[float64](dst)
	for i := range products.Rows {
		clear(products.Row(i))
	}
	for _, labels := range a.labels {
		if err := ctx.Err(); err != nil {
			return err
		}
		sums := linalg.NewMatrix[float64](a.k, factors.Cols) // of the rows of each cluster
		for i, c := range labels {
			floats.Add(sums.Row(c), factors.Row(i))
		}
		for i, c := range labels {
			product := products.Row(i)
			floats.Add(product, sums.Row(c))
			floats.Sub(product, factors.Row(i))
		}
	}
	return nil
}

// regularized returns s with share·d̄/n added to each entry off the diagonal, where d̄ is the mean degree
// of s: a share of the mean degree, spread evenly over the row. If share is 0, it returns s itself.
func regularized(ctx context.Context, s Affinity, share float64) (Affinity, error) {
	if share == 0 {
		return s, nil
	}
	degrees, err := s.Degrees(ctx)
	if err != nil {
		return nil, err
	}
	n := float64(s.Dim())
	added := share * floats.Sum(degrees) / n / n
	floats.AddConst(added*(n-1), degrees)
	return plusConstant{Affinity: s, degrees: degrees, added: added}, nil
}

// plusConstant is an affinity with a constant added to every entry off the diagonal.
type plusConstant struct {
	Affinity
	degrees []float64 // row sums, the constants included
	added   float64   // the constant
}

func (p plusConstant) Degrees(context.Context) ([]float64, error) { return p.degrees, nil }

// MulTo sets row i of dst to that of the affinity's product, plus the constant times the sum of all rows of
// x except row i.
func (p plusConstant) MulTo(ctx context.Context, dst, x blas64.General) error {
	if err := p.Affinity.MulTo(ctx, dst, x); err != nil {
		return err
	}
	factors, products := linalg.Matrix[float64](x), linalg.Matrix[float64](dst)
	sum := make([]float64, factors.Cols) // of all rows
	for i := range factors.Rows {
		floats.Add(sum, factors.Row(i))
	}
	for i := range products.Rows {
		product := products.Row(i)
		floats.AddScaled(product, p.added, sum)
		floats.AddScaled(product, -p.added, factors.Row(i))
	}
	return nil
}
