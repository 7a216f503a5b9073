package figure_test

import (
	"html"
	"iter"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// inBrowser loads a copy of a page with the given body for each script in a headless browser,
// runs the script there, and returns the HTML of the copies as they are then. It skips the
// test where there is no browser. A script may call set(name, value), which moves the slider
// or chooses from the list with that name, press(name), which presses a button, and
// click(node).
func inBrowser(t *testing.T, body string, scripts ...string) (pages []string) {
	t.Helper()
	browser := testutil.Chromium(t)
	frames := "<!DOCTYPE html><meta charset=utf-8><body>"
	for _, script := range scripts {
		// A headless browser that dumps a page draws no frames.
		page := "<!DOCTYPE html><meta charset=utf-8><script>window.requestAnimationFrame = function (f) { f(); };</script><body>" + body + `<script>
		function fire(element, kind) { element.dispatchEvent(new Event(kind)); }
		function set(name, value) {
			document.querySelectorAll('[data-name="' + name + '"]').forEach(function (e) {
				e.value = value;
				fire(e, e.tagName === "SELECT" ? "change" : "input");
			});
		}
		function press(name) { document.querySelectorAll('button[data-name="' + name + '"]').forEach(function (e) { fire(e, "click"); }); }
		function click(node) { document.querySelectorAll('[data-node="' + node + '"]').forEach(function (e) { fire(e, "click"); }); }
		` + script + "</script>"
		frames += `<iframe style="position:absolute;top:0;left:0;width:1000px;height:1000px;border:0" srcdoc="` + html.EscapeString(page) + `"></iframe>`
	}
	frames += `<script>onload = function () {
		document.querySelectorAll("iframe").forEach(function (f) {
			var shown = document.createElement("pre");
			shown.textContent = f.contentDocument.documentElement.outerHTML;
			f.replaceWith(shown);
		});
	};</script>`
	path := filepath.Join(t.TempDir(), "page.html")
	testutil.NoError(t, os.WriteFile(path, []byte(frames), 0o666))
	dom, err := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-background-networking", "--window-size=1000,1000", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+path).Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	for _, groups := range regexp.MustCompile(`(?s)<pre>(.*?)</pre>`).FindAllStringSubmatch(string(dom), -1) {
		pages = append(pages, html.UnescapeString(groups[1]))
	}
	if len(pages) != len(scripts) {
		t.Fatalf("%d pages, want %d", len(pages), len(scripts))
	}
	return pages
}

// afterScripts yields each case with the page that [inBrowser] returns after the case's script.
// The first field of a case is its script.
func afterScripts[Case any](t *testing.T, body string, cases []Case) iter.Seq2[Case, string] {
	t.Helper()
	var scripts []string
	for _, c := range cases {
		scripts = append(scripts, reflect.ValueOf(c).Field(0).String())
	}
	pages := inBrowser(t, body, scripts...)
	return func(yield func(Case, string) bool) {
		for i, c := range cases {
			if !yield(c, pages[i]) {
				return
			}
		}
	}
}

// numbersIn returns the numbers that the first group of a pattern matches in a page.
func numbersIn(t *testing.T, page, pattern string) []float64 {
	t.Helper()
	var numbers []float64
	for _, groups := range regexp.MustCompile(pattern).FindAllStringSubmatch(page, -1) {
		v := testutil.Value(strconv.ParseFloat(groups[1], 64)).OrFatal(t)
		numbers = append(numbers, v)
	}
	return numbers
}

// TestExplorerInBrowser loads a page with two explorers and moves the sliders of the second,
// and those of a third on another page. It compares what each explorer shows with numbers
// computed here from the bins and the amplitude: what passes each bin, the shares and the
// amplitude in the text, and the drawn curve.
func TestExplorerInBrowser(t *testing.T) {
	const lambdaMax = 1.4826
	b := spectrum()
	f := figure.FrequencyResponseExplorer(b, lambdaMax, figure.Response{})
	dom := inBrowser(t, f.HTML+f.HTML, `
		var second = document.querySelectorAll("[data-figure=explorer]")[1];
		[["k", 1.2], ["t", 5]].forEach(function (move) {
			var slider = second.querySelector("[data-name=" + move[0] + "]");
			slider.value = move[1];
			fire(slider, "input");
		});`)[0]
	_, page, _ := strings.Cut(dom, `data-figure="explorer"`)
	first, second, _ := strings.Cut(page, `data-figure="explorer"`)
	third := inBrowser(t, f.HTML, `set("k", 1.5); set("t", 12)`)[0]
	for _, test := range []struct {
		page string
		r    figure.Response
	}{{first, figure.Response{K: 1 / lambdaMax, Layers: 1}}, {second, figure.Response{K: 1.2, Layers: 5}}, {third, figure.Response{K: 1.5, Layers: 12}}} {
		var passes []float64             // of each bin, what passes the filter
		var curve []float64              // the amplitude at λ = 0, 0.01, …, 2
		var total, passed, above float64 // eigenvalues: all, passing, and at or above 1/k
		width := b.Hi / float64(len(b.Counts))
		for i, count := range b.Counts {
			low, high := float64(i)*width, float64(i+1)*width
			passes = append(passes, count*min(1, test.r.Amplitude((low+high)/2)))
			passed, total = passed+passes[i], total+count
			if low < lambdaMax { // eigenvalues are spread evenly up to λmax
				high = min(high, lambdaMax)
			}
			above += count * max(0, min(1, (high-1/test.r.K)/(high-low)))
		}
		for s := range 201 {
			curve = append(curve, test.r.Amplitude(float64(s)/100))
		}
		if got := numbersIn(t, test.page, `data-passes="([^"]*)"`); !floats.EqualApprox(got, passes, 1e-3) {
			t.Errorf("%v: %v pass, want %v", test.r, got, passes)
		}
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(test.page, "\n")
		for _, number := range []struct {
			pattern         string
			want, tolerance float64 // the tolerance is half the last digit shown, and a little
		}{
			{`([0-9.]+) % of the eigenvalues are at or above`, 100 * above / total, 0.051},
			{`at or above 1/k = ([0-9.]+)`, 1 / test.r.K, 6e-4},
			{`The amplitude at λmax = 1.4826 is ([0-9]+\.[0-9]+)`, test.r.Amplitude(lambdaMax), 6e-4},
			{`what passes, ([0-9.]+) % of all`, 100 * passed / total, 0.051},
		} {
			got := numbersIn(t, text, number.pattern)
			if len(got) != 1 || math.Abs(got[0]-number.want) > number.tolerance {
				t.Errorf("%v: %s is %v, want %v", test.r, number.pattern, got, number.want)
			}
		}
		// The curve's first point is at amplitude 1. The second explorer's goes
		// to amplitude 0 at λ = 1/k, the first one's at λmax.
		drawn := numbersIn(t, strings.Join(regexp.MustCompile(`data-part="curve" d="[^"]*"`).FindAllString(test.page, -1), ""), `[ML][0-9.]+ ([0-9.]+)`)
		if len(drawn) != len(curve) {
			t.Fatalf("%v: a curve of %d points, want %d", test.r, len(drawn), len(curve))
		}
		bottom := slices.Max(drawn)
		for s, y := range drawn {
			if got := (bottom - y) / (bottom - drawn[0]); curve[s] < 1.05 && math.Abs(got-curve[s]) > 2e-3 {
				t.Errorf("%v: the curve is at %v for λ = %v, want %v", test.r, got, float64(s)/100, curve[s])
			}
		}
	}
}

// path is a path of five nodes with a triangle at its end.
var path = [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {2, 4}}

// TestSmoothingInBrowser compares what the page shows with the operator of package laplacian:
// the nodes' values after the filter, the Rayleigh quotients before and after, the edges'
// shares of the quotient, and how much of its length the signal keeps. Values have to agree
// to 1e-5, the digits on the page, or to that share of the largest value where k > 1 makes
// signals grow. The drawing of the classes and the empty page are compared with texts.
func TestSmoothingInBrowser(t *testing.T) {
	d := figure.Draw(5, path)
	d.Names = []string{"a", "b", "c", "d", "e <&>"}
	d.Classes, d.ClassNames = []int{0, 2, 2, 0, 0}, []string{"theory", "nobody's", "practice"}
	signals := []figure.Signal{
		{Name: "one", X: []float64{1, 0, 0, 0, 0}}, {Name: "two", X: []float64{1, -2, 3, -4, 5}}, {Name: "classes"},
	}
	f := figure.SmoothingExplorer("smoothing <of> a path", d, signals, figure.Response{K: 1, Layers: 0})
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	var u, v []int32
	for _, e := range path {
		u, v = append(u, int32(e[0])), append(v, int32(e[1]))
	}
	adjacency := testutil.Value(graph.Adjacency(5, u, v, nil)).OrFatal(t)
	op := laplacian.New(adjacency)
	for test, page := range afterScripts(t, f.HTML, []struct {
		script string
		x      []float64 // the signal that the script leaves chosen, and the filter's k and t
		k      float64
		layers int
	}{
		{"", signals[0].X, 1, 0},
		{`set("signal", 1); set("k", 0.4); set("layers t", 5)`, signals[1].X, 0.4, 5},
		{`set("layers t", 12); press("k = 2/3")`, signals[0].X, 0.667, 12}, // the slider's step is 0.001
		{`set("k", 1.2); set("layers t", 7)`, signals[0].X, 1.2, 7},
		{`set("signal", 1); set("k", 1.5); set("layers t", 12)`, signals[1].X, 1.5, 12},
		{`click(3); set("layers t", 1)`, []float64{0, 0, 0, 1, 0}, 1, 1},
		// A second click on a node makes it −1, a third one 0. Signals between
		// them, and "clear clicks", begin a new drawing.
		{`click(1); set("signal", 0); click(3); click(4); click(4); click(0); click(0); click(0)`, []float64{0, 0, 0, 1, -1}, 1, 0},
		{`click(1); press("clear clicks"); click(2)`, []float64{0, 0, 1, 0, 0}, 1, 0},
		// Classes cannot be smoothed: a slider chooses the first signal.
		{`set("signal", 2); set("layers t", 2)`, signals[0].X, 1, 2},
	}) {
		want, l := mat.NewVecDense(5, append([]float64(nil), test.x...)), mat.NewVecDense(5, nil)
		for range test.layers {
			op.MulVecTo(l, false, want)
			want.AddScaledVec(want, -test.k, l)
		}
		if got := numbersIn(t, page, `data-value="([^"]*)"`); !floats.EqualApprox(got, want.RawVector().Data, 1e-5*max(1, mat.Norm(want, math.Inf(1)))) {
			t.Errorf("%s: the page has %v, want %v", test.script, got, want.RawVector().Data)
		}
		quotients := []float64{op.RayleighQuotient(test.x), op.RayleighQuotient(want.RawVector().Data)}
		got := append(numbersIn(t, page, `quotient ([0-9.]+) before`), numbersIn(t, page, `before, ([0-9.]+) after`)...)
		if !floats.EqualApprox(got, quotients, 6e-4) {
			t.Errorf("%s: Rayleigh quotients %v, want %v", test.script, got, quotients)
		}
		// The quotient is the sum over the edges, whose thickness shows it.
		shares := numbersIn(t, page, `data-share="([^"]*)"`)
		if len(shares) != len(path) || math.Abs(floats.Sum(shares)-quotients[1]) > 1e-4 {
			t.Errorf("%s: the edges contribute %v, want %v in all", test.script, shares, quotients[1])
		}
		length := mat.Norm(want, 2) / floats.Norm(test.x, 2)
		if got := numbersIn(t, page, `keep ([0-9.]+)% of its length`); !floats.EqualApprox(got, []float64{100 * length}, 0.51) {
			t.Errorf("%s: %v%% of the length, want %v%%", test.script, got, 100*length)
		}
	}

	others := inBrowser(t, f.HTML, `set("signal", 2)`, `press("clear clicks")`)
	classes, empty := others[0], others[1]
	for _, want := range []string{">theory<", ">practice<", "The colors are classes."} {
		if !strings.Contains(classes, want) {
			t.Errorf("the page with the classes does not have %q", want)
		}
	}
	if strings.Contains(classes, ">nobody") {
		t.Error("the legend names a class without nodes")
	}
	fills := regexp.MustCompile(`<circle[^>]*fill="(#[0-9a-f]{6})"[^>]*`).FindAllStringSubmatch(classes, -1)
	if len(fills) < len(d.Classes) {
		t.Fatalf("%d nodes have colors, want %d", len(fills), len(d.Classes))
	}
	for i := range d.Classes {
		for j := range i {
			if sameColor := fills[i][1] == fills[j][1]; sameColor != (d.Classes[i] == d.Classes[j]) {
				t.Errorf("nodes %d and %d of classes %d and %d have the colors %s and %s", i, j, d.Classes[i], d.Classes[j], fills[i][1], fills[j][1])
			}
		}
	}
	if !strings.Contains(empty, "The signal is 0 everywhere.") || strings.Contains(empty, "NaN") {
		t.Error("the page without clicks is not empty")
	}
}
