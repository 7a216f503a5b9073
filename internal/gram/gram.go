// Package gram computes the similarities of two matrices' rows in blocks that it never
// stores.
package gram

import (
	"context"
	"sync"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"gonum.org/v1/gonum/blas/blas32"
)

// Matrix is the matrix of the similarities between the rows of two matrices, computed
// block by block, on the processor or on a device.
type Matrix interface {
	// EachBlock calls visit with blocks that together hold every similarity once or,
	// for a symmetric matrix, the upper triangle: bands of BlockRows rows concurrently,
	// and a band's blocks from left to right. It returns an error if ctx is done or the
	// device fails.
	EachBlock(ctx context.Context, visit func(Block)) error
	// Close frees the memory that it holds on the device.
	Close()
}

// Maker returns the similarities of left's rows with right's; symmetric means that they
// are the same matrix. Both must have zero padding to a multiple of 16 columns.
type Maker func(left, right blas32.General, symmetric bool) (Matrix, error)

// Block is a part of a [Matrix], of at most BlockRows×BlockCols similarities.
type Block struct {
	Lo, Rows   int // rows of left
	From, Cols int // rows of right
	Values     []float32
	Stride     int
}

// Row returns the similarities of row Lo+r.
func (b Block) Row(r int) []float32 { return b.Values[r*b.Stride : r*b.Stride+b.Cols] }

// The processor computes BlockRows×BlockCols similarities at a time: their rows stay in
// the L2 cache.
const BlockRows, BlockCols = 64, 128

// Host computes similarities on the processor, with the bands distributed over the cores.
func Host(left, right blas32.General, symmetric bool) (Matrix, error) {
	return &host{left, right, symmetric}, nil
}

type host struct {
	left, right blas32.General
	symmetric   bool
}

func (g *host) EachBlock(ctx context.Context, visit func(Block)) error {
	buffers := sync.Pool{New: func() any { return new([BlockRows * BlockCols]float32) }}
	parallel.Blocks(g.left.Rows, BlockRows, func(lo, hi int) {
		buffer := buffers.Get().(*[BlockRows * BlockCols]float32)
		defer buffers.Put(buffer)
		first := 0
		if g.symmetric {
			first = lo / BlockCols * BlockCols
		}
		dense.GramBand(g.left, g.right, lo, hi, first, BlockCols, buffer[:], func(from, cols int, products []float32) bool {
			if ctx.Err() != nil {
				return false
			}
			visit(Block{lo, hi - lo, from, cols, products, cols})
			return true
		})
	})
	return ctx.Err()
}

func (g *host) Close() {}
