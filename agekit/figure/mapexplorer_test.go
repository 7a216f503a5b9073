package figure_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// places returns the n×2 matrix of n places, given as x, y, x, y, …
func places(xy ...float32) blas32.General {
	return blas32.General{Rows: len(xy) / 2, Cols: 2, Stride: 2, Data: xy}
}

// fourNodes returns a graph of four nodes, named after the corners of a square, with two
// classes. Its edges are 0–1, 0–2 and 2–3.
func fourNodes(t *testing.T) *graph.Graph {
	a := testutil.Value(graph.Adjacency(4, []int32{0, 2, 2}, []int32{1, 0, 3}, nil)).OrFatal(t)
	return &graph.Graph{Adjacency: a, NodeNames: []string{"north west", "north east", "south <west>", "south east"},
		Labels: []int{0, 0, 1, 1}, Classes: 2, ClassNames: []string{"north", "south"}}
}

// fourViews returns two maps of fourNodes: the corners of a square, and a rectangle that is
// ten times as high and twice as wide as high, in which nodes 0 and 1 have changed places, and
// nodes 2 and 3 have not.
func fourViews() []figure.MapView {
	return []figure.MapView{
		{Name: "first", Points: places(0, 1, 1, 1, 0, 0, 1, 0), Clusters: []int{0, 1, 0, 1}, Confidence: []float64{0.5, 0.25, -0.2, 0}},
		{Name: "second", Points: places(20, 10, 0, 10, 0, 0, 20, 0), Clusters: []int{0, 0, 1, 0}, Confidence: []float64{0.8, 0.4, 0.1, -0.3}},
	}
}

// mapScript declares figure(k, script), which calls a script with the tools to use figure
// number k of a page: to move the pointer over the canvas, whose drawing is 700×520 units, to
// press and choose, and to note what the text says (text) and which color a place has (color).
// Notes are elements of the class notedK.
const mapScript = `
	function figure(k, script) {
		var root = document.querySelectorAll(".agekit-interactive")[k];
		var dots = root.querySelectorAll("canvas")[0], canvas = root.querySelectorAll("canvas")[1], said = root.querySelector("[aria-live]"), box = canvas.getBoundingClientRect();
		function note(text) { var p = document.createElement("p"); p.className = "noted" + k; p.textContent = text; document.body.appendChild(p); }
		function pointer(kind, x, y, type) {
			canvas.dispatchEvent(new PointerEvent(kind, { pointerId: 1, pointerType: type || "mouse",
				clientX: box.left + x * box.width / 700, clientY: box.top + y * box.height / 520 }));
		}
		script({
			pointer: pointer,
			tap: function (x, y) { ["pointerdown", "pointerup", "pointerleave"].forEach(function (kind) { pointer(kind, x, y, "touch"); }); },
			text: function () { note(said.textContent); },
			color: function (x, y) {
				var sharp = dots.width / 700, at = [canvas, dots].map(function (c) {
					return c.getContext("2d").getImageData(Math.round(x * sharp), Math.round(y * sharp), 1, 1).data;
				});
				note(Array.from((at[0][3] ? at[0] : at[1]).slice(0, 3)).join(","));
			},
			set: function (name, value) {
				var e = root.querySelector('[data-name="' + name + '"]');
				e.value = value;
				fire(e, e.tagName === "SELECT" ? "change" : "input");
			},
			press: function (name) { fire(root.querySelector('button[data-name="' + name + '"]'), "click"); },
			key: function (name, on) { (on ? root.querySelector('[data-name="' + on + '"]') : canvas).dispatchEvent(new KeyboardEvent("keydown", { key: name })); },
			wheel: function (delta, ctrl) { canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: delta, ctrlKey: ctrl, clientX: box.left, clientY: box.top })); },
			entry: function (i) { root.querySelector('[data-entry="' + i + '"]').click(); }
		});
	}
`

// TestMapInBrowser points at, zooms, colors, finds and taps nodes, and compares what the page
// says and draws with the data of fourNodes and fourViews. The first map fills the height of
// the drawing: its corners are at x = 102 and 598, and at y = 12 and 508.
func TestMapInBrowser(t *testing.T) {
	f := figure.MapExplorer(`a "map" <of> four`, fourNodes(t), fourViews()...)
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	const (
		first    = `on.set("map", 0); `
		blue     = "0,114,178"
		orange   = "213,94,0"
		gray     = "170,176,184"
		white    = "0,0,0" // nothing is drawn there
		question = "Point at a node"
	)
	tests := []struct {
		script string
		want   []string // the beginning of each note
	}{
		// It starts with the second map, which fills the width: 12 to 688, 91 to 429.
		{`on.pointer("pointermove", 688, 91); on.text()`, []string{"north west (node 0): class north, cluster of north, confidence 0.80; 2 neighbors, 1 in the same cluster."}},
		{first + `on.pointer("pointermove", 102, 12); on.text(); on.pointer("pointermove", 598, 508); on.text(); on.pointer("pointermove", 350, 260); on.text()`, []string{
			"north west (node 0): class north, cluster of north, confidence 0.50; 2 neighbors, 1 in the same cluster.",
			"south east (node 3): class south, cluster of south, confidence 0.00; 1 neighbor, 0 in the same cluster.", question}},
		// By class, cluster, confidence and agreement; the highest confidence is blue.
		{first + `on.color(102, 12); on.color(102, 508); on.set("color", 1); on.color(102, 508); on.color(598, 508)`, []string{blue, orange, blue, orange}},
		{first + `on.set("color", 2); on.color(102, 12); on.color(598, 12); on.color(102, 508); on.color(350, 260)`, []string{blue, gray, orange, white}},
		{first + `on.set("color", 3); on.color(102, 12); on.color(598, 12); on.color(102, 508)`, []string{blue, orange, orange}},
		// One class alone, and all again.
		{first + `on.entry(1); on.color(102, 12); on.color(102, 508); on.entry(1); on.color(102, 12)`, []string{"221,225,230", orange, blue}},
		// An edge is drawn between neighbors, and only while the pointer is there.
		{first + `on.pointer("pointermove", 102, 12); on.color(102, 260); on.color(598, 260); on.pointer("pointerleave", 0, 0); on.color(102, 260); on.text()`, []string{"3", white, white, question}},
		// Zooming by 1.5 around the middle moves the corner at 12 to 260 − 1.5·248.
		{first + `on.press("zoom in"); on.pointer("pointermove", 102, 12); on.text(); on.key("ArrowLeft"); on.key("ArrowUp"); on.pointer("pointermove", 18, 0); on.text(); on.press("whole map"); on.pointer("pointermove", 102, 12); on.text()`,
			[]string{question, question, "north west"}},
		{first + `on.key("+"); for (var k = 0; k < 9; k++) { on.key("ArrowLeft"); on.key("ArrowUp"); } on.pointer("pointermove", 153, 18); on.text(); on.key("-"); on.pointer("pointermove", 102, 12); on.text()`,
			[]string{"north west", "north west"}},
		// Only Ctrl and the wheel zoom, here around the corner of the drawing.
		{first + `on.wheel(-100, true); on.pointer("pointermove", 102 * Math.E ** 0.5, 12 * Math.E ** 0.5); on.text()`, []string{"north west"}},
		{first + `on.wheel(-100, false); on.pointer("pointermove", 102, 12); on.text()`, []string{"north west"}},
		// A finger that is lifted leaves what it touched; a tap elsewhere lets it go.
		{first + `on.tap(102, 12); on.text(); on.tap(350, 260); on.text()`, []string{"north west", question}},
		{first + `on.pointer("pointerdown", 102, 12); on.pointer("pointerup", 102, 12); on.pointer("pointermove", 350, 260); on.text()`, []string{"north west"}},
		{first + `on.tap(102, 12); on.set("map", 1); on.text()`, []string{"north west (node 0): class north, cluster of north, confidence 0.80"}},
		// Names and numbers.
		{first + `on.set("find", "SOUTH"); on.text(); on.key("Enter", "find"); on.text(); on.set("find", "3"); on.text(); on.set("find", "4"); on.text(); on.set("find", ""); on.text()`, []string{
			"south <west> (node 2): class south, cluster of north, confidence −0.20; 2 neighbors, 1 in the same cluster. (one of 2 found; Enter shows the next)",
			"south east", "south east (node 3): class south", "Nothing found.", question}},
	}
	pages, script := "", mapScript
	for k, test := range tests {
		pages += `<div style="width:720px">` + f.HTML + `</div>`
		script += fmt.Sprintf("figure(%d, function (on) { %s });\n", k, test.script)
	}
	page := inBrowser(t, pages, script)[0]
	for k, test := range tests {
		var got []string
		for _, found := range regexp.MustCompile(fmt.Sprintf(`<p class="noted%d">([^<]*)</p>`, k)).FindAllStringSubmatch(page, -1) {
			got = append(got, html.UnescapeString(found[1]))
		}
		if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
			t.Errorf("%s\ngives %q\nwant %q", test.script, got, test.want)
		}
	}
}

// TestMapNotes: an explorer whose views have a Coloring of their own has no list of colors, so
// that its only list is that of the maps. The note below changes with the map. Where scripts
// do not run, a picture shows both maps. A coloring in only one of two views panics.
func TestMapNotes(t *testing.T) {
	views := fourViews()
	for k, name := range []string{"words", "edges"} {
		views[k].Note = "It sees <b>the " + name + "</b> alone."
		views[k].Coloring = &figure.Coloring{Name: "half", Numbers: []int{0, 0, 1, 1}, Labels: []string{"upper", "lower"}}
	}
	f := figure.MapExplorer("four", fourNodes(t), views...)
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	if !strings.Contains(f.HTML, `<img alt="first; second"`) {
		t.Error("the picture has not both maps")
	}
	page := inBrowser(t, f.HTML, `
		function note() {
			var p = document.createElement("p");
			p.textContent = "note: " + document.querySelector("[data-part=note]").textContent + " " + document.querySelectorAll("select").length + " " + document.querySelector("[data-part=legend]").textContent;
			document.body.appendChild(p);
		}
		note(); set("map", 0); note();`)[0]
	for _, want := range []string{
		"note: It sees &lt;b&gt;the edges&lt;/b&gt; alone. 1 upper (2)lower (2)", "note: It sees &lt;b&gt;the words&lt;/b&gt; alone. 1 upper (2)lower (2)",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, "in all views or in none") {
			t.Errorf("panic %q", got)
		}
	}()
	views[1].Coloring = nil
	figure.MapExplorer("four", fourNodes(t), views...)
}

// TestMapData: in the data of a page of 20,000 nodes, places keep their proportions,
// confidences their values, and each edge is listed once, with its smaller node. The page is
// not too large to be sent by mail.
func TestMapData(t *testing.T) {
	const n, edges = 20000, 45000
	rnd := rand.New(rand.NewPCG(1, 0))
	u, v := make([]int32, edges), make([]int32, edges)
	for e := range edges {
		u[e], v[e] = int32(rnd.IntN(n)), int32(rnd.IntN(n))
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	var views []figure.MapView
	for range 3 {
		v := figure.MapView{Name: "a", Points: blas32.General{Rows: n, Cols: 2, Stride: 2}, Clusters: make([]int, n), Confidence: make([]float64, n)}
		for i := range n {
			v.Points.Data = append(v.Points.Data, float32(40*rnd.NormFloat64()), float32(30*rnd.NormFloat64()))
			v.Clusters[i], v.Confidence[i] = rnd.IntN(17), rnd.Float64()
		}
		views = append(views, v)
	}
	f := figure.MapExplorer("large", &graph.Graph{Adjacency: a}, views...)
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	const mail = 5 << 18 // bytes, 1.25 MB
	if size := len(f.HTML); size > mail {
		t.Errorf("a page of 20,000 nodes has %d bytes, want at most %d", size, mail)
	}
	t.Logf("%d bytes", len(f.HTML))
	var data struct {
		Views []struct {
			X, Y      []byte
			Colorings []struct {
				Numbers   []byte
				Low, High float64
			}
		}
		Later, Ends []byte
	}
	text := regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`).FindStringSubmatch(f.HTML)[1]
	testutil.NoError(t, json.Unmarshal([]byte(text), &data))
	coordinate := func(b []byte, i int) float64 { return float64(binary.LittleEndian.Uint16(b[2*i:])) }
	for k, v := range views {
		got, sure := data.Views[k], data.Views[k].Colorings[1] // without classes: by cluster, then by confidence
		scale := (coordinate(got.X, 1) - coordinate(got.X, 0)) / float64(v.Points.Data[2]-v.Points.Data[0])
		for i := range n {
			// The places relative to that of node 0, given and on the page; 100 of 65535 units
			// are what rounding may make of the scale.
			x, y := float64(v.Points.Data[2*i]-v.Points.Data[0]), float64(v.Points.Data[2*i+1]-v.Points.Data[1])
			onX, onY := coordinate(got.X, i)-coordinate(got.X, 0), coordinate(got.Y, i)-coordinate(got.Y, 0)
			if math.Abs(scale*x-onX) > 100 || math.Abs(scale*y-onY) > 100 {
				t.Fatalf("view %d, node %d is at %v, %v", k, i, coordinate(got.X, i), coordinate(got.Y, i))
			}
			if confidence := sure.Low + (sure.High-sure.Low)*coordinate(sure.Numbers, i)/math.MaxUint16; math.Abs(v.Confidence[i]-confidence) > 1e-5 {
				t.Fatalf("view %d, node %d has confidence %v", k, i, confidence)
			}
		}
	}
	count := 0
	for i, later := range data.Later { // one byte each: few neighbors
		for range later {
			if j := binary.LittleEndian.Uint16(data.Ends[2*count:]); int(j) <= i {
				t.Fatalf("node %d has the later neighbor %d", i, j)
			}
			count++
		}
	}
	if want := (&graph.Graph{Adjacency: a}).Edges(); count != want || len(data.Ends) != 2*count {
		t.Errorf("%d edges, want %d", count, want)
	}
}

// TestMapRefuses: maps that cannot be drawn are errors, and views whose lengths do not fit panic.
func TestMapRefuses(t *testing.T) {
	bad := fourViews()
	bad[1].Points = places(0, 0, 1, 1, float32(math.NaN()), 0, 0, 0)
	many := figure.MapView{Points: blas32.General{Rows: 100001, Cols: 2, Stride: 2}}
	for said, f := range map[string]figure.Fragment{
		"no data":      figure.MapExplorer("", fourNodes(t)),
		"node 2":       figure.MapExplorer("", fourNodes(t), bad...),
		"100001 nodes": figure.MapExplorer("", fourNodes(t), many),
	} {
		testutil.Fails(t, f.Show(), said)
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, `view "second"`) {
			t.Errorf("panic %q", got)
		}
	}()
	short := fourViews()
	short[1].Clusters = short[1].Clusters[:3]
	figure.MapExplorer("", fourNodes(t), short...)
}
