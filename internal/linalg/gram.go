package linalg

// This part computes the similarities of two matrices' rows in blocks that it never
// stores.

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
)

// Gram is the matrix of the similarities between the rows of two matrices, computed block by block with
// the bands distributed over the cores. Symmetric says that Left and Right are the same matrix. Both
// must have zero padding to a multiple of 16 columns.
type Gram struct {
	Left, Right blas32.General
	Symmetric   bool
}

// GramBlock is a part of a [Gram], of at most GramRows×GramCols similarities.
type GramBlock struct {
	Lo, Rows   int // rows of left
	From, Cols int // rows of right
	Values     []float32
	Stride     int
}

// Row returns the similarities of row Lo+r.
func (b GramBlock) Row(r int) []float32 { return b.Values[r*b.Stride : r*b.Stride+b.Cols] }

// The processor computes GramRows×GramCols similarities at a time: their rows stay in
// the L2 cache.
const GramRows, GramCols = 64, 128

// EachBlock calls visit with blocks that together hold every similarity once or, for a symmetric matrix,
// at least the upper triangle. Bands of GramRows rows are visited concurrently, and the blocks of a
// band from left to right. The numbers of a block are valid only during the call. EachBlock returns an
// error if ctx is done.
func (g Gram) EachBlock(ctx context.Context, visit func(GramBlock)) error {
	buffers := sync.Pool{New: func() any { return new([GramRows * GramCols]float32) }}
	Parallel(g.Left.Rows, GramRows, func(lo, hi int) {
		buffer := buffers.Get().(*[GramRows * GramCols]float32)
		defer buffers.Put(buffer)
		first := 0
		if g.Symmetric {
			first = lo / GramCols * GramCols // the block with the diagonal
		}
		GramBand(g.Left, g.Right, lo, hi, first, GramCols, buffer[:], func(from, cols int, products []float32) bool {
			if ctx.Err() != nil {
				return false
			}
			visit(GramBlock{lo, hi - lo, from, cols, products, cols})
			return true
		})
	})
	return ctx.Err()
}
