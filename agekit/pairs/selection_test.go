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

// TestSelectGolden compares the first selection of the paper's settings with
// numpy's full ranking of all n² similarities: counts exactly, the
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
			pos, neg := paperThresholds[name].At(0, 40)
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

// TestSelectAgainstSorting compares with sorting all pairs: which pairs are
// positive, both thresholds, and the histogram's total. Values on a coarse
// grid make many ties.
func TestSelectAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(2, 200).Draw(t, "nodes"), rapid.IntRange(1, 40).Draw(t, "dims")
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
				a, b := min(i, j), max(i, j)
				all = append(all, scored{similarity(z, a, b), int32(i), int32(j)})
			}
		}
		slices.SortFunc(all, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.s, a.s), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
		})
		posCount, negCount := Counts(n, pos, neg)
		want := slices.Clone(all[:posCount])
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
		i, j, err := s.DrawNegatives(t.Context(), 50, rnd)
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

func similarity(z blas32.General, i, j int) float32 {
	return simd.Dot(linalg.Row(z, i), linalg.Row(z, j))
}

// smallSelection selects among 12 nodes, one of which is isolated: its row is
// 0 and its pair with itself is negative.
func smallSelection(t *testing.T, wanted int, key uint64) *Selection {
	rnd := rand.New(rand.NewPCG(9, 9))
	z := blas32.General{Rows: 12, Cols: 5, Stride: 5, Data: make([]float32, 60)}
	for p := range z.Data[5:] {
		z.Data[5+p] = rnd.Float32()
	}
	s := testutil.Value(selectExact(t.Context(), linalg.Normalize(z), 0.1, 0.59, Options{Draws: wanted, Key: key}, (*anchorRows).guess)).OrFatal(t)
	return s
}

// uniform checks that the counts of all given pairs agree with the same mean:
// the chi-squared statistic must be within five standard deviations of its
// expectation. Pairs that stand for both orders are expected twice as often.
func uniform(t *testing.T, what string, seen map[pair]int, s *Selection, unordered bool) {
	t.Helper()
	draws := 0
	for p, c := range seen {
		draws += c
		if v := similarity(s.z, int(p.i), int(p.j)); v > s.NegThreshold {
			t.Fatalf("%s: drew a pair of similarity %v, above %v", what, v, s.NegThreshold)
		}
	}
	mean, chi, pairs, orders := float64(draws)/float64(s.Negatives), 0.0, 0, 0
	for p, c := range seen {
		want := mean
		if unordered && p.i != p.j {
			want, orders = 2*mean, orders+1
		}
		chi += (float64(c) - want) * (float64(c) - want) / want
		pairs++
	}
	if pairs+orders != s.Negatives {
		t.Fatalf("%s: %d different pairs drawn, want all %d negatives", what, pairs+orders, s.Negatives)
	}
	freedom := float64(pairs - 1)
	if math.Abs(chi-freedom) > 5*math.Sqrt(2*freedom) {
		t.Errorf("%s: chi-squared %v for %v degrees of freedom", what, chi, freedom)
	}
}

// TestNegativesAreUniform draws many negatives of a small graph, by rejection
// and while the pairs are ranked. The latter must also be uniform at every
// position of the list, because epochs take consecutive parts of it, and their
// number must agree with a Poisson distribution within five standard
// deviations.
func TestNegativesAreUniform(t *testing.T) {
	s := smallSelection(t, 0, 0)
	i, j, err := s.DrawNegatives(t.Context(), 100_000, rand.New(rand.NewPCG(1, 1)))
	testutil.NoError(t, err)
	seen := map[pair]int{}
	for k := range i {
		seen[pair{i[k], j[k]}]++
	}
	uniform(t, "rejection", seen, s, false)

	const wanted, selections = 100, 1000
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
			if k < 20 {
				early[p]++
			}
		}
	}
	uniform(t, "while ranking", all, s, true)
	uniform(t, "the first 20", early, s, true)
	if mean := selections * surely(wanted); math.Abs(float64(total)-mean) > 5*math.Sqrt(mean) {
		t.Errorf("%d negatives drawn, %v were expected", total, mean)
	}
}

// TestNegativesRunOut checks that an epoch takes negatives from its position
// in the list, and draws others if the list ends.
func TestNegativesRunOut(t *testing.T) {
	s := smallSelection(t, 100, 1)
	i, j, err := s.NextNegatives(t.Context(), 30, 50, nil)
	testutil.NoError(t, err)
	for k, p := range s.drawn[30:80] {
		if (pair{i[k], j[k]}) != p {
			t.Fatalf("negative %d is (%d, %d), want %v", k, i[k], j[k], p)
		}
	}
	i, _, err = s.NextNegatives(t.Context(), len(s.drawn)-9, 10, rand.New(rand.NewPCG(5, 1)))
	want, _, _ := s.DrawNegatives(t.Context(), 10, rand.New(rand.NewPCG(5, 1)))
	if err != nil || !slices.Equal(i, want) {
		t.Errorf("beyond the list %v (%v), want %v", i, err, want)
	}
}

// TestNegativesInOrder checks that the negatives are those found by testing
// the candidates one by one, however many are drawn at once and in whatever
// order they are compared.
func TestNegativesInOrder(t *testing.T) {
	z := linalg.Normalize(randomRows(700, 20, 1))
	for _, share := range []float64{0.1, 0.8} { // all but 0.1, all but 0.8
		s := testutil.Value(Select(t.Context(), z, 0.01, share, Options{})).OrFatal(t)
		for _, count := range []int{1, 3000, 40000, 300000} {
			rnd := rand.New(rand.NewPCG(5, uint64(count)))
			var wantI, wantJ []int32
			for len(wantI) < count {
				i, j := rnd.Int32N(700), rnd.Int32N(700)
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

// TestThresholdSchedule follows the published code's schedule for Cora: one
// step after the first selection, one before each later one.
func TestThresholdSchedule(t *testing.T) {
	th := paperThresholds["cora"]
	for _, c := range []struct {
		selection int
		pos, neg  float64
	}{{0, 0.011, 0.1}, {1, 0.0105, 0.12}, {2, 0.01025, 0.13}, {38, 0.00125, 0.49}, {39, 0.001, 0.5}, {40, 0.001, 0.5}} {
		pos, neg := th.At(c.selection, 40)
		if math.Abs(pos-c.pos) > 1e-12 || math.Abs(neg-c.neg) > 1e-12 {
			t.Errorf("selection %d: %v and %v, want %v and %v", c.selection, pos, neg, c.pos, c.neg)
		}
	}
	if pos, neg := Counts(2708, 0.011, 0.1); pos != 80666 || neg != 6599938 {
		t.Errorf("counts %d and %d, want 80666 and 6599938", pos, neg)
	}
	if pos, neg := Counts(5, 0.011, 0.99); pos != 1 || neg != 1 {
		t.Errorf("%d positive and %d negative pairs of 5 nodes, want at least one of each", pos, neg)
	}
}
