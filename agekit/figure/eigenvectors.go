package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// eigenvectorLayers is the largest t of an EigenvectorExplorer.
const eigenvectorLayers = 12

// EigenvectorExplorer draws a graph whose nodes have the color of an eigenvector
// of its L̃sym. Beside it stand all eigenvalues as stems, and over them the
// amplitude |1 − kλ|ᵗ of the filter, with sliders for k and t. The reader chooses
// an eigenvalue with a click, the arrow keys or a slider, and sees its eigenvector,
// or what the filter leaves of it. The zero value of start means k = 1/λmax, t = 1.
//
// values and the columns of vectors are what [mat.EigenSym] returns. The sign of
// an eigenvector is arbitrary; it is drawn so that its largest value is positive.
// EigenvectorExplorer panics if the numbers of nodes, values and vectors differ.
func EigenvectorExplorer(title string, d Drawing, values []float64, vectors mat.Matrix, start Response) Fragment {
	n := len(d.X)
	if r, c := vectors.Dims(); r != n || c != n || len(values) != n {
		panic(fmt.Sprintf("figure: %d eigenvalues and %d×%d eigenvectors of %d nodes", len(values), r, c, n))
	}
	if n < 2 {
		return refused("%w: want two nodes or more", errNoData)
	}
	if start == (Response{}) {
		start = Response{K: 1 / values[n-1], Layers: 1}
	}
	var err error
	switch {
	case !finite(values...) || values[0] < -1e-9 || values[n-1] > 2+1e-9:
		err = fmt.Errorf("eigenvalues from %v to %v: want 0 to 2", values[0], values[n-1])
	case !(start.K >= 0.05 && start.K <= 1.5) || start.Layers < 1 || start.Layers > eigenvectorLayers:
		err = fmt.Errorf("start with k = %v and t = %d: want k from 0.05 to 1.5 and t from 1 to %d", start.K, start.Layers, eigenvectorLayers)
	}
	columns := make([][]float64, n)
	for j := range columns {
		columns[j] = withSign(mat.Col(nil, j, vectors))
		if !finite(columns[j]...) {
			err = fmt.Errorf("eigenvector %d: want finite numbers", j+1)
		}
	}
	if err != nil {
		return refused("%w", err)
	}
	const first = 1 // the second eigenvector: the first one has no negative values
	data := struct {
		Title         string
		Graph         Drawing
		Values        []float64
		Equal         []int // how many eigenvalues equal each of them
		Vectors       [][]float64
		Start, Layers int
		K             float64
		MostLayers    int
	}{
		Title: title, Graph: d.rounded(), Start: first, K: start.K, Layers: start.Layers, MostLayers: eigenvectorLayers,
	}
	for j, v := range values {
		data.Values = append(data.Values, math.Abs(scalar.Round(v, 6)))
		data.Vectors = append(data.Vectors, make([]float64, n))
		for i, x := range columns[j] {
			data.Vectors[j][i] = scalar.Round(x, 4)
		}
		data.Equal = append(data.Equal, equal(values, v))
	}
	return explorer{
		name: "eigenvectors", title: title, data: data,
		still: Row(
			Graph(fmt.Sprintf("%s: eigenvector %d, λ = %.3f", title, first+1, values[first]), d, columns[first]),
			stems("eigenvalues and the filter", values, first, start)),
		text: fmt.Sprintf("%s: %d eigenvalues from 0 to %.4f\n", title, n, values[n-1]),
	}.fragment()
}

// withSign returns x or −x, the one whose value of largest magnitude is positive.
func withSign(x []float64) []float64 {
	largest := 0.0
	for _, v := range x {
		if math.Abs(v) > math.Abs(largest)+1e-9 {
			largest = v
		}
	}
	if largest < 0 {
		for i := range x {
			x[i] = -x[i]
		}
	}
	return x
}

// equal returns how many values equal v up to rounding.
func equal(values []float64, v float64) (count int) {
	for _, w := range values {
		if math.Abs(v-w) < 1e-9 {
			count++
		}
	}
	return count
}

// rounded returns values with some digits after the point.
func rounded(values []float64, digits int) []float64 {
	r := make([]float64, len(values))
	for i, v := range values {
		r[i] = scalar.Round(v, digits)
	}
	return r
}

// stems draws each eigenvalue as a line, blue as far as it passes the filter, with
// the filter's amplitude. The chosen one has a mark.
func stems(title string, values []float64, chosen int, r Response) *Figure {
	const top = 1.25
	f := newFigure(title, "eigenvalue λ", "amplitude |1 − kλ|ᵗ")
	p := f.panels[0]
	line := func(x, y float64, c color.Color, width vg.Length) {
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: x}, {X: x, Y: y}}, LineStyle: draw.LineStyle{Color: c, Width: width}})
	}
	for _, v := range values {
		line(v, 1, muted, vg.Points(1))
		line(v, min(1, math.Abs(r.at(v))), colors[5], vg.Points(2))
	}
	line(values[chosen], 1, colors[1], vg.Points(2))
	curve := responseCurve(0, 2, 0, func(lambda float64) float64 { return min(top, math.Abs(r.at(lambda))) })
	p.Add(curve)
	p.legend = append(p.legend, legendEntry{r.name(), curve})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 2, 0, top
	return f
}

// SmallGraph draws a graph of a few nodes, each with its value inside: blue if it
// is positive, vermilion if it is negative. An edge from a node to itself is drawn
// as a loop.
func SmallGraph(title string, d Drawing, values []float64) *Figure {
	if len(d.X) == 0 {
		return failed("%w", errNoData)
	}
	if len(values) != len(d.X) {
		panic(fmt.Sprintf("figure: %d values of %d nodes", len(values), len(d.X)))
	}
	if !finite(values...) {
		return failed("want finite numbers")
	}
	f := newFigure(title, "", "")
	f.width, f.height = 5.6*vg.Centimeter, 5.3*vg.Centimeter // three in a row can be read on a phone
	p := f.panels[0]
	p.Add(&nodesWithValues{d, values})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.2, 1.2, -0.2, 1.2
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	p.X.Color, p.Y.Color = color.Transparent, color.Transparent
	return f
}

// nodesWithValues draws a Drawing of a few nodes.
type nodesWithValues struct {
	Drawing
	values []float64
}

func (d *nodesWithValues) Plot(c draw.Canvas, p *plot.Plot) {
	const radius = 11 // points
	trX, trY := p.Transforms(&c)
	at := func(i int) vg.Point { return vg.Point{X: trX(d.X[i]), Y: trY(d.Y[i])} }
	line := draw.LineStyle{Color: ink, Width: vg.Points(1)}
	for _, e := range d.Edges {
		a, b := at(e[0]), at(e[1])
		if e[0] != e[1] {
			c.StrokeLine2(line, a.X, a.Y, b.X, b.Y)
			continue
		}
		away := vg.Points(1.4 * radius) // from the middle of the drawing
		if a.X < c.Center().X {
			away = -away
		}
		c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: vg.Points(0.8 * radius), Shape: draw.RingGlyph{}}, vg.Point{X: a.X + away, Y: a.Y})
	}
	highest := 0.0
	for _, v := range d.values {
		highest = max(highest, math.Abs(v))
	}
	text := textStyle(labelSize)
	text.XAlign, text.YAlign = draw.XCenter, draw.YCenter
	for i, v := range d.values {
		share := 0.0
		if highest > 0 {
			share = v / highest
		}
		c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: vg.Points(radius + 0.8), Shape: draw.CircleGlyph{}}, at(i))
		c.DrawGlyph(draw.GlyphStyle{Color: signalColor(share), Radius: vg.Points(radius), Shape: draw.CircleGlyph{}}, at(i))
		text.Color = ink
		if math.Abs(share) > 0.6 {
			text.Color = background
		}
		c.FillText(text, at(i), signed(v))
	}
}

// signed formats a value with its sign.
func signed(v float64) string {
	switch {
	case v > 0:
		return fmt.Sprintf("+%.3g", v)
	case v < 0:
		return fmt.Sprintf("−%.3g", -v)
	}
	return "0"
}
