package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// painter is a [plot.Plotter] made of a function. The function draws on c; x and y turn a
// value on the axis into its place on c.
type painter func(c draw.Canvas, x, y func(float64) vg.Length)

// Plot implements [plot.Plotter].
func (p painter) Plot(c draw.Canvas, panel *plot.Plot) {
	x, y := panel.Transforms(&c)
	p(c, x, y)
}

// ranged is a painter that also says the range of its data, to which the axes are widened.
type ranged struct {
	painter
	xmin, xmax, ymin, ymax float64
}

// DataRange implements [plot.DataRanger].
func (r ranged) DataRange() (xmin, xmax, ymin, ymax float64) { return r.xmin, r.xmax, r.ymin, r.ymax }

// inColumns returns paint with the range of n columns, which are centered at 0 to n−1 on the
// x axis and one unit wide, and of values from ymin to ymax.
func inColumns(n int, ymin, ymax float64, paint painter) ranged {
	return ranged{painter: paint, xmin: -0.5, xmax: float64(n) - 0.5, ymin: ymin, ymax: ymax}
}

// swatch is the thumbnail of a filled area.
type swatch struct{ fill color.Color }

// Thumbnail implements [plot.Thumbnailer].
func (s swatch) Thumbnail(c *draw.Canvas) {
	fillRectangle(*c, s.fill, c.Min.X, c.Max.X, c.Min.Y, c.Max.Y)
}

// fillRectangle fills the rectangle from (x0, y0) to (x1, y1) on c.
func fillRectangle(c draw.Canvas, fill color.Color, x0, x1, y0, y1 vg.Length) {
	c.FillPolygon(fill, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// mixed returns a color between start, at share 0, and end, at share 1.
func mixed(start, end color.RGBA, share float64) color.RGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	return color.RGBA{mix(start.R, end.R), mix(start.G, end.G), mix(start.B, end.B), 255}
}

// padRange widens an axis by a share of its range at both ends, but not below 0 if no data
// are negative.
func padRange(a *plot.Axis, share float64) {
	noneNegative := a.Min >= 0
	widenAxis(a, share)
	if noneNegative {
		a.Min = max(0, a.Min)
	}
}

// widenAxis adds a share of the range at both ends of an axis, or half a unit if
// the range is empty.
func widenAxis(a *plot.Axis, share float64) {
	pad := share * (a.Max - a.Min)
	if pad == 0 {
		pad = 0.5
	}
	a.Min, a.Max = a.Min-pad, a.Max+pad
}

// nameAxis labels an axis with names at 0, 1, 2, … instead of numbers, slanted if
// they are too long to fit next to each other.
func nameAxis(a *plot.Axis, names []string) {
	const sideBySide = 70 // characters that fit below a horizontal axis, at the figure's usual width
	var labels plot.ConstantTicks
	longest := 0
	for i, name := range names {
		labels = append(labels, plot.Tick{Value: float64(i), Label: shortName(name)})
		longest = max(longest, len([]rune(labels[i].Label)))
	}
	a.Tick.Marker = labels
	a.Tick.Length = 0
	horizontal := a.Tick.Label.YAlign == draw.YTop // the labels of an x axis hang below it
	if horizontal && longest*len(names) > sideBySide {
		a.Tick.Label.Rotation = math.Pi / 4
		a.Tick.Label.XAlign = draw.XRight
	}
}

// hideAxes leaves the axes of a panel without numbers and lines.
func (p *panel) hideAxes() {
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	p.X.Color, p.Y.Color = color.Transparent, color.Transparent
}
