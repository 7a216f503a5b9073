package linalg

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
)

// Source gives the rows of a matrix in blocks, also of one that is too large to be kept:
// the embedding of a million nodes is computed anew for each pass over it. Its methods are
// safe for concurrent use.
type Source interface {
	// Dims returns the numbers of rows and columns.
	Dims() (n, cols int)
	// Block returns rows [lo, hi), at most BlockRows. They are in the buffer, which the caller provides
	// with BlockRows·BlockStride numbers, or they are the matrix's own: do not change them.
	Block(buffer []float32, lo, hi int) blas32.General
}

// BlockRows is the number of rows of a block: those of 500 columns stay in the L2 cache.
const BlockRows = 256

// BlockStride returns the stride of rows that are computed, with room for whole tiles.
func BlockStride(s Source) int {
	_, cols := s.Dims()
	return Shape(1, cols).Stride
}

// InMemory has the rows of a matrix in memory.
type InMemory blas32.General

// Dims implements [Source].
func (m InMemory) Dims() (n, cols int) { return m.Rows, m.Cols }

// Block returns the matrix's own rows.
func (m InMemory) Block(_ []float32, lo, hi int) blas32.General {
	return RowRange(blas32.General(m), lo, hi-lo)
}

// EachBlock calls use with the blocks of rows [lo, hi), one after the other, and the number of each
// block's first row.
func EachBlock(s Source, lo, hi int, use func(first int, block blas32.General)) {
	var buffer []float32
	if _, ok := s.(InMemory); !ok {
		buffer = make([]float32, BlockRows*BlockStride(s))
	}
	for ; lo < hi; lo += BlockRows {
		use(lo, s.Block(buffer, lo, min(hi, lo+BlockRows)))
	}
}

// EachBlockParallel calls use with all blocks of rows, and the number of each block's first row, on all
// cores in any order. It returns the context's error if ctx is done before the end.
func EachBlockParallel(ctx context.Context, s Source, use func(first int, block blas32.General)) error {
	n, _ := s.Dims()
	return eachBlockRange(ctx, n, func(lo, hi int) { EachBlock(s, lo, hi, use) })
}

// eachBlockRange calls use with ranges of n rows, each of whole blocks, on all cores. It returns the
// context's error if ctx is done before the end.
func eachBlockRange(ctx context.Context, n int, use func(lo, hi int)) error {
	return ParallelContext(ctx, n, WholeBlocks(RowGrain(n)), use)
}

// WholeBlocks returns a number of rows rounded up to whole blocks.
func WholeBlocks(rows int) int { return (rows + BlockRows - 1) / BlockRows * BlockRows }

// EachBlockInOrder calls use with all blocks of rows from the first to the last, and the number of each
// block's first row: for sums whose bytes depend on the order. Blocks are computed on all cores. It
// returns the context's error if ctx is done before the end.
func EachBlockInOrder(ctx context.Context, s Source, use func(first int, block blas32.General)) error {
	const ahead = 16 // blocks that are computed at a time
	n, _ := s.Dims()
	blocks := make([]blas32.General, ahead)
	buffers := make([][]float32, ahead)
	for lo := 0; lo < n; lo += ahead * BlockRows {
		count := (min(n, lo+ahead*BlockRows) - lo + BlockRows - 1) / BlockRows
		err := ParallelContext(ctx, count, 1, func(b, _ int) {
			if _, ok := s.(InMemory); !ok && buffers[b] == nil {
				buffers[b] = make([]float32, BlockRows*BlockStride(s))
			}
			from := lo + b*BlockRows
			blocks[b] = s.Block(buffers[b], from, min(n, from+BlockRows))
		})
		if err != nil {
			return err
		}
		for b, block := range blocks[:count] {
			use(lo+b*BlockRows, block)
		}
	}
	return ctx.Err()
}

// EachRow calls write with the rows from the first to the last, until it returns an error.
func EachRow(s Source, write func(row []float32) error) error {
	var failed error
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_ = EachBlockInOrder(ctx, s, func(_ int, block blas32.General) { // it ends early for failed alone
		for i := 0; i < block.Rows && failed == nil; i++ {
			if failed = write(block.Data[i*block.Stride:][:block.Cols]); failed != nil {
				stop()
			}
		}
	})
	return failed
}

// JoinedSource returns the source of [Z₁ Z₂ … Z_R]/√R for R sources Z, as [SideBySide] does for matrices;
// Z₁ itself for one.
func JoinedSource(all ...Source) Source {
	if len(all) == 1 {
		return all[0]
	}
	return joined(all)
}

// joined gives the rows of sources side by side, scaled.
type joined []Source

// Dims implements [Source].
func (s joined) Dims() (n, cols int) {
	for _, source := range s {
		rows, d := source.Dims()
		n, cols = rows, cols+d
	}
	return n, cols
}

// Block joins the blocks of the sources in the buffer.
func (s joined) Block(buffer []float32, lo, hi int) blas32.General {
	parts := make([]blas32.General, len(s))
	for r, source := range s {
		parts[r] = source.Block(make([]float32, BlockRows*BlockStride(source)), lo, hi)
	}
	_, cols := s.Dims()
	all := Shape(hi-lo, cols)
	all.Data = buffer[:all.Rows*all.Stride]
	clear(all.Data)
	sideBySide(all, parts, 0, all.Rows)
	return all
}

// UnitSource returns the source of the rows of s scaled to length 1, as [Normalize] does.
func UnitSource(s Source) Source { return unit{s} }

// unit gives the rows of a source scaled to length 1.
type unit struct{ Source }

// Block returns the scaled rows in the buffer, also where the source's own rows are elsewhere.
func (u unit) Block(buffer []float32, lo, hi int) blas32.General {
	from := u.Source.Block(buffer, lo, hi)
	block := Shape(from.Rows, from.Cols)
	block.Data = buffer[:block.Rows*block.Stride]
	for i := range block.Rows {
		row := block.Data[i*block.Stride:][:block.Cols]
		copy(row, from.Data[i*from.Stride:]) // onto itself if it was computed
		normalizeRow(row)
	}
	return block
}
