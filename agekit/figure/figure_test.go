package figure_test

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// nasty is text that must be escaped, with a control character and a byte that is not UTF-8.
const nasty = `<b onclick="x">&'` + "\x01\xff"

// svgText returns all text of the figure's SVG. It fails if the SVG is not XML or has an
// element <b>, which only text that was not escaped can bring.
func svgText(t *testing.T, f *figure.Figure) string {
	t.Helper()
	svg := testutil.Value(f.Encode(".svg")).OrFatal(t)
	var text strings.Builder
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return text.String()
		}
		testutil.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "b" {
				t.Errorf("element <b> in the SVG: text is not escaped")
			}
		case xml.CharData:
			text.Write(token)
		}
	}
}

// TestTextIsEscaped: titles, labels and names that look like HTML stay text, in figures and in
// tables.
func TestTextIsEscaped(t *testing.T) {
	points := blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: []float32{0, 1, 2, 3}}
	for name, f := range map[string]*figure.Figure{
		"scatter":   figure.Scatter2D(nasty, points, []int{0, 1}, []string{nasty, "b"}),
		"confusion": figure.Confusion(nasty, [][]int{{1}}, []string{nasty}, []string{nasty}),
		"lines":     figure.Lines(nasty, nasty, nasty, figure.Series{Name: nasty, Y: []float64{1, 2}}, figure.Series{Name: nasty, Y: []float64{1, 2}}),
		"bars":      figure.Bars(nasty, nasty, []string{nasty}, figure.Series{Y: []float64{1}}),
		"mark":      figure.Lines("", "", "loss", figure.Series{Y: []float64{1, 2}}).VLine(1.5, nasty),
	} {
		t.Run(name, func(t *testing.T) {
			if text := svgText(t, f); !strings.Contains(text, `<b onclick="x">&'`) {
				t.Errorf("the text is not in the SVG: %q", text)
			}
		})
	}
	table := figure.Table([]string{nasty}, [][]string{{nasty}})
	if strings.Contains(table.HTML, "<b") || strings.Count(table.HTML, "&lt;b onclick=&#34;x&#34;&gt;&amp;") != 2 {
		t.Errorf("table does not escape: %s", table.HTML)
	}
}

// TestBadDataIsAnError: a figure of data that cannot be drawn returns an error from Encode, Save
// and Show, and Save writes no file. An explorer of such data returns an error from Show.
func TestBadDataIsAnError(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := spectrum()
	nanPoint := blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: []float32{0, float32(nan)}}
	for name, f := range map[string]*figure.Figure{
		"NaN loss":             figure.Lines("", "", "loss", figure.Series{Y: []float64{1, nan}}),
		"infinite loss":        figure.Lines("", "", "loss", figure.Series{Y: []float64{1, inf}}),
		"no loss":              figure.Lines("", "", "loss", figure.Series{Y: nil}),
		"NaN position":         figure.Lines("", "", "", figure.Series{X: []float64{nan}, Y: []float64{1}}),
		"NaN bar":              figure.Bars("", "", []string{"a"}, figure.Series{Y: []float64{nan}}),
		"NaN run":              figure.Paired("", "", []string{"a"}, [][]float64{{nan}}),
		"NaN point":            figure.Scatter2D("", nanPoint, nil, nil),
		"no point":             figure.Scatter2D("", blas32.General{Cols: 2, Stride: 2}, nil, nil),
		"NaN count":            figure.EigenvalueHistogram("", figure.Bins{Counts: []float64{1, nan}, Hi: 2}, 1.5),
		"negative count":       figure.EigenvalueHistogram("", figure.Bins{Counts: []float64{1, -1}, Hi: 2}, 1.5),
		"no counts":            figure.EigenvalueHistogram("", figure.Bins{Counts: []float64{0, 0}, Hi: 2}, 1.5),
		"bounds":               figure.EigenvalueHistogram("", figure.Bins{Counts: []float64{1}, Lo: 2, Hi: 0}, 1.5),
		"NaN lambda":           figure.EigenvalueHistogram("", good, nan),
		"lambda over 2":        figure.EigenvalueHistogram("", spectrum(), 2.1, figure.Response{K: 1, Layers: 1}),
		"k of 0":               figure.EigenvalueHistogram("", spectrum(), 1.5, figure.Response{K: 0, Layers: 1}),
		"NaN k":                figure.EigenvalueHistogram("", good, 1.5, figure.Response{K: nan, Layers: 1}),
		"t of 0":               figure.EigenvalueHistogram("", spectrum(), 1.5, figure.Response{K: 1, Layers: 0}),
		"NaN quotient":         figure.RayleighBeforeAfter("", []float64{1}, []float64{nan}),
		"crossed thresholds":   figure.SimilarityHistogram("", good, [2]float64{0.8, 0.2}, [2]int{0, 0}),
		"NaN threshold":        figure.SimilarityHistogram("", good, [2]float64{nan, 0.2}, [2]int{0, 0}),
		"more pairs than all":  figure.SimilarityHistogram("", good, [2]float64{0.2, 0.8}, [2]int{1 << 30, 1}),
		"fewer than no pairs":  figure.SimilarityHistogram("", good, [2]float64{0.2, 0.8}, [2]int{1, -1}),
		"negative confusion":   figure.Confusion("", [][]int{{-1}}, []string{"a"}, []string{"b"}),
		"one bad panel of two": figure.Row(figure.Lines("", "", "loss", figure.Series{Y: []float64{1}}), figure.Lines("", "", "loss", figure.Series{Y: []float64{nan}})),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := f.Encode(".svg"); err == nil {
				t.Error("SVG gives no error")
			}
			if _, err := f.Encode(".png"); err == nil {
				t.Error("PNG gives no error")
			}
			path := filepath.Join(t.TempDir(), "f.svg")
			if err := f.Save(path); err == nil {
				t.Error("Save gives no error")
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("Save wrote a file")
			}
			if err := f.VLine(1, "x").Show(); err == nil {
				t.Error("Show gives no error")
			}
		})
	}
	for name, f := range map[string]figure.Fragment{
		"range":     figure.FrequencyResponseExplorer(figure.Bins{Counts: []float64{1}, Hi: 1}, 1.5, figure.Response{}),
		"NaN count": figure.FrequencyResponseExplorer(figure.Bins{Counts: []float64{nan}, Hi: 2}, 1.5, figure.Response{}),
		"lambda":    figure.FrequencyResponseExplorer(good, 0, figure.Response{}),
		"k":         figure.FrequencyResponseExplorer(good, 1.5, figure.Response{K: 3, Layers: 1}),
		"t":         figure.FrequencyResponseExplorer(good, 1.5, figure.Response{K: 1, Layers: 13}),
	} {
		if f.Show() == nil {
			t.Errorf("explorer, %s: no error", name)
		}
	}
}

// TestBadShapesPanic: data whose lengths do not fit together are a mistake of the program.
func TestBadShapesPanic(t *testing.T) {
	two := blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 4)}
	for name, call := range map[string]func(){
		"three dimensions": func() {
			figure.Scatter2D("", blas32.General{Rows: 1, Cols: 3, Stride: 3, Data: make([]float32, 3)}, nil, nil)
		},
		"labels missing":   func() { figure.Scatter2D("", two, []int{0}, nil) },
		"label unnamed":    func() { figure.Scatter2D("", two, []int{0, 1}, []string{"a"}) },
		"label negative":   func() { figure.Scatter2D("", two, []int{0, -1}, nil) },
		"ragged confusion": func() { figure.Confusion("", [][]int{{1, 2}, {1}}, []string{"a", "b"}, []string{"a", "b"}) },
		"confusion names":  func() { figure.Confusion("", [][]int{{1}}, nil, []string{"a"}) },
		"empty confusion":  func() { figure.Confusion("", nil, nil, nil) },
		"series lengths":   func() { figure.Lines("", "", "", figure.Series{X: []float64{1}, Y: []float64{1, 2}}) },
		"deviations":       func() { figure.Lines("", "", "", figure.Series{Y: []float64{1, 2}, Deviation: []float64{1}}) },
		"no series":        func() { figure.Lines("", "", "") },
		"bars":             func() { figure.Bars("", "", []string{"a"}, figure.Series{Y: []float64{1, 2}}) },
		"thresholds":       func() { figure.Thresholds("", []float64{1}, []float64{1, 2}, []float64{1}) },
		"table":            func() { figure.Table([]string{"a"}, [][]string{{"1", "2"}}) },
		"empty row":        func() { figure.Row() },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

// TestSave: Save writes SVG or PNG by the extension of the path, whatever its case, and the PNG
// has the figure's width. Another extension and a missing folder are errors.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	f := figure.Lines("Loss", "step", "loss", figure.Series{Y: []float64{3, 2, 1}})
	for _, name := range []string{"a.svg", "a.PNG"} {
		testutil.NoError(t, f.Save(filepath.Join(dir, name)))
	}
	data := testutil.Value(os.ReadFile(filepath.Join(dir, "a.PNG"))).OrFatal(t)
	img := testutil.Value(png.Decode(bytes.NewReader(data))).OrFatal(t)
	if got := img.Bounds().Dx(); got != 907 { // 16 cm at 144 dots per inch
		t.Errorf("PNG is %d dots wide, want 907", got)
	}
	svg := testutil.Value(os.ReadFile(filepath.Join(dir, "a.svg"))).OrFatal(t)
	if !bytes.HasPrefix(svg, []byte(`<svg role="img" aria-label="Loss"`)) {
		t.Errorf("SVG starts with %q", svg[:60])
	}
	testutil.Fails(t, f.Save(filepath.Join(dir, "a.gif")), ".gif")
	if err := f.Save(filepath.Join(dir, "missing", "a.svg")); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}

// TestReadable: an SVG is never shown so small that its smallest text, which has ten points,
// has less than seven pixels. And in a browser, text is as wide as its textLength says, even
// with a wider font, and ends inside the figure.
func TestReadable(t *testing.T) {
	for name, test := range map[string]struct {
		f      *figure.Figure
		pixels float64 // of the least width: 7/10 of the figure's width, 16 or 25 cm, in points
	}{
		"lines": {figure.Lines("Loss", "step", "loss", figure.Series{Y: []float64{1, 2}}), 7.0 / 10 * 16 / 2.54 * 72},
		"row":   {figure.Row(figure.Lines("a", "", "", figure.Series{Y: []float64{1, 2}}), figure.Lines("b", "", "", figure.Series{Y: []float64{1, 2}})), 7.0 / 10 * 25 / 2.54 * 72},
	} {
		svg := string(testutil.Value(test.f.Encode(".svg")).OrFatal(t))
		if least := numbersIn(t, svg, `min-width:(\d+)px`); len(least) != 1 || math.Abs(least[0]-test.pixels) > 1 {
			t.Errorf("%s: least width %v, want %.0f", name, least, test.pixels)
		}
		if wide := strings.Contains(svg, `<svg class="wide"`); wide != (name == "row") {
			t.Errorf("%s: wide %v", name, wide)
		}
	}
	f := figure.Lines("", "", "", figure.Series{Name: "a <long> name of a series", Y: []float64{1, 2}}, figure.Series{Name: "b", Y: []float64{2, 1}})
	svg := string(testutil.Value(f.Encode(".svg")).OrFatal(t))
	dom := inBrowser(t, `<style>text { font-family: DejaVu Sans !important; letter-spacing: 2px }</style><div style="width:900px">`+svg+`</div>`, `
		document.querySelectorAll("text").forEach(function (text) {
			var p = document.createElement("p");
			p.textContent = "end " + text.getBBox().width.toFixed(1) + " of " + text.getAttribute("textLength") + " at " + text.getAttribute("x");
			document.body.appendChild(p);
		});`)[0]
	drawn := numbersIn(t, dom, `end ([\d.]+) of`)         // the width in the browser
	stated := numbersIn(t, dom, `end [\d.]+ of ([\d.]+)`) // textLength
	left := numbersIn(t, dom, `end [\d.]+ of [\d.]+ at (-?[\d.]+)`)
	if len(drawn) < 5 || len(drawn) != len(stated) || len(drawn) != len(left) {
		t.Fatalf("%d texts, %d with a width", len(drawn), len(stated))
	}
	const figureWidth = 16 / 2.54 * 72 // points
	for k := range drawn {
		if math.Abs(drawn[k]-stated[k]) > 0.2 {
			t.Errorf("text %d is %v wide, want %v", k, drawn[k], stated[k])
		}
		if left[k]+drawn[k] > figureWidth {
			t.Errorf("text %d ends at %v, outside of the figure", k, left[k]+drawn[k])
		}
	}
}

// TestDrawingDoesNotChangeAFigure: the SVG of a figure is the same before and after it is drawn
// as PNG. In a row of two maps with the same classes, the legend stands once.
func TestDrawingDoesNotChangeAFigure(t *testing.T) {
	m, labels, names := maps(3)
	f := figure.Row(figure.Scatter2D("a", m[0], labels, names), figure.Scatter2D("b", m[1], labels, names))
	first := testutil.Value(f.Encode(".svg")).OrFatal(t)
	testutil.Value(f.Encode(".png")).OrFatal(t)
	second := testutil.Value(f.Encode(".svg")).OrFatal(t)
	if !bytes.Equal(first, second) {
		t.Error("SVG differs after PNG")
	}
	if got := strings.Count(string(first), ">"+names[2]+"<"); got != 1 {
		t.Errorf("class name appears %d times in a row of two maps, want 1: the legend is shared", got)
	}
}

// TestBinValues compares with counts by hand. Values outside of the bins are in the first and
// the last bin.
func TestBinValues(t *testing.T) {
	// The edges are 0.5, 1 and 1.5. 0.5 − 1e-12 is on the edge but for rounding, so it is in
	// the bin above.
	b := figure.BinValues([]float64{-1, 0, 0.49, 0.5, 0.5 - 1e-12, 1.99, 2, 7}, 4, 0, 2)
	want := []float64{3, 2, 0, 3}
	for i := range want {
		if b.Counts[i] != want[i] {
			t.Fatalf("counts %v, want %v", b.Counts, want)
		}
	}
}

// TestSimilarityShares: the shares in the legend are those of the selected pairs among all
// 7,333,264 pairs, not those of the bars. Here only 7,333 of the 100,000 pairs in the last bin
// are positive, since the threshold is inside that bin.
func TestSimilarityShares(t *testing.T) {
	b := figure.Bins{Counts: []float64{3_000_000, 4_233_264, 100_000}, Hi: 1}
	f := figure.SimilarityHistogram("", b, [2]float64{0.4, 0.9998}, [2]int{3_666_632, 7_333})
	text := svgText(t, f)
	for _, want := range []string{"negative 50 %", "neither 49.9 %", "positive 0.1 %"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the figure: %q", want, text)
		}
	}
}

// TestResponsesAreAmplitudes: the histogram and the explorer draw a filter as its amplitude
// without the sign, |1 − kλ|ᵗ: the axis says so, and has no negative numbers. (Notebooks say
// that the curve rises again.)
func TestResponsesAreAmplitudes(t *testing.T) {
	r := figure.Response{K: 1, Layers: 1} // 1 − λ is below 0 for λ > 1
	const label = "amplitude |1 − kλ|ᵗ"
	histogram := svgText(t, figure.EigenvalueHistogram("", spectrum(), 1.5, r))
	for name, text := range map[string]string{
		"histogram": histogram,
		"explorer":  figure.FrequencyResponseExplorer(spectrum(), 1.5, r).HTML,
	} {
		if !strings.Contains(text, label) {
			t.Errorf("%s: no axis %q in %q", name, label, text)
		}
	}
	if rest := strings.Replace(histogram, label, "", 1); strings.ContainsAny(rest, "-−") {
		t.Errorf("the axis has negative numbers: %q", rest)
	}
}

// TestExplorerStandsAlone: without scripts, as in a notebook that Jupyter does not trust, an
// explorer is one image, and its HTML loads nothing from elsewhere. The plain text has the
// share of the eigenvalues above 1/k, which is computed by hand.
func TestExplorerStandsAlone(t *testing.T) {
	b := figure.Bins{Counts: []float64{10, 20, 30, 40}, Hi: 2} // a bin is 0.5 wide
	f := figure.FrequencyResponseExplorer(b, 1.6, figure.Response{K: 0.8, Layers: 2})
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	// 1/k = 1.25 is in the middle of the third bin: half of its 30 and the 40 of the last bin
	// are above, of 100. With k = 1/λmax nothing is above 1/k.
	if !strings.Contains(f.Text, "55.0 %") {
		t.Errorf("text is %q", f.Text)
	}
	if start := figure.FrequencyResponseExplorer(b, 1.6, figure.Response{}); !strings.Contains(start.Text, ": 0.0 %") {
		t.Errorf("text is %q, want nothing above λmax", start.Text)
	}
	still, _, _ := strings.Cut(f.HTML, "<script")
	if strings.Count(still, "<img ") != 1 || strings.Contains(still, "<svg") {
		t.Errorf("without its scripts, the fragment is %.300q, want one image", still)
	}
	page := strings.ReplaceAll(f.HTML, `src="data:image/png;base64,`, "")
	page = strings.ReplaceAll(page, "http://www.w3.org/2000/svg", "") // a name, not an address
	for _, network := range []string{"http://", "https://", "src=", "import"} {
		if strings.Contains(page, network) {
			t.Errorf("fragment has %q: it must not load anything", network)
		}
	}
}

// TestTable: in HTML, columns of numbers and their headers are aligned to the right, and short
// cells are not broken. In plain text, cells are padded with spaces. The texts are by hand.
func TestTable(t *testing.T) {
	f := figure.Table([]string{"data", "ACC", "n"}, [][]string{{"Cora", "0.734 ± 0.002", "2,708"}, {"Wiki", "–", "2,405"}})
	for want, count := range map[string]int{
		`<td style="text-align:right;white-space:nowrap">0.734 ± 0.002</td>`: 1,
		`<td style="text-align:left;white-space:nowrap">Cora</td>`:           1,
		`style="text-align:right`: 6, // two columns of three rows, with the header
	} {
		if got := strings.Count(f.HTML, want); got != count {
			t.Errorf("%s appears %d times, want %d:\n%s", want, got, count, f.HTML)
		}
	}
	want := "data  ACC            n      \nCora  0.734 ± 0.002  2,708  \nWiki  –              2,405  \n"
	if f.Text != want {
		t.Errorf("text is\n%q, want\n%q", f.Text, want)
	}
}

// TestRanks: rows are ranked by the number that their cell begins with. Equal numbers share a
// rank, a cell without a number has none, and Table makes rank 1 bold and underlines rank 2.
func TestRanks(t *testing.T) {
	rows := [][]string{{"a", ".70 ± .01"}, {"b", "0.72 (0.5)"}, {"c", "–"}, {"d", ".720"}, {"e", "−1"}, {"f", ".7"}}
	if got := figure.Ranks(rows, 1); !slices.Equal(got, []int{2, 1, 0, 1, 0, 2}) {
		t.Errorf("ranks %v", got)
	}
	if got := figure.Ranks(rows[2:3], 1); !slices.Equal(got, []int{0}) {
		t.Errorf("ranks %v without a number", got)
	}
	page := figure.Table([]string{"", "ACC"}, rows, 1).HTML
	for _, want := range []string{"<u>.70 ± .01</u>", "<strong>0.72 (0.5)</strong>", "<strong>.720</strong>", ">–</td>", ">−1</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
}
