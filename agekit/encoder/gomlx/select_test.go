package gomlx

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/pairs"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// openChoice opens a backend without a limit until the test ends.
func openChoice(t testing.TB, choice backend.Choice) *on.Device {
	t.Helper()
	d := testutil.Value(on.Open(choice, on.Need{What: "a test"})).OrFatal(t)
	t.Cleanup(d.Close)
	return d
}

// onEach runs a test on every GoMLX backend.
func onEach(t *testing.T, run func(t *testing.T, d *on.Device)) {
	for _, choice := range choices(t) {
		t.Run(choice.Name, func(t *testing.T) { run(t, openChoice(t, choice)) })
	}
}

// chosen is a selection that is made as the training makes it.
func chosen(t interface{ Fatal(...any) }, s *selector, z blas32.General, positives, negatives float64, o pairs.Options) *pairs.Selection {
	rows := on.Matrix(z)
	defer rows.MustFinalizeAll()
	found, err := s.choose(context.Background(), z, rows, positives, negatives, o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// wholeRows returns rows of whole numbers from low to high, scaled by a power of two so that
// similarities are in [−1, 1]: their products and sums are exact in any order.
func wholeRows(n, d, low, high int, seed uint64) blas32.General {
	rnd := rand.New(rand.NewPCG(seed, 1))
	z := linalg.New(n, d)
	scale := 1.0
	for scale*scale*float64(d*max(low*low, high*high)) > 1 {
		scale /= 2
	}
	for i := range n {
		for c := range d {
			z.Data[i*z.Stride+c] = float32(scale * float64(low+rnd.IntN(high-low+1)))
		}
	}
	return z
}

// sameSelection requires two selections to have the same pairs and, to the bit, thresholds.
func sameSelection(got, want *pairs.Selection) error {
	switch {
	case got.Positives != want.Positives || got.Negatives != want.Negatives || got.Anchors != want.Anchors:
		return fmt.Errorf("%d positives, %d negatives, %d nodes: want %d, %d, %d", got.Positives, got.Negatives, got.Anchors, want.Positives, want.Negatives, want.Anchors)
	case got.PosThreshold != want.PosThreshold || got.NegThreshold != want.NegThreshold:
		return fmt.Errorf("thresholds %v and %v: want %v and %v", got.PosThreshold, got.NegThreshold, want.PosThreshold, want.NegThreshold)
	case !slices.Equal(got.I, want.I) || !slices.Equal(got.J, want.J):
		return fmt.Errorf("pairs %v, %v: want %v, %v", head(got.I), head(got.J), head(want.I), head(want.J))
	}
	return nil
}

func head(x []int32) []int32 { return x[:min(20, len(x))] }

// TestSelectorIsSelect compares selections on a device with those on the host, pair by pair
// and to the bit: the similarities are exact on both. Most rows have many ties.
func TestSelectorIsSelect(t *testing.T) {
	repeated := wholeRows(150, 12, -3, 9, 1)
	for i := range repeated.Rows {
		copy(linalg.Row(repeated, i), linalg.Row(repeated, i%7))
	}
	units := linalg.New(97, 5)
	for i := range units.Rows {
		units.Data[i*units.Stride+i%5] = 1
	}
	isolated := wholeRows(130, 6, 0, 4, 2)
	for i := 0; i < isolated.Rows; i += 3 {
		clear(linalg.Row(isolated, i))
	}
	cases := map[string]blas32.General{
		"random":     wholeRows(256, 40, -100, 100, 3),
		"negative":   wholeRows(129, 3, -2, 2, 4),
		"repeated":   repeated,
		"units":      units,
		"with zeros": isolated,
		"all zero":   linalg.New(40, 3),
	}
	for n := 1; n <= 5; n++ {
		cases[fmt.Sprint(n)] = wholeRows(n, 2, -2, 2, uint64(n))
	}
	onEach(t, func(t *testing.T, d *on.Device) {
		for name, z := range cases {
			n := z.Rows
			s := newSelector(d, n, z.Cols, n*n, 1000)
			one := 1 / float64(n*n)
			for _, share := range [][2]float64{{0.01, 0.1}, {0.3, 0.9}, {one, 1 - one}, {0.5, 0.5}, {1, 0}, {0.9, 0.02}, {2 * one, 1 - 2*one}} {
				if pos, neg := pairs.Counts(n, share[0], share[1]); pos > n*n || neg > n*n {
					continue
				}
				got := chosen(t, s, z, share[0], share[1], pairs.Options{})
				want := testutil.Value(pairs.Select(t.Context(), z, share[0], share[1], pairs.Options{})).OrFatal(t)
				if err := sameSelection(got, want); err != nil {
					t.Errorf("%s, shares %v: %v", name, share, err)
				}
			}
		}
	})
}
