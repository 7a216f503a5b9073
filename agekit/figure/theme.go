package figure

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agekit/age/agekit/figure/palette"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The common style of all figures: sans serif, thin gray grid, no frame.
const (
	titleSize = 12  // points, as the next two
	labelSize = 11  // of the names of the axes
	tickSize  = 10  // of the numbers at the axes, and of legends
	lineWidth = 1.6 // points
	bold      = 3   // WeightBold of golang.org/x/image/font
	nameLimit = 28  // characters of a name in a legend or on an axis
)

var (
	background = color.RGBA{255, 255, 255, 255}
	ink        = color.RGBA{0x22, 0x22, 0x22, 255} // text and axes
	faint      = color.RGBA{0xe3, 0xe3, 0xe3, 255} // the grid and the boxes behind data
	muted      = color.RGBA{0xb4, 0xb9, 0xc1, 255} // data that stand back
	differing  = color.RGBA{0x8a, 0x91, 0x9c, 255} // edges between nodes that differ
)

// colors are those of [palette.DistinctColors], with Okabe and Ito's black.
var colors = [palette.DistinctColors]color.RGBA{
	{0x00, 0x72, 0xb2, 255}, // blue
	{0xd5, 0x5e, 0x00, 255}, // vermilion
	{0x00, 0x9e, 0x73, 255}, // green
	{0xcc, 0x79, 0xa7, 255}, // purple
	{0xe6, 0x9f, 0x00, 255}, // orange
	{0x56, 0xb4, 0xe9, 255}, // sky blue
	{0x00, 0x00, 0x00, 255}, // black
}

// dashes and shapes distinguish series that have the same color: there is no
// set of twenty colors that everybody can tell apart.
var (
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}}
	shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}
)

// lineStyle returns the style of the line of series 0, 1, 2, …: first in all colors as full
// lines, then in all colors with the first dashes, and so on.
func lineStyle(series int) draw.LineStyle {
	return draw.LineStyle{
		Color:  colors[series%len(colors)],
		Width:  vg.Points(lineWidth),
		Dashes: dashes[series/len(colors)%len(dashes)],
	}
}

// glyphStyle returns the mark of class 0, 1, 2, …: first circles in all colors, then triangles
// in all colors, then squares.
func glyphStyle(class int, radius vg.Length) draw.GlyphStyle {
	c := colors[class%len(colors)]
	shape := class / len(colors) % len(shapes)
	if shape > 0 {
		radius *= 1.2 // triangles and squares look smaller than circles
	}
	const opacity = 210 // of 255: marks below other marks shine through
	return draw.GlyphStyle{Color: color.NRGBA{c.R, c.G, c.B, opacity}, Radius: radius, Shape: shapes[shape]}
}

// textStyle returns the common style of text, at a size in points.
func textStyle(size float64) text.Style {
	return text.Style{
		Color:   ink,
		Font:    plotfont.From(plotfont.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size)),
		Handler: plot.DefaultTextHandler,
	}
}

// newFigure returns a figure in the common style, without data, and its only panel, to which
// the caller adds the data. A label may be empty.
func newFigure(title, xLabel, yLabel string) (*Figure, *panel) {
	p := &panel{Plot: plot.New()}
	p.Title.Text = clean(title)
	original := p.Title.TextStyle // whose alignment stays
	p.Title.TextStyle = textStyle(titleSize)
	p.Title.TextStyle.Font.Weight = bold
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = original.XAlign, original.YAlign
	p.Title.Padding = 2.5 * vg.Millimeter
	for axis, label := range map[*plot.Axis]string{&p.X: xLabel, &p.Y: yLabel} {
		axis.Label.Text = clean(label)
		axis.Label.TextStyle.Font = textStyle(labelSize).Font
		axis.Label.TextStyle.Color = ink
		axis.Label.Padding = 1 * vg.Millimeter
		axis.Tick.Label.Font = textStyle(tickSize).Font
		axis.Tick.Label.Color = ink
		axis.Tick.Length = 1.2 * vg.Millimeter
		axis.Tick.Color, axis.Color = ink, ink
		axis.Tick.Marker = ticks{}
		axis.Padding = 0
	}
	grid := plotter.NewGrid()
	grid.Horizontal = draw.LineStyle{Color: faint, Width: vg.Points(0.6)}
	grid.Vertical = grid.Horizontal
	p.Add(grid)
	return &Figure{panels: []*panel{p}, width: width, height: height}, p
}

// ticks marks about six round numbers on an axis, with a proper minus sign and with k or
// M for thousands and millions.
type ticks struct{}

// Ticks implements [plot.Ticker]: it returns the round numbers from lo to hi with their labels.
func (ticks) Ticks(lo, hi float64) []plot.Tick {
	const wanted = 6
	const tolerance = 1e-9 // of a step: rounding must not lose a tick at an end
	// Between values that differ in their last digits alone there are no round numbers: the
	// least range keeps the logarithm below finite.
	raw := max(hi-lo, 1e-12*max(math.Abs(lo), math.Abs(hi))) / wanted // a step that need not be round
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, nice := range []float64{1, 2, 5, 10} {
		if step*nice >= raw*0.99 { // a range that is barely too large still gets the smaller step
			step *= nice
			break
		}
	}
	decimals := max(0, int(math.Ceil(-math.Log10(step)-tolerance)))
	unit, suffix := 1.0, ""
	switch {
	case step >= 1e5:
		unit, suffix, decimals = 1e6, "M", 1
	case step >= 1e2 && hi >= 1e4:
		unit, suffix, decimals = 1e3, "k", 1
	}
	var t []plot.Tick
	for i := math.Ceil(lo/step - tolerance); i*step <= hi+tolerance*step; i++ {
		label := strconv.FormatFloat(i*step/unit, 'f', decimals, 64)
		if suffix != "" {
			label = strings.TrimSuffix(label, ".0") + suffix
		}
		if i == 0 {
			label = "0"
		}
		t = append(t, plot.Tick{Value: i * step, Label: strings.Replace(label, "-", "−", 1)})
	}
	return t
}

// veil makes text readable over curves.
var veil = color.NRGBA{255, 255, 255, 210}

// verticalLine returns a painter of a dashed vertical line at a value of the x axis. The label
// stands at the line's top, to its right, or to its left where there is no room.
func verticalLine(value float64, label string) painter {
	return func(c draw.Canvas, trX, _ func(float64) vg.Length) {
		x := trX(value)
		if !c.ContainsX(x) {
			return
		}
		line := draw.LineStyle{Color: ink, Width: vg.Points(1.2), Dashes: []vg.Length{4, 2}}
		c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
		style := textStyle(tickSize)
		style.YAlign = draw.YTop
		pad := 1 * vg.Millimeter
		corner := vg.Point{X: x + pad, Y: c.Max.Y}
		if x+pad+style.Width(label) > c.Max.X {
			style.XAlign = draw.XRight
			corner.X = x - pad
		}
		box := style.Rectangle(label).Add(corner)
		fillRectangle(c, veil, box.Min.X, box.Max.X, box.Min.Y, box.Max.Y)
		c.FillText(style, corner, label)
	}
}

// clean returns s as text that every format can hold: valid UTF-8 without
// control characters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// shortName returns clean(s), cut to nameLimit characters, so that it fits a legend.
func shortName(s string) string {
	r := []rune(clean(s))
	if len(r) > nameLimit {
		return string(r[:nameLimit-1]) + "…"
	}
	return string(r)
}

// finite reports whether no value is NaN or infinite.
func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
