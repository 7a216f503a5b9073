package pairs_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/limit"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestNormalizeScale: rows times a power of two give the same bytes, and rows of
// the largest and of subnormal numbers have length 1 too.
func TestNormalizeScale(t *testing.T) {
	row := []float32{3, 0, 0.1, 7.7, 1.25}
	matrix := func(factor float64) blas32.General {
		x := blas32.General{Rows: 1, Cols: len(row), Stride: len(row), Data: make([]float32, len(row))}
		for k, v := range row {
			x.Data[k] = float32(float64(v) * factor)
		}
		return x
	}
	want := pairs.Normalize(matrix(1))
	for _, factor := range []float64{0x1p-120, 0x1p-60, 0x1p60, 0x1p124} {
		if got := pairs.Normalize(matrix(factor)); !slices.Equal(got.Data, want.Data) {
			t.Errorf("factor %g: %v, want %v", factor, got.Data, want.Data)
		}
	}
	for _, factor := range []float64{1e-44, 1e-39, 4e37} {
		x := matrix(factor)
		var length, exact float64
		for k, v := range pairs.Normalize(x).Data[:len(row)] {
			length += float64(v) * float64(v)
			exact += float64(x.Data[k]) * float64(x.Data[k])
		}
		if exact == 0 || math.Abs(length-1) > 1e-6 {
			t.Errorf("factor %g: squared length %v, want 1 to 1e-6", factor, length)
		}
	}
}

// TestSelectRefuses: similarities without a rank are an error that names the
// row, and so are more positives than fit into memory.
func TestSelectRefuses(t *testing.T) {
	x := blas32.General{Rows: 40, Cols: 3, Stride: 3, Data: make([]float32, 120)}
	for k := range x.Data {
		x.Data[k] = float32(k%7) + 1
	}
	z := pairs.Normalize(x)
	selections := map[string]func() error{
		"exact": func() error {
			_, err := pairs.Select(t.Context(), z, 0.1, 0.5, pairs.Options{})
			return err
		},
		"sampled": func() error {
			_, err := pairs.SelectSampled(t.Context(), z, 0.1, 0.5, 20, 100, rand.New(rand.NewPCG(1, 1)), pairs.Options{})
			return err
		},
	}
	for name, choose := range selections {
		for _, v := range []float32{float32(math.NaN()), float32(math.Inf(1)), 3e38} {
			before := z.Data[17*z.Stride]
			z.Data[17*z.Stride] = v
			if err := choose(); err == nil || !strings.Contains(err.Error(), "row 17 has length") {
				t.Errorf("%s, entry %v: error %v", name, v, err)
			}
			z.Data[17*z.Stride] = before
		}
		if err := choose(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv(limit.MemoryVariable, "1kB")
	for name, choose := range selections {
		if err := choose(); err == nil || !strings.Contains(err.Error(), "want at most the 1.0 kB") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
