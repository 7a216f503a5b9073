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

// rankedBy returns what a device would find that ranks the pairs of s: the positives and thresholds of
// s, and which of the given number of candidates the host's similarities make negative.
func rankedBy(s *Selection, key uint64, candidates int) Ranked {
	r := Ranked{I: s.I, J: s.J, PosThreshold: s.PosThreshold, NegThreshold: s.NegThreshold, Accepted: make([]uint32, (candidates+31)/32)}
	for k := range candidates {
		if i, j := Candidate(key, k, s.z.Rows); similarity(s.z, int(i), int(j)) <= s.NegThreshold {
			r.Accepted[k/32] |= 1 << (k % 32)
		}
	}
	return r
}

// TestCandidate compares candidates of the key 1234567 with the first outputs of SplitMix64 for that
// seed, as another implementation gives them (Vigna's splitmix64.c): the halves of each output, scaled
// to three numbers of nodes.
func TestCandidate(t *testing.T) {
	const seed = 1234567
	for k, x := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		for _, n := range []int{1, 1000, 1<<31 - 1} {
			upper, lower := x>>32, x&(1<<32-1)
			wantI, wantJ := upper*uint64(n)>>32, lower*uint64(n)>>32
			if i, j := Candidate(seed, k, n); uint64(i) != wantI || uint64(j) != wantJ {
				t.Errorf("candidate %d of %d nodes is (%d, %d), want (%d, %d)", k, n, i, j, wantI, wantJ)
			}
		}
	}
}

// TestCandidatesAreUniform checks by a chi-squared test ([uniform]) that all pairs of 12 nodes are
// drawn equally often: by consecutive candidates of one key, and by the first 20 candidates of
// consecutive keys.
func TestCandidatesAreUniform(t *testing.T) {
	const n, draws, ofEachKey = 12, 200_000, 20
	// All rows are 0, so that all pairs count as negative.
	s := &Selection{Negatives: n * n, NegThreshold: 1, z: blas32.General{Rows: n, Cols: 8, Stride: 16, Data: make([]float32, n*16)}}
	consecutive, first := map[pair]int{}, map[pair]int{}
	for k := range draws {
		i, j := Candidate(7, k, n)
		consecutive[pair{i, j}]++
		i, j = Candidate(uint64(k/ofEachKey), k%ofEachKey, n)
		first[pair{i, j}]++
	}
	uniform(t, "one key", consecutive, s, false)
	uniform(t, "many keys", first, s, false)
}

// rankedPositives and rankedNegatives are the fractions r_pos and r_neg of the selections that the tests
// of [Ranked] make.
const rankedPositives, rankedNegatives = 0.02, 0.7

// TestRanked compares [Ranked.Selection], for what a device would find ([rankedBy]), with the selection
// of Select. The device has no histogram, so the selection has none. Its drawn negatives are, in order,
// the candidates that the test itself finds to be negative, at least as many as asked for, and none
// from beyond the number that [Candidates] returns. All else is as in Select's.
func TestRanked(t *testing.T) {
	z := linalg.Normalize(randomRows(150, 12, 1))
	n := z.Rows
	for _, draws := range []int{0, 1, 5000, 200_000} {
		o := Options{Draws: draws, Key: 9}
		want := testutil.Value(Select(t.Context(), z, rankedPositives, rankedNegatives, o)).OrFatal(t)
		candidates := Candidates(n, want.Negatives, draws)
		const ignored = 100 // candidates that the device tries in addition
		ranked := rankedBy(want, o.Key, candidates+ignored)
		got := testutil.Value(ranked.Selection(z, rankedPositives, rankedNegatives, o)).OrFatal(t)
		if got.Histogram != nil {
			t.Errorf("histogram %v, want none", got.Histogram)
		}
		if got.Drawn() < draws {
			t.Errorf("%d negatives drawn, want %d", got.Drawn(), draws)
		}
		var negatives []pair
		for k := range candidates {
			if i, j := Candidate(o.Key, k, n); similarity(z, int(i), int(j)) <= want.NegThreshold {
				negatives = append(negatives, pair{i, j})
			}
		}
		if !slices.Equal(got.drawn, negatives) {
			t.Errorf("%d draws: not the accepted candidates in order", draws)
		}
		// Compare all fields but the two that were checked above: Select draws other negatives.
		got.Histogram = want.Histogram
		got.drawn, want.drawn = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d draws: the selection differs from Select's", draws)
		}
	}
}

// TestCandidatesSuffice checks the number that [Candidates] returns, for three counts of negatives: with
// each of 500 keys, so many candidates contain enough negatives, and the number is at most 1.3 times
// what the count needs on average, plus what 100 more would need.
func TestCandidatesSuffice(t *testing.T) {
	s := smallSelection(t, 0, 0)
	n := s.z.Rows
	for _, count := range []int{1, 10, 1000} {
		candidates := Candidates(n, s.Negatives, count)
		triesForEach := float64(n*n) / float64(s.Negatives) // candidates for a negative, on average
		if limit := (float64(count)*1.3 + 100) * triesForEach; float64(candidates) > limit {
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

// TestRankedRunsOut checks [Selection.NextNegatives] where a device tried too few candidates for the
// negatives that are wanted: the result is that of DrawNegatives with the same random numbers.
func TestRankedRunsOut(t *testing.T) {
	const candidates, key, draws = 320, 9, 5000
	const from, count = 100, 900 // of the negatives that are wanted
	z := linalg.Normalize(randomRows(150, 12, 1))
	want := testutil.Value(Select(t.Context(), z, rankedPositives, rankedNegatives, Options{})).OrFatal(t)
	ranked := rankedBy(want, key, candidates)
	got := testutil.Value(ranked.Selection(z, rankedPositives, rankedNegatives, Options{Draws: draws, Key: key})).OrFatal(t)
	if got.Drawn() > candidates { // a precondition: fewer than from+count
		t.Errorf("%d negatives of %d candidates", got.Drawn(), candidates)
	}
	gotI, gotJ, err := got.NextNegatives(t.Context(), from, count, rand.New(rand.NewPCG(1, 2)))
	testutil.NoError(t, err)
	wantI, wantJ, err := want.DrawNegatives(t.Context(), count, rand.New(rand.NewPCG(1, 2)))
	testutil.NoError(t, err)
	if !slices.Equal(gotI, wantI) || !slices.Equal(gotJ, wantJ) {
		t.Error("the negatives are not those of DrawNegatives")
	}
}

// TestRankedRefuses checks that [Ranked.Selection] refuses a device's list of pairs that is not as long
// as the fraction of positives asks for, 3 of the 100 pairs of 10 nodes, that has a node which does not
// exist, or that is not sorted. Keys of the table are parts of the error.
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
		const positives, negatives = 0.03, 0.5
		testutil.Value(r.Selection(z, positives, negatives, Options{})).Fails(t, text)
	}
}
