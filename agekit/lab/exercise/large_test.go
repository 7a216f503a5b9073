package exercise

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/graph"
)

// squared returns an answer to exercise 10.1: factor·n² + linear·n, for n nodes.
func squared(factor, linear float64) func(*graph.Graph) any {
	return func(g *graph.Graph) any { n := float64(g.N()); return factor*n*n + linear*n }
}

// estimate returns an answer to exercise 10.3 that computes the error by errorOf from the rows'
// shares of pairs above the threshold, the number of all pairs and the share. The threshold is
// the pair that is place pairs more similar than the right one; the solution has place 0.
func estimate(place int, errorOf func(shares []float64, all int, share float64) float64) func(*graph.Graph) any {
	return constant(func(rows [][]float64, share float64) (float64, float64) {
		all := slices.Sorted(slices.Values(slices.Concat(rows...)))
		count := int(math.Round(share * float64(len(all))))
		threshold := all[min(len(all)-count+place, len(all)-1)]
		var shares []float64
		for _, row := range rows {
			above := 0.
			for _, s := range row {
				if s >= threshold {
					above++
				}
			}
			shares = append(shares, above/float64(len(row)))
		}
		return threshold, errorOf(shares, len(all), share)
	})
}

// meanError returns the right error: the standard error of the mean of the rows' shares.
func meanError(shares []float64, _ int, _ float64) float64 {
	return stat.StdErr(stat.StdDev(shares, nil), float64(len(shares)))
}

var largeAnswers = []answers{
	{"10.1", squared(4e-6, 0), []mistake{
		{squared(1e-6, 0), "one byte"},
		{squared(8e-6, 0), "float64"},
		{squared(1, 0), "the number of pairs"},
		{squared(4./(1<<20), 0), "MiB"},
		{squared(2e-6, 2e-6), "half of them"},
		{squared(0, 4e-6), "one number for each node"},
		{squared(4, 0), "the unit is not"},
		{constant(1), "How many pairs"},
	}},
	{"10.2", constant(16 * fewAnchors), []mistake{
		{constant(fewAnchors), "the cell as it stood"},
		{constant(4 * fewAnchors), "one over its root"},
		{constant(5), "make the error larger"},
		{constant(6 * fewAnchors), "Too few."},
		{constant(1500), "More than it takes"},
		{func(g *graph.Graph) any { return g.N() }, "the error is 0"},
		{constant(0.5), "a whole number"},
	}},
	{"10.3", estimate(0, meanError), []mistake{
		{constant(func([][]float64, float64) (float64, float64) { return 0, 0 }), "no answer yet"},
		{constant(func(rows [][]float64, _ float64) (float64, float64) { slices.Sort(rows[0]); return 1, 1 }), "changes its argument"},
		{constant(func(rows [][]float64, share float64) (float64, float64) {
			all := slices.Sorted(slices.Values(slices.Concat(rows...)))
			return all[int(math.Round(share*float64(len(all))))], 1
		}), "wrong end"},
		{estimate(-1, meanError), "not positive anymore"},
		{estimate(5, meanError), "th largest"},
		{estimate(0, func(shares []float64, _ int, _ float64) float64 { return stat.StdDev(shares, nil) }), "standard deviation"},
		{estimate(0, func(shares []float64, _ int, _ float64) float64 { return stat.Variance(shares, nil) }), "a variance"},
		{estimate(0, func(shares []float64, _ int, _ float64) float64 {
			return stat.PopStdDev(shares, nil) / math.Sqrt(float64(len(shares)))
		}), "one less"},
		{estimate(0, func(_ []float64, all int, share float64) float64 {
			return math.Sqrt(share * (1 - share) / float64(all))
		}), "independent"},
		{estimate(0, func([]float64, int, float64) float64 { return 7 }), "is not 7"},
	}},
}

// TestEstimate compares the solution of exercise 10.3 with an estimate by hand: of the rows 4, 3
// and 2, 1, the upper half begins at 3. The rows' shares are 1 and 0, with the deviation √½
// and the error √½/√2 = ½.
func TestEstimate(t *testing.T) {
	answer := estimate(0, meanError)(nil).(estimator)
	if threshold, got := answer([][]float64{{4, 3}, {2, 1}}, 0.5); threshold != 3 || math.Abs(got-0.5) > 1e-15 {
		t.Errorf("threshold %v, error %v: want 3 and 0.5", threshold, got)
	}
}
