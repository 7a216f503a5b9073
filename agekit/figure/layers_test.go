package figure_test

import (
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"gonum.org/v1/gonum/floats"
)

// TestLayersInBrowser chooses numbers of layers t and data sets. It counts the blocks that the
// page draws: a GAE of t layers has t filters S, t weight matrices W and t − 1 ReLUs φ, and
// LS+RA has t filters, two matrices and one ReLU at any t. It compares the means of the
// scores with those by hand.
func TestLayersInBrowser(t *testing.T) {
	sets := []figure.LayerScores{
		{Name: "one", Entangled: [][]float64{{0.4, 0.5}, {0.1, 0.3}, {0.2}}, Separate: [][]float64{{0.3}, {0.35}, {0.2, 0.1}}},
		{Name: "two <&>", Entangled: [][]float64{{0.42}, {0.12}, {0.22}}, Separate: [][]float64{{0.32}, {0.34}, {0.24}}},
	}
	f := figure.LayersExplorer("two <networks>", sets)
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	for test, page := range afterScripts(t, f.HTML, []struct {
		script string
		blocks map[string]int // by the network's name and the block's letter
		means  []float64      // of the entangled and of the separate network
	}{
		{"", map[string]int{"GAES": 1, "GAEW": 1, "GAEφ": 0, "LS+RAS": 1, "LS+RAW": 2, "LS+RAφ": 1}, []float64{0.45, 0.3}},
		{`set("layers t", 3)`, map[string]int{"GAES": 3, "GAEW": 3, "GAEφ": 2, "LS+RAS": 3, "LS+RAW": 2, "LS+RAφ": 1}, []float64{0.2, 0.15}},
		{`set("layers t", 2); set("data", 1)`, map[string]int{"GAES": 2, "GAEW": 2, "GAEφ": 1, "LS+RAS": 2, "LS+RAW": 2, "LS+RAφ": 1}, []float64{0.12, 0.34}},
	}) {
		for block, want := range test.blocks {
			if got := strings.Count(page, `data-block="`+block+`"`); got != want {
				t.Errorf("%s: %d blocks %s, want %d", test.script, got, block, want)
			}
		}
		if got := numbersIn(t, page, `mean NMI ([0-9.]+) over`); !floats.EqualApprox(got, test.means, 6e-4) {
			t.Errorf("%s: means %v, want %v", test.script, got, test.means)
		}
	}
	bad := []figure.LayerScores{{Name: "bad", Entangled: [][]float64{{math.NaN()}}, Separate: [][]float64{{1}}}}
	if figure.LayersExplorer("", bad).Show() == nil {
		t.Error("no error for NaN")
	}
	if figure.LayersExplorer("", nil).Show() == nil {
		t.Error("no error without data sets")
	}
}
