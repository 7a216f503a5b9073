package report_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/report"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/testutil"
)

// data are the fields that the tests read of what the map on a page is drawn from: the JSON
// of [figure.NodeMap].
type data struct {
	N                       int
	Names, Titles, Clusters []string
	TitleName               string
	Later, Ends             []byte
	Shapes                  []string
	Views                   []struct {
		X         []byte
		Colorings []struct {
			Name, RedLabel, BlueLabel string
			Values                    []*float64
			Words, Texts              []string
			Numbers                   []byte
			Most                      int
		}
	}
}

// mapData returns the data of the map on the page with the given text: JSON, compressed with
// gzip, in base64.
func mapData(t testing.TB, text string) (d data) {
	t.Helper()
	_, rest, _ := strings.Cut(text, `<script type="application/json">`)
	encoded, _, _ := strings.Cut(rest, "</script>")
	var packed []byte
	testutil.NoError(t, json.Unmarshal([]byte(encoded), &packed))
	r := testutil.Value(gzip.NewReader(bytes.NewReader(packed))).OrFatal(t)
	testutil.NoError(t, json.NewDecoder(r).Decode(&d))
	return d
}

// withColumns returns a page of 60 nodes in 3 clusters with five columns of the user and with
// classes. Venues 0 to 13 have two nodes each, and venue 14 has all others. Years go from
// 1990 to 2004.5 in halves, twice; node 7 has none. Days go from January 1 to 30, twice.
func withColumns(t testing.TB) *report.Page {
	t.Helper()
	const n, clusters = 60, 3
	p := page(t, n, clusters)
	var titles, venues, doi, classes, days []string
	var year []float64
	for i := range n {
		titles = append(titles, fmt.Sprintf("On the theory of %d things, \"quoted\"", i))
		venues = append(venues, fmt.Sprintf("venue %02d", min(i/2, 14)))
		doi = append(doi, fmt.Sprintf("10.1/%d", i))
		classes = append(classes, []string{"", "<b>", "a", "c"}[min(i/10, 3)])
		days = append(days, fmt.Sprintf("2024-01-%02d", 1+i%30))
		year = append(year, 1990+float64(i%30)/2)
	}
	year[7] = math.NaN()
	nodes := p.Run.Data.Nodes
	nodes.Columns = append(nodes.Columns, table.NewWords("doi", doi), table.NewWords("venue", venues), table.NewNumbers("year", year),
		table.NewWords("headline", titles), table.NewWords("kind", classes), table.NewWords("day", days))
	p.Columns.Class = "kind"
	p.Model.About.Recipe = &recipe.Recipe{Columns: []recipe.Column{{Name: "day", Layout: "2006-01-02"}}}
	p.Notes, p.Warnings = []string{`column "venue": 15 categories`}, []string{`column "doi": left out <all>`}
	return p
}

// TestColumns: the map has the titles, the cluster names and the user's columns of
// [withColumns], by hand: categories in the order of their frequency, numbers and dates with
// the ends of their scales, and texts. The page has the notes, the warnings and the table of
// classes and clusters.
func TestColumns(t *testing.T) {
	p := withColumns(t)
	text := write(t, p)
	d := mapData(t, text)
	if d.TitleName != "headline" || d.Titles[3] != `On the theory of 3 things, "quoted"` {
		t.Errorf("titles %q called %q", d.Titles[:4], d.TitleName)
	}
	if d.Clusters[0] != "" || d.Clusters[1] != "tall <ones>" {
		t.Errorf("clusters %q", d.Clusters)
	}
	got := map[string]int{} // the place of a coloring in all
	var order []string
	all := d.Views[0].Colorings
	for k, c := range all {
		got[c.Name] = k
		order = append(order, c.Name)
	}
	if want := "cluster class cluster by features confidence outlier score venue year day doi"; strings.Join(order, " ") != want {
		t.Errorf("colors by %q, want %q", order, want)
	}
	// Venue 14 has 32 nodes, all others have 2: it comes first. Twelve of the words have colors.
	if v := all[got["venue"]]; v.Most != 12 || len(v.Words) != 15 || v.Words[0] != "venue 14" || v.Numbers[0] != 1 || v.Numbers[59] != 0 {
		t.Errorf("venue %+v", v)
	}
	// Node 7 has no year. The ends of the scale are 1990 and 2004.5, which is written as 2004.
	if v := all[got["year"]]; v.Values[7] != nil || *v.Values[1] != 1990.5 || v.RedLabel != "1990" || v.BlueLabel != "2004" {
		t.Errorf("year %v, %q to %q", v.Values, v.RedLabel, v.BlueLabel)
	}
	if v := all[got["day"]]; v.RedLabel != "2024-01-01" || v.BlueLabel != "2024-01-30" || v.Texts[2] != "2024-01-03" || *v.Values[1]-*v.Values[0] != 1 {
		t.Errorf("day %+v", v)
	}
	// Identifiers all differ: they are only texts.
	if v := all[got["doi"]]; v.Texts[2] != "10.1/2" || v.Values != nil || v.Words != nil {
		t.Errorf("doi %+v", v)
	}
	// Nodes 0 to 9 have no class, 10 to 19 are <b>, 20 to 29 a, the others c; clusters take
	// turns, so node 10 is in cluster 1, which has four of the <b>.
	for _, want := range []string{
		`<th scope="row">&lt;b&gt;</th><td style="--share:0.30" title="30 %">3</td><td style="--share:0.40" title="40 %">4</td><td style="--share:0.30" title="30 %">3</td><td>10</td>`,
		`<th scope="row">unknown</th><td style="--share:0.40" title="40 %">4</td>`,
		"<li>column &#34;venue&#34;: 15 categories</li>", "<li>column &#34;doi&#34;: left out &lt;all&gt;</li>",
		`data-id="node 0" title="node 0">On the theory of 0 things`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	p.Title = "venue"
	if d := mapData(t, write(t, p)); d.TitleName != "venue" || d.Titles[0] != "venue 00" {
		t.Errorf("another title: %q", d.TitleName)
	}
	p.Title = "x9"
	testutil.Fails(t, p.Write(&bytes.Buffer{}), `no column "x9": want one of "name", "cluster"`)
}

// save is a script that saves the map and the nodes shown, and adds an element "result" to the
// page with what the page says and what it saved: name=value, separated by |.
const save = `
	var out = [], saved = [], color = document.querySelector("[data-name=color]");
	URL.createObjectURL = function (blob) { saved.push(blob.text()); return "#saved"; };
	function click(name) { document.querySelector("[data-name='" + name + "']").click(); }
	out.push("colors=" + color.textContent);
	document.querySelector(".card .node").click();
	var tip = document.querySelector(".agekit-tip");
	out.push("tip=" + (tip.style.display === "none" ? "" : tip.textContent), "list=" + document.querySelector("[aria-live] dl").textContent);
	click("save SVG");
	document.querySelectorAll("[data-part=legend] button")[1].click();
	click("save CSV");
	color.value = 5;
	color.dispatchEvent(new Event("change"));
	out.push("legend=" + document.querySelector("[data-part=legend]").textContent);
	Promise.all(saved).then(function (texts) {
		var svg = new DOMParser().parseFromString(texts[0], "image/svg+xml");
		out.push("dots=" + svg.querySelectorAll("circle").length, "names=" + svg.documentElement.textContent.indexOf("1 \u00b7 tall <ones>"), "broken=" + svg.querySelectorAll("parsererror").length, "rows=" + (texts[1].split("\n").length - 2), "csv=" + texts[1]);
		var div = document.createElement("div");
		div.id = "result";
		div.textContent = out.join("|");
		document.body.appendChild(div);
	});`

// TestSaved: the page of [withColumns] says all of a node at its dot, saves the map as SVG with
// all 60 dots, and saves the 20 nodes of the one cluster that is shown as CSV.
func TestSaved(t *testing.T) {
	dom := inBrowser(t, write(t, withColumns(t)), "1300,900", save)
	_, result, ok := strings.Cut(dom, `<div id="result">`)
	if !ok {
		t.Fatal("the script did not end")
	}
	result, _, _ = strings.Cut(result, "</div>")
	for _, want := range []string{
		"colors=clusterclasscluster by featuresconfidenceoutlier scorevenueyearday|",
		`tip=On the theory of 0 things, "quoted"node 0clustercluster 0cluster by featurescluster 0confidence1.00outlier score0.00venuevenue 00year1990day2024-01-01doi10.1/0|`,
		"list=venuevenue 00year1990day2024-01-01doi10.1/0|", "|dots=60|", "|broken=0|",
		"legend=venue 14 (32)venue 00 (2)", "venue 10 (2)other (6)|",
		"|rows=20|csv=name,headline,venue,year,day,doi,cluster,cluster name,class,cluster by features,confidence,outlier score\n" +
			"\"&lt;/script&gt;&lt;b onclick=\"\"x\"\"&gt;&amp;'é\",\"On the theory of 1 things, \"\"quoted\"\"\",venue 00,1990.5,2024-01-02,10.1/1,1,tall &lt;ones&gt;,,cluster 0,0.9833,0.0167\n",
		"venue 03,,2024-01-08,10.1/7,1,tall &lt;ones&gt;,,cluster 0,0.8833,0.1167\n",
	} {
		if !strings.Contains(result, want) {
			t.Errorf("the page says\n%s\nwant %s", result, want)
		}
	}
	if strings.Contains(result, "names=-1") {
		t.Error("the picture has no name of a cluster")
	}
}
