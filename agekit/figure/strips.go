package figure

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	meanStyle    = draw.LineStyle{Color: ink, Width: vg.Points(1.6)}
	printedStyle = draw.LineStyle{Color: colors[1], Width: vg.Points(1.6), Dashes: []vg.Length{vg.Points(4), vg.Points(2)}}
)

// Strips draws a column of points for each series, one point per value of Y, from left
// to right in the order of the values. A bar marks the mean and a box one
// standard deviation around it; a dashed line marks what is printed for the series, a
// value to compare with, or NaN for none.
func Strips(title, yLabel string, printed []float64, series ...Series) *Figure {
	if len(series) == 0 {
		return failed("%w", errNoData)
	}
	f := newFigure(title, "", yLabel)
	p := f.panels[0]
	var names []string
	for i, s := range series {
		if len(s.Y) == 0 {
			return failed("strip %q: %w", s.Name, errNoData)
		}
		if !finite(s.Y...) || math.IsInf(printed[i], 0) {
			return failed("strip %q: want finite numbers", s.Name)
		}
		names = append(names, s.Name)
		f.marks += len(s.Y)
		mean, deviation := stat.MeanStdDev(s.Y, nil)
		if len(s.Y) == 1 {
			deviation = 0 // a single value has none
		}
		all := append([]float64{mean - deviation, mean + deviation}, s.Y...)
		if !math.IsNaN(printed[i]) {
			all = append(all, printed[i])
		}
		p.Add(inColumns(len(series), slices.Min(all), slices.Max(all), strip(float64(i), s.Y, mean, deviation, printed[i])))
	}
	padRange(&p.Y, 0.05)
	nameAxis(&p.X, names)
	p.legend = []legendEntry{
		{"one run", &plotter.Scatter{GlyphStyle: glyphStyle(0, vg.Points(2.4))}},
		{"mean", &plotter.Line{LineStyle: meanStyle}},
		{"± deviation", swatch{faint}},
	}
	if slices.ContainsFunc(printed, func(v float64) bool { return !math.IsNaN(v) }) {
		p.legend = append(p.legend, legendEntry{"printed", &plotter.Line{LineStyle: printedStyle}})
	}
	return f
}

// strip draws the column at a place of the x axis.
func strip(at float64, values []float64, mean, deviation, printed float64) painter {
	return func(c draw.Canvas, trX, trY func(float64) vg.Length) {
		const half = 0.33 // of a column's width
		left, right := trX(at-half), trX(at+half)
		fillRectangle(c, faint, left, right, trY(mean-deviation), trY(mean+deviation))
		c.StrokeLine2(meanStyle, left, trY(mean), right, trY(mean))
		if !math.IsNaN(printed) {
			c.StrokeLine2(printedStyle, left, trY(printed), right, trY(printed))
		}
		for k, y := range values {
			offset := (float64(k)+0.5)/float64(len(values)) - 0.5
			c.DrawGlyph(glyphStyle(0, vg.Points(2.4)), vg.Point{X: trX(at + 1.6*half*offset), Y: trY(y)})
		}
	}
}
