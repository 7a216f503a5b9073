package figure

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Strip is a column of [Strips]: the values of one method, one per run.
type Strip struct {
	Name string
	Y    []float64
	// Printed is a value to compare with, such as the one that a paper
	// prints, or NaN for none.
	Printed float64
}

// Strips draws a column of points for each strip, one point per value, from left
// to right in the order of the values. A bar marks the mean and a box one
// standard deviation around it; a dashed line marks the printed value.
func Strips(title, yLabel string, strips ...Strip) *Figure {
	f := newFigure(title, "", yLabel)
	p := f.panels[0]
	names := make([]string, len(strips))
	anyPrinted := false
	for i, s := range strips {
		if len(s.Y) == 0 {
			return failed("strip %q: %w", s.Name, errNoData)
		}
		if !finite(s.Y...) || math.IsInf(s.Printed, 0) {
			return failed("strip %q: want finite numbers", s.Name)
		}
		names[i] = s.Name
		anyPrinted = anyPrinted || !math.IsNaN(s.Printed)
		f.marks += len(s.Y)
		p.Add(column{s, i})
	}
	if len(strips) == 0 {
		return failed("%w", errNoData)
	}
	padRange(&p.Y, 0.05)
	nameAxis(&p.X, names, func(i int) float64 { return float64(i) })
	p.legend = []legendEntry{
		{"one run", &plotter.Scatter{GlyphStyle: glyphStyle(0, vg.Points(2.4))}},
		{"mean", &plotter.Line{LineStyle: meanStyle}},
		{"± deviation", swatch{faint}},
	}
	if anyPrinted {
		p.legend = append(p.legend, legendEntry{"printed", &plotter.Line{LineStyle: printedStyle}})
	}
	return f
}

var (
	meanStyle    = draw.LineStyle{Color: ink, Width: vg.Points(1.6)}
	printedStyle = draw.LineStyle{Color: colors[1], Width: vg.Points(1.6), Dashes: []vg.Length{vg.Points(4), vg.Points(2)}}
)

// column is a strip at a place of the x axis.
type column struct {
	Strip
	at int
}

// meanAndDeviation returns a deviation of 0 for a single value, which has none.
func (c column) meanAndDeviation() (mean, deviation float64) {
	mean, deviation = stat.MeanStdDev(c.Y, nil)
	if len(c.Y) == 1 {
		deviation = 0
	}
	return mean, deviation
}

func (c column) Plot(to draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&to)
	place := func(offset float64) vg.Length { return trX(float64(c.at) + offset) }
	mean, deviation := c.meanAndDeviation()
	const half = 0.33 // of a column's width
	fillRectangle(to, faint, place(-half), place(half), trY(mean-deviation), trY(mean+deviation))
	to.StrokeLine2(meanStyle, place(-half), trY(mean), place(half), trY(mean))
	if !math.IsNaN(c.Printed) {
		to.StrokeLine2(printedStyle, place(-half), trY(c.Printed), place(half), trY(c.Printed))
	}
	for k, y := range c.Y {
		offset := (float64(k)+0.5)/float64(len(c.Y)) - 0.5
		to.DrawGlyph(glyphStyle(0, vg.Points(2.4)), vg.Point{X: place(1.6 * half * offset), Y: trY(y)})
	}
}

func (c column) DataRange() (xmin, xmax, ymin, ymax float64) {
	mean, deviation := c.meanAndDeviation()
	ymin, ymax = mean-deviation, mean+deviation
	for _, y := range c.Y {
		ymin, ymax = min(ymin, y), max(ymax, y)
	}
	if !math.IsNaN(c.Printed) {
		ymin, ymax = min(ymin, c.Printed), max(ymax, c.Printed)
	}
	return float64(c.at) - 0.5, float64(c.at) + 0.5, ymin, ymax
}
