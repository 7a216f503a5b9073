package figure_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// star returns a drawing of a star with four leaves around node 0, and the eigenvalues and
// eigenvectors of its L̃sym by hand. Eigenvalue 0 has the vector of the roots √(dᵢ+1) of the
// nodes' degrees plus 1. Eigenvalue ½ occurs three times, with vectors on the leaves whose
// values add up to 0. Eigenvalue 3/2 − 1/5 has the vector that is orthogonal to these.
func star() (figure.Drawing, []float64, *mat.Dense) {
	d := figure.Draw(5, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}})
	u := mat.NewDense(5, 5, nil)
	u.SetCol(0, []float64{-math.Sqrt(5. / 13), -math.Sqrt(2. / 13), -math.Sqrt(2. / 13), -math.Sqrt(2. / 13), -math.Sqrt(2. / 13)})
	u.SetCol(1, []float64{0, math.Sqrt(1. / 2), -math.Sqrt(1. / 2), 0, 0})
	u.SetCol(2, []float64{0, 0, 0, math.Sqrt(1. / 2), -math.Sqrt(1. / 2)})
	u.SetCol(3, []float64{0, 0.5, 0.5, -0.5, -0.5})
	u.SetCol(4, []float64{math.Sqrt(8. / 13), -math.Sqrt(5. / 52), -math.Sqrt(5. / 52), -math.Sqrt(5. / 52), -math.Sqrt(5. / 52)})
	return d, []float64{0, 0.5, 0.5, 0.5, 1.3}, u
}

// TestEigenvectorsInBrowser chooses eigenvalues with the slider, clicks and keys, and
// compares the nodes' values and the text on the page with the star's eigenvectors.
func TestEigenvectorsInBrowser(t *testing.T) {
	d, values, u := star()
	f := figure.EigenvectorExplorer("a <star>", d, values, u, figure.Response{})
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	const chart = `<script>
		var chart = document.querySelector("svg[tabindex]");
		function key(name) { chart.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true })); }
		function clickAt(lambda) {
			var box = chart.getBoundingClientRect(); // λ from 0 to 2 is at 48 to 310 of 320
			chart.dispatchEvent(new MouseEvent("click", { clientX: box.left + (48 + 131 * lambda) * box.width / 320 }));
		}</script>`
	for test, page := range afterScripts(t, f.HTML+chart, []struct {
		script string
		vector int     // the index of the chosen eigenvector
		factor float64 // by which the drawing multiplies the eigenvector
		passes float64 // (1 − kλ)ᵗ in the text
		flips  int     // edges between nodes of different sign, in the text
	}{
		{"", 1, 1, 1 - 0.5/1.3, 0},
		{`set("eigenvector", 1)`, 0, 1, 1, 0},
		{`set("eigenvector", 5); set("k", 0.5); set("layers t", 3); set("draw", 1)`, 4, 0.35 * 0.35 * 0.35, 0.35 * 0.35 * 0.35, 4},
		{`set("eigenvector", 5); set("k", 1.5); set("layers t", 12); set("draw", 1)`, 4, math.Pow(0.95, 12), math.Pow(0.95, 12), 4},
		{`clickAt(1.9); press("k = 1")`, 4, 1, -0.3, 4},
		{`clickAt(1.9); press("k = 1"); press("k = 1/λmax")`, 4, 1, 0, 4},
		{`clickAt(1.9); clickAt(0.6); clickAt(0.6); clickAt(0.6)`, 3, 1, 1 - 0.5/1.3, 0},
		{`clickAt(0.6); clickAt(0.6); clickAt(0.6)`, 1, 1, 1 - 0.5/1.3, 0}, // round again
		{`clickAt(0); key("ArrowRight"); key("ArrowRight")`, 2, 1, 1 - 0.5/1.3, 0},
		{`key("ArrowLeft"); key("ArrowLeft"); key("ArrowLeft")`, 0, 1, 1, 0},
		{`clickAt(2); key("ArrowUp")`, 4, 1, 0, 4},
	}) {
		want := mat.Col(nil, test.vector, u)
		floats.Scale(test.factor, want)
		if test.vector == 0 { // the sign with which the largest value is positive
			floats.Scale(-1, want)
		}
		if got := numbersIn(t, page, `data-value="([^"]*)"`); !floats.EqualApprox(got, want, 1e-4) {
			t.Errorf("%s: the page has %v, want %v", test.script, got, want)
		}
		for _, says := range []string{
			fmt.Sprintf("Eigenvector %d of 5: λ = %.4f. %d of 4 edges", test.vector+1, values[test.vector], test.flips),
			strings.ReplaceAll(fmt.Sprintf("(1 − kλ)ᵗ = %.4f.", test.passes), "-", "−"),
		} {
			if !strings.Contains(page, says) {
				t.Errorf("%s: the page does not say %q", test.script, says)
			}
		}
		if unique := !strings.Contains(page, "λ = 0.5000 occurs 3 times. Its eigenvectors are not unique"); unique != (test.vector == 0 || test.vector == 4) {
			t.Errorf("%s: the page says that eigenvector %d is unique: %v", test.script, test.vector+1, unique)
		}
	}
}

// TestEigenvectorExplorerErrors: filters and eigenvalues out of range, NaN and a single node are
// errors; fewer eigenvalues than nodes panic.
func TestEigenvectorExplorerErrors(t *testing.T) {
	d, values, u := star()
	nan := mat.DenseCopyOf(u)
	nan.Set(3, 2, math.NaN())
	for name, f := range map[string]figure.Fragment{
		"k":       figure.EigenvectorExplorer("", d, values, u, figure.Response{K: 2, Layers: 1}),
		"t":       figure.EigenvectorExplorer("", d, values, u, figure.Response{K: 1, Layers: 13}),
		"λ":       figure.EigenvectorExplorer("", d, []float64{0, 1, 2, 3, 4}, u, figure.Response{K: 1, Layers: 1}),
		"NaN":     figure.EigenvectorExplorer("", d, values, nan, figure.Response{}),
		"a point": figure.EigenvectorExplorer("", figure.Draw(1, nil), []float64{0}, mat.NewDense(1, 1, []float64{1}), figure.Response{}),
	} {
		if f.Show() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for four values of five nodes")
		}
	}()
	figure.EigenvectorExplorer("", d, values[:4], u, figure.Response{})
}

// TestSmallGraph: the title and the values with their signs stand in the drawing, a loop adds
// one path to the drawing, and NaN is an error.
func TestSmallGraph(t *testing.T) {
	d := figure.Draw(3, [][2]int{{0, 1}, {1, 2}})
	text := svgText(t, figure.SmallGraph("leaves", d, []float64{1, 0, -0.5}))
	for _, want := range []string{"leaves", "+1", "0", "−0.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the figure: %q", want, text)
		}
	}
	for i := range 3 {
		looped := d
		looped.Edges = append(d.Edges[:2:2], [2]int{i, i})
		if more := paths(t, looped) - paths(t, figure.Drawing{X: d.X, Y: d.Y, Edges: d.Edges[:2]}); more != 1 {
			t.Errorf("the loop of node %d adds %d drawn paths, want 1", i, more)
		}
	}
	if figure.SmallGraph("", d, []float64{1, math.NaN(), 0}).Show() == nil {
		t.Error("no error for a value that is not a number")
	}
}

// paths returns the number of paths in the SVG of a small graph: its edges, loops and nodes.
func paths(t *testing.T, d figure.Drawing) int {
	t.Helper()
	svg := testutil.Value(figure.SmallGraph("", d, make([]float64, len(d.X))).Encode(".svg")).OrFatal(t)
	return strings.Count(string(svg), "<path")
}
