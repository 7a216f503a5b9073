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

// TestGuesses checks that the selection, exact or sampled, does not depend on the [guesser], whose windows
// can only save the second pass over the pairs. Right, wrong and too wide windows must give the same
// selection as empty windows, with which a second pass is always made. The rows are random or, in the
// second matrix, repeated many times, so that the thresholds' bins hold many pairs of equal similarity.
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

// testGuesses is TestGuesses for one mode; selection selects pairs of the rows z with a guesser.
func testGuesses(t *testing.T, selection func(z blas32.General, positives, negatives float64, guess guesser) (*Selection, error)) {
	const n, d, distinct = 480, 20, 30
	repeated := randomRows(n, d, 2)
	for i := range n {
		copy(linalg.Row(repeated, i), linalg.Row(repeated, i%distinct))
	}
	for name, z := range map[string]blas32.General{"random": linalg.Normalize(randomRows(n, d, 1)), "repeated": linalg.Normalize(repeated)} {
		for _, share := range []struct{ positives, negatives float64 }{{0.01, 0.1}, {0.002, 0.5}, {0.4, 0.9}, {0.00001, 0.9999}} {
			selected := func(guess guesser) *Selection {
				return testutil.Value(selection(z, share.positives, share.negatives, guess)).OrFatal(t)
			}
			fixed := func(pos, neg window) guesser {
				return func(*anchorRows, context.Context, int, int) (window, window, error) { return pos, neg, nil }
			}
			want := selected(fixed(noWindow, noWindow)) // two passes
			around := func(s float32) window { return window{bin(s) - 2, bin(s) + 2} }
			// A precondition: of random rows, the window is so narrow that an exact selection counts
			// float32 numbers instead of listing pairs (see rank), so that both ways are tested.
			if numbers := floatsOf(around(want.NegThreshold), n).count; name == "random" && (numbers == 0 || numbers > n*n/64) {
				t.Fatalf("shares %v: %d numbers in the window around %v", share, numbers, want.NegThreshold)
			}
			all := window{0, fineBins - 1}
			top := window{fineBins - 2, fineBins - 1}
			bottom := window{0, 3}
			beyond := window{-9, fineBins + 9} // wider than all bins
			for what, guess := range map[string]guesser{
				"the guess":        (*anchorRows).guess,
				"all bins":         fixed(all, all),
				"all, none":        fixed(all, noWindow),
				"beyond both":      fixed(beyond, beyond),
				"too high":         fixed(top, top),
				"too low":          fixed(bottom, bottom),
				"low and right":    fixed(bottom, all),
				"upside down":      fixed(window{low: 9, high: 3}, window{low: 70000, high: 60000}),
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

// TestSampledGuessIsRight checks that the guess from the anchors' own pairs contains the thresholds'
// bins, which the test takes from a scan of all pairs of anchors and nodes. Otherwise a selection takes
// twice as long. The rows are in seven clusters, so that the shares of similar pairs differ between
// anchors, and the anchors are drawn with 20 seeds.
func TestSampledGuessIsRight(t *testing.T) {
	const n, d, anchors, clusters = 3000, 24, 200, 7
	z := randomRows(n, d, 3)
	for i := range n {
		linalg.Row(z, i)[i%clusters] += 3
	}
	z = linalg.Normalize(z)
	wrong, guesses := 0, 0
	for seed := range uint64(20) {
		for _, share := range []struct{ positives, negatives float64 }{{0.01, 0.1}, {0.002, 0.5}} {
			guesses++
			a := newAnchorRows(z, rand.New(rand.NewPCG(seed, 1)).Perm(n)[:anchors])
			above, below := int(share.positives*n*anchors), int((1-share.negatives)*n*anchors)
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
		t.Errorf("%d of %d guesses are wrong", wrong, guesses)
	}
}
