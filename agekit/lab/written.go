package lab

import (
	"math"
	"slices"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/cell"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// FeatureMatrix returns the features of a small graph as a dense matrix, n×f.
func FeatureMatrix(g *graph.Graph) *mat.Dense {
	x := g.Features.ToDense()
	m := mat.NewDense(x.Rows, x.Cols, nil)
	m.Apply(func(i, j int, _ float64) float64 { return float64(x.Data[i*x.Stride+j]) }, m)
	return m
}

// FeatureProducts returns XXᵀ, n×n, of the features X of a small graph. If features are words,
// an entry is the number of words that two nodes share.
func FeatureProducts(g *graph.Graph) *mat.SymDense {
	x := g.Features.ToDense()
	products := mat.NewSymDense(x.Rows, nil)
	for i := range x.Rows {
		for j := range i + 1 {
			products.SetSym(i, j, metric.InnerProduct(x, int32(i), int32(j)))
		}
	}
	return products
}

// Start returns the random weights with which [agekit.Train] with the settings c begins on g:
// the matrix W with b as one more row at the end. X̃ with one more column, of ones
// ([WithOnes]), times this matrix is X̃W + b.
func Start(g *graph.Graph, c encoder.Options) *mat.Dense {
	_, f := g.Features.Dims()
	start := c.FirstWeights(g)
	w := mat.NewDense(f+1, len(start.B), nil)
	w.Apply(func(i, j int, _ float64) float64 {
		if i == f {
			return float64(start.B[j])
		}
		return float64(start.W.Data[i*start.W.Stride+j])
	}, w)
	return w
}

// WithOnes returns a copy of x with one more column at the end, of ones.
func WithOnes(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	more := new(mat.Dense)
	more.Augment(x, mat.NewDense(n, 1, slices.Repeat([]float64{1}, n)))
	return more
}

// DrawNegatives returns the negative pairs that [agekit.Train] with the settings c draws for the
// epoch with a number, from 0: as many as there are positive pairs. z is the embedding by
// which pairs were selected last; its rows have length 1.
func DrawNegatives(g *graph.Graph, c encoder.Options, z *mat.Dense, epoch int) ([][2]int, error) {
	n, d := z.Dims()
	rows := blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
	for k := range rows.Data {
		rows.Data[k] = float32(z.At(k/d, k%d))
	}
	i, j, err := c.DrawNegatives(cell.Context(), g, rows, epoch)
	pairs := make([][2]int, len(i))
	for k := range i {
		pairs[k] = [2]int{int(i[k]), int(j[k])}
	}
	return pairs, err
}

// Adam returns a function that takes a step of Adam (Kingma and Ba, 2015): it changes w by the
// gradient dw of the loss. The function keeps the moments, so each matrix of weights needs a
// function of its own. The decay rates are 0.9 and 0.999, and ε is 10⁻⁸.
func Adam(learningRate float64) func(w, dw *mat.Dense) {
	var first, second []float64 // moments: running means of the gradient and of its square
	steps := 0.0
	return func(w, dw *mat.Dense) {
		x, g := w.RawMatrix().Data, dw.RawMatrix().Data
		if first == nil {
			first, second = make([]float64, len(x)), make([]float64, len(x))
		}
		steps++
		for i := range x {
			first[i] += 0.1 * (g[i] - first[i])
			second[i] += 0.001 * (g[i]*g[i] - second[i])
			mean, square := first[i]/(1-math.Pow(0.9, steps)), second[i]/(1-math.Pow(0.999, steps))
			x[i] -= learningRate * mean / (math.Sqrt(square) + 1e-8)
		}
	}
}
