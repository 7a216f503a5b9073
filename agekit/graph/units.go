package graph

// This part finds the scale of a graph's features, in which training computes, and
// warns of scales that decide what it learns.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"
)

// LargestFeature returns the largest absolute value of an entry of X; 0 if all are 0.
func LargestFeature(x Features) float32 {
	return slices.Max(append(columnMaxima(x), 0))
}

// FeatureUnit returns the power of two u with u ≤ max |X| < 2u, or 1 if all entries are 0.
// Training computes with X/u, so that its result does not depend on the features' unit:
// division by a power of two is exact. 1/u can exceed the largest float32.
func FeatureUnit(x Features) float64 {
	most := float64(LargestFeature(x))
	if most == 0 {
		return 1
	}
	return math.Ldexp(1, math.Ilogb(most))
}

// NormalizedFeatures returns X divided by its unit, as [DivideFeatures] does.
func NormalizedFeatures(x Features) Features { return DivideFeatures(x, FeatureUnit(x)) }

// DivideFeatures returns X/u for a power of two u: X itself for u = 1, and otherwise a new
// matrix. A quotient that is too small for a float32 is 0.
func DivideFeatures(x Features, unit float64) Features {
	if unit == 1 {
		return x
	}
	quotients := func(from []float32) []float32 {
		quotient := make([]float32, len(from))
		for k, v := range from {
			quotient[k] = float32(float64(v) / unit)
		}
		return quotient
	}
	if m := x.Dense; m != nil {
		return Features{Dense: &blas32.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: quotients(m.Data)}}
	}
	out := *x.Sparse
	if out.Values == nil { // all entries are 1
		out.Values = slices.Repeat([]float32{1}, out.NNZ())
	}
	if out.Values = quotients(out.Values); !slices.ContainsFunc(out.Values, func(v float32) bool { return v != 1 }) {
		out.Values = nil
	}
	return Features{Sparse: &out}
}

const (
	// farColumn is the factor by which a column's largest value must exceed the
	// median of all columns' for a warning. The paper's data sets stay below 2.
	farColumn = 100
	// farWeight is the factor by which the mean edge weight, which is the weight of the self loops, must
	// exceed the median for a warning.
	farWeight = 100
	// namedColumns is the number of columns that a warning names.
	namedColumns = 3
)

// UnitWarnings returns a line for each of two defects of scale that decide what a training on
// g learns: columns of X whose largest value is more than 100 times the median of the
// nonzero columns', since they outweigh the others in every similarity, and edge weights
// whose mean is more than 100 times their median, since the filter's self loops have the mean
// weight ([CSR.MeanWeight]). The unit of all weights together changes nothing.
func UnitWarnings(g *Graph) []string {
	var lines []string
	if line := columnWarning(g); line != "" {
		lines = append(lines, line)
	}
	if weights := g.Adjacency.Values; len(weights) > 0 {
		middle, mean := float64(median(slices.Clone(weights))), g.Adjacency.MeanWeight()
		if mean > farWeight*middle {
			lines = append(lines, fmt.Sprintf("the median edge weight is %.3g, and the mean, which the filter gives every node as a self loop, is %.3g: smoothing hardly changes the features of nodes with small weights; take the logarithm of the weights, or no weights", middle, mean))
		}
	}
	return lines
}

// columnWarning returns the warning about columns of g's features with values far above the others', or "" if
// there are none.
func columnWarning(g *Graph) string {
	largest := columnMaxima(g.Features)
	nonzero := slices.DeleteFunc(slices.Clone(largest), func(v float32) bool { return v == 0 })
	if len(nonzero) == 0 {
		return ""
	}
	middle := median(nonzero)
	count := 0 // of columns far above the median
	var named []string
	for j, v := range largest {
		if float64(v) <= farColumn*float64(middle) {
			continue
		}
		if count++; count > namedColumns {
			continue
		}
		name := fmt.Sprint(j)
		if j < len(g.FeatureNames) {
			name += fmt.Sprintf(" (%.60q)", g.FeatureNames[j])
		}
		named = append(named, fmt.Sprintf("%s up to %.3g", name, v))
	}
	if count == 0 {
		return ""
	}
	if count > namedColumns {
		named = append(named, fmt.Sprintf("and %d more", count-namedColumns))
	}
	return fmt.Sprintf("the features' columns (from 0) have values of very different size: column %s, but half of the columns at most %.3g; the largest ones decide every similarity: divide them, or drop them",
		strings.Join(named, ", "), middle)
}

// median returns the lower median of values. It sorts values in place.
func median(values []float32) float32 {
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// columnMaxima returns the largest absolute value in each column of X.
func columnMaxima(x Features) []float32 {
	n, f := x.Dims()
	largest := make([]float32, f)
	for i := range n {
		x.EachInRow(i, func(j int, v float32) { largest[j] = max(largest[j], v, -v) })
	}
	return largest
}
