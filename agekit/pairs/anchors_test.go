package pairs

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"

	"gonum.org/v1/gonum/blas/blas32"
)

// TestGuesses checks that any guess of the thresholds, right, wrong or too
// wide, gives the same selection as two passes, in both modes. The rows are
// random, or repeated many times so that the thresholds' bins hold many pairs
// of equal similarity.
func TestGuesses(t *testing.T) {
	t.Run("exact", func(t *testing.T) {
		testGuesses(t, func(z blas32.General, positives, negatives float64, guess guesser) (*Selection, error) {
			return selectExact(t.Context(), z, positives, negatives, Options{Draws: 500, Key: 7}, guess)
		})
	})
	t.Run("sampled", func(t *testing.T) {
		const anchors, keep = 150, 400
		testGuesses(t, func(z blas32.General, positives, negatives float64, guess guesser) (*Selection, error) {
			return selectSampled(t.Context(), z, positives, negatives, anchors, keep, rand.New(rand.NewPCG(1, 2)), guess)
		})
	})
}

func testGuesses(t *testing.T, selection func(z blas32.General, positives, negatives float64, guess guesser) (*Selection, error)) {
	const n = 480
	repeated := randomRows(n, 20, 2)
	for i := range n {
		copy(repeated.Data[i*repeated.Stride:][:20], repeated.Data[i%30*repeated.Stride:][:20])
	}
	for name, z := range map[string]blas32.General{"random": linalg.Normalize(randomRows(n, 20, 1)), "repeated": linalg.Normalize(repeated)} {
		for _, share := range [][2]float64{{0.01, 0.1}, {0.002, 0.5}, {0.4, 0.9}, {0.00001, 0.9999}} {
			selected := func(guess guesser) *Selection {
				s := testutil.Value(selection(z, share[0], share[1], guess)).OrFatal(t)
				return s
			}
			fixed := func(pos, neg window) guesser {
				return func(*anchorRows, context.Context, int, int) (window, window, error) { return pos, neg, nil }
			}
			want := selected(fixed(noWindow, noWindow)) // two passes
			around := func(s float32) window { return window{bin(s) - 2, bin(s) + 2} }
			// The window is so narrow that an exact selection counts numbers
			// instead of listing pairs.
			if numbers := floatsOf(around(want.NegThreshold), n).count; name == "random" && (numbers == 0 || numbers > n*n/64) {
				t.Fatalf("shares %v: %d numbers in the window around %v", share, numbers, want.NegThreshold)
			}
			all := window{0, fineBins - 1}
			for what, guess := range map[string]guesser{
				"the guess":        (*anchorRows).guess,
				"all bins":         fixed(all, all),
				"all, none":        fixed(all, noWindow),
				"beyond both":      fixed(window{-9, fineBins + 9}, window{-9, fineBins + 9}),
				"too high":         fixed(window{fineBins - 2, fineBins - 1}, window{fineBins - 2, fineBins - 1}),
				"too low":          fixed(window{0, 3}, window{0, 3}),
				"low and right":    fixed(window{0, 3}, all),
				"upside down":      fixed(window{9, 3}, window{70000, 60000}),
				"one bin, the top": fixed(window{fineBins - 1, fineBins - 1}, all),
				"close":            fixed(around(want.PosThreshold), around(want.NegThreshold)),
			} {
				if got := selected(guess); !reflect.DeepEqual(got, want) {
					t.Errorf("%s rows, shares %v, guess %s: selection differs from that of two passes", name, share, what)
				}
			}
		}
	}
}

// TestSampledGuessIsRight requires the guess to contain the thresholds' bins
// for random samples of clustered rows, because otherwise a selection takes
// twice as long. The clusters make the fractions differ between anchors.
func TestSampledGuessIsRight(t *testing.T) {
	const n, d, anchors = 3000, 24, 200
	z := randomRows(n, d, 3)
	for i := range n {
		z.Data[i*z.Stride+i%7] += 3
	}
	z = linalg.Normalize(z)
	wrong := 0
	for seed := range uint64(20) {
		for _, share := range [][2]float64{{0.01, 0.1}, {0.002, 0.5}} {
			a := newAnchorRows(z, rand.New(rand.NewPCG(seed, 1)).Perm(n)[:anchors])
			above, below := int(share[0]*n*anchors), int((1-share[1])*n*anchors)
			pos, neg, err := a.guess(t.Context(), above, below)
			testutil.NoError(t, err)
			all := testutil.Value(a.scan(t.Context(), noWindow, noWindow, drawing{})).OrFatal(t)
			fine := all.histogram
			posBin, _ := binOfRank(fine, above, true)
			negBin, _ := binOfRank(fine, below, false)
			if !pos.contains(posBin) || !neg.contains(negBin) {
				wrong++
				t.Logf("seed %d, shares %v: bins %d and %d, guessed %v and %v", seed, share, posBin, negBin, pos, neg)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of 40 guesses are wrong", wrong)
	}
}
