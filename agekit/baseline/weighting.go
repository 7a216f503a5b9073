package baseline

import (
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/units"
)

// tfidf weighs a feature that df of n nodes have by ln(n/df), whatever its
// values: the weights of words in several methods' public data. A feature that
// all nodes have gets 0.
func tfidf(x graph.Features) graph.Features {
	n, f := x.Dims()
	having := make([]float64, f)
	entries := nonZeros(x)
	for _, e := range entries {
		having[e.Col]++
	}
	for k, e := range entries {
		entries[k].Value = float32(math.Log(float64(n) / having[e.Col]))
	}
	return graph.Features{Sparse: graph.FromEntries(n, f, entries)}
}

// wordWeights returns features that only say which words a node has with the
// weights ln(n/df), and others, which are weights already, as they are.
func wordWeights(x graph.Features) graph.Features {
	if _, f := x.Dims(); f == 0 {
		return x
	}
	entries := nonZeros(x)
	for _, e := range entries {
		if e.Value != entries[0].Value {
			return x
		}
	}
	return tfidf(x)
}

// unitRows divides each row by its length. Rows of zeros stay.
func unitRows(x graph.Features) graph.Features { return unitNorms(x, 2) }

// unitSums divides each row by the sum of its magnitudes. Rows of zeros stay.
func unitSums(x graph.Features) (features, error) {
	n, f := x.Dims()
	if f == 0 {
		return features{}, errNoFeatures
	}
	rows := unitNorms(x, 1).Sparse
	return features{n: n, f: f, sparse: rows, sparseT: rows.Transpose()}, nil
}

// unitNorms divides each row by its norm (Σⱼ |xⱼ|ᵖ)^(1/p).
func unitNorms(x graph.Features, p float64) graph.Features {
	n, f := x.Dims()
	sums := make([]float64, n)
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
func nonZeros(x graph.Features) []graph.Entry {
	x = units.Normalized(x)
	n, f := x.Dims()
	var entries []graph.Entry
	add := func(i int, j int32, v float32) {
		if v != 0 {
			entries = append(entries, graph.Entry{Row: int32(i), Col: j, Value: v})
		}
	}
	for i := range n {
		if x.Sparse == nil {
			for j, v := range x.Dense.Data[i*x.Dense.Stride:][:f] {
				add(i, int32(j), v)
			}
			continue
		}
		columns, values := x.Sparse.Row(i)
		for p, j := range columns {
			if values == nil {
				add(i, j, 1)
			} else {
				add(i, j, values[p])
			}
		}
	}
	return entries
}
