package linalg_test

import (
	"math"
	"testing"

	"github.com/agekit/age/internal/linalg"
)

// TestBin: bin i of n over [lo, hi] contains lo + (i + ½)(hi − lo)/n and its
// lower edge, the latter also when rounding has moved it a little.
func TestBin(t *testing.T) {
	for _, r := range []struct {
		n      int
		lo, hi float64
	}{{40, 0, 2}, {1, 0, 1}, {7, -3, 4.5}, {50, 0, 2}} {
		width := (r.hi - r.lo) / float64(r.n)
		for i := range r.n {
			edge := r.lo + float64(i)*width
			for _, v := range []float64{edge, edge - 1e-12, edge + 1e-12, edge + width/2, edge + 0.999999*width} {
				if got := linalg.Bin(v, r.n, r.lo, r.hi); got != i {
					t.Errorf("%d bins over [%v, %v]: %v is in bin %d, want %d", r.n, r.lo, r.hi, v, got, i)
				}
			}
		}
		for v, want := range map[float64]int{
			r.hi: r.n - 1, r.hi + 1e-12: r.n - 1, r.hi + 1e-6: r.n, r.lo - 1e-6: -1, math.Inf(1): r.n, math.Inf(-1): -1,
		} {
			if got := linalg.Bin(v, r.n, r.lo, r.hi); got != want {
				t.Errorf("%d bins over [%v, %v]: %v is in bin %d, want %d", r.n, r.lo, r.hi, v, got, want)
			}
		}
		if got := linalg.Bin(math.NaN(), r.n, r.lo, r.hi); got != -1 {
			t.Errorf("NaN is in bin %d, want −1", got)
		}
	}
	for _, r := range [][2]float64{{1, 1}, {1, 0}, {math.NaN(), 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for the range %v", r)
				}
			}()
			linalg.Bin(0, 3, r[0], r[1])
		}()
	}
}
