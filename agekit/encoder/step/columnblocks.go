package step

import (
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/simd"
)

const (
	// blockColumns is the number of a block's columns. A product reads as many rows of a tile,
	// which take 128·64·4 bytes = 32 kB and stay in the L1 cache.
	blockColumns = 128
	// leastEntries is the least mean number of entries in a block's row with which dividing
	// a matrix into blocks is faster.
	leastEntries = 8
)

// columnBlocks is a sparse matrix for products with tiles of 64 columns. A matrix whose rows
// have many entries is divided into blocks of columns, so that the rows of the tile that a
// block multiplies fit in the L1 cache. Each block continues the sums of the previous one, bit
// by bit.
type columnBlocks struct {
	rows, entries int // of the matrix
	// blocks is the whole matrix with its own columns if there is only one block. Otherwise,
	// a block multiplies one buffer that holds, row by row:
	//
	//	0 … blockColumns−1   the block's rows of the tile
	//	next rows            the result of blocks 0, 2, 4, …
	//	next rows            the result of blocks 1, 3, 5, …
	//
	// The block's column indices are rows of this buffer. In every block but the first, the
	// first entry of row i is a 1 at row i of the previous block's result.
	blocks []*graph.CSR
}

// newColumnBlocks divides m if that is faster, and else keeps it as the only block.
func newColumnBlocks(m *graph.CSR) columnBlocks {
	c := columnBlocks{rows: m.Rows, entries: m.NNZ(), blocks: []*graph.CSR{m}}
	count := (m.Cols + blockColumns - 1) / blockColumns
	if count < 2 || m.NNZ() < leastEntries*count*m.Rows {
		return c
	}
	c.blocks = make([]*graph.CSR, count)
	next := slices.Clone(m.Indptr[:m.Rows]) // each row's next entry
	for b := range c.blocks {
		first, end := b*blockColumns, min(m.Cols, (b+1)*blockColumns)
		block := &graph.CSR{Rows: m.Rows, Cols: blockColumns + 2*m.Rows, Indptr: make([]int, m.Rows+1)}
		before := blockColumns + (b+1)%2*m.Rows // where the previous block's result begins
		for i := range m.Rows {
			from := next[i]
			for next[i] < m.Indptr[i+1] && int(m.Indices[next[i]]) < end {
				next[i]++
			}
			if b > 0 {
				block.Indices = append(block.Indices, int32(before+i))
			}
			for _, j := range m.Indices[from:next[i]] {
				block.Indices = append(block.Indices, j-int32(first))
			}
			if m.Values != nil {
				if b > 0 {
					block.Values = append(block.Values, 1)
				}
				block.Values = append(block.Values, m.Values[from:next[i]]...)
			}
			block.Indptr[i+1] = len(block.Indices)
		}
		c.blocks[b] = block
	}
	return c
}

// room returns the number of float32 that multiply's buffer needs.
func (m columnBlocks) room() int {
	if len(m.blocks) == 1 {
		return m.rows * simd.TileWidth
	}
	return (blockColumns + 2*m.rows) * simd.TileWidth
}

// multiply returns the product with the tile src, whose rows are srcStride numbers apart, as
// a contiguous tile in the buffer, whose length is at least m.room().
func (m columnBlocks) multiply(buffer, src []float32, srcStride int) []float32 {
	if len(m.blocks) == 1 {
		multiply(buffer, simd.TileWidth, m.blocks[0], src, srcStride)
		return buffer[:m.rows*simd.TileWidth]
	}
	var dst []float32
	for b, block := range m.blocks {
		part := src[b*blockColumns*srcStride:]
		for j := 0; j < blockColumns && j*srcStride < len(part); j++ {
			copy(buffer[j*simd.TileWidth:][:simd.TileWidth], part[j*srcStride:])
		}
		dst = buffer[(blockColumns+b%2*m.rows)*simd.TileWidth:][:m.rows*simd.TileWidth]
		multiply(dst, simd.TileWidth, block, buffer, simd.TileWidth)
	}
	return dst
}

// multiply sets the tile dst to m times the tile src. Rows of dst are stride numbers apart,
// those of src srcStride.
func multiply(dst []float32, stride int, m *graph.CSR, src []float32, srcStride int) {
	simd.CSRTile(dst, stride, m.Indptr, m.Indices, m.Values, src, srcStride, 0, m.Rows)
}
