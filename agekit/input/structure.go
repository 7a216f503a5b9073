package input

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
)

// oneHotMost is the largest number of nodes that get one feature each; larger graphs get
// as many eigenvectors as positions.
const oneHotMost, positions = 2000, 64

// structure returns features for a graph that has none, their names, and a note that says
// which. Up to 2,000 nodes, X is the unit matrix: each node has a feature of its own,
// which smoothing spreads over the neighborhood. Larger graphs get each node's place: the
// 64 eigenvectors of (D + I)^-½(A + I)(D + I)^-½ with the largest eigenvalues, scaled to
// mean square 1, and ln(1 + degree), standardized.
func structure(ctx context.Context, a *graph.CSR) (x graph.Features, names []string, note string, err error) {
	n := a.Rows
	if n <= oneHotMost {
		m := &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1), Indices: make([]int32, n)}
		for i := range n {
			m.Indptr[i+1], m.Indices[i] = i+1, int32(i)
		}
		return graph.Features{Sparse: m}, nil, "each node has one of its own (one-hot)", nil
	}
	scale := make([]float64, n)
	for i := range n {
		scale[i] = 1
		for _, w := range a.Each(i) {
			scale[i] += float64(w)
		}
		scale[i] = 1 / math.Sqrt(scale[i])
	}
	laplacian := laplacian.WithScale(a, scale, 1)
	_, vectors, err := linalg.LeadingEigenvectors(ctx, linalg.NewOperator(n, func(ctx context.Context, dst, x blas64.General) error {
		err := laplacian.MulTo(ctx, dst, x)
		for i := range n {
			for c, v := range x.Data[i*x.Stride:][:x.Cols] {
				dst.Data[i*dst.Stride+c] = v - dst.Data[i*dst.Stride+c]
			}
		}
		return err
	}), positions, linalg.LeadingOptions{}, rand.New(rand.NewPCG(0, 0)))
	if err != nil {
		return x, nil, "", fmt.Errorf("features from the graph's structure: %w", err)
	}
	dense := blas32.General{Rows: n, Cols: positions + 1, Stride: positions + 1, Data: make([]float32, n*(positions+1))}
	for i := range n {
		row := dense.Data[i*dense.Stride:][:dense.Cols]
		for j := range positions {
			row[j] = float32(vectors.Data[i*vectors.Stride+j] * math.Sqrt(float64(n)))
		}
		row[positions] = float32(math.Log(float64(1 + a.Indptr[i+1] - a.Indptr[i])))
	}
	dense = standardized(dense, dense, positions)
	for j := range positions {
		names = append(names, fmt.Sprintf("position %d", j+1))
	}
	note = fmt.Sprintf("each node has its place in the graph, %d eigenvectors, and its degree", positions)
	return graph.Features{Dense: &dense}, append(names, "degree"), note, nil
}

// sideBySide returns the features of both matrices, which have the same rows.
func sideBySide(left, right graph.Features) graph.Features {
	n, f := left.Dims()
	_, more := right.Dims()
	return gathered(n, f+more, func(i int, put func(int, float32)) {
		left.EachInRow(i, put)
		right.EachInRow(i, func(j int, v float32) { put(f+j, v) })
	})
}

// stacked returns the rows of both matrices, which have the same columns.
func stacked(above, below graph.Features) graph.Features {
	n, f := above.Dims()
	more, _ := below.Dims()
	return gathered(n+more, f, func(i int, put func(int, float32)) {
		if i < n {
			above.EachInRow(i, put)
		} else {
			below.EachInRow(i-n, put)
		}
	})
}

// gathered returns the matrix of which fill puts the values of each row, in increasing
// order of their columns. It is dense if a quarter of it is not 0.
func gathered(rows, columns int, fill func(row int, put func(column int, value float32))) graph.Features {
	m := &graph.CSR{Rows: rows, Cols: columns, Indptr: make([]int, 1, rows+1)}
	put := func(column int, value float32) {
		m.Indices, m.Values = append(m.Indices, int32(column)), append(m.Values, value)
	}
	for row := range rows {
		fill(row, put)
		m.Indptr = append(m.Indptr, len(m.Indices))
	}
	if isSparse(m.NNZ(), rows, columns) {
		return graph.Features{Sparse: m.Canonical()}
	}
	dense := m.Dense()
	return graph.Features{Dense: &dense}
}
