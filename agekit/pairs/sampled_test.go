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

func randomRows(n, d int, seed uint64) blas32.General {
	rnd := rand.New(rand.NewPCG(seed, 0))
	z := linalg.New(n, d)
	for i := range n {
		for c := range d {
			z.Data[i*z.Stride+c] = rnd.Float32()
		}
	}
	return linalg.Normalize(z)
}

// TestSampledThresholds draws 60 samples of Cora's smoothed features and
// compares their thresholds with the exact ones, in units of the reported
// standard errors. If the errors were exact and normal, the root mean square
// would be 1 ± 0.09 and none of the 120 would exceed 4; the bounds leave room
// for the skewed distribution of an extreme quantile.
func TestSampledThresholds(t *testing.T) {
	z := linalg.Normalize(smoothed(t, "cora"))
	exact := testutil.Value(Select(t.Context(), z, 0.011, 0.1, Options{})).OrFatal(t)
	const samples = 60
	var squares, largest [2]float64
	for seed := range samples {
		s := testutil.Value(SelectSampled(t.Context(), z, 0.011, 0.1, 200, 1000, rand.New(rand.NewPCG(uint64(seed), 1)))).OrFatal(t)
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

// TestSampledAllNodes makes every node an anchor, so that the sample is all
// pairs. The result must be the exact selection: the same pairs, and the same
// thresholds up to a bin's width, with standard errors of 0.
func TestSampledAllNodes(t *testing.T) {
	for seed := range uint64(20) {
		z := randomRows(90, 7, seed)
		want := testutil.Value(Select(t.Context(), z, 0.03, 0.6, Options{})).OrFatal(t)
		got := testutil.Value(SelectSampled(t.Context(), z, 0.03, 0.6, 1000, 1<<20, rand.New(rand.NewPCG(seed, 2)))).OrFatal(t)
		if got.Anchors != 90 || got.PosThresholdError != 0 || got.NegThresholdError != 0 {
			t.Errorf("%d anchors, errors %v and %v: want 90 and none", got.Anchors, got.PosThresholdError, got.NegThresholdError)
		}
		if got.PosThreshold != want.PosThreshold {
			t.Errorf("positive threshold %v, want %v", got.PosThreshold, want.PosThreshold)
		}
		if d := math.Abs(float64(got.NegThreshold - want.NegThreshold)); d > 2.0/fineBins {
			t.Errorf("negative threshold %v, want %v", got.NegThreshold, want.NegThreshold)
		}
		if !slices.Equal(got.Histogram, want.Histogram) {
			t.Error("the histogram differs")
		}
		set := func(s *Selection) (pairs []int64) {
			for k := range s.I {
				pairs = append(pairs, int64(s.I[k])<<32|int64(s.J[k]))
			}
			slices.Sort(pairs)
			return pairs
		}
		if !slices.Equal(set(got), set(want)) {
			t.Errorf("seed %d: positives differ from those of the exact selection", seed)
		}
	}
}

// TestSampledPositivesAreUniform draws many samples and counts how often each
// of the exact positives is in one, except for those so near the threshold
// that a sample's error may decide. All have the same probability, so the
// chi-squared statistic must be near its expectation: within six standard
// deviations, because pairs of one anchor are sometimes drawn together. The
// mean must be the value that follows from anchors and keep.
func TestSampledPositivesAreUniform(t *testing.T) {
	const n, anchors, keep, share = 80, 40, 16, 0.1
	samples, tolerance := 600, 0.04
	if testutil.IsLong() {
		samples, tolerance = 2000, 0.02
	}
	z := randomRows(n, 6, 3)
	sure := testutil.Value(Select(t.Context(), z, share/2, 0.6, Options{})).OrFatal(t)
	count := map[[2]int32]int{}
	for k := range sure.I {
		count[[2]int32{sure.I[k], sure.J[k]}] = 0
	}
	for seed := range samples {
		s := testutil.Value(SelectSampled(t.Context(), z, share, 0.6, anchors, keep, rand.New(rand.NewPCG(uint64(seed), 4)))).OrFatal(t)
		for k := range s.I {
			if p := [2]int32{s.I[k], s.J[k]}; similarity(z, int(p[0]), int(p[1])) < s.PosThreshold {
				t.Fatalf("drew a pair below the threshold")
			} else if c, ok := count[p]; ok {
				count[p] = c + 1
			}
		}
	}
	// A pair is drawn if its first node is an anchor and the hash says so.
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
