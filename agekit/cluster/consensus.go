package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// The affinities that SpectralConsensus clusters: powers of the similarities,
// as they are and with a share of the mean degree spread over all pairs. The
// eigengap of the first says whether clusters are apart.
var (
	consensusPowers = []float64{3, 2, 1}
	consensusShares = []float64{0, 1}
)

const (
	// consensusRounds is how often each is clustered.
	consensusRounds = 3
	// leastGap is what the eigengap must be above: random clouds have gaps,
	// too.
	leastGap = 0.1
	// softPower is the power that is clustered where clusters are not apart.
	softPower = 0.5
)

// ConsensusResult is what [SpectralConsensus] found.
type ConsensusResult struct {
	// Labels holds each row's cluster, 0 to k−1.
	Labels []int
	// Clusterings is the number of clusterings whose consensus they are.
	Clusterings int
	// Scaling is that of the clusterings' eigenvectors.
	Scaling Scaling
	// Gap is (λ_k − λ_k₊₁)/(1 − λ_k₊₁) of the cubes of the similarities: 1
	// for clusters without any similarity between them, and near 0 where the
	// k clusters are not apart.
	Gap float64
}

// SpectralConsensus clusters the rows of z by what many spectral clusterings
// have in common, as there are many good ones: of the similarities, their
// squares and their cubes ([GramPower]), each as it is and regularised, by the
// first k, ⌊3k/2⌋ and 2k eigenvectors, and each of these three times, as k-means
// does not find the same clusters every time.
//
// Regularised means that the mean degree is spread evenly over all pairs,
// Sᵢⱼ + d̄/n, so that small groups that hang loosely on the rest are no clusters
// of their own (Amini, Chen, Bickel and Levina, Ann. Stat. 41(4), 2013; Zhang
// and Rohe, NeurIPS 2018). The j-th of the eigenvectors, scaled by RandomWalk,
// has the length λⱼ^¼, so that those after the k-th count for as much as their
// eigenvalues say. The share of the clusterings that have two rows in one
// cluster is the affinity of a last spectral clustering (Fred and Jain, PAMI
// 27(6), 2005).
//
// Where the cubes' Gap is not above 0.1 the clusters are not apart, and sharp
// affinities would split off small groups of outliers. Then it is a single
// clustering, of the similarities' roots with the scaling Degree, by which rows
// that are similar to few others count for less.
//
// It takes some fifty products of n²·d/2 multiplications, and returns the
// errors of [Spectral].
func SpectralConsensus(ctx context.Context, z blas32.General, k int, opts KMeansOptions, rnd *rand.Rand) (ConsensusResult, error) {
	result, err := spectralConsensus(ctx, z, k, opts, rnd)
	if err != nil {
		return ConsensusResult{}, fmt.Errorf("consensus: %w", err)
	}
	return result, nil
}

func spectralConsensus(ctx context.Context, z blas32.General, k int, opts KMeansOptions, rnd *rand.Rand) (ConsensusResult, error) {
	if err := checkClusters(k, z.Rows); err != nil {
		return ConsensusResult{}, err
	}
	var gap float64
	found := agreement{rows: z.Rows, k: k}
	for _, p := range consensusPowers {
		for _, share := range consensusShares {
			s, err := regularized(ctx, GramPower(z, p), share)
			if err != nil {
				return ConsensusResult{}, err
			}
			more := min(2*k, z.Rows) - k
			vectors, values, err := spectralEmbedding(ctx, s, k, more, RandomWalk, rnd)
			if err != nil {
				return ConsensusResult{}, err
			}
			if found.labels == nil {
				if gap = eigengap(values, k); gap <= leastGap {
					soft, err := Spectral(ctx, GramPower(z, softPower), k, SpectralOptions{Scaling: Degree, KMeans: opts}, rnd)
					return ConsensusResult{soft.Labels, 1, Degree, gap}, err
				}
			}
			setLengths(vectors, values)
			for _, m := range []int{k, k + more/2, k + more} {
				for range consensusRounds {
					one, err := kMeans(ctx, vectors.slice(0, z.Rows, 0, m), k, opts, rnd)
					if err != nil {
						return ConsensusResult{}, err
					}
					found.labels = append(found.labels, one.labels)
				}
			}
		}
	}
	agreed, err := Spectral(ctx, found, k, SpectralOptions{KMeans: opts}, rnd)
	return ConsensusResult{agreed.Labels, len(found.labels), RandomWalk, gap}, err
}

// eigengap returns (λ_k − λ_k₊₁)/(1 − λ_k₊₁), 0 without a λ_k₊₁ below 1 or for one
// cluster.
func eigengap(values []float64, k int) float64 {
	if k < 2 || k >= len(values) || values[k] >= 1 {
		return 0
	}
	return (values[k-1] - values[k]) / (1 - values[k])
}

// setLengths scales column j to the length λⱼ^¼, or 0 for a λⱼ below 0.
func setLengths(columns matrix[float64], values []float64) {
	factors := make([]float64, columns.cols)
	for i := range columns.rows {
		for j, v := range columns.row(i) {
			factors[j] += v * v
		}
	}
	for j, squared := range factors {
		factors[j] = math.Pow(max(values[j], 0), 0.25) / math.Sqrt(squared)
	}
	for i := range columns.rows {
		floats.Mul(columns.row(i), factors)
	}
}

// agreement is the affinity whose entries are the numbers of clusterings that
// have two rows in one cluster.
type agreement struct {
	rows, k int
	labels  [][]int // of each clustering
}

func (a agreement) Dim() int { return a.rows }

func (a agreement) Degrees(context.Context) ([]float64, error) {
	degrees := make([]float64, a.rows)
	for _, labels := range a.labels {
		others := make([]float64, a.k)
		for _, c := range labels {
			others[c]++
		}
		for i, c := range labels {
			degrees[i] += others[c] - 1
		}
	}
	return degrees, nil
}

// MulTo adds up, for each clustering, the rows of x that are in row i's
// cluster, without row i.
func (a agreement) MulTo(ctx context.Context, dst, x blas64.General) error {
	from, to := from64(x), from64(dst)
	for i := range to.rows {
		clear(to.row(i))
	}
	for _, labels := range a.labels {
		if err := ctx.Err(); err != nil {
			return err
		}
		sums := newMatrix(a.k, from.cols)
		for i, c := range labels {
			floats.Add(sums.row(c), from.row(i))
		}
		for i, c := range labels {
			row := to.row(i)
			floats.Add(row, sums.row(c))
			floats.Sub(row, from.row(i))
		}
	}
	return nil
}

// regularized returns the affinity s with a share of its mean degree spread
// evenly over all pairs.
func regularized(ctx context.Context, s Affinity, share float64) (Affinity, error) {
	if share == 0 {
		return s, nil
	}
	degrees, err := s.Degrees(ctx)
	if err != nil {
		return nil, err
	}
	n := float64(s.Dim())
	each := share * floats.Sum(degrees) / n / n
	floats.AddConst(each*(n-1), degrees)
	return spread{s, degrees, each}, nil
}

// spread is an affinity with a constant added to every entry off the diagonal.
type spread struct {
	Affinity
	degrees []float64
	each    float64
}

func (s spread) Degrees(context.Context) ([]float64, error) { return s.degrees, nil }

func (s spread) MulTo(ctx context.Context, dst, x blas64.General) error {
	if err := s.Affinity.MulTo(ctx, dst, x); err != nil {
		return err
	}
	from, to := from64(x), from64(dst)
	sums := make([]float64, from.cols)
	for i := range from.rows {
		floats.Add(sums, from.row(i))
	}
	for i := range to.rows {
		row := to.row(i)
		floats.AddScaled(row, s.each, sums)
		floats.AddScaled(row, -s.each, from.row(i))
	}
	return nil
}
