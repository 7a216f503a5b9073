package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/internal/limit"
	"gonum.org/v1/gonum/blas/blas32"
)

// MaxAbs returns the largest absolute value of an entry of X; 0 if all are 0.
func (x Features) MaxAbs() float32 {
	return slices.Max(append(x.columnMaxima(), 0))
}

// Unit returns the power of two u with u ≤ max |X| < 2u, or 1 if all entries are
// 0. Training computes with X/u, so that its result does not depend on the unit
// in which the features are measured: division by a power of two is exact.
// It returns a float64 because 1/u can exceed the largest float32.
func (x Features) Unit() float64 {
	most := float64(x.MaxAbs())
	if most == 0 {
		return 1
	}
	return math.Ldexp(1, math.Ilogb(most))
}

// DividedBy returns X/u for a power of two u: X itself for u = 1, and otherwise
// a matrix with new values. A quotient that is too small for a float32 is 0.
func (x Features) DividedBy(unit float64) Features {
	if unit == 1 {
		return x
	}
	divide := func(to, from []float32) {
		for k, v := range from {
			to[k] = float32(float64(v) / unit)
		}
	}
	if m := x.Dense; m != nil {
		out := blas32.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: make([]float32, len(m.Data))}
		divide(out.Data, m.Data)
		return Features{Dense: &out}
	}
	out, values := *x.Sparse, x.Sparse.Values
	if values == nil {
		values = slices.Repeat([]float32{1}, out.NNZ())
	}
	out.Values = make([]float32, len(values))
	divide(out.Values, values)
	out.dropUnitValues()
	return Features{Sparse: &out}
}

const (
	// farColumn is the factor by which a column's largest value must exceed the
	// median of all columns' for a warning. The paper's data sets stay below 2.
	farColumn = 100
	// farWeight is the same for the median edge weight and the self loops' 1.
	farWeight = 100
	// namedColumns is the number of columns that a warning names.
	namedColumns = 3
)

// ScaleWarnings returns a line for each of two defects of scale that decide what
// a training on g learns: columns of X whose largest value is more than 100
// times the median of the nonzero columns' largest values, since they outweigh
// the others in every similarity, and edge weights whose median is below 1/100
// or above 100, since the filter's self loops have weight 1.
func (g *Graph) ScaleWarnings() []string {
	var lines []string
	if line := g.columnWarning(); line != "" {
		lines = append(lines, line)
	}
	if weights := g.Adjacency.Values; len(weights) > 0 {
		m := median(slices.Clone(weights))
		const advice = "divide the weights by about %.3g"
		switch {
		case m < 1./farWeight:
			lines = append(lines, fmt.Sprintf("the median edge weight is %.3g, and the filter gives every node a self loop of weight 1: smoothing changes the features little; "+advice, m, m))
		case m > farWeight:
			lines = append(lines, fmt.Sprintf("the median edge weight is %.3g, and the filter gives every node a self loop of weight 1: smoothing ignores a node's own features; "+advice, m, m))
		}
	}
	return lines
}

// columnWarning returns the warning about columns, or "" if there is none.
func (g *Graph) columnWarning() string {
	largest := g.Features.columnMaxima()
	nonzero := slices.DeleteFunc(slices.Clone(largest), func(v float32) bool { return v == 0 })
	if len(nonzero) == 0 {
		return ""
	}
	middle := median(nonzero)
	var named []string
	count := 0
	for j, v := range largest {
		if float64(v) <= farColumn*float64(middle) {
			continue
		}
		if count++; count > namedColumns {
			continue
		}
		name := fmt.Sprint(j)
		if j < len(g.FeatureNames) {
			name += " (" + limit.Quote(g.FeatureNames[j]) + ")"
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

// median returns the lower median of values, which it sorts.
func median(values []float32) float32 {
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

// columnMaxima returns the largest absolute value in each column, and 0 for a column of
// zeros.
func (x Features) columnMaxima() []float32 {
	n, f := x.Dims()
	largest := make([]float32, f)
	for i := range n {
		x.EachInRow(i, func(j int, v float32) { largest[j] = max(largest[j], v, -v) })
	}
	return largest
}

// EachInRow calls visit with the column and the value of each entry of row i that
// is not 0, in increasing order of the columns.
func (x Features) EachInRow(i int, visit func(column int, value float32)) {
	if m := x.Dense; m != nil {
		for j, v := range m.Data[i*m.Stride : i*m.Stride+m.Cols] {
			if v != 0 {
				visit(j, v)
			}
		}
		return
	}
	for j, v := range x.Sparse.Each(i) {
		if v != 0 {
			visit(j, v)
		}
	}
}
