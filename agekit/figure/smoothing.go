package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Signal is a signal on the nodes of a graph: one number per node. In a
// SmoothingExplorer, X may be nil: then it shows the classes of the nodes.
type Signal struct {
	Name string
	X    []float64
}

// The axis of a SmoothingExplorer ends at few layers, or at many if it starts
// beyond few.
const (
	fewLayers  = 12
	manyLayers = 100
)

// SmoothingExplorer draws a graph whose nodes have the color of a signal's
// values, with a slider for the number of layers t of the filter H = I − k·L̃sym
// (paper, §3.3), one for k, and a choice of the signal. The thicker an edge, the
// more it contributes to the Rayleigh quotient, which is a sum over the edges.
// Beside the graph stands the Rayleigh quotient after each layer. Clicks on nodes
// make a signal of the reader's own. The Laplacian is that of the drawn graph
// alone. It starts with the first signal.
func SmoothingExplorer(title string, d Drawing, signals []Signal, start Response) Fragment {
	if err := checkSmoothing(d, signals, start); err != nil {
		return refused("%w", err)
	}
	most := fewLayers
	if start.Layers > fewLayers {
		most = manyLayers
	}
	drawn := nodesAndEdges{Drawing: d}
	if x := signals[0].X; x != nil {
		drawn.values = d.smooth(x, start)
		drawn.differences = d.differences(drawn.values)
	}
	return explorer{
		name: "smoothing", title: title,
		data: struct {
			Title      string
			Graph      Drawing
			Signals    []Signal
			K          float64
			Layers     int
			MostLayers int
		}{title, d.rounded(), signals, start.K, start.Layers, most},
		still: drawn.figure(title),
		text:  fmt.Sprintf("%s: %d nodes, %d edges\n", title, len(d.X), len(d.Edges)),
	}.fragment()
}

// checkSmoothing returns what is wrong with the data of a SmoothingExplorer.
func checkSmoothing(d Drawing, signals []Signal, start Response) error {
	switch {
	case len(signals) == 0:
		return errNoData
	case !(start.K >= 0.05 && start.K <= 1.5) || start.Layers < 0 || start.Layers > manyLayers:
		return fmt.Errorf("start with k = %v and t = %d: want k from 0.05 to 1.5 and t from 0 to %d", start.K, start.Layers, manyLayers)
	}
	for _, s := range signals {
		switch {
		case s.X == nil && d.Classes == nil:
			return fmt.Errorf("signal %q: the nodes have no classes to show", s.Name)
		case s.X == nil:
			continue
		case len(s.X) != len(d.X):
			panic(fmt.Sprintf("figure: signal %q has %d values: want %d", s.Name, len(s.X), len(d.X)))
		case !finite(s.X...) || !slices.ContainsFunc(s.X, func(v float64) bool { return v != 0 }):
			return fmt.Errorf("signal %q: want finite values that are not all 0", s.Name)
		}
	}
	return nil
}

// smooth returns what the filter makes of a signal.
func (d Drawing) smooth(x []float64, r Response) []float64 {
	var u, v []int32
	for _, e := range d.Edges {
		u, v = append(u, int32(e[0])), append(v, int32(e[1]))
	}
	adjacency, err := graph.Adjacency(len(d.X), u, v, nil)
	if err != nil {
		panic(fmt.Sprintf("figure: %v", err))
	}
	return laplacian.Filter{K: r.K, Layers: r.Layers}.SmoothSignal(laplacian.New(adjacency), x)
}

// differences returns what each edge contributes to the Rayleigh quotient of a
// signal, as a share of the largest contribution.
func (d Drawing) differences(x []float64) []float64 {
	degree := make([]float64, len(d.X)) // with self loops
	for i := range degree {
		degree[i] = 1
	}
	for _, e := range d.Edges {
		degree[e[0]]++
		degree[e[1]]++
	}
	shares := make([]float64, len(d.Edges))
	largest := 0.0
	for k, e := range d.Edges {
		difference := x[e[0]]/math.Sqrt(degree[e[0]]) - x[e[1]]/math.Sqrt(degree[e[1]])
		shares[k] = difference * difference
		largest = max(largest, shares[k])
	}
	for k := range shares {
		shares[k] /= max(largest, math.SmallestNonzeroFloat64)
	}
	return shares
}

// Graph draws a small graph. With values, one per node, nodes have colors from
// vermilion (negative) over white to blue (positive), scaled to the largest
// value; if values is nil, they have the colors of their classes.
func Graph(title string, d Drawing, values []float64) *Figure {
	return (&nodesAndEdges{Drawing: d, values: values}).figure(title)
}

// nodesAndEdges draws a Drawing.
type nodesAndEdges struct {
	Drawing
	values      []float64
	differences []float64 // of edges, from 0 to 1, or nil
}

func (d *nodesAndEdges) figure(title string) *Figure {
	if len(d.X) == 0 {
		return failed("%w", errNoData)
	}
	f := newFigure(title, "", "")
	f.height = 10.5 * vg.Centimeter
	p := f.panels[0]
	p.Add(d)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.03, 1.03, -0.04, 1.04
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	p.X.Color, p.Y.Color = color.Transparent, color.Transparent
	if d.values == nil {
		for c, name := range d.ClassNames {
			if slices.Contains(d.Classes, c) {
				style := draw.GlyphStyle{Color: colors[c%len(colors)], Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
				p.legend = append(p.legend, legendEntry{shortName(name), &plotter.Scatter{GlyphStyle: style}})
			}
		}
	}
	return f
}

func (d *nodesAndEdges) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	at := func(i int) vg.Point { return vg.Point{X: trX(d.X[i]), Y: trY(d.Y[i])} }
	for k, e := range d.Edges {
		a, b := at(e[0]), at(e[1])
		style := draw.LineStyle{Color: muted, Width: vg.Points(0.9)}
		if d.differences != nil {
			style = draw.LineStyle{Color: differing, Width: vg.Points(0.6 + 4*d.differences[k])}
		}
		c.StrokeLine2(style, a.X, a.Y, b.X, b.Y)
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
