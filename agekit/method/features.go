package method

import (
	"fmt"
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// features is X, n×f, for products with X and with its transpose.
type features struct {
	graph.Features
	n, f    int
	sparseT *graph.CSR // the transpose of a sparse X; nil for a dense one
}

// newFeatures divides X by its unit ([graph.FeatureUnit]), because the step sizes of the
// training assume features of about 1.
func newFeatures(x graph.Features) features { return withTranspose(graph.NormalizedFeatures(x)) }

// withTranspose returns x as it is.
func withTranspose(x graph.Features) features {
	n, f := x.Dims()
	out := features{Features: x, n: n, f: f}
	if x.Sparse != nil {
		out.sparseT = x.Sparse.Transpose()
	}
	return out
}

// mul sets dst = X·b.
func (x features) mul(dst, b blas32.General) {
	if x.Sparse != nil {
		mulSparse(dst, x.Sparse, b)
	} else {
		mulDense(dst, *x.Dense, b)
	}
}

// mulT sets dst = Xᵗ·b.
func (x features) mulT(dst, b blas32.General) {
	if x.Sparse != nil {
		mulSparse(dst, x.sparseT, b)
	} else {
		mulTransposed(dst, *x.Dense, b)
	}
}

// denseFeatures returns a copy of X, divided by its unit ([graph.FeatureUnit]), as a dense matrix
// with padded rows. It returns an error if memory does not hold as many matrices of this size as the
// method has at a time, or if all features are 0.
func denseFeatures(x graph.Features, matrices int) (blas32.General, error) {
	n, f := x.Dims()
	out := linalg.Shape(n, f) // without numbers
	if err := system.CheckMemory(fmt.Sprintf("%d matrices of %d nodes and %d features", matrices, n, f), 4*float64(matrices)*float64(n)*float64(out.Stride)); err != nil {
		return out, err
	}
	if graph.LargestFeature(x) == 0 {
		return out, fmt.Errorf("the graph's %d features are all 0: want some that are not", f)
	}
	from := graph.NormalizedFeatures(x).ToDense()
	out = linalg.New(n, f)
	for i := range n {
		copy(linalg.Row(out, i)[:f], from.Data[i*from.Stride:])
	}
	return out, nil
}

// tfidf returns x with other values: each that is not 0 becomes ln(n/df), if df of the n nodes have
// the feature. So several methods' public data weighs words. A feature that all nodes have gets 0.
func tfidf(x graph.Features) graph.Features {
	return reweighed(x, func(_ float32, n, df float64) float64 { return math.Log(n / df) })
}

// smoothTFIDF returns x with each value multiplied by ln((1+n)/(1+df)) + 1, if df of the n nodes have
// the feature: so scikit-learn's TfidfTransformer weighs words by default, without its division of rows by
// their lengths. No feature gets 0.
func smoothTFIDF(x graph.Features) graph.Features {
	return reweighed(x, func(v float32, n, df float64) float64 { return float64(v) * (math.Log((1+n)/(1+df)) + 1) })
}

// reweighed returns x with the values that weight has for those that are not 0: for a value v of a
// feature that df of the n nodes have.
func reweighed(x graph.Features, weight func(v float32, n, df float64) float64) graph.Features {
	n, f := x.Dims()
	df := make([]float64, f)
	entries := nonZeros(x)
	for _, e := range entries {
		df[e.Col]++
	}
	for k, e := range entries {
		entries[k].Value = float32(weight(e.Value, float64(n), df[e.Col]))
	}
	return graph.Features{Sparse: graph.FromEntries(n, f, entries)}
}

// wordWeights returns x with the weights of [tfidf] if x only says which words a node has: all values
// that are not 0 are the same. Others are weights already: it returns them as they are.
func wordWeights(x graph.Features) graph.Features {
	entries := nonZeros(x)
	for _, e := range entries {
		if e.Value != entries[0].Value {
			return x
		}
	}
	return tfidf(x)
}

// unitSums returns x with each row divided by the sum of its magnitudes.
func unitSums(x graph.Features) features { return withTranspose(unitNorms(x, 1)) }

// unitNorms returns x with each row divided by its norm (Σⱼ |xⱼ|ᵖ)^(1/p). Rows of zeros stay.
func unitNorms(x graph.Features, p float64) graph.Features {
	n, f := x.Dims()
	sums := make([]float64, n) // Σⱼ |xⱼ|ᵖ of each row
	entries := nonZeros(x)
	for _, e := range entries {
		sums[e.Row] += math.Pow(math.Abs(float64(e.Value)), p)
	}
	for k, e := range entries {
		if sums[e.Row] > 0 {
			entries[k].Value = float32(float64(e.Value) / math.Pow(sums[e.Row], 1/p))
		}
	}
	return graph.Features{Sparse: graph.FromEntries(n, f, entries)}
}

// nonZeros returns the entries of X that are not 0, divided by X's unit.
func nonZeros(x graph.Features) (entries []graph.Entry) {
	x = graph.NormalizedFeatures(x)
	n, _ := x.Dims()
	for i := range n {
		x.EachInRow(i, func(j int, v float32) {
			entries = append(entries, graph.Entry{Row: int32(i), Col: int32(j), Value: v})
		})
	}
	return entries
}

// mostDense is how many numbers X may have as a dense matrix on a device: 1 GiB. Tests lower
// it.
var mostDense = 1 << 28

// isDense reports whether graph code multiplies with x as a dense matrix: if x is one, and if a
// sparse x is small enough as one. A GPU multiplies with it fast enough whatever its share of zeros.
func isDense(x graph.Features) bool {
	n, f := x.Dims()
	return x.Dense != nil || n*f <= mostDense
}

// featureCode is X in graph code: products with X and Xᵗ.
type featureCode struct{ times, timesT func(v *nodes, y *Node) *Node }

// features returns products with X as graph code. It adds X to the trainer's constants, unless it has
// done so before.
func (t *trainer) features(x features) featureCode {
	if !isDense(x.Features) {
		s := t.sparse(x.Sparse)
		return featureCode{times: s.times, timesT: s.timesT}
	}
	key := any(x.Sparse) // the address of X's matrix, whichever form it has
	if x.Dense != nil {
		key = x.Dense
	}
	dense, ok := t.dense[key]
	if !ok {
		dense = t.matrix(x.ToDense())
		t.dense[key] = dense
	}
	return featureCode{
		times:  func(v *nodes, y *Node) *Node { return product(v.constant(dense), y) },
		timesT: func(v *nodes, y *Node) *Node { return product(Transpose(v.constant(dense), 0, 1), y) },
	}
}
