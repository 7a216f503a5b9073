package figure_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestLinkedInBrowser compares what the linked views show with package laplacian: the entries
// of the matrix with I − kL̃sym, the signal after each layer with SmoothSignal, and the terms
// of a sum with their total. It points at an entry, and then the entry, its two nodes, their
// edge and one term of the sum are marked, and nothing else is.
func TestLinkedInBrowser(t *testing.T) {
	d := figure.Draw(5, path)
	d.Names = []string{"a", "b", "c", "d", "e <&>"}
	signals := []figure.Signal{{Name: "one", X: []float64{1, 1, 0, 0, -1}}, {Name: "two", X: []float64{1, -2, 3, -4, 5}}}
	f := figure.LinkedExplorer("one <layer>", d, signals, figure.Response{K: 2.0 / 3, Layers: 1})
	testutil.NoError(t, f.Show())
	var u, v []int32
	for _, e := range path {
		u, v = append(u, int32(e[0])), append(v, int32(e[1]))
	}
	op := laplacian.New(testutil.Value(graph.Adjacency(5, u, v, nil)).OrFatal(t))
	const tolerance, shown = 1e-6, 5.1e-4 // of six digits, and of three
	const unfold = `document.querySelector('[aria-label^="H⁴x of 2"]').click(); document.querySelector('[aria-label^="H³x of 3"]').click();`
	for test, page := range afterScripts(t, f.HTML, []struct {
		script string
		x      []float64
		k      float64
		layers int
		sums   [][2]int // node and layer of each sum that is unfolded
	}{
		{"", signals[0].X, 2.0 / 3, 1, [][2]int{{0, 1}}},
		{`set("signal", 1); set("k", 0.4); set("layers t", 5); click(4);` + unfold, signals[1].X, 0.4, 5, [][2]int{{4, 5}, {2, 4}, {3, 3}}},
		{`set("layers t", 12); click(2)`, signals[0].X, 2.0 / 3, 12, [][2]int{{2, 12}}},
	}) {
		filter := laplacian.Filter{K: test.k, Layers: 1}
		h := mat.NewDense(5, 5, nil)
		h.Scale(-test.k, op.Dense())
		for i := range 5 {
			h.Set(i, i, h.At(i, i)+1)
		}
		if got := numbersIn(t, page, `data-entry="[^"]*" data-value="([^"]*)"`); !floats.EqualApprox(got, h.RawMatrix().Data, tolerance) {
			t.Errorf("%s: the matrix has %v, want %v", test.script, got, h.RawMatrix().Data)
		}
		after := [][]float64{test.x}
		for range test.layers {
			after = append(after, filter.SmoothSignal(op, after[len(after)-1]))
		}
		last := after[test.layers]
		if got := numbersIn(t, page, `data-of="[^"]*" data-value="([^"]*)"`); !floats.EqualApprox(got, append(append([]float64(nil), after[test.layers-1]...), last...), tolerance) {
			t.Errorf("%s: the columns have %v, want %v and %v", test.script, got, after[test.layers-1], last)
		}
		var want []float64
		for _, sum := range test.sums {
			want = append(want, after[sum[1]][sum[0]])
		}
		if got := numbersIn(t, page, `data-sum="([^"]*)"`); !floats.EqualApprox(got, want, tolerance) {
			t.Errorf("%s: sums %v, want %v", test.script, got, want)
		}
		if got := numbersIn(t, page, `Rayleigh quotient of x: ([0-9.]+) after`); !floats.EqualApprox(got, []float64{op.RayleighQuotient(last)}, 5.1e-5) {
			t.Errorf("%s: Rayleigh quotient %v, want %v", test.script, got, op.RayleighQuotient(last))
		}
		terms := numbersIn(t, strings.ReplaceAll(page, "−", "-"), `agekit-value">(?:\+ )?(-?[0-9.]+)<`)
		if total := floats.Sum(terms); len(test.sums) == 1 && math.Abs(total-want[0]) > shown*float64(len(terms)) {
			t.Errorf("%s: the terms %v sum to %v, want %v", test.script, terms, total, want[0])
		}
	}

	pointed := inBrowser(t, f.HTML, `document.querySelector('[data-entry="3 4"]').dispatchEvent(new PointerEvent("pointerenter"))`,
		`document.querySelector('[data-entry="2 4"]').dispatchEvent(new MouseEvent("click"));
		document.body.dataset.display = getComputedStyle(document.querySelector(".agekit-linked")).display`)
	for _, mark := range []struct {
		pattern string
		count   int
	}{
		{`class="agekit-cell agekit-on" data-entry="3 4"`, 1}, {`agekit-on" data-entry=`, 1},
		{`class="agekit-node agekit-on" data-node="3"`, 1}, {`agekit-on" data-node=`, 2},
		{`class="agekit-edge agekit-on"`, 1}, {`class="agekit-line agekit-on"`, 1},
	} {
		if got := strings.Count(pointed[0], mark.pattern); got != mark.count {
			t.Errorf("pointing at H of 3 and 4: %d × %s, want %d", got, mark.pattern, mark.count)
		}
	}
	if strings.Contains(pointed[1], "<style") || !strings.Contains(pointed[1], `data-display="grid"`) {
		t.Error("the views have a style element, which a report's policy forbids, or no style")
	}
	// Node 2 has the neighbors 1, 3 and 4, and node 4 has 2 and 3.
	if want := fmt.Sprintf("0.667/√(4·3) = %.3f", 2.0/3/math.Sqrt(4*3)); !strings.Contains(pointed[1], want) {
		t.Errorf("a click on H of 2 and 4 does not say %q", want)
	}
}

// TestLinkedRefuses: what does not fit the views is an error.
func TestLinkedRefuses(t *testing.T) {
	var long [][2]int
	for i := range 12 {
		long = append(long, [2]int{i, i + 1})
	}
	for _, test := range []struct {
		d       figure.Drawing
		signals []figure.Signal
		start   figure.Response
	}{
		{figure.Draw(13, long), []figure.Signal{{X: make([]float64, 13)}}, figure.Response{K: 0.5, Layers: 1}},
		{figure.Draw(5, path), []figure.Signal{{X: []float64{1, 0, 0, 0, math.NaN()}}}, figure.Response{K: 0.5, Layers: 1}},
		{figure.Draw(5, path), []figure.Signal{{X: []float64{1, 0, 0, 0, 0}}}, figure.Response{K: 0.5, Layers: 13}},
		{figure.Draw(5, path), nil, figure.Response{K: 0.5, Layers: 1}},
		{figure.Drawing{X: make([]float64, 2), Y: make([]float64, 2), Edges: [][2]int{{0, 1}}, Classes: []int{0, 0}}, []figure.Signal{{}}, figure.Response{K: 0.5, Layers: 1}},
	} {
		if figure.LinkedExplorer("", test.d, test.signals, test.start).Show() == nil {
			t.Errorf("no error for %d nodes, %d signals and %+v", len(test.d.X), len(test.signals), test.start)
		}
	}
}

// TestLinkedPairs compares the similarities that a page shows with the cosines of the rows
// that package laplacian smooths, and counts the positive pairs.
func TestLinkedPairs(t *testing.T) {
	d := figure.Draw(5, path)
	d.Classes = []int{0, 0, 1, 1, 1}
	signals := []figure.Signal{{Name: "a", X: []float64{1, 1, 0, 0, 0}}, {Name: "b", X: []float64{0, 0, 1, 0, 1}}, {Name: "c", X: []float64{0, 1, 0, 1, 0}}}
	const k, layers, share = 0.5, 3, 0.3 // of ten pairs, three are positive
	data := testutil.Value(json.Marshal(map[string]any{"Graph": d, "Short": []string{"A", "B", "C", "D", "E"}, "Signals": signals})).OrFatal(t)
	script, style := figure.LinkedViews()
	body := fmt.Sprintf(`<style>%s</style><div id="root"></div><script>
		function added(parent, e, attributes, text) { for (var name in attributes) e.setAttribute(name, attributes[name]); if (text) e.textContent = text; parent.appendChild(e); return e; }
		var ui = {
			html: function (parent, tag, attributes, text) { return added(parent, document.createElement(tag), attributes, text); },
			svg: function (parent, tag, attributes, text) { return added(parent, document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, text); },
			signal: function () { return "gray"; }, number: function (v, digits) { return v.toFixed(digits); },
		};
		%s
		var views = ui.linked(document.getElementById("root"), %s, function () {});
		views.show = "pairs"; views.k = %v; views.layers = %d; views.share = %v; views.draw();
		document.body.dataset.read = JSON.stringify(views.read());
	</script>`, style, script, data, k, layers, share)
	page := inBrowser(t, body, "")[0]

	var u, v []int32
	for _, e := range path {
		u, v = append(u, int32(e[0])), append(v, int32(e[1]))
	}
	op := laplacian.New(testutil.Value(graph.Adjacency(5, u, v, nil)).OrFatal(t))
	rows := mat.NewDense(5, len(signals), nil)
	for w, s := range signals {
		rows.SetCol(w, laplacian.Filter{K: k, Layers: layers}.SmoothSignal(op, s.X))
	}
	for i := range 5 {
		row := rows.RawRowView(i)
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	var cosines mat.Dense
	cosines.Mul(rows, rows.T())
	const tolerance = 1e-6
	if got := numbersIn(t, page, `data-entry="[^"]*" data-value="([^"]*)"`); !floats.EqualApprox(got, cosines.RawMatrix().Data, tolerance) {
		t.Errorf("similarities %v, want %v", got, cosines.RawMatrix().Data)
	}
	var others []float64
	for i := range 5 {
		for j := range i {
			others = append(others, cosines.At(i, j))
		}
	}
	slices.Sort(others)
	least := others[len(others)-3]
	same := 0
	for i := range 5 {
		for j := range i {
			if cosines.At(i, j) >= least-tolerance && d.Classes[i] == d.Classes[j] {
				same++
			}
		}
	}
	read := html.UnescapeString(page)
	for name, want := range map[string]float64{"pairs": 3, "same": float64(same), "least": least} {
		if got := numbersIn(t, read, `"`+name+`":([0-9.]+)`); !floats.EqualApprox(got, []float64{want}, tolerance) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := strings.Count(page, "agekit-cell agekit-positive"); got != 2*3 {
		t.Errorf("%d entries are marked as positive, want each of three pairs twice", got)
	}
}
