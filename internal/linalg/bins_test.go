package linalg_test

import (
	"math"
	"testing"

	"github.com/agekit/age/internal/linalg"
)

// TestBin: bin i of n over [lo, hi] contains its lower edge, also one that rounding has moved a little,
// its middle, and a value just below its upper edge. Values outside the range are in bin −1 or n, but
// those within 10⁻⁹ of its upper end in the last bin. A range that does not rise panics.
func TestBin(t *testing.T) {
	const little = 1e-12 // far less than the tolerance, as rounding
	for _, r := range []struct {
		n      int
		lo, hi float64
	}{{n: 40, lo: 0, hi: 2}, {n: 1, lo: 0, hi: 1}, {n: 7, lo: -3, hi: 4.5}, {n: 50, lo: 0, hi: 2}} {
		width := (r.hi - r.lo) / float64(r.n)
		for i := range r.n {
			edge := r.lo + float64(i)*width
			for _, v := range []float64{edge, edge - little, edge + little, edge + width/2, edge + 0.999999*width} {
				if got := linalg.Bin(v, r.n, r.lo, r.hi); got != i {
					t.Errorf("%d bins over [%v, %v]: %v is in bin %d, want %d", r.n, r.lo, r.hi, v, got, i)
				}
			}
		}
		for v, want := range map[float64]int{
			r.hi:          r.n - 1,
			r.hi + little: r.n - 1,
			r.hi + 1e-6:   r.n,
			r.lo - 1e-6:   -1,
			math.Inf(1):   r.n,
			math.Inf(-1):  -1,
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
