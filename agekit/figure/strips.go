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

// Strips draws a column for each series, with a point for each value of Y, from left to
// right in the order of Y. A bar marks the mean of the values, and a box one standard
// deviation around the mean. A dashed line in column i marks printed[i], a published value
// to compare with; NaN means none. printed has one entry per series.
func Strips(title, yLabel string, printed []float64, series ...Series) *Figure {
	if len(series) == 0 {
		return failed("%w", errNoData)
	}
	f, p := newFigure(title, "", yLabel)
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
		inSight := append([]float64{mean - deviation, mean + deviation}, s.Y...) // what the y axis has to reach
		if !math.IsNaN(printed[i]) {
			inSight = append(inSight, printed[i])
		}
		p.Add(inColumns(len(series), slices.Min(inSight), slices.Max(inSight), strip(float64(i), s.Y, mean, deviation, printed[i])))
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

// strip returns a painter of one column of [Strips], with its center at a place of the x axis.
func strip(center float64, values []float64, mean, deviation, printed float64) painter {
	return func(c draw.Canvas, trX, trY func(float64) vg.Length) {
		const half = 0.33             // half the width of the box, as a share of the column's
		const spread = 0.8 * 2 * half // of the points: they stay away from the box's edges
		x0, x1 := trX(center-half), trX(center+half)
		fillRectangle(c, faint, x0, x1, trY(mean-deviation), trY(mean+deviation))
		c.StrokeLine2(meanStyle, x0, trY(mean), x1, trY(mean))
		if !math.IsNaN(printed) {
			c.StrokeLine2(printedStyle, x0, trY(printed), x1, trY(printed))
		}
		for k, y := range values {
			offset := (float64(k)+0.5)/float64(len(values)) - 0.5 // from −0.5 to 0.5
			c.DrawGlyph(glyphStyle(0, vg.Points(2.4)), vg.Point{X: trX(center + spread*offset), Y: trY(y)})
		}
	}
}

// Paired draws the values of several runs under several conditions, whose names are names:
// one column of dots for each condition, with a bar at the mean of the dots. A line joins
// the dots of the same run, so that the reader sees in how many runs a step goes up.
// runs[r][k] is the value of run r under condition k. Paired panics if a run does not have
// one value for each name, or if there are no names or no runs.
func Paired(title, yLabel string, names []string, runs [][]float64) *Figure {
	require(len(names) > 0 && len(runs) > 0, "Paired of no names or no runs")
	for r, values := range runs {
		require(len(values) == len(names), "run %d has %d values for %d names", r, len(values), len(names))
		if !finite(values...) {
			return failed("run %d: want finite numbers", r)
		}
	}
	f, p := newFigure(title, "", yLabel)
	all := slices.Concat(runs...)
	p.Add(inColumns(len(names), slices.Min(all), slices.Max(all), pairedRuns(runs)))
	padRange(&p.Y, 0.05)
	nameAxis(&p.X, names)
	return f
}

// pairedRuns returns a painter of the lines, dots and means of [Paired].
func pairedRuns(runs [][]float64) painter {
	return func(c draw.Canvas, trX, trY func(float64) vg.Length) {
		line := draw.LineStyle{Color: muted, Width: vg.Points(0.9)}
		dot := glyphStyle(0, vg.Points(2.6))
		for _, values := range runs {
			for k := range len(values) - 1 {
				c.StrokeLine2(line, trX(float64(k)), trY(values[k]), trX(float64(k+1)), trY(values[k+1]))
			}
		}
		means := make([]float64, len(runs[0]))
		for _, values := range runs {
			for k, v := range values {
				c.DrawGlyph(dot, vg.Point{X: trX(float64(k)), Y: trY(v)})
				means[k] += v / float64(len(runs))
			}
		}
		bar := draw.LineStyle{Color: colors[1], Width: vg.Points(2)}
		const halfBar = 0.18 // of a column's width
		for k, mean := range means {
			c.StrokeLine2(bar, trX(float64(k)-halfBar), trY(mean), trX(float64(k)+halfBar), trY(mean))
		}
	}
}
