package linalg_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// randomRows returns n rows of d normally distributed numbers, with three more as padding.
func randomRows(n, d int, seed uint64) blas32.General {
	rnd := rand.New(rand.NewPCG(seed, 2))
	z := blas32.General{Rows: n, Cols: d, Stride: d + 3, Data: make([]float32, n*(d+3))}
	for k := range z.Data {
		z.Data[k] = float32(rnd.NormFloat64())
	}
	return z
}

// TestShifted: the inner products of what NonNegative returns for rows with negative entries are (1 + those
// of the rows)/2, to 1e-6, with products by gonum. Rows without negative entries are returned
// themselves.
func TestShifted(t *testing.T) {
	z := randomRows(7, 5, 1)
	gram := func(z blas32.General) []float32 {
		g := blas32.General{Rows: z.Rows, Cols: z.Rows, Stride: z.Rows, Data: make([]float32, z.Rows*z.Rows)}
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, z, z, 0, g)
		return g.Data
	}
	want := gram(z)
	for k, got := range gram(linalg.NonNegative(z)) {
		if math.Abs(float64(got-(1+want[k])/2)) > 1e-6 {
			t.Errorf("entry %d: %v, want %v", k, got, (1+want[k])/2)
		}
	}
	for k, v := range z.Data {
		z.Data[k] = max(v, -v)
	}
	if got := linalg.NonNegative(z); got.Cols != z.Cols || &got.Data[0] != &z.Data[0] {
		t.Error("rows without a negative entry were changed")
	}
}

// TestNormalizeScale: a row times a power of two is normalized to the same bytes. Rows of subnormal numbers
// and of almost the largest ones get length 1, too.
func TestNormalizeScale(t *testing.T) {
	row := []float32{3, 0, 0.1, 7.7, 1.25}
	matrix := func(factor float64) blas32.General {
		x := blas32.General{Rows: 1, Cols: len(row), Stride: len(row), Data: make([]float32, len(row))}
		for k, v := range row {
			x.Data[k] = float32(float64(v) * factor)
		}
		return x
	}
	want := linalg.Normalize(matrix(1))
	for _, factor := range []float64{0x1p-120, 0x1p-60, 0x1p60, 0x1p124} {
		if got := linalg.Normalize(matrix(factor)); !slices.Equal(got.Data, want.Data) {
			t.Errorf("factor %g: %v, want %v", factor, got.Data, want.Data)
		}
	}
	for _, factor := range []float64{1e-44, 1e-39, 4e37} {
		x := matrix(factor)
		var length, exact float64
		for k, v := range linalg.Normalize(x).Data[:len(row)] {
			length += float64(v) * float64(v)
			exact += float64(x.Data[k]) * float64(x.Data[k])
		}
		if exact == 0 || math.Abs(length-1) > 1e-6 {
			t.Errorf("factor %g: squared length %v, want 1 to 1e-6", factor, length)
		}
	}
}

// TestSideBySide: the inner products of the rows are the means of those of three embeddings, to 1e-6.
func TestSideBySide(t *testing.T) {
	const n = 50
	a, b, c := randomRows(n, 8, 1), randomRows(n, 5, 2), randomRows(n, 6, 3)
	all := linalg.SideBySide(a, b, c)
	dot := func(z blas32.General, i, j int) float64 {
		return float64(blas32.Dot(blas32.Vector{N: z.Cols, Inc: 1, Data: z.Data[i*z.Stride:]}, blas32.Vector{N: z.Cols, Inc: 1, Data: z.Data[j*z.Stride:]}))
	}
	for i := range n {
		for j := range n {
			if want := (dot(a, i, j) + dot(b, i, j) + dot(c, i, j)) / 3; math.Abs(dot(all, i, j)-want) > 1e-6 {
				t.Fatalf("similarity (%d, %d) is %v, want %v", i, j, dot(all, i, j), want)
			}
		}
	}
}
