package pairs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// randomRows returns n rows of length 1 with d columns, random numbers that are not negative.
func randomRows(n, d int, seed uint64) blas32.General {
	rnd := rand.New(rand.NewPCG(seed, 0))
	z := linalg.New(n, d)
	for i := range n {
		for c := range d {
			linalg.Row(z, i)[c] = rnd.Float32()
		}
	}
	return linalg.Normalize(z)
}

// TestSampledThresholds draws 60 samples of 200 anchors from Cora's smoothed features and compares
// their thresholds with the exact ones of [Select]. Each deviation is divided by the standard error that
// the sample reports. If the standard errors were exact and the deviations normal, their root mean
// square would be 1 ± 0.09, and none of the 120 would exceed 4. The bounds leave room for the skewed
// distribution of an extreme quantile. The numbers of positives and negatives are those of Select.
func TestSampledThresholds(t *testing.T) {
	z := linalg.Normalize(smoothed(t, "cora"))
	const positives, negatives = 0.011, 0.1
	exact := testutil.Value(Select(t.Context(), z, positives, negatives, Options{})).OrFatal(t)
	const samples, anchors, keep = 60, 200, 1000
	var squares, largest [2]float64 // of the deviations of the positive and the negative threshold
	for seed := range samples {
		s := testutil.Value(SelectSampled(t.Context(), z, positives, negatives, anchors, keep, rand.New(rand.NewPCG(uint64(seed), 1)))).OrFatal(t)
		for k, d := range []float64{
			float64(s.PosThreshold-exact.PosThreshold) / float64(s.PosThresholdError),
			float64(s.NegThreshold-exact.NegThreshold) / float64(s.NegThresholdError),
		} {
			squares[k] += d * d / samples
			largest[k] = max(largest[k], math.Abs(d))
		}
		if s.Positives != len(exact.I) || s.Negatives != exact.Negatives {
			t.Fatalf("%d positives and %d negatives, want %d and %d", s.Positives, s.Negatives, len(exact.I), exact.Negatives)
		}
	}
	for k, name := range []string{"positive", "negative"} {
		rms := math.Sqrt(squares[k])
		t.Logf("%s threshold: root mean square of errors %.2f, largest %.2f standard errors", name, rms, largest[k])
		if rms < 0.75 || rms > 1.35 || largest[k] > 4.5 {
			t.Errorf("%s threshold: root mean square of errors %.2f, largest %.2f standard errors: want 0.75 to 1.35 and at most 4.5", name, rms, largest[k])
		}
	}
}

// TestSampledAllNodes checks that a sampled selection with every node as an anchor, of all pairs, is the
// selection of [Select]: the same positives, positive threshold and histogram, and the same negative
// threshold up to a bin's width. The standard errors are 0.
func TestSampledAllNodes(t *testing.T) {
	const n, moreThanNodes, moreThanPairs = 90, 1000, 1 << 20 // anchors and pairs to keep: all
	for seed := range uint64(20) {
		z := randomRows(n, 7, seed)
		want := testutil.Value(Select(t.Context(), z, 0.03, 0.6, Options{})).OrFatal(t)
		got := testutil.Value(SelectSampled(t.Context(), z, 0.03, 0.6, moreThanNodes, moreThanPairs, rand.New(rand.NewPCG(seed, 2)))).OrFatal(t)
		if got.Anchors != n {
			t.Errorf("%d anchors, want %d", got.Anchors, n)
		}
		if got.PosThresholdError != 0 || got.NegThresholdError != 0 {
			t.Errorf("standard errors %v and %v, want 0", got.PosThresholdError, got.NegThresholdError)
		}
		if got.PosThreshold != want.PosThreshold {
			t.Errorf("positive threshold %v, want %v", got.PosThreshold, want.PosThreshold)
		}
		if d := math.Abs(float64(got.NegThreshold - want.NegThreshold)); d > 2.0/fineBins { // the width of a bin of [−1, 1]
			t.Errorf("negative threshold %v, want %v", got.NegThreshold, want.NegThreshold)
		}
		if !slices.Equal(got.Histogram, want.Histogram) {
			t.Error("the histogram differs")
		}
		positives := func(s *Selection) (pairs []int64) { // sorted, each as one number
			for k := range s.I {
				pairs = append(pairs, int64(s.I[k])<<32|int64(s.J[k]))
			}
			slices.Sort(pairs)
			return pairs
		}
		if !slices.Equal(positives(got), positives(want)) {
			t.Errorf("seed %d: positives differ from those of the exact selection", seed)
		}
	}
}

// TestSampledPositivesAreUniform draws many samples and counts how often each of the exact positives is
// in one. It counts only the half with the highest similarities, because near the threshold a sample's
// error may decide. All have the same probability, so the chi-squared statistic must be near its
// expectation: within six standard deviations, because pairs of one anchor are sometimes drawn
// together. The mean of the counts must be what follows from anchors and keep. No pair below the
// sample's threshold is drawn.
func TestSampledPositivesAreUniform(t *testing.T) {
	const n, anchors, keep, share = 80, 40, 16, 0.1
	samples, tolerance := 600, 0.04 // relative error of the mean
	if testutil.IsLong() {
		samples, tolerance = 2000, 0.02
	}
	z := randomRows(n, 6, 3)
	const negatives = 0.6
	sure := testutil.Value(Select(t.Context(), z, share/2, negatives, Options{})).OrFatal(t)
	count := map[pair]int{} // of the sure positives: samples that contain them
	for k := range sure.I {
		count[pair{sure.I[k], sure.J[k]}] = 0
	}
	for seed := range samples {
		s := testutil.Value(SelectSampled(t.Context(), z, share, negatives, anchors, keep, rand.New(rand.NewPCG(uint64(seed), 4)))).OrFatal(t)
		for k := range s.I {
			p := pair{s.I[k], s.J[k]}
			if similarity(z, int(p.i), int(p.j)) < s.PosThreshold {
				t.Fatalf("drew a pair below the threshold")
			}
			if c, isSure := count[p]; isSure {
				count[p] = c + 1
			}
		}
	}
	// A pair is drawn if its first node is one of the anchors and the hash draws it: about keep of the
	// pairs above the threshold.
	q := float64(anchors) / n * keep / math.RoundToEven(share*n*anchors)
	mean, chi := 0.0, 0.0
	for _, c := range count {
		d := float64(c) - float64(samples)*q
		mean += float64(c) / float64(len(count)) / float64(samples)
		chi += d * d / (float64(samples) * q * (1 - q))
	}
	freedom := float64(len(count))
	t.Logf("chi-squared %.0f for %.0f degrees of freedom, mean probability %.5f, expected %.5f", chi, freedom, mean, q)
	if math.Abs(chi-freedom) > 6*math.Sqrt(2*freedom) {
		t.Errorf("chi-squared %v for %v degrees of freedom", chi, freedom)
	}
	if math.Abs(mean/q-1) > tolerance {
		t.Errorf("a pair is drawn with probability %v, want %v", mean, q)
	}
}
