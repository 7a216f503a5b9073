package linalg

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// copied is a source that copies its rows to the buffer, as one that computes them.
type copied struct{ InMemory }

// Block copies the rows to the buffer.
func (c copied) Block(buffer []float32, lo, hi int) blas32.General {
	block := Shape(hi-lo, c.Cols)
	block.Data = buffer[:block.Rows*block.Stride]
	CopyRows(From32(block), From32(c.InMemory.Block(nil, lo, hi)))
	return block
}

// randomPadded returns a matrix of normal random numbers in the layout of New.
func randomPadded(n, cols int, seed uint64) blas32.General {
	rnd := rand.New(rand.NewPCG(seed, 0))
	z := New(n, cols)
	for i := range n {
		for j := range cols {
			z.Data[i*z.Stride+j] = float32(rnd.NormFloat64())
		}
	}
	return z
}

// collect returns the rows that EachBlockParallel visits or, if ordered, EachBlockInOrder. It fails the
// test if a row is visited twice, or blocks are not in order although they should be.
func collect(t *testing.T, s Source, ordered bool) blas32.General {
	n, cols := s.Dims()
	all := blas32.General{Rows: n, Cols: cols, Stride: cols, Data: make([]float32, n*cols)}
	seen, next := make([]bool, n), 0
	use := func(first int, block blas32.General) {
		if ordered && first != next {
			t.Errorf("block at %d, want %d", first, next)
		}
		for i := range block.Rows {
			if seen[first+i] {
				t.Errorf("row %d twice", first+i)
			}
			seen[first+i] = true
			copy(all.Data[(first+i)*cols:][:cols], block.Data[i*block.Stride:])
		}
		if ordered {
			next = first + block.Rows
		}
	}
	pass := EachBlockParallel
	if ordered {
		pass = EachBlockInOrder
	}
	if err := pass(t.Context(), s, use); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSources: EachBlockParallel and EachBlockInOrder visit every row once, of matrices with no row, a part
// of a block, one block and many. Rows that are joined or scaled block by block have the bytes that
// SideBySide and Normalize compute of whole matrices.
func TestSources(t *testing.T) {
	for _, n := range []int{0, 1, BlockRows, 20*BlockRows + 3} {
		a, b := randomPadded(n, 70, 1), randomPadded(n, 5, 2)
		// plain returns the numbers of a matrix row by row, without the padding between rows.
		plain := func(m blas32.General) []float32 {
			c := blas32.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Cols, Data: make([]float32, m.Rows*m.Cols)}
			CopyRows(From32(c), From32(m))
			return c.Data
		}
		for name, test := range map[string]struct {
			s    Source
			want blas32.General
		}{
			"in memory":        {InMemory(a), a},
			"computed":         {copied{InMemory(a)}, a},
			"joined, only one": {JoinedSource(copied{InMemory(a)}), a},
			"joined":           {JoinedSource(copied{InMemory(a)}, InMemory(b)), SideBySide(a, b)},
			"unit":             {UnitSource(InMemory(a)), Normalize(a)},
			"joined and unit":  {UnitSource(JoinedSource(copied{InMemory(a)}, InMemory(b))), Normalize(SideBySide(a, b))},
		} {
			for _, ordered := range []bool{false, true} {
				if got := collect(t, test.s, ordered); !slices.Equal(got.Data, plain(test.want)) {
					t.Errorf("%d rows %s, ordered %v: other numbers", n, name, ordered)
				}
			}
		}
	}
}
