package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomMatrix returns a matrix of normal random numbers, also in its padding.
func randomMatrix[T float32 | float64](rnd *rand.Rand, rows, cols, stride int) Matrix[T] {
	m := Matrix[T]{rows, cols, make([]T, rows*stride), stride}
	for i := range m.Data {
		m.Data[i] = T(rnd.NormFloat64())
	}
	return m
}

// TestProducts compares Mul and MulTrans, of matrices in both precisions, with plain loops in float64.
// Sizes are below, equal to and above those of a tile.
func TestProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	// Rows and columns of the matrix, and columns of what it is multiplied by.
	for _, shape := range [][3]int{{1, 1, 8}, {3, 5, 8}, {4, 4, 8}, {9, 17, 24}, {32, 128, 8}, {33, 131, 8}, {300, 31, 16}, {1000, 3, 8}} {
		testProducts[float32](t, rnd, shape[0], shape[1], shape[2])
		testProducts[float64](t, rnd, shape[0], shape[1], shape[2])
	}
}

// testProducts compares the products of an n×d matrix with a d×b one, and of its transpose with an n×b one.
func testProducts[T float32 | float64](t *testing.T, rnd *rand.Rand, n, d, b int) {
	a := randomMatrix[T](rnd, n, d, d+3)
	x, y := randomMatrix[float64](rnd, d, b, b+8), randomMatrix[float64](rnd, n, b, b)
	got := NewMatrix[float64](n, b)
	if err := Mul(t.Context(), got, a, x); err != nil {
		t.Fatal(err)
	}
	gotTrans, err := MulTrans(t.Context(), a, y)
	if err != nil {
		t.Fatal(err)
	}
	for c := range b {
		for i := range n {
			want := 0.0
			for j := range d {
				want += float64(a.Row(i)[j]) * x.Row(j)[c]
			}
			if math.Abs(got.Row(i)[c]-want) > 1e-11 {
				t.Fatalf("%d×%d·%d: (%d, %d) is %v, want %v", n, d, b, i, c, got.Row(i)[c], want)
			}
		}
		for j := range d {
			want := 0.0
			for i := range n {
				want += float64(a.Row(i)[j]) * y.Row(i)[c]
			}
			if math.Abs(gotTrans.Row(j)[c]-want) > 1e-11 {
				t.Fatalf("%d×%dᵀ·%d: (%d, %d) is %v, want %v", n, d, b, j, c, gotTrans.Row(j)[c], want)
			}
		}
	}
}

func BenchmarkProducts(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	a, x := randomMatrix[float32](rnd, 2708, 500, 512), randomMatrix[float64](rnd, 500, 8, 8)
	y := NewMatrix[float64](2708, 8)
	b.Run("mul/native", func(b *testing.B) {
		for b.Loop() {
			if err := Mul(b.Context(), y, a, x); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("mulTrans/native", func(b *testing.B) {
		for b.Loop() {
			if _, err := MulTrans(b.Context(), a, y); err != nil {
				b.Fatal(err)
			}
		}
	})
}
