package pairs_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestSelectRefuses: similarities without a rank are an error that names the
// row, and so are more positives than fit into memory.
func TestSelectRefuses(t *testing.T) {
	x := blas32.General{Rows: 40, Cols: 3, Stride: 3, Data: make([]float32, 120)}
	for k := range x.Data {
		x.Data[k] = float32(k%7) + 1
	}
	z := linalg.Normalize(x)
	selections := map[string]func() error{
		"exact": func() error {
			_, err := pairs.Select(t.Context(), z, 0.1, 0.5, pairs.Options{})
			return err
		},
		"sampled": func() error {
			_, err := pairs.SelectSampled(t.Context(), z, 0.1, 0.5, 20, 100, rand.New(rand.NewPCG(1, 1)))
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
	t.Setenv(system.MemoryVariable, "1kB")
	for name, choose := range selections {
		if err := choose(); err == nil || !strings.Contains(err.Error(), "want at most the 1.0 kB") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
