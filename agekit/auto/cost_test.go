package auto

import (
	"math"
	"testing"
	"time"

	"github.com/agekit/age/agekit/encoder"
)

// reference is the rate of a core of the machine of the searches, which has two: an AMD EPYC
// with AVX-512.
const reference = 4.5e10

// predicted returns the seconds that a search takes on the reference machine, for a graph
// with as many nodes, with 20 edges per node.
func predicted(nodes, columns, entriesPerNode float64) float64 {
	p := plan{int(nodes), size{nodes, 20 * nodes, entriesPerNode * nodes, columns, 20, entriesPerNode < columns}}
	var candidates []Candidate
	for _, t := range []int{0, 1, 2, 4, 8, 16} {
		if p.many() && t > 8 {
			continue
		}
		for _, how := range []string{kMeans, byCosine, spectral} {
			candidates = append(candidates, Candidate{Data: smoothedFeatures, Layers: t, Clustering: how})
		}
	}
	candidates = append(candidates, Candidate{Data: edgesAndFeatures, Weight: 1, Clustering: spectral}, Candidate{Data: edgesAlone, Clustering: leiden}, Candidate{Data: edgesAlone, Clustering: spectral})
	return p.ahead(candidates, true, encoder.Options{}.WithDefaults().Config) / (2 * reference)
}

// TestTimeIsBounded: on two cores, graphs of up to 20,000 nodes and 2,000 features take at
// most 4 minutes, of up to 100,000 nodes 6, and larger graphs take longer than smaller ones,
// but for steps where a fold is left out.
func TestTimeIsBounded(t *testing.T) {
	for _, entries := range []float64{10, 50, 2000} {
		longest := 0.
		for nodes := 250.; nodes <= 1.1e6; nodes *= math.Pow(2, 0.25) {
			s := predicted(nodes, 2000, entries)
			if nodes <= 20_000 && s > 240 || nodes <= 100_000 && s > 360 {
				t.Errorf("%.0f nodes, %v entries per node: %.0f s", nodes, entries, s)
			}
			if s < 0.5*longest {
				t.Errorf("%.0f nodes, %v entries per node: %.0f s, fewer nodes take %.0f", nodes, entries, s, longest)
			}
			longest = max(longest, s)
		}
		if few, many := predicted(1000, 2000, entries), predicted(1e6, 2000, entries); many < 10*few {
			t.Errorf("%v entries per node: 1,000 nodes take %.0f s, a million %.0f", entries, few, many)
		}
	}
}

// TestForecast: the time that is left falls to 0, and follows what the steps took.
func TestForecast(t *testing.T) {
	f := forecast{rate: 1, all: 10}
	if left := f.remaining(); left != 10*time.Second {
		t.Errorf("%v left before the first step, want 10s", left)
	}
	last := f.remaining()
	for i := range 10 {
		f.done, f.took = f.done+1, f.took+3 // three times as slow as predicted
		left := f.remaining()
		if i > 4 && left >= last {
			t.Errorf("%v left after step %d, before it %v", left, i, last)
		}
		if i == 4 && math.Abs(left.Seconds()-5*17./7) > 1e-6 { // (15 + 2)/(5 + 2) times as slow
			t.Errorf("%v left after half", left)
		}
		last = left
	}
	if last > time.Millisecond {
		t.Errorf("%v left at the end", last)
	}
}
