package laplacian

// This part computes eigenvalues of the graph Laplacian L̃sym (paper, §3.3)
// and of other symmetric operators: the largest one, which determines the filter's
// k = 1/λmax; all of them for up to 5,000 nodes; and an estimate of their
// distribution for larger graphs. It needs only products of the operator with
// vectors. Package eigen computes eigenvectors.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
)

const (
	// probes and steps are those of estimateDensity in [Distribution]: the number of random vectors, and the
	// number of products with the operator for each vector.
	probes = 16
	steps  = 128
)

// density is an estimate of the distribution of an operator's n eigenvalues.
type density struct {
	// Order is n.
	Order int
	// Rules holds one quadrature rule per probe.
	Rules []rule
}

// rule is the distribution of the eigenvalues as seen by one probe vector: ascending
// nodes with the fraction of the spectrum at each.
type rule struct{ Nodes, Weights []float64 }

// estimatedCount is an estimated number of eigenvalues with two kinds of error.
type estimatedCount struct {
	// Count is the estimated number.
	Count float64
	// StandardError is the standard error over the probes.
	StandardError float64
	// Resolution bounds the error from the distance between the nodes of a probe's rule.
	Resolution float64
}

// estimateDensity estimates the distribution of op's eigenvalues by stochastic Lanczos
// quadrature. For a random vector x with entries ±1, the mean of xᵀf(L)x is the sum of
// f over all eigenvalues, and the Lanczos iteration from x gives a Gauss quadrature
// rule for it (Ubaru, Chen and Saad, SIAM J. Matrix Anal. Appl. 2017; Lin, Saad and
// Yang, SIAM Review 2016).
//
// probes is the number of random vectors, and steps the number of Lanczos steps for each of them, each
// of which takes a product with op. The estimate resolves about 1/steps of the spectrum's width. The
// same rnd gives the same result on any number of cores. It returns an error if ctx is done, op has no
// rows or its products are not finite.
func estimateDensity(ctx context.Context, op linalg.Operator, probes, steps int, rnd *rand.Rand) (*density, error) {
	seeds := make([]uint64, probes)
	for p := range seeds {
		seeds[p] = rnd.Uint64()
	}
	d := &density{Order: op.Dim(), Rules: make([]rule, probes)}
	err := linalg.FirstError(probes, 1, func(p int) (err error) {
		rnd, v := rng.New(seeds[p], rng.Only), make([]float64, d.Order)
		for i := range v {
			v[i] = float64(2*rnd.IntN(2) - 1) // ±1
		}
		d.Rules[p].Nodes, d.Rules[p].Weights, err = linalg.Quadrature(ctx, op, v, steps)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("density of eigenvalues: %w", err)
	}
	return d, nil
}

// Histogram estimates the number of eigenvalues in each of n equal bins over
// [lo, hi], as the function [Histogram] counts them. The share of a rule's weight
// below an edge is off by at most the weights of the nodes on both sides (Chebyshev,
// Markov and Stieltjes): Resolution is the mean of that bound over the rules, for both
// edges of the bin.
func (d *density) Histogram(n int, lo, hi float64) []estimatedCount {
	result := make([]estimatedCount, n)
	order, probes := float64(d.Order), float64(len(d.Rules))
	for b := range result {
		var sum, squares, unknowns float64 // over the rules: of the bin's share, its square, and its bound
		for _, r := range d.Rules {
			// The bin's share of the rule's weight, and its nodes: those from first to end−1.
			share, first, end := 0.0, -1, 0
			for j, x := range r.Nodes {
				if linalg.Bin(x, n, lo, hi) != b {
					continue
				}
				if first < 0 {
					first = j
				}
				end = j + 1
				share += r.Weights[j]
			}
			if first < 0 { // between two nodes
				edge := lo + (hi-lo)*float64(b)/float64(n) + rounding
				first = sort.Search(len(r.Nodes), func(j int) bool { return r.Nodes[j] > edge })
				end = first
			}
			sum += share
			squares += share * share
			unknowns += max(r.weight(first-1), r.weight(first)) + max(r.weight(end-1), r.weight(end))
		}
		mean := sum / probes
		variance := max(0, squares/probes-mean*mean) / (probes - 1)
		result[b] = estimatedCount{Count: order * mean, StandardError: order * math.Sqrt(variance), Resolution: order * unknowns / probes}
	}
	return result
}

// Quantiles estimates the p-quantile for each p in [0, 1]: the smallest node, of all rules
// combined, with a fraction p of the spectrum at or below it. It panics if p is out of range.
func (d *density) Quantiles(p ...float64) []float64 {
	type point struct{ node, weight float64 }
	var points []point
	for _, r := range d.Rules {
		for j, x := range r.Nodes {
			points = append(points, point{x, r.Weights[j] / float64(len(d.Rules))})
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.node, b.node) })
	result := make([]float64, len(p))
	for i, share := range p {
		if !(share >= 0 && share <= 1) {
			panic(fmt.Sprintf("spectrum: quantile %v, want 0 to 1", share))
		}
		sum, smallest := 0.0, 0
		for ; smallest < len(points)-1; smallest++ {
			if sum += points[smallest].weight; sum >= share {
				break
			}
		}
		result[i] = points[smallest].node
	}
	return result
}

// rounding is the distance within which a node counts as lying at an eigenvalue. Many
// eigenvalues are exactly 0, ½ or 1.
const rounding = 1e-9

// weight returns the weight of node j, or 0 if there is no node j.
func (r rule) weight(j int) float64 {
	if j < 0 || j >= len(r.Weights) {
		return 0
	}
	return r.Weights[j]
}

// Histogram returns the number of values in each of n equal bins over [lo, hi]. A bin contains its lower edge;
// the last bin contains both. A value within 10⁻⁹·(hi − lo) of an edge counts as lying
// on it, even just outside the range. Values farther out are not counted. It panics
// unless n > 0 and lo < hi.
func Histogram(values []float64, n int, lo, hi float64) []int {
	counts := make([]int, n)
	for _, v := range values {
		if b := linalg.Bin(v, n, lo, hi); b >= 0 && b < n {
			counts[b]++
		}
	}
	return counts
}

// Quantiles returns the p-quantile of values for each p in [0, 1], with linear
// interpolation between the two nearest order statistics, as numpy does: p = 0 is the
// smallest value, p = 1 the largest. It panics if there are no values or p is out of range.
func Quantiles(values []float64, p ...float64) []float64 {
	if len(values) == 0 {
		panic("spectrum: quantiles of no values")
	}
	sorted := slices.Sorted(slices.Values(values))
	result := make([]float64, len(p))
	for i, share := range p {
		if !(share >= 0 && share <= 1) {
			panic(fmt.Sprintf("spectrum: quantile %v, want 0 to 1", share))
		}
		below, fraction := math.Modf(share * float64(len(sorted)-1))
		rank := int(below)
		result[i] = sorted[rank]
		if fraction > 0 {
			result[i] += fraction * (sorted[rank+1] - sorted[rank])
		}
	}
	return result
}

// Distribution returns the counts of the eigenvalues of op, an L̃sym, in 40 equal bins over [0, 2], and the
// quantiles for the given shares. If op has at most `most` nodes, they are those of all [Eigenvalues],
// and the standard errors are nil. Otherwise they are those of a density that is estimated with random
// vectors from rnd, with the standard errors of the counts.
func Distribution(ctx context.Context, op linalg.Operator, most int, rnd *rand.Rand, shares ...float64) (counts, standardErrors, quantiles []float64, err error) {
	const n, lo, hi = 40, 0, 2
	if op.Dim() <= most {
		values, err := Eigenvalues(ctx, op)
		if err != nil {
			return nil, nil, nil, err
		}
		for _, count := range Histogram(values, n, lo, hi) {
			counts = append(counts, float64(count))
		}
		return counts, nil, Quantiles(values, shares...), nil
	}
	d, err := estimateDensity(ctx, op, probes, steps, rnd)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, e := range d.Histogram(n, lo, hi) {
		counts, standardErrors = append(counts, e.Count), append(standardErrors, e.StandardError)
	}
	return counts, standardErrors, d.Quantiles(shares...), nil
}
