package pairs

import (
	"cmp"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"
)

// TestSelectGolden compares the first selection of the paper's settings, on three data sets, with numpy's
// full ranking of all n² similarities (testdata/selection.json): the counts exactly, and the
// similarities at the ranks to 1e-5.
func TestSelectGolden(t *testing.T) {
	var golden map[string]struct {
		Positives         int
		Negatives         int
		SimilarityAtRPos  float64 `json:"similarity_at_r_pos"`
		SimilarityAtRNeg  float64 `json:"similarity_at_r_neg"`
		DiagonalPositives int     `json:"diagonal_among_positives"`
	}
	data := testutil.Value(os.ReadFile("testdata/selection.json")).OrFatal(t)
	testutil.NoError(t, json.Unmarshal(data, &golden))
	for name, want := range golden {
		t.Run(name, func(t *testing.T) {
			const first, updates = 0, 40
			pos, neg := paperThresholds[name].At(first, updates)
			s := testutil.Value(Select(t.Context(), linalg.Normalize(smoothed(t, name)), pos, neg, Options{})).OrFatal(t)
			if len(s.I) != want.Positives || s.Negatives != want.Negatives {
				t.Errorf("%d positives and %d negatives, want %d and %d", len(s.I), s.Negatives, want.Positives, want.Negatives)
			}
			if d := math.Abs(float64(s.PosThreshold) - want.SimilarityAtRPos); d > 1e-5 {
				t.Errorf("similarity at r_pos is %v, want %v", s.PosThreshold, want.SimilarityAtRPos)
			}
			if d := math.Abs(float64(s.NegThreshold) - want.SimilarityAtRNeg); d > 1e-5 {
				t.Errorf("similarity at r_neg is %v, want %v", s.NegThreshold, want.SimilarityAtRNeg)
			}
			diagonal := 0
			for k := range s.I {
				if s.I[k] == s.J[k] {
					diagonal++
				}
			}
			if diagonal != want.DiagonalPositives {
				t.Errorf("%d pairs (i, i), want %d", diagonal, want.DiagonalPositives)
			}
		})
	}
}

// TestSelectAgainstSorting compares Select, on random rows, with sorting all pairs by similarity: which
// pairs are positive and in which order, and both thresholds. Rows of few different numbers make many
// ties. The histogram counts all pairs, and DrawNegatives draws no pair above the threshold.
func TestSelectAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "nodes")
		d := rapid.IntRange(1, 40).Draw(t, "dims")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		levels := rapid.SampledFrom([]int32{2, 5, 1 << 20}).Draw(t, "levels")
		z := blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
		for p := range z.Data {
			z.Data[p] = float32(rnd.Int32N(levels))
		}
		z = linalg.Normalize(z)
		pos := rapid.Float64Range(1/float64(n*n), 0.5).Draw(t, "positives")
		neg := rapid.Float64Range(0.5, 1-1/float64(n*n)).Draw(t, "negatives")
		s, err := Select(t.Context(), z, pos, neg, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var all []scored
		for i := range n {
			for j := range n {
				// As Select computes only the upper triangle, both orders get the same rounding.
				s := similarity(z, min(i, j), max(i, j))
				all = append(all, scored{s, int32(i), int32(j)})
			}
		}
		slices.SortFunc(all, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.s, a.s), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
		})
		posCount, negCount := Counts(n, pos, neg)
		want := slices.Clone(all[:posCount]) // the positives, in the order of the selection
		slices.SortFunc(want, func(a, b scored) int { return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j)) })
		if len(s.I) != posCount || s.Negatives != negCount {
			t.Fatalf("%d positives, %d negatives: want %d, %d", len(s.I), s.Negatives, posCount, negCount)
		}
		for k, w := range want {
			if s.I[k] != w.i || s.J[k] != w.j {
				t.Fatalf("positive %d is (%d, %d), want (%d, %d)", k, s.I[k], s.J[k], w.i, w.j)
			}
		}
		if w := all[posCount-1].s; s.PosThreshold != w {
			t.Fatalf("positive threshold %v, want %v", s.PosThreshold, w)
		}
		if w := all[len(all)-negCount].s; s.NegThreshold != w {
			t.Fatalf("negative threshold %v, want %v", s.NegThreshold, w)
		}
		total := 0
		for _, c := range s.Histogram {
			total += c
		}
		if total != n*n {
			t.Fatalf("histogram counts %d pairs, want %d", total, n*n)
		}
		const draws = 50
		i, j, err := s.DrawNegatives(t.Context(), draws, rnd)
		if err != nil {
			t.Fatal(err)
		}
		for k := range i {
			if v := similarity(z, int(i[k]), int(j[k])); v > s.NegThreshold {
				t.Fatalf("drew a pair of similarity %v, above %v", v, s.NegThreshold)
			}
		}
	})
}

// similarity returns the product of rows i and j of z, as Select computes it.
func similarity(z blas32.General, i, j int) float32 {
	return simd.Dot(linalg.Row(z, i), linalg.Row(z, j))
}

// smallSelection selects among 12 nodes, and draws at least the wanted number of negatives with the key.
// Row 0 is zero, as of an isolated node: its pair with itself is negative.
func smallSelection(t *testing.T, wanted int, key uint64) *Selection {
	const n, d = 12, 5
	rnd := rand.New(rand.NewPCG(9, 9))
	z := blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)}
	for p := d; p < len(z.Data); p++ {
		z.Data[p] = rnd.Float32()
	}
	return testutil.Value(Select(t.Context(), linalg.Normalize(z), 0.1, 0.59, Options{Draws: wanted, Key: key})).OrFatal(t)
}

// uniform checks that pairs were drawn uniformly from the negative pairs of s; seen has the number of
// draws of each, and what names the draws in errors. All negatives must have been drawn, and no other
// pair. The chi-squared statistic must be within five standard deviations of its expectation. If the
// pairs are unordered, (i, j) stands for both orders and is expected twice as often as (i, i).
func uniform(t *testing.T, what string, seen map[pair]int, s *Selection, unordered bool) {
	t.Helper()
	draws := 0
	for p, c := range seen {
		draws += c
		if v := similarity(s.z, int(p.i), int(p.j)); v > s.NegThreshold {
			t.Fatalf("%s: drew a pair of similarity %v, above %v", what, v, s.NegThreshold)
		}
	}
	mean := float64(draws) / float64(s.Negatives) // of an ordered pair
	chi, ordered := 0.0, 0                        // ordered is the number of ordered pairs in seen
	for p, c := range seen {
		orders := 1
		if unordered && p.i != p.j {
			orders = 2
		}
		want := mean * float64(orders)
		chi += (float64(c) - want) * (float64(c) - want) / want
		ordered += orders
	}
	if ordered != s.Negatives {
		t.Fatalf("%s: %d different pairs drawn, want all %d negatives", what, ordered, s.Negatives)
	}
	freedom := float64(len(seen) - 1)
	if math.Abs(chi-freedom) > 5*math.Sqrt(2*freedom) {
		t.Errorf("%s: chi-squared %v for %v degrees of freedom", what, chi, freedom)
	}
}

// TestNegativesAreUniform checks by a chi-squared test ([uniform]) that negatives of 12 nodes are drawn
// uniformly, by DrawNegatives and while the pairs are ranked. Those drawn while ranking must also be
// uniform at the start of their list, because epochs take consecutive parts of it. Over 1000 selections,
// their total must agree with that of Poisson distributions, within five standard deviations.
func TestNegativesAreUniform(t *testing.T) {
	s := smallSelection(t, 0, 0)
	i, j, err := s.DrawNegatives(t.Context(), 100_000, rand.New(rand.NewPCG(1, 1)))
	testutil.NoError(t, err)
	seen := map[pair]int{}
	for k := range i {
		seen[pair{i[k], j[k]}]++
	}
	const unordered = true
	uniform(t, "rejection", seen, s, !unordered)

	const wanted, selections, first = 100, 1000, 20
	all, early := map[pair]int{}, map[pair]int{}
	total := 0
	for key := range uint64(selections) {
		s = smallSelection(t, wanted, key)
		if len(s.drawn) < wanted {
			t.Fatalf("key %d: %d negatives drawn, want at least %d", key, len(s.drawn), wanted)
		}
		total += len(s.drawn)
		for k, p := range s.drawn {
			all[p]++
			if k < first {
				early[p]++
			}
		}
	}
	uniform(t, "while ranking", all, s, unordered)
	uniform(t, "the first 20", early, s, unordered)
	if mean := selections * surely(wanted); math.Abs(float64(total)-mean) > 5*math.Sqrt(mean) {
		t.Errorf("%d negatives drawn, %v were expected", total, mean)
	}
}

// TestNegativesRunOut checks [Selection.NextNegatives]: it returns the drawn negatives from the given
// index on and, if too few are left there, what DrawNegatives returns with the same random numbers.
func TestNegativesRunOut(t *testing.T) {
	const draws, key, from, count = 100, 1, 30, 50
	s := smallSelection(t, draws, key)
	i, j, err := s.NextNegatives(t.Context(), from, count, nil) // no random numbers are needed
	testutil.NoError(t, err)
	for k, p := range s.drawn[from : from+count] {
		if (pair{i[k], j[k]}) != p {
			t.Fatalf("negative %d is (%d, %d), want %v", k, i[k], j[k], p)
		}
	}
	const left = 9 // negatives in the list, of left+1 that are asked for
	i, _, err = s.NextNegatives(t.Context(), len(s.drawn)-left, left+1, rand.New(rand.NewPCG(5, 1)))
	testutil.NoError(t, err)
	want, _, err := s.DrawNegatives(t.Context(), left+1, rand.New(rand.NewPCG(5, 1)))
	testutil.NoError(t, err)
	if !slices.Equal(i, want) {
		t.Errorf("beyond the list %v, want %v", i, want)
	}
}

// TestNegativesInOrder compares DrawNegatives with a loop in the test that draws pairs one by one, from
// the same random numbers, and keeps those at or below the threshold: the negatives are the same, for
// counts below and above the number of candidates that DrawNegatives draws at a time.
func TestNegativesInOrder(t *testing.T) {
	const n = 700
	z := linalg.Normalize(randomRows(n, 20, 1))
	for _, share := range []float64{0.1, 0.8} { // of all pairs that rank above the negatives
		s := testutil.Value(Select(t.Context(), z, 0.01, share, Options{})).OrFatal(t)
		for _, count := range []int{1, 3000, 40000, 300000} {
			rnd := rand.New(rand.NewPCG(5, uint64(count)))
			var wantI, wantJ []int32
			for len(wantI) < count {
				i, j := rnd.Int32N(n), rnd.Int32N(n)
				if similarity(s.z, int(i), int(j)) <= s.NegThreshold {
					wantI, wantJ = append(wantI, i), append(wantJ, j)
				}
			}
			i, j, err := s.DrawNegatives(t.Context(), count, rand.New(rand.NewPCG(5, uint64(count))))
			if err != nil || !slices.Equal(i, wantI) || !slices.Equal(j, wantJ) {
				t.Errorf("%d negatives below rank %v: pairs differ from those found one by one (error %v)", count, share, err)
			}
		}
	}
}

// TestThresholdSchedule checks, with numbers computed by hand, the fractions of selections with the
// settings for Cora and 40 updates. As in the published code, one step follows the first selection and
// one precedes each later one. It also checks the counts of pairs that fractions give.
func TestThresholdSchedule(t *testing.T) {
	const updates = 40
	thresholds := paperThresholds["cora"]
	for _, c := range []struct {
		selection int
		pos, neg  float64
	}{
		{selection: 0, pos: 0.011, neg: 0.1},
		{selection: 1, pos: 0.0105, neg: 0.12}, // two steps of −0.00025 and 0.01
		{selection: 2, pos: 0.01025, neg: 0.13},
		{selection: 38, pos: 0.00125, neg: 0.49},
		{selection: 39, pos: 0.001, neg: 0.5},
		{selection: 40, pos: 0.001, neg: 0.5}, // the end
	} {
		pos, neg := thresholds.At(c.selection, updates)
		if math.Abs(pos-c.pos) > 1e-12 || math.Abs(neg-c.neg) > 1e-12 {
			t.Errorf("selection %d: %v and %v, want %v and %v", c.selection, pos, neg, c.pos, c.neg)
		}
	}
	const coraNodes = 2708
	if pos, neg := Counts(coraNodes, thresholds.PosStart, thresholds.NegStart); pos != 80666 || neg != 6599938 {
		t.Errorf("counts %d and %d, want 80666 and 6599938", pos, neg)
	}
	if pos, neg := Counts(5, 0.011, 0.99); pos != 1 || neg != 1 {
		t.Errorf("%d positive and %d negative pairs of 5 nodes, want at least one of each", pos, neg)
	}
}
