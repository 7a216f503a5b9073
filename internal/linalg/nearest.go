package linalg

// This part finds the nearest rows of matrices.

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// Neighbor is a row and its squared distance from another one.
type Neighbor struct {
	Index int32
	Value float64
}

// NearestRows returns, for each row of x, the k nearest of the other rows, nearest first: those of row i
// are at i·k to (i+1)·k−1. [NearestAmong] says more.
func NearestRows(ctx context.Context, x blas32.General, k int) ([]Neighbor, error) {
	return NearestAmong(ctx, x, x, k)
}

// NearestAmong returns, for each row of queries, the k nearest rows of x with their squared distances,
// nearest first, one row's neighbors after the other's. If queries is x itself, a row is not its own
// neighbor. The nearest are found by blocks of inner products in float32; their distances are then
// computed in float64, because cancellation makes short distances inaccurate in float32.
func NearestAmong(ctx context.Context, queries, x blas32.General, k int) ([]Neighbor, error) {
	same := sameRows(queries, x)
	near := make([]Neighbor, queries.Rows*k)
	err := EachDistances(ctx, queries, x, func(i int, distances []float32) {
		heap := near[i*k : i*k : (i+1)*k]
		for j, d := range distances {
			if j != i || !same {
				heap = KeepSmallest(heap, Neighbor{int32(j), float64(d)})
			}
		}
		for p := range heap {
			heap[p].Value = SquaredDistance(queries, i, x, int(heap[p].Index))
		}
		slices.SortFunc(heap, func(a, b Neighbor) int {
			return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Index, b.Index))
		})
	})
	return near, err
}

// sameRows reports whether two matrices are the same rows in memory.
func sameRows(x, y blas32.General) bool { return x.Rows == y.Rows && &x.Data[0] == &y.Data[0] }

// EachDistances calls visit for each row i of queries, on all cores, with a number for each row of x: the
// squared distance from row i without |qᵢ|², which is the same for all of them. The numbers are rounded
// as products of float32, and valid only during the call.
func EachDistances(ctx context.Context, queries, x blas32.General, visit func(i int, distances []float32)) error {
	n := x.Rows
	norms := make([]float32, n)
	for i := range n {
		row := blas32.Vector{N: x.Cols, Inc: 1, Data: x.Data[i*x.Stride:]}
		norms[i] = blas32.Dot(row, row)
	}
	block := max(16, min(256, 1<<23/n)) // keeps a block of the Gram matrix under 32 MB
	gram := blas32.General{Rows: block, Cols: n, Stride: n, Data: make([]float32, block*n)}
	for start := 0; start < queries.Rows; start += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		gram.Rows = min(block, queries.Rows-start)
		rows := blas32.General{Rows: gram.Rows, Cols: queries.Cols, Stride: queries.Stride, Data: queries.Data[start*queries.Stride:]}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, rows, x, 0, gram)
		Parallel(gram.Rows, 16, func(lo, hi int) {
			for r := lo; r < hi; r++ {
				values := gram.Data[r*n : (r+1)*n]
				for j, g := range values {
					values[j] = norms[j] - 2*g // |x − q|² without |q|²
				}
				visit(start+r, values)
			}
		})
	}
	return nil
}

// KeepSmallest returns the max-heap with v added. If the heap has no more capacity, its largest value
// gives way to v, or v is left out if it is not smaller.
func KeepSmallest(heap []Neighbor, v Neighbor) []Neighbor {
	if len(heap) < cap(heap) {
		heap = append(heap, v)
		for c := len(heap) - 1; c > 0 && heap[c].Value > heap[(c-1)/2].Value; c = (c - 1) / 2 {
			heap[c], heap[(c-1)/2] = heap[(c-1)/2], heap[c]
		}
		return heap
	}
	if v.Value >= heap[0].Value {
		return heap
	}
	p := 0
	for c := 1; c < len(heap); c = 2*p + 1 {
		if c+1 < len(heap) && heap[c+1].Value > heap[c].Value {
			c++
		}
		if heap[c].Value <= v.Value {
			break
		}
		heap[p], p = heap[c], c
	}
	heap[p] = v
	return heap
}

// SquaredDistance returns the squared distance between row i of x and row j of y.
func SquaredDistance(x blas32.General, i int, y blas32.General, j int) float64 {
	a, b := row(x, i), row(y, j)
	var sum float64
	for c, v := range a {
		d := float64(v) - float64(b[c])
		sum += d * d
	}
	return sum
}

// row returns row i of x.
func row(x blas32.General, i int) []float32 { return x.Data[i*x.Stride:][:x.Cols] }
