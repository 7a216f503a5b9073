package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/report"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/testutil"
)

// nasty is an id that would end a script or an attribute if it were not escaped.
const nasty = `</script><b onclick="x">&'é`

// page returns the page of a run with n nodes in a ring and k clusters. Node i has the name
// "node i", but node 1 the name nasty, and is in cluster i modulo k. In the view by features,
// the first half of the nodes is cluster 0 and the second half cluster 1. Confidence falls
// from 1 to 1/n and the outlier score rises from 0. Cluster 1, 3, … has the name "tall <ones>".
func page(t testing.TB, n, k int) *report.Page {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 0))
	ids, clusters, halves := make([]string, n), make([]int, n), make([]int, n)
	var x, y, confidence, outlier []float64
	u, v := make([]int32, n), make([]int32, n)
	for i := range n {
		ids[i], clusters[i], halves[i] = fmt.Sprintf("node %d", i), i%k, 2*i/n
		x, y = append(x, float64(i%k)*10+rnd.NormFloat64()), append(y, rnd.NormFloat64()*3)
		confidence, outlier = append(confidence, 1-float64(i)/float64(n)), append(outlier, float64(i)/float64(n))
		u[i], v[i] = int32(i), int32((i+1)%n)
	}
	ids[1] = nasty
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	r := &run.Run{
		Data: &input.Data{Nodes: &table.Table{Path: "nodes.csv", Rows: n, Columns: []table.Column{
			table.NewWords("name", ids), table.NewNumbers("cluster", clusters), table.NewNumbers("confidence", confidence),
			table.NewNumbers("outlier", outlier), table.NewNumbers("cluster by features", halves), table.NewNumbers("cluster by edges", clusters),
			table.NewNumbers("x", x), table.NewNumbers("y", y),
		}}},
		Record: run.Record{
			Version: "agekit 9.9", Method: "AGE",
			Graph:   run.Graph{Dataset: "ring <of> things", N: n, Edges: n, Features: 7, Named: true},
			Columns: run.Columns{ID: "name", Cluster: "cluster", Confidence: "confidence", Outlier: "outlier", Views: []string{"cluster by features", "cluster by edges"}, X: "x", Y: "y"},
			Training: &run.Training{
				K: 0.6667, LambdaMax: 1.5, Layers: 3, Epoch: 4, Epochs: 4,
				Curves: []run.Curve{{Loss: []float64{2, 1.5, 1.25, 1}, Epochs: []int{2, 4}, DBI: []float64{0.9, 0.7}, Chosen: 4}},
			},
			Tree: []explain.Join{{Left: 0, Right: 1, Similarity: 0.8}}, View: views.Edges, Summary: "Little was found.",
			Number: &views.Number{Useful: 2, Coarser: 2, Finer: 4, From: "edges"},
			Views: []explain.View{
				{Name: views.Features, Column: "cluster by features", Clusters: 2, Measures: explain.Measures{Inside: 0.25, Explained: 0.5}, GroupsBy: []string{"height <m>", "tall"}},
				{Name: views.Edges, Column: "cluster by edges", Clusters: k, Measures: explain.Measures{Modularity: 0.125}},
			},
		},
	}
	p := testutil.Value(report.New(t.Context(), r)).OrFatal(t)
	r.Model, p.Spectrum = &run.Model{Graph: &graph.Graph{Adjacency: a}}, make([]float64, 40)
	p.Spectrum[10] = 12
	for c := range k {
		p.Clusters = append(p.Clusters, explain.Cluster{
			Cluster: c, Size: n / k, Cohesion: 0.875, Inside: 0.25, Central: []string{ids[c]},
			Name:     []string{"", "tall <ones>"}[c%2],
			Features: []explain.Feature{{Name: "height <m>", Inside: 41.26, Outside: -0.5, Strength: 3}, {Name: "tall", Binary: true, Inside: 0.75, Outside: 0.125, Strength: -2}},
		})
	}
	return p
}

// write returns the page as HTML.
func write(t testing.TB, p *report.Page) string {
	t.Helper()
	var b bytes.Buffer
	testutil.NoError(t, p.Write(&b))
	return b.String()
}

// wantTexts reports each text that a page does not contain.
func wantTexts(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestPage: what the run of [page] holds is on the page, with names escaped and numbers
// rounded by hand.
func TestPage(t *testing.T) {
	text := write(t, page(t, 40, 2))
	t.Run("clusters", func(t *testing.T) {
		wantTexts(t, text, "ring &lt;of&gt; things: 2 clusters", "Little was found.", "2 is a useful number of clusters",
			"20 nodes · 25 % of their edges inside · cohesion 0.88", "&lt;/script&gt;&lt;b onclick=&#34;x&#34;&gt;&amp;&#39;é",
			"<span>1 · tall &lt;ones&gt;, 20 nodes</span>", "<span>cluster 0, 20 nodes</span>") // of the tree
	})
	t.Run("features", func(t *testing.T) {
		wantTexts(t, text, "height &lt;m&gt;</dt><dd>41.3 (−0.5)", `class="rare"><dt>tall</dt><dd>75 %<span`,
			`style="width:75.0%;background:var(--c0)"`, `style="left:12.5%"`, "--c0:#0072b2;")
	})
	t.Run("views", func(t *testing.T) {
		wantTexts(t, text, "<b>edges</b> (this page): communities of the edges (Leiden)", "<td>features</td><td>2</td><td>25 %</td>", "height &lt;m&gt;, tall</td>",
			`<th scope="row">features</th><td>1.00</td><td>−0.03</td>`, "Crossed with cluster by features")
	})
	t.Run("settings", func(t *testing.T) {
		wantTexts(t, text, "k = 0.6667 and t = 3", "agekit 9.9")
	})
	t.Run("charts", func(t *testing.T) {
		const charts = 5 // the loss, the index, the spectrum and the small maps of two views
		if n := strings.Count(text, `<svg role="img"`); n != charts {
			t.Errorf("%d charts, want the loss, the index, the spectrum and two small maps", n)
		}
		if strings.Contains(text, "#222222") { // the figures' ink
			t.Error("a chart is not in the page's colors")
		}
	})
	t.Run("map", func(t *testing.T) {
		data := mapData(t, text)
		if data.N != 40 || len(data.Names) != 40 || data.Names[1] != nasty {
			t.Errorf("%d nodes, %d names, the second is %q", data.N, len(data.Names), data.Names[1])
		}
		if v := data.Views[0]; len(v.X) != 2*40 { // two bytes for a coordinate
			t.Errorf("%d bytes for the places of 40 nodes", len(v.X))
		}
		// By cluster, cluster by features, confidence and outlier score.
		if v := data.Views[0]; len(v.Colorings) != 4 {
			t.Errorf("%d colorings, want 4", len(v.Colorings))
		}
		if len(data.Later) != 40 || len(data.Ends) != 40 { // a ring has as many edges as nodes
			t.Errorf("%d nodes with %d edges", len(data.Later), len(data.Ends))
		}
	})
}

// TestLongTitles: a list of nodes cuts a title of more than 60 letters after a word, or within a word that is longer
// than half of that, and its tip has all of it. A shorter one stays as it is and has no tip.
func TestLongTitles(t *testing.T) {
	for id, want := range map[string]string{
		strings.Repeat("twelve words ", 4) + "end.":       strings.Repeat("twelve words ", 4) + "end.",
		strings.Repeat("été ", 14) + "and then some":      strings.Repeat("été ", 14) + "…",
		strings.Repeat("a", 20) + strings.Repeat("é", 90): strings.Repeat("a", 20) + strings.Repeat("é", 39) + "…",
	} {
		want = strings.Replace(want, " …", "…", 1)
		p := page(t, 40, 4)
		p.Clusters[0].Central = []string{id}
		tip := ""
		if want != id {
			tip = ` title="` + id + `"`
		}
		if button := `data-id="` + id + `"` + tip + `>` + want + `</button>`; !strings.Contains(write(t, p), button) {
			t.Errorf("the page of a node %q has no %s", id, button)
		}
	}
}

// TestPageLoadsNothing: the page refers to no address elsewhere, and a name in the data that
// contains "</script>" ends no script.
func TestPageLoadsNothing(t *testing.T) {
	text := write(t, page(t, 40, 2))
	// Names, and what the page makes itself, are no addresses elsewhere.
	rest := regexp.MustCompile(`http://www.w3.org/[a-z0-9/]+|URL\.\w+ObjectURL\(|a\.href = |image\.src = address|url\(#scale\)`).ReplaceAllString(text, "")
	if found := regexp.MustCompile(`(?i)(src|href)\s*=|url\(|@import|https?://[^"<]*`).FindAllString(rest, -1); found != nil {
		t.Errorf("the page refers to %q", found)
	}
	if n := strings.Count(text, "</script>"); n != 3 {
		t.Errorf("%d scripts end, want 3: the data, the map's and the page's", n)
	}
}

// TestPageOfChange: the page of a run that goes on from an earlier run shows what has changed,
// a table of the earlier clusters and of those of another level, and colors the map by both.
// All nodes have stayed in their clusters but three: node 0 was in cluster 1, node 2 in
// cluster 2, which is gone, and node 4 is new. So earlier cluster 1 has 21 nodes: 20 of
// cluster 1 and node 0.
func TestPageOfChange(t *testing.T) {
	p := page(t, 40, 2)
	earlier := make([]float64, 40)
	for i := range earlier {
		earlier[i] = float64(i % 2)
	}
	earlier[0], earlier[2], earlier[4] = 1, 2, math.NaN()
	finer := slices.Repeat([]float64{0, 1, 2, 0}, 10) // the level with 3 clusters
	p.Data.Nodes.Columns = append(p.Data.Nodes.Columns, table.NewNumbers("earlier cluster", earlier), table.NewNumbers("cluster of 3", finer))
	p.Columns.Earlier, p.Columns.Levels = "earlier cluster", []string{"cluster of 3"}
	p.From = &run.Change{New: 1, Gone: 3, Kept: 39, Moved: 2}
	text := write(t, testutil.Value(report.New(t.Context(), p.Run)).OrFatal(t))
	wantTexts(t, text, "1 node new, 3 gone; 2 of the other 39 moved to another cluster",
		`<th scope="row">cluster 1</th><td style="--share:0.05" title="5 %">1</td><td style="--share:0.95" title="95 %">20</td><td>21</td>`,
		`<th scope="row">cluster 2</th>`, `<th scope="row">new</th>`, "Finer: 3 clusters")
	var names []string
	for _, c := range mapData(t, text).Views[0].Colorings {
		names = append(names, c.Name)
	}
	want := []string{"cluster", "earlier cluster", "cluster by features", "cluster of 3", "confidence", "outlier score"}
	if !slices.Equal(names, want) {
		t.Errorf("colors by %q, want %q", names, want)
	}
}

// TestPageOfLess: a page has no heading, map or lists from what its run does not hold, and a
// missing column of clusters is an error.
func TestPageOfLess(t *testing.T) {
	t.Run("file name for a data set", func(t *testing.T) {
		p := page(t, 40, 2)
		p.Dataset = "nodes" // which says nothing
		wantTexts(t, write(t, p), "<h1>40 nodes in 2 clusters</h1>")
	})
	t.Run("no map and no training", func(t *testing.T) {
		p := page(t, 40, 2)
		p.Model, p.Spectrum, p.Columns = nil, nil, run.Columns{ID: "name", Cluster: "cluster"}
		p.Tree, p.Curves, p.Views, p.Epoch = nil, nil, nil, 0
		text := write(t, p)
		wantTexts(t, text, "none: the embedding is the smoothed features")
		if strings.Contains(text, "agekit-map\"") || strings.Contains(text, "Least sure") {
			t.Error("a page without a map or confidences has them")
		}
		p.Columns.Cluster = "color"
		testutil.Fails(t, p.Write(&bytes.Buffer{}), "color")
	})
	t.Run("another method", func(t *testing.T) {
		p := page(t, 40, 2)
		p.Model, p.Spectrum, p.Training, p.Method, p.Mode = nil, nil, nil, "NS4GC", "fair"
		wantTexts(t, write(t, p), "NS4GC, mode fair")
	})
}

// TestMarks: where there are more clusters than colors, no two clusters have the same mark in
// the headings of their cards, and the map gets several shapes, too.
func TestMarks(t *testing.T) {
	const nodes, clusters = 120, 30
	text := write(t, page(t, nodes, clusters))
	_, cards, _ := strings.Cut(text, `<div class="cards">`)
	marks := map[string]bool{} // the different ones
	for _, heading := range regexp.MustCompile(`<h3>(<svg class="mark".*?</svg>)`).FindAllStringSubmatch(cards, -1) {
		marks[heading[1]] = true
	}
	if len(marks) != clusters {
		t.Errorf("%d different marks of %d clusters", len(marks), clusters)
	}
	if shapes := mapData(t, text).Shapes; len(shapes) < 2 {
		t.Errorf("the map has %d shapes, want several", len(shapes))
	}
}

// inBrowser loads the page text in a headless browser, offline, with a window of the size
// "width,height", runs the script after the map is drawn, and returns the HTML of the page
// as it is then. It skips the test where there is no browser.
func inBrowser(t testing.TB, text, size, script string) string {
	t.Helper()
	browser := testutil.Chromium(t)
	path := filepath.Join(t.TempDir(), "page.html")
	// A headless browser that dumps a page draws no frames.
	text = strings.Replace(text, "<head>", "<head><script>window.requestAnimationFrame = function (f) { return setTimeout(f, 1); };</script>", 1)
	script = "window.onload = function wait() { if (!document.querySelector('.agekit-map')) return setTimeout(wait, 20); setTimeout(function () {" + script + "}, 50); };"
	text = strings.Replace(text, "</body>", "<script>"+script+"</script></body>", 1)
	sum := sha256.Sum256([]byte(script)) // the page's policy runs no others
	text = strings.Replace(text, "script-src ", "script-src &#39;sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"&#39; ", 1)
	testutil.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	dom, err := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--window-size="+size, "--virtual-time-budget=4000", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+path).Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	return string(dom)
}

// use is a script that does with the map what a reader does. It adds an element "result" to
// the page with what it noted: name=value, separated by |.
const use = `
	var stage = document.querySelector(".agekit-stage"), dots = stage.querySelectorAll("canvas")[0], over = stage.querySelectorAll("canvas")[1];
	var said = stage.querySelector("[aria-live]"), legend = stage.querySelector("[data-part=legend]"), out = [];
	function named(name) { return stage.querySelector("[data-name='" + name + "']"); }
	var find = named("find");
	function inked() {
		var p = dots.getContext("2d").getImageData(0, 0, dots.width, dots.height).data, count = 0;
		for (var i = 3; i < p.length; i += 4) if (p[i]) count++;
		return count;
	}
	function note(name, value) { out.push(name + "=" + value); }
	function point(kind, x, y) {
		var box = over.getBoundingClientRect();
		over.dispatchEvent(new PointerEvent(kind, { clientX: box.left + x, clientY: box.top + y, pointerId: 1, pointerType: "mouse", bubbles: true }));
	}
	note("wide", document.documentElement.scrollWidth <= window.innerWidth);
	note("inked", inked() > 100);
	find.value = "node 17";
	find.dispatchEvent(new Event("input"));
	note("found", said.textContent);
	// The node that was found is the one under the pointer at its place.
	var box = over.getBoundingClientRect(), p = over.getContext("2d").getImageData(0, 0, over.width, over.height).data, sumX = 0, sumY = 0, count = 0;
	find.value = "";
	find.dispatchEvent(new Event("input"));
	note("none", said.textContent.slice(0, 15));
	var hit = "";
	for (var y = 4; y < box.height && !hit; y += 6) for (var x = 4; x < box.width && !hit; x += 6) {
		point("pointermove", x, y);
		if (said.textContent.indexOf(": cluster ") > 0) {
			hit = said.querySelector("b").textContent;
			point("pointerdown", x, y);
			point("pointerup", x, y);
		}
	}
	note("clicked", hit && said.textContent.indexOf(hit) === 0 && said.querySelectorAll("button").length);
	var before = dots.toDataURL();
	legend.querySelectorAll("button")[1].click();
	note("pressed", legend.querySelectorAll("button")[1].getAttribute("aria-pressed"));
	setTimeout(function () {
		note("alone", dots.toDataURL() !== before);
		before = dots.toDataURL();
		named("zoom in").click();
		setTimeout(function () {
			note("zoomed", dots.toDataURL() !== before);
			var by = named("color");
			by.value = 2;
			by.dispatchEvent(new Event("change"));
			note("scale", legend.textContent);
			document.querySelector(".card .node").click();
			note("central", said.querySelector("b").textContent);
			var div = document.createElement("div");
			div.id = "result";
			div.textContent = out.join("|");
			document.body.appendChild(div);
		}, 800);
	}, 800);`

// TestInBrowser runs the script use in windows as wide as a phone, a tablet and a screen,
// without a network, and compares what the script notes with what the data of [page] say.
func TestInBrowser(t *testing.T) {
	text := write(t, page(t, 300, 3))
	for _, size := range []string{"390,800", "900,700", "1600,1000"} {
		dom := inBrowser(t, text, size, use)
		_, result, ok := strings.Cut(dom, `<div id="result">`)
		if !ok {
			t.Fatalf("%s: the script did not end", size)
		}
		result, _, _ = strings.Cut(result, "</div>")
		for _, want := range []string{
			"wide=true", "inked=true", "found=node 17: cluster 2, cluster by features cluster 0, confidence 0.94, outlier score 0.06; 2 neighbors, 0 in the same cluster.",
			"none=Point at a node", "clicked=2", "pressed=true", "alone=true", "zoomed=true", "scale=0 or less: between clusters1: sure", "central=node 0",
		} {
			if !strings.Contains(result, want) {
				t.Errorf("%s: %s: want %s", size, result, want)
			}
		}
	}
}

// TestPolicy: the page's policy allows the page's two scripts and its style sheet by the
// hashes that the test computes from the page, and nothing else, even if the data set's name
// has a script and a style sheet in it.
func TestPolicy(t *testing.T) {
	p := page(t, 40, 2)
	p.Dataset = `</title><script>alert(1)</script><style>*{}</style>`
	text := write(t, p)
	policy := html.UnescapeString(regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(text)[1])
	allowed := regexp.MustCompile(`'sha256-[^']+'`).FindAllString(policy, -1)
	var want []string
	for _, m := range regexp.MustCompile(`(?s)<(?:script|style)>(.*?)</(?:script|style)>`).FindAllStringSubmatch(text, -1) {
		sum := sha256.Sum256([]byte(m[1]))
		want = append(want, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	slices.Sort(allowed)
	slices.Sort(want)
	if len(want) != 3 || !slices.Equal(allowed, want) {
		t.Errorf("%q allowed, want %q", allowed, want)
	}
	rest := regexp.MustCompile(` '(sha256-[^']+|none)'`).ReplaceAllString(policy, "")
	if rest != "default-src; img-src data: blob:; base-uri; form-action; script-src; style-src 'unsafe-inline'; style-src-elem; style-src-attr 'unsafe-inline'" {
		t.Errorf("policy %s", policy)
	}
}
