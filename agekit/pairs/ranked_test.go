package pairs

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// rankedBy is what a device finds, from a selection and the host's similarities.
func rankedBy(s *Selection, key uint64, candidates int) Ranked {
	r := Ranked{I: s.I, J: s.J, PosThreshold: s.PosThreshold, NegThreshold: s.NegThreshold, Accepted: make([]uint32, (candidates+31)/32)}
	for k := range candidates {
		if i, j := Candidate(key, k, s.z.Rows); similarity(s.z, int(i), int(j)) <= s.NegThreshold {
			r.Accepted[k/32] |= 1 << (k % 32)
		}
	}
	return r
}

// TestCandidate compares with the first outputs of SplitMix64 for the seed 1234567, as other
// implementations give them (Vigna's splitmix64.c).
func TestCandidate(t *testing.T) {
	for k, x := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		for _, n := range []int{1, 1000, 1<<31 - 1} {
			wantI, wantJ := (x>>32)*uint64(n)>>32, (x&(1<<32-1))*uint64(n)>>32
			if i, j := Candidate(1234567, k, n); uint64(i) != wantI || uint64(j) != wantJ {
				t.Errorf("candidate %d of %d nodes is (%d, %d), want (%d, %d)", k, n, i, j, wantI, wantJ)
			}
		}
	}
}

// TestCandidatesAreUniform: all pairs of 12 nodes are drawn equally often, by consecutive
// candidates of one key and by the first candidates of consecutive keys.
func TestCandidatesAreUniform(t *testing.T) {
	const n, draws = 12, 200_000
	s := &Selection{Negatives: n * n, NegThreshold: 1, z: blas32.General{Rows: n, Cols: 8, Stride: 16, Data: make([]float32, n*16)}}
	consecutive, first := map[pair]int{}, map[pair]int{}
	for k := range draws {
		i, j := Candidate(7, k, n)
		consecutive[pair{i, j}]++
		i, j = Candidate(uint64(k/20), k%20, n)
		first[pair{i, j}]++
	}
	uniform(t, "one key", consecutive, s, false)
	uniform(t, "many keys", first, s, false)
}

// TestRanked makes selections from what a device would find: they are those of Select, except for
// the histogram, and the negatives drawn are the accepted candidates in order.
func TestRanked(t *testing.T) {
	z := linalg.Normalize(randomRows(150, 12, 1))
	n := z.Rows
	for _, draws := range []int{0, 1, 5000, 200_000} {
		o := Options{Draws: draws, Key: 9}
		want := testutil.Value(Select(t.Context(), z, 0.02, 0.7, o)).OrFatal(t)
		candidates := Candidates(n, want.Negatives, draws)
		got := testutil.Value(rankedBy(want, o.Key, candidates+100).Selection(z, 0.02, 0.7, o)).OrFatal(t)
		if got.Histogram != nil || got.Drawn() < draws {
			t.Errorf("histogram %v, %d negatives drawn, want %d", got.Histogram, got.Drawn(), draws)
		}
		var drawn []pair
		for k := range candidates {
			if i, j := Candidate(o.Key, k, n); similarity(z, int(i), int(j)) <= want.NegThreshold {
				drawn = append(drawn, pair{i, j})
			}
		}
		if !slices.Equal(got.drawn, drawn) {
			t.Errorf("%d draws: not the accepted candidates in order", draws)
		}
		got.Histogram, got.drawn, want.drawn = want.Histogram, nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d draws: the selection differs from Select's", draws)
		}
	}
}

// TestCandidatesSuffice: of 500 draws of each size, none has too few negatives, and the number of
// candidates is not much greater than needed.
func TestCandidatesSuffice(t *testing.T) {
	s := smallSelection(t, 0, 0)
	n := s.z.Rows
	for _, count := range []int{1, 10, 1000} {
		candidates := Candidates(n, s.Negatives, count)
		if limit := (float64(count)*1.3 + 100) * float64(n*n) / float64(s.Negatives); float64(candidates) > limit {
			t.Errorf("%d candidates for %d negatives, want at most %.0f", candidates, count, limit)
		}
		for key := range uint64(500) {
			r := rankedBy(s, key, candidates)
			if got := len(accepted(r.Accepted, key, n)); got < count {
				t.Fatalf("key %d: %d negatives among %d candidates, want %d", key, got, candidates, count)
			}
		}
	}
}

// TestRankedRunsOut: where a device had too few candidates for the negatives that are wanted, the
// negatives are those of DrawNegatives with the same random numbers.
func TestRankedRunsOut(t *testing.T) {
	z := linalg.Normalize(randomRows(150, 12, 1))
	want := testutil.Value(Select(t.Context(), z, 0.02, 0.7, Options{})).OrFatal(t)
	got := testutil.Value(rankedBy(want, 9, 320).Selection(z, 0.02, 0.7, Options{Draws: 5000, Key: 9})).OrFatal(t)
	gotI, gotJ, err := got.NextNegatives(t.Context(), 100, 900, rand.New(rand.NewPCG(1, 2)))
	testutil.NoError(t, err)
	wantI, wantJ, err := want.DrawNegatives(t.Context(), 900, rand.New(rand.NewPCG(1, 2)))
	testutil.NoError(t, err)
	if got.Drawn() > 320 || !slices.Equal(gotI, wantI) || !slices.Equal(gotJ, wantJ) {
		t.Errorf("%d were drawn, and the next ones are not those of DrawNegatives", got.Drawn())
	}
}

// TestRankedRefuses: a list that is no list of positives is an error.
func TestRankedRefuses(t *testing.T) {
	z := linalg.Normalize(randomRows(10, 3, 1))
	for text, list := range map[string][][2]int32{
		"want 3 pairs":                  {{0, 0}, {1, 1}},
		"pair 1 is (1, 10): want two":   {{0, 0}, {1, 10}, {2, 2}},
		"pair 0 is (-1, 0): want two":   {{-1, 0}, {1, 1}, {2, 2}},
		"(1, 1) is listed after (1, 1)": {{0, 0}, {1, 1}, {1, 1}},
		"(1, 1) is listed after (1, 2)": {{0, 0}, {1, 2}, {1, 1}},
		"(1, 2) is listed after (2, 1)": {{0, 0}, {2, 1}, {1, 2}},
	} {
		var r Ranked
		for _, p := range list {
			r.I, r.J = append(r.I, p[0]), append(r.J, p[1])
		}
		testutil.Value(r.Selection(z, 0.03, 0.5, Options{})).Fails(t, text)
	}
}
