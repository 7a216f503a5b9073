package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

func random(rnd *rand.Rand, m blas32.General) blas32.General {
	for i := range m.Rows {
		for j := range m.Cols {
			m.Data[i*m.Stride+j] = rnd.Float32()*2 - 1
		}
	}
	return m
}

// TestGramBand compares with dot products in float64, to 1e-5: every product of
// the band once, from the given row on, and none after visit returns false.
func TestGramBand(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	a, b := random(rnd, New(70, 33)), random(rnd, New(50, 33))
	for _, test := range []struct{ lo, hi, from, width int }{{0, 70, 0, 16}, {3, 9, 7, 50}, {69, 70, 49, 5}, {0, 4, 50, 8}} {
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
	visits := 0
	GramBand(a, b, 0, 8, 0, 16, make([]float32, 8*16), func(int, int, []float32) bool {
		visits++
		return false
	})
	if visits != 1 {
		t.Errorf("%d blocks after false, want 1", visits)
	}
}

// TestPadded: rows are kept, padding is zero, and a matrix that has that padding
// is not copied.
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
