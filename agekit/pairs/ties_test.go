package pairs

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// tiedRows returns rows of length 1 of which many are equal or nearly so, by what they are.
func tiedRows() map[string]blas32.General {
	row := func(z blas32.General, i int, values ...float32) { copy(linalg.Row(z, i), values) }
	rnd := rand.New(rand.NewPCG(3, 0))
	normal := func() float32 { return float32(rnd.NormFloat64()) }
	const n = 900
	equal, two, large := linalg.New(n, 3), linalg.New(n, 3), linalg.New(n, 6)
	few, alone := linalg.New(3, 2), linalg.New(n, 4)
	for i := range n {
		row(equal, i, 1, 2, 3)
		row(two, i, 1, float32(i%3%2), 0.5) // a third and two thirds
		row(large, i, 1990+float32(rnd.IntN(34)), normal(), normal(), normal(), normal(), normal())
		row(alone, i, 1, 1, 1, 1)
	}
	row(alone, 7, 1, 0, -1, 0) // all others are equal
	for i := range few.Rows {
		row(few, i, 1, 1)
	}
	rows := map[string]blas32.General{"equal rows": equal, "two kinds of rows": two, "one large column": large, "three equal rows": few, "one row unlike the others": alone}
	for name, z := range rows {
		rows[name] = linalg.Normalize(z)
	}
	return rows
}

// patient is done after so many questions: a bound on the rounds of draws, in place of a time limit.
type patient struct {
	context.Context
	questions *int
}

// Err implements context.Context.
func (p patient) Err() error {
	if *p.questions--; *p.questions < 0 {
		return context.Canceled
	}
	return nil
}

// drawBounded draws count negatives with at most the given number of rounds of candidates.
func drawBounded(t *testing.T, s *Selection, count, rounds int) (i, j []int32) {
	t.Helper()
	i, j, err := s.DrawNegatives(patient{t.Context(), &rounds}, count, rand.New(rand.NewPCG(8, 0)))
	if err != nil {
		t.Fatalf("%d of %d pairs drawn: %v", len(i), count, err)
	}
	return i, j
}

// TestNegativesOfTies draws negatives where nearly all similarities tie, among all pairs, in a sample, and with
// the threshold of a device whose similarities are rounded otherwise. About as many tries must suffice as the
// shares of pairs say. Of a selection of this machine, no pair is above its threshold, and at least about the
// share of the pairs that is asked for is at or below it.
func TestNegativesOfTies(t *testing.T) {
	const count, rounds = 20_000, 20
	for name, z := range tiedRows() {
		for _, negatives := range []float64{0.1, 0.5, 0.9} { // the share of pairs above
			exact := testutil.Value(Select(t.Context(), z, 0.05, negatives, Options{})).OrFatal(t)
			drawBounded(t, exact, count, rounds)
			rounded := *exact
			rounded.NegThreshold -= 1e-6
			drawBounded(t, &rounded, count, 10*rounds)
			for _, anchors := range []int{2, 50, z.Rows} {
				s := testutil.Value(SelectSampled(t.Context(), z, 0.05, negatives, anchors, 1000, rand.New(rand.NewPCG(1, uint64(anchors))))).OrFatal(t)
				i, j := drawBounded(t, s, count, rounds)
				below := 0
				for k := range i {
					if v := similarity(s.z, int(i[k]), int(j[k])); v > s.NegThreshold {
						t.Fatalf("%s, negatives above rank %v, %d anchors: drew a pair of similarity %v, above %v", name, negatives, anchors, v, s.NegThreshold)
					}
				}
				for u := range z.Rows {
					for v := range z.Rows {
						if similarity(s.z, u, v) <= s.NegThreshold {
							below++
						}
					}
				}
				if anchors == z.Rows && float64(below) < 0.45*float64(s.Negatives) {
					t.Errorf("%s, negatives above rank %v: %d pairs are at or below the sample's threshold, want about %d or more", name, negatives, below, s.Negatives)
				}
			}
		}
	}
}
