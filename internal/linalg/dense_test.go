package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// random fills m, but for its padding, with random numbers from −1 to 1, and returns m.
func random(rnd *rand.Rand, m blas32.General) blas32.General {
	for i := range m.Rows {
		for j := range m.Cols {
			m.Data[i*m.Stride+j] = rnd.Float32()*2 - 1
		}
	}
	return m
}

// TestGramBand: GramBand visits each product of a band once, in order, and the product is that of a
// plain loop in float64, to 1e-5. After visit returns false, it visits no more.
func TestGramBand(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	a, b := random(rnd, New(70, 33)), random(rnd, New(50, 33))
	for _, test := range []struct{ lo, hi, from, width int }{ // rows of a, first row of b, and b's rows in a block
		{lo: 0, hi: 70, from: 0, width: 16},
		{lo: 3, hi: 9, from: 7, width: 50},
		{lo: 69, hi: 70, from: 49, width: 5}, // one product
		{lo: 0, hi: 4, from: 50, width: 8},   // none
	} {
		buffer := make([]float32, (test.hi-test.lo)*test.width)
		seen := 0
		GramBand(a, b, test.lo, test.hi, test.from, test.width, buffer, func(from, cols int, products []float32) bool {
			if from != test.from+seen/(test.hi-test.lo) || cols > test.width {
				t.Errorf("%+v: block of %d columns from %d on after %d products", test, cols, from, seen)
			}
			for k, got := range products {
				i, j := test.lo+k/cols, from+k%cols
				want := 0.0
				for c := range a.Cols {
					want += float64(a.Data[i*a.Stride+c]) * float64(b.Data[j*b.Stride+c])
				}
				if math.Abs(float64(got)-want) > 1e-5 {
					t.Fatalf("%+v: product of rows %d and %d is %v, want %v", test, i, j, got, want)
				}
			}
			seen += len(products)
			return true
		})
		if want := (test.hi - test.lo) * (b.Rows - test.from); seen != want {
			t.Errorf("%+v: %d products, want %d", test, seen, want)
		}
	}
	const rows, width = 8, 16
	visits := 0
	GramBand(a, b, 0, rows, 0, width, make([]float32, rows*width), func(int, int, []float32) bool {
		visits++
		return false
	})
	if visits != 1 {
		t.Errorf("%d blocks after false, want 1", visits)
	}
}

// TestPadded: Padded keeps the numbers and sets the padding to zero, of a matrix without padding and of
// one with a number in it. The result, which has zero padding, is not copied again.
func TestPadded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	tight := random(rnd, blas32.General{Rows: 3, Cols: 5, Stride: 5, Data: make([]float32, 15)})
	dirty := random(rnd, New(3, 5))
	dirty.Data[2*dirty.Stride+7] = 1
	for name, m := range map[string]blas32.General{"tight": tight, "dirty": dirty} {
		p := Padded(m)
		for i := range m.Rows {
			for j, v := range Row(p, i) {
				want := float32(0)
				if j < m.Cols {
					want = m.Data[i*m.Stride+j]
				}
				if v != want {
					t.Errorf("%s: (%d, %d) is %v, want %v", name, i, j, v, want)
				}
			}
		}
		if len(Row(p, 0)) != simd.Lanes {
			t.Errorf("%s: rows of %d, want %d", name, len(Row(p, 0)), simd.Lanes)
		}
		if again := Padded(p); &again.Data[0] != &p.Data[0] {
			t.Errorf("%s: padded twice", name)
		}
	}
}
