package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Graph draws a small graph. With values, one per node, nodes have colors from
// vermilion (negative) over white to blue (positive), scaled to the largest magnitude of a
// value, with a key. If values is nil, nodes have the colors of their classes. In a graph of
// up to twelve nodes, the nodes' numbers stand inside them.
func Graph(title string, d Drawing, values []float64) *Figure {
	const mostNumbered = 12 // more nodes are drawn too small for a number
	return (&nodesAndEdges{Drawing: d, values: values, numbered: len(d.X) <= mostNumbered}).figure(title)
}

// SmallGraph draws a graph of a few nodes, each with its value inside: blue if it
// is positive, vermilion if it is negative. An edge from a node to itself is drawn
// as a loop.
func SmallGraph(title string, d Drawing, values []float64) *Figure {
	require(len(values) == len(d.X), "%d values of %d nodes", len(values), len(d.X))
	if !finite(values...) {
		return failed("want finite numbers")
	}
	f := (&nodesAndEdges{Drawing: d, values: values, written: true}).figure(title)
	if f.err != nil {
		return f
	}
	f.width, f.height = 5.6*vg.Centimeter, 5.3*vg.Centimeter // three in a row can be read on a phone
	p := f.panels[0]
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.2, 1.2, -0.2, 1.2 // places go from 0 to 1: room for large nodes and loops
	return f
}

// nodesAndEdges is a Drawing with all that sets how its nodes and edges look.
type nodesAndEdges struct {
	Drawing
	values     []float64 // one per node, shown as its color; or nil
	edgeShares []float64 // one per edge, from 0 to 1: the larger, the thicker the edge; or nil
	pairs      bool      // values are states of the nodes' pairs with the chosen node: 1, 0 or −1
	chosen     int       // the node drawn in black, if pairs is true
	written    bool      // the values stand inside the nodes
	numbered   bool      // the nodes' numbers stand inside the nodes
}

// figure returns the drawing with a legend, which is a key to the values or, without values,
// to the classes that nodes have.
func (d *nodesAndEdges) figure(title string) *Figure {
	if len(d.X) == 0 {
		return failed("%w", errNoData)
	}
	f, p := newFigure(title, "", "")
	f.height = 10.5 * vg.Centimeter
	p.Add(painter(d.paint))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.03, 1.03, -0.04, 1.04 // places go from 0 to 1: room for whole nodes
	p.hideAxes()
	if highest := d.largestValue(); highest > 0 && !d.written {
		for _, share := range []float64{1, 0.5, 0, -0.5, -1} {
			if share < 0 && floats.Min(d.values) >= 0 {
				break // no node has a negative value
			}
			name := signed(share * highest)
			if d.pairs {
				name = map[float64]string{1: "positive", 0: "unused", -1: "negative"}[share] // "" for halves: no entry
			}
			style := draw.GlyphStyle{Color: signalColor(share), Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
			if name != "" {
				p.legend = append(p.legend, legendEntry{name, &plotter.Scatter{GlyphStyle: style}})
			}
		}
	}
	for c, name := range d.ClassNames {
		if d.values == nil && slices.Contains(d.Classes, c) {
			style := draw.GlyphStyle{Color: colors[c%len(colors)], Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
			p.legend = append(p.legend, legendEntry{shortName(name), &plotter.Scatter{GlyphStyle: style}})
		}
	}
	return f
}

// paint draws the edges, with a loop beside its node, and then the nodes with what is written
// inside them. It is a [painter].
func (d *nodesAndEdges) paint(c draw.Canvas, trX, trY func(float64) vg.Length) {
	point := func(i int) vg.Point { return vg.Point{X: trX(d.X[i]), Y: trY(d.Y[i])} }
	radius, line := vg.Points(4), draw.LineStyle{Color: muted, Width: vg.Points(0.9)}
	if d.written || d.numbered {
		radius, line = vg.Points(11), draw.LineStyle{Color: ink, Width: vg.Points(1)}
	}
	for k, e := range d.Edges {
		if d.edgeShares != nil {
			line = draw.LineStyle{Color: differing, Width: vg.Points(0.6 + 4*d.edgeShares[k])}
		}
		a, b := point(e[0]), point(e[1])
		if e[0] != e[1] {
			c.StrokeLine2(line, a.X, a.Y, b.X, b.Y)
			continue
		}
		away := 1.4 * radius // from the middle of the drawing
		if a.X < c.Center().X {
			away = -away
		}
		c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: 0.8 * radius, Shape: draw.RingGlyph{}}, vg.Point{X: a.X + away, Y: a.Y})
	}
	highest := d.largestValue()
	text := textStyle(labelSize)
	text.XAlign, text.YAlign = draw.XCenter, draw.YCenter
	for i := range d.X {
		fill, share := faint, 0. // share is the node's value relative to the largest
		switch {
		case d.values != nil && (highest > 0 || d.written):
			share = d.values[i] / max(highest, math.SmallestNonzeroFloat64)
			fill = signalColor(share)
		case d.values == nil && d.Classes != nil:
			fill = colors[d.Classes[i]%len(colors)]
		}
		if d.pairs && i == d.chosen {
			c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: 1.6 * radius, Shape: draw.CircleGlyph{}}, point(i))
			continue
		}
		c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: radius + vg.Points(0.7), Shape: draw.CircleGlyph{}}, point(i))
		c.DrawGlyph(draw.GlyphStyle{Color: fill, Radius: radius, Shape: draw.CircleGlyph{}}, point(i))
		if d.written || d.numbered {
			text.Color = ink
			const darkShare = 0.6 // nodes with a larger share are too dark for black text
			if math.Abs(share) > darkShare || (d.values == nil && d.Classes != nil) {
				text.Color = background
			}
			label := strconv.Itoa(i)
			if d.written {
				label = signed(d.values[i])
			}
			c.FillText(text, point(i), label)
		}
	}
}

// largestValue returns the largest magnitude of the nodes' values, 0 without values.
func (d *nodesAndEdges) largestValue() float64 { return floats.Norm(d.values, math.Inf(1)) }

// signalColor returns the color of a value from −1 to 1, as ui.signal does in
// the browser.
func signalColor(value float64) color.RGBA {
	full := colors[0]
	if value < 0 {
		full = colors[1]
	}
	return mixed(color.RGBA{244, 244, 244, 255}, full, min(1, math.Abs(value)))
}

// signed returns v as text with its sign, + or −, and three digits; 0 has no sign.
func signed(v float64) string {
	if v == 0 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%+.3g", v), "-", "−", 1)
}
