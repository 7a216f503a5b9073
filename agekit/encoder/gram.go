package encoder

import (
	"context"
	"sync"

	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// gram is the matrix of similarities of some rows, n×d, with others, which is
// made block by block and never stored: on the host, or on a device.
type gram interface {
	// eachBlock calls visit with blocks that hold every similarity once: of
	// a symmetric matrix the blocks that touch the upper triangle. Blocks
	// of different bands of blockRows rows are visited at the same time,
	// those of one band one after the other from left to right. It returns
	// an error when ctx is done or the device fails.
	eachBlock(ctx context.Context, visit func(gramBlock)) error
	// close gives back what the device holds for it.
	close()
}

// gramMaker returns the similarities of left's rows with right's; symmetric
// says that these are the same. Both have zero padding to a multiple of 16
// columns.
type gramMaker func(left, right blas32.General, symmetric bool) (gram, error)

// gramBlock has at most blockRows×blockCols similarities.
type gramBlock struct {
	lo, rows   int // rows of left
	from, cols int // rows of right
	values     []float32
	stride     int
}

// row returns the similarities of row lo+r.
func (b gramBlock) row(r int) []float32 { return b.values[r*b.stride : r*b.stride+b.cols] }

// blockRows×blockCols similarities are computed at a time on the host: their
// rows stay in the L2 cache.
const blockRows, blockCols = 64, 128

// hostGram makes similarities on the processor; bands are shared among the
// cores.
func hostGram(left, right blas32.General, symmetric bool) (gram, error) {
	return &nativeGram{left, right, symmetric}, nil
}

type nativeGram struct {
	left, right blas32.General
	symmetric   bool
}

func (g *nativeGram) eachBlock(ctx context.Context, visit func(gramBlock)) error {
	left, right, width := g.left, g.right, simd.Padded(g.left.Cols)
	buffers := sync.Pool{New: func() any { return new([blockRows * blockCols]float32) }}
	parallel.Blocks(left.Rows, blockRows, func(lo, hi int) {
		block := buffers.Get().(*[blockRows * blockCols]float32)
		defer buffers.Put(block)
		first := 0
		if g.symmetric {
			first = lo / blockCols * blockCols
		}
		for from := first; from < right.Rows && ctx.Err() == nil; from += blockCols {
			cols := min(blockCols, right.Rows-from)
			simd.GramBlock(block[:], left.Data[lo*left.Stride:], right.Data[from*right.Stride:], hi-lo, cols, width, left.Stride)
			visit(gramBlock{lo, hi - lo, from, cols, block[:], cols})
		}
	})
	return ctx.Err()
}

func (g *nativeGram) close() {}
