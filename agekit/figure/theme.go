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
	titleSize = 12
	labelSize = 11
	tickSize  = 10
	lineWidth = 1.6 // points
	bold      = 3   // WeightBold of golang.org/x/image/font
	nameLimit = 28  // characters of a name in a legend or on an axis
)

var (
	background = color.RGBA{255, 255, 255, 255}
	ink        = color.RGBA{0x22, 0x22, 0x22, 255}
	faint      = color.RGBA{0xe3, 0xe3, 0xe3, 255}
	muted      = color.RGBA{0xb4, 0xb9, 0xc1, 255}
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

// lineStyle returns the style of the line of a series: all colors come before the next dashes.
func lineStyle(series int) draw.LineStyle {
	return draw.LineStyle{
		Color:  colors[series%len(colors)],
		Width:  vg.Points(lineWidth),
		Dashes: dashes[series/len(colors)%len(dashes)],
	}
}

// glyphStyle returns the mark of a class: all colors come before the next shape.
func glyphStyle(class int, radius vg.Length) draw.GlyphStyle {
	c := colors[class%len(colors)]
	shape := class / len(colors) % len(shapes)
	if shape > 0 {
		radius *= 1.2 // triangles and squares look smaller than circles
	}
	return draw.GlyphStyle{Color: color.NRGBA{c.R, c.G, c.B, 210}, Radius: radius, Shape: shapes[shape]}
}

// textStyle returns the style of all text, in points.
func textStyle(size float64) text.Style {
	return text.Style{
		Color:   ink,
		Font:    plotfont.From(plotfont.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size)),
		Handler: plot.DefaultTextHandler,
	}
}

// newFigure returns a figure in the common style, and its only panel.
func newFigure(title, xLabel, yLabel string) (*Figure, *panel) {
	p := &panel{Plot: plot.New()}
	p.Title.Text = clean(title)
	align := p.Title.TextStyle
	p.Title.TextStyle = textStyle(titleSize)
	p.Title.TextStyle.Font.Weight = bold
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = align.XAlign, align.YAlign
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

// ticks marks about six round numbers, with a proper minus sign and with k or
// M for thousands and millions.
type ticks struct{}

func (ticks) Ticks(lo, hi float64) []plot.Tick {
	const wanted = 6
	// Values that differ in their last digits alone have no round numbers between them.
	raw := max(hi-lo, 1e-12*max(math.Abs(lo), math.Abs(hi))) / wanted
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, nice := range []float64{1, 2, 5, 10} {
		if step*nice >= raw*0.99 {
			step *= nice
			break
		}
	}
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	unit, suffix := 1.0, ""
	switch {
	case step >= 1e5:
		unit, suffix, decimals = 1e6, "M", 1
	case step >= 1e2 && hi >= 1e4:
		unit, suffix, decimals = 1e3, "k", 1
	}
	var t []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+1e-9*step; i++ {
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

// verticalLine marks a value on the x axis.
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

// shortName returns clean text, shortened to fit a legend.
func shortName(s string) string {
	r := []rune(clean(s))
	if len(r) > nameLimit {
		return string(r[:nameLimit-1]) + "…"
	}
	return string(r)
}

func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
