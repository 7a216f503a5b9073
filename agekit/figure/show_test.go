package figure

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/testutil"
)

// manyPoints returns a scatter plot of n points.
func manyPoints(n int) *Figure {
	m := blas32.General{Rows: n, Cols: 2, Stride: 2, Data: make([]float32, 2*n)}
	for i := range m.Data {
		m.Data[i] = float32(i % 97)
	}
	return Scatter2D(`map of "many"`, m, nil, nil)
}

// TestHTMLFormat: a figure of 2,000 points is SVG, and one of more points, counted over all
// panels, is a PNG image in an HTML element.
func TestHTMLFormat(t *testing.T) {
	few := testutil.Value(manyPoints(2000).html()).OrFatal(t)
	if !strings.HasPrefix(few, "<div><svg ") {
		t.Errorf("2,000 points start with %q, want an SVG", few[:20])
	}
	for name, f := range map[string]*Figure{
		"one panel":  manyPoints(3001),
		"two panels": Row(manyPoints(2000), manyPoints(2000)),
	} {
		page := testutil.Value(f.html()).OrFatal(t)
		m := regexp.MustCompile(`^<img alt="map of &#34;many&#34;.* src="data:image/png;base64,(.*)">$`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("%s: %.60q, want an <img>", name, page)
		}
		data := testutil.Value(base64.StdEncoding.DecodeString(m[1])).OrFatal(t)
		if _, err := png.Decode(bytes.NewReader(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBundle: what Show sends to a notebook has no HTML, an SVG of its own if there are up to
// 2,000 points, and always a PNG image with two dots for each pixel of the figure's width.
func TestBundle(t *testing.T) {
	for _, c := range []struct {
		figure *Figure
		svg    bool // the bundle has an SVG
	}{{manyPoints(2000), true}, {manyPoints(2001), false}, {Row(Lines("a", "", "loss", Series{Y: []float64{2, 1}}), Lines("b", "", "loss", Series{Y: []float64{2, 1}})), true}} {
		data := testutil.Value(c.figure.bundle()).OrFatal(t)
		if _, ok := data[protocol.MIMETextHTML]; ok {
			t.Error("the figure is in HTML, whose SVG Jupyter removes")
		}
		svg, ok := data[protocol.MIMEImageSVG].(string)
		if ok != c.svg || ok && !strings.Contains(svg, `xmlns="http://www.w3.org/2000/svg"`) {
			t.Errorf("%d points: SVG is %.100q, want one: %v", c.figure.marks, svg, c.svg)
		}
		size := testutil.Value(png.DecodeConfig(bytes.NewReader(data[protocol.MIMEImagePNG].([]byte)))).OrFatal(t)
		if want := 2 * pixels(c.figure.width); size.Width < want-1 || size.Width > want+1 {
			t.Errorf("the image is %d wide, want two dots for each of %d pixels", size.Width, pixels(c.figure.width))
		}
	}
	if _, err := Lines("", "", "loss", Series{Y: nil}).bundle(); err == nil {
		t.Error("no error for a figure that cannot be drawn")
	}
}

// TestPalette: an image with 256 colors looks like the one with all colors, in plots of many
// points, of many classes and of lines: the mean difference of a pixel's channel is below one
// of 256 levels, and even a rare mixture of colors differs by less than 80 levels.
func TestPalette(t *testing.T) {
	points := manyPoints(3000)
	labels := make([]int, 3000)
	for i := range labels {
		labels[i] = i % 21
	}
	m := blas32.General{Rows: 3000, Cols: 2, Stride: 2, Data: make([]float32, 6000)}
	for i := range m.Data {
		m.Data[i] = float32(i * i % 9973)
	}
	for _, f := range []*Figure{points, Scatter2D("21 classes", m, labels, nil), Lines("3 lines", "", "", Series{Name: "a", Y: []float64{1, 3}}, Series{Name: "b", Y: []float64{2, 2}}, Series{Name: "c", Y: []float64{3, 1}})} {
		c := testutil.Value(f.canvas(2 * pixelsPerInch)).OrFatal(t)
		full, small := c.Image(), paletted(c.Image())
		var sum, highest, n float64
		for y := range full.Bounds().Dy() {
			for x := range full.Bounds().Dx() {
				r0, g0, b0, _ := full.At(x, y).RGBA()
				r1, g1, b1, _ := small.At(x, y).RGBA()
				for _, d := range []float64{float64(r0) - float64(r1), float64(g0) - float64(g1), float64(b0) - float64(b1)} {
					d = math.Abs(d) / 257 // from 16 bits, which RGBA returns, to 8
					sum, highest, n = sum+d, max(highest, d), n+1
				}
			}
		}
		t.Logf("%q: mean difference %.3f, highest %.0f", f.title(), sum/n, highest)
		if sum/n > 1 || highest > 80 {
			t.Errorf("%q: mean difference %.3f, highest %.0f", f.title(), sum/n, highest)
		}
	}
}

// TestLive: outside a notebook, states are printed as lines, and a state that follows too soon
// is left out. For a notebook, a state is HTML with the escaped line and the figures.
func TestLive(t *testing.T) {
	var out strings.Builder
	l := Live{stderr: &out}
	for _, step := range []error{l.Update("epoch 1"), l.Update("epoch 2, too soon"), l.Done("done\n<b>")} {
		testutil.NoError(t, step)
	}
	l.last = time.Now().Add(-2 * liveInterval)
	testutil.NoError(t, l.Update("later"))
	if want := "epoch 1\ndone <b>\nlater\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	page := testutil.Value(liveHTML("<b>", []*Figure{Lines("", "step", "loss", Series{Y: []float64{2, 1}})})).OrFatal(t)
	if !strings.Contains(page, "&lt;b&gt;") || strings.Count(page, "<svg") != 1 {
		t.Errorf("page is %.100q…", page)
	}
	if _, err := liveHTML("", []*Figure{Lines("", "", "loss", Series{Y: nil})}); err == nil {
		t.Error("no error for a figure that cannot be drawn")
	}
}

// TestTicks compares the labels of axes with those that one would choose by hand.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 2, "0 0.5 1.0 1.5 2.0"},
		{-1, 1.1, "−1.0 −0.5 0 0.5 1.0"},
		{0, 5000, "0 1000 2000 3000 4000 5000"},
		{0, 25000, "0 5k 10k 15k 20k 25k"},
		{0, 7.3e6, "0 2M 4M 6M"},
		{0.0012, 0.0061, "0.002 0.003 0.004 0.005 0.006"},
		{100, 100.5, "100.0 100.1 100.2 100.3 100.4 100.5"},
	} {
		var labels []string
		for _, tick := range (ticks{}).Ticks(c.lo, c.hi) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("ticks from %v to %v are %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}

// TestTicksOfNothing: an axis from a number to the next larger float64 has at most one tick.
func TestTicksOfNothing(t *testing.T) {
	for _, lo := range []float64{0.7, 1, 1e9, -3} {
		if got := (ticks{}).Ticks(lo, math.Nextafter(lo, math.Inf(1))); len(got) > 1 {
			t.Errorf("%v: %v", lo, got)
		}
	}
}

// TestThin: a line of 100,000 points, thinned, keeps its two peaks and its order, and has at
// most drawnPoints points.
func TestThin(t *testing.T) {
	y := make([]float64, 100000)
	y[12345], y[54321] = 5, -7 // the peaks; all other points are at 0
	points := testutil.Value(Series{Y: y}.xys()).OrFatal(t)
	thinned := thinned(points)
	if len(thinned) > drawnPoints {
		t.Errorf("%d points, want at most %d", len(thinned), drawnPoints)
	}
	peaks := 0
	for i, p := range thinned {
		if p.Y != 0 {
			peaks++
		}
		if i > 0 && p.X <= thinned[i-1].X {
			t.Fatalf("point %d is not to the right of the previous one", i)
		}
	}
	if peaks != 2 {
		t.Errorf("%d of 2 peaks are left", peaks)
	}
}
