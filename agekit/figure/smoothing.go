package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Signal is a signal on the nodes of a graph: one number per node.
type Signal struct {
	Name string
	X    []float64
}

// smoothingLayers is the largest t of a SmoothingExplorer.
const smoothingLayers = 12

// SmoothingExplorer draws a graph whose nodes have the color of a signal's
// values, with a slider for the number of layers t of the filter H = I − k·L̃sym
// (paper, §3.3), one for k, and a choice of the signal. Beside it stands the
// Rayleigh quotient after each layer. A click on a node starts from a signal
// that is 1 there and 0 elsewhere. The Laplacian is that of the drawn graph
// alone.
func SmoothingExplorer(title string, d Drawing, signals []Signal, start Response) Fragment {
	var err error
	switch {
	case len(signals) == 0:
		err = errNoData
	case !(start.K >= 0.05 && start.K <= 1.5) || start.Layers < 0 || start.Layers > smoothingLayers:
		err = fmt.Errorf("start with k = %v and t = %d: want k from 0.05 to 1.5 and t from 0 to %d", start.K, start.Layers, smoothingLayers)
	}
	for _, s := range signals {
		if len(s.X) != len(d.X) {
			panic(fmt.Sprintf("figure: signal %q has %d values: want %d", s.Name, len(s.X), len(d.X)))
		}
		if !finite(s.X...) || !slices.ContainsFunc(s.X, func(v float64) bool { return v != 0 }) {
			err = fmt.Errorf("signal %q: want finite values that are not all 0", s.Name)
		}
	}
	if err != nil {
		return Fragment{err: fmt.Errorf("figure: %w", err)}
	}
	return interactive{
		name: "smoothing", title: title,
		data: struct {
			Title      string
			Graph      Drawing
			Signals    []Signal
			K          float64
			Layers     int
			MostLayers int
		}{title, d.rounded(), signals, start.K, start.Layers, smoothingLayers},
		still: Graph(title, d, signals[0].X),
		text:  fmt.Sprintf("%s: %d nodes, %d edges\n", title, len(d.X), len(d.Edges)),
	}.fragment()
}

// Graph draws a small graph. With values, one per node, nodes have colors from
// vermilion (negative) over white to blue (positive), scaled to the largest
// value; if values is nil, they have the colors of their classes.
func Graph(title string, d Drawing, values []float64) *Figure {
	if len(d.X) == 0 {
		return failed("%w", errNoData)
	}
	f := newFigure(title, "", "")
	f.height = 10.5 * vg.Centimeter
	p := f.panels[0]
	p.Add(&nodesAndEdges{d, values})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.03, 1.03, -0.04, 1.04
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	p.X.Color, p.Y.Color = color.Transparent, color.Transparent
	if values == nil {
		for c, name := range d.ClassNames {
			p.legend = append(p.legend, legendEntry{shortName(name), &plotter.Scatter{GlyphStyle: glyphStyle(c, vg.Points(3))}})
		}
	}
	return f
}

// nodesAndEdges draws a Drawing.
type nodesAndEdges struct {
	Drawing
	values []float64
}

func (d *nodesAndEdges) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	at := func(i int) vg.Point { return vg.Point{X: trX(d.X[i]), Y: trY(d.Y[i])} }
	for _, e := range d.Edges {
		a, b := at(e[0]), at(e[1])
		c.StrokeLine2(draw.LineStyle{Color: muted, Width: vg.Points(0.9)}, a.X, a.Y, b.X, b.Y)
	}
	highest := 0.0
	for _, v := range d.values {
		highest = max(highest, math.Abs(v))
	}
	const radius = 4 // points
	for i := range d.X {
		style := draw.GlyphStyle{Color: ink, Radius: vg.Points(radius + 0.6), Shape: draw.CircleGlyph{}}
		c.DrawGlyph(style, at(i))
		style.Radius = vg.Points(radius)
		switch {
		case d.values != nil && highest > 0:
			style.Color = signalColor(d.values[i] / highest)
		case d.values == nil && d.Classes != nil:
			style.Color = colors[d.Classes[i]%len(colors)]
		default:
			style.Color = faint
		}
		c.DrawGlyph(style, at(i))
	}
}

// signalColor returns the color of a value from −1 to 1, as ui.signal does in
// the browser.
func signalColor(value float64) color.RGBA {
	to, share := colors[0], min(1, math.Abs(value))
	if value < 0 {
		to = colors[1]
	}
	mix := func(c uint8) uint8 { return uint8(math.Round(244 + (float64(c)-244)*share)) }
	return color.RGBA{mix(to.R), mix(to.G), mix(to.B), 255}
}
