package tsne

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// affinity is the symmetric sparse matrix P of [Map], in CSR format: row i has the columns
// indices[indptr[i]:indptr[i+1]] and the values there. Its entries sum to 1.
type affinity struct {
	indptr  []int
	indices []int32
	values  []float64
}

// affinities returns P for the rows of x: the symmetrized p(j|i), where j is one of the nearest neighbors of
// row i, neighborFactor times the perplexity.
func affinities(ctx context.Context, x blas32.General, perplexity float64) (affinity, error) {
	k := min(x.Rows-1, int(neighborFactor*perplexity+1))
	near, err := linalg.NearestRows(ctx, x, k)
	if err != nil {
		return affinity{}, err
	}
	const rowsPerCore = 16
	linalg.Parallel(x.Rows, rowsPerCore, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			calibrate(near[i*k:(i+1)*k], perplexity)
		}
	})
	return symmetric(near, x.Rows, k), nil
}

// neighbor is a neighbor of a row. Its Value is the squared distance or, after [calibrate], the probability
// p(j|i).
type neighbor = linalg.Neighbor

// calibrate replaces the values of a row's neighbors, squared distances dⱼ² in increasing order, by the
// probabilities pⱼ ∝ exp(−β dⱼ²) whose entropy is log(perplexity). It finds β by bisection. If more
// neighbors than the perplexity are tied for nearest, no β reaches that entropy: the largest β tried
// gives these neighbors equal probabilities.
func calibrate(row []neighbor, perplexity float64) {
	const tolerance, tries = 1e-9, 200
	first := row[0].Value
	var mean float64
	for i := range row {
		row[i].Value -= first // does not affect pⱼ, and makes the largest term 1
		mean += row[i].Value / float64(len(row))
	}
	// β is between low and high; the first guess is the inverse of the mean squared distance.
	low, high, beta := 0.0, math.Inf(1), 1.0
	if mean > 0 {
		beta = 1 / mean
	}
	var sum float64 // of exp(−β dⱼ²)
	for range tries {
		var weighted float64
		sum = 0
		simd.ZeroUpper()
		for _, v := range row {
			e := math.Exp(-beta * v.Value)
			sum += e
			weighted += e * v.Value
		}
		entropy := math.Log(sum) + beta*weighted/sum
		surplus := entropy - math.Log(perplexity)
		if math.Abs(surplus) < tolerance || mean == 0 { // a mean of 0: all are tied, and β has no effect
			break
		}
		if surplus > 0 { // a larger β lowers the entropy
			low = beta
		} else {
			high = beta
		}
		if math.IsInf(high, 1) {
			if beta > math.MaxFloat64/4 { // doubled again, it could overflow
				break
			}
			beta *= 2
		} else {
			beta = (low + high) / 2
		}
	}
	sum = 0
	for i := range row {
		row[i].Value = math.Exp(-beta * row[i].Value)
		sum += row[i].Value
	}
	for i := range row {
		row[i].Value /= sum
	}
}

// symmetric returns P with pᵢⱼ = (p(j|i)+p(i|j))/2n. near has the k neighbors of each of n rows, row after
// row, with p(j|i) as their values.
func symmetric(near []neighbor, n, k int) affinity {
	// Each neighbor j of a row i is an entry of row i and one of row j. The entries of row i are
	// entries[first[i]:first[i+1]].
	first := make([]int, n+1)
	for e, v := range near {
		first[e/k+1]++
		first[v.Index+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	entries := make([]neighbor, 2*len(near))
	next := slices.Clone(first[:n])
	for e, v := range near {
		i := int32(e / k)
		half := v.Value / float64(2*n)
		entries[next[i]] = neighbor{Index: v.Index, Value: half}
		next[i]++
		entries[next[v.Index]] = neighbor{Index: i, Value: half}
		next[v.Index]++
	}
	p := affinity{indptr: make([]int, n+1)}
	for i := range n {
		row := entries[first[i]:first[i+1]]
		slices.SortFunc(row, func(a, b neighbor) int { return cmp.Compare(a.Index, b.Index) })
		for e, v := range row {
			if e > 0 && v.Index == row[e-1].Index { // both are neighbors of each other: add up
				p.values[len(p.values)-1] += v.Value
				continue
			}
			p.indices = append(p.indices, v.Index)
			p.values = append(p.values, v.Value)
		}
		p.indptr[i+1] = len(p.indices)
	}
	return p
}
