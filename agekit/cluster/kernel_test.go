package cluster

import (
	"math"
	"math/rand/v2"
	"testing"
)

func randomMatrix[T float32 | float64](rnd *rand.Rand, rows, cols, stride int) matrix[T] {
	m := matrix[T]{rows, cols, stride, make([]T, rows*stride)}
	for i := range m.data {
		m.data[i] = T(rnd.NormFloat64())
	}
	return m
}

// TestProducts compares both narrow products, in both precisions, with sums
// written out and with their plain form.
func TestProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][3]int{{1, 1, 8}, {3, 5, 8}, {4, 4, 8}, {9, 17, 24}, {300, 31, 16}, {1000, 3, 8}} {
		testProducts[float32](t, rnd, shape[0], shape[1], shape[2])
		testProducts[float64](t, rnd, shape[0], shape[1], shape[2])
	}
}

func testProducts[T float32 | float64](t *testing.T, rnd *rand.Rand, n, d, b int) {
	a := randomMatrix[T](rnd, n, d, d+3)
	x, y := randomMatrix[float64](rnd, d, b, b+8), randomMatrix[float64](rnd, n, b, b)
	got, gotTrans := newMatrix(n, b), mulTrans(a, y)
	mul(got, a, x)
	plain, plainTrans := newMatrix(n, b), newMatrix(d, b)
	mulPanelGo(plain.slice(0, n, 0, lanes), a, x.slice(0, d, 0, lanes))
	mulTransPanelGo(plainTrans.slice(0, d, 0, lanes), a, y.slice(0, n, 0, lanes))
	wantSame(t, got.slice(0, n, 0, lanes), plain.slice(0, n, 0, lanes))
	wantSame(t, gotTrans.slice(0, d, 0, lanes), plainTrans.slice(0, d, 0, lanes))
	for c := range b {
		for i := range n {
			want := 0.0
			for j := range d {
				want += float64(a.row(i)[j]) * x.row(j)[c]
			}
			if math.Abs(got.row(i)[c]-want) > 1e-11 {
				t.Fatalf("%d×%d·%d: (%d, %d) is %v, want %v", n, d, b, i, c, got.row(i)[c], want)
			}
		}
		for j := range d {
			want := 0.0
			for i := range n {
				want += float64(a.row(i)[j]) * y.row(i)[c]
			}
			if math.Abs(gotTrans.row(j)[c]-want) > 1e-11 {
				t.Fatalf("%d×%dᵀ·%d: (%d, %d) is %v, want %v", n, d, b, j, c, gotTrans.row(j)[c], want)
			}
		}
	}
}

// wantSame compares the processor's form of a product with the plain one.
func wantSame(t *testing.T, got, want matrix[float64]) {
	t.Helper()
	for i := range want.rows {
		for c, v := range want.row(i) {
			if math.Abs(got.row(i)[c]-v) > 1e-11 {
				t.Fatalf("(%d, %d) is %v, in plain Go %v", i, c, got.row(i)[c], v)
			}
		}
	}
}

func BenchmarkProducts(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	a, x := randomMatrix[float32](rnd, 2708, 500, 512), randomMatrix[float64](rnd, 500, 8, 8)
	y := newMatrix(2708, 8)
	b.Run("mul/native", func(b *testing.B) {
		for b.Loop() {
			mul(y, a, x)
		}
	})
	b.Run("mulTrans/native", func(b *testing.B) {
		for b.Loop() {
			mulTrans(a, y)
		}
	})
}
