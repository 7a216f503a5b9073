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

// TestSelectRefuses checks that exact and sampled selections refuse a row whose similarities have no
// rank, with an error that names the row, and more positives than fit into the memory. Rows without such
// a number are no error.
func TestSelectRefuses(t *testing.T) {
	const n, d, badRow = 40, 3, 17
	x := blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
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
			before := z.Data[badRow*z.Stride]
			z.Data[badRow*z.Stride] = v
			if err := choose(); err == nil || !strings.Contains(err.Error(), "row 17 has length") {
				t.Errorf("%s, entry %v: error %v", name, v, err)
			}
			z.Data[badRow*z.Stride] = before
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
