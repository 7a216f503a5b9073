package agekit

import (
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

var notices00 = []notice{
	{"00", "On Cora, 80 of the 94 drawn edges join papers of the same class.", func(t *testing.T) {
		corner, _ := Corner(cora(), 60)
		edges, same := 0, 0
		for i := range corner.N() {
			neighbors, _ := corner.Adjacency.Row(i)
			for _, j := range neighbors {
				if i < int(j) {
					edges++
					if corner.Labels[i] == corner.Labels[j] {
						same++
					}
				}
			}
		}
		if same != 80 || edges != 94 {
			t.Errorf("%d of %d edges", same, edges)
		}
	}},
	{"00", "(It is called 774 because Cora's files number the words and do not say which they are.)", func(t *testing.T) {
		corner, _ := Corner(cora(), 60)
		if name := Signals(corner)[0].Name; name != "feature 774" || cora().FeatureNames != nil {
			t.Errorf("the first signal is %q, features have the names %q", name, cora().FeatureNames)
		}
	}},
	// TestCellsCarryOver asks the kernel; here are the notebooks' own cells.
	{"00", "Types, functions, imports and variables declared above `%%` carry over to later cells; **what a cell computes does not**.", laterCellsUseX},
	{"01", "what stands above `%%` carries over to later cells, what a cell computes does not.", laterCellsUseX},
	{"04", "with the declarations of those before it, but with nothing that they have computed", laterCellsUseX},
}

// laterCellsUseX: notebook 01 declares x above %% in one cell and uses it in others.
func laterCellsUseX(t *testing.T) {
	cells := testutil.NotebookCells(t, "../notebooks/01_*.ipynb", "code")
	declares := slices.IndexFunc(cells, func(cell string) bool {
		above, _, _ := strings.Cut(cell, "%%")
		return strings.Contains(above, "\nvar x = []float64{")
	})
	if declares < 0 || !slices.ContainsFunc(cells[declares+1:], func(cell string) bool {
		return strings.Contains(cell, "mat.NewVecDense(len(x), x)") && !strings.Contains(cell, "var x")
	}) {
		t.Error("notebook 01 has no variable that later cells use")
	}
}
