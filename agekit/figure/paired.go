package figure

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Paired draws the values of several runs under several conditions: one column
// of dots for each name, with a bar at their mean. A line joins the dots of the
// same run, so the reader sees in how many runs a step goes up. runs[r] has run
// r's value for each name. It panics if a run does not have a value for each
// name, or if there are no runs.
func Paired(title, yLabel string, names []string, runs [][]float64) *Figure {
	require(len(names) > 0 && len(runs) > 0, "Paired of no names or no runs")
	for r, values := range runs {
		require(len(values) == len(names), "run %d has %d values for %d names", r, len(values), len(names))
		if !finite(values...) {
			return failed("run %d: want finite numbers", r)
		}
	}
	f := newFigure(title, "", yLabel)
	p := f.panels[0]
	all := slices.Concat(runs...)
	p.Add(inColumns(len(names), slices.Min(all), slices.Max(all), pairedRuns(runs)))
	padRange(&p.Y, 0.05)
	nameAxis(&p.X, names)
	return f
}

// pairedRuns draws the values of runs, under one condition per column.
func pairedRuns(runs [][]float64) painter {
	return func(c draw.Canvas, trX, trY func(float64) vg.Length) {
		line := draw.LineStyle{Color: muted, Width: vg.Points(0.9)}
		dot := glyphStyle(0, vg.Points(2.6))
		for _, values := range runs {
			for k := 1; k < len(values); k++ {
				c.StrokeLine2(line, trX(float64(k-1)), trY(values[k-1]), trX(float64(k)), trY(values[k]))
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
		for k, mean := range means {
			c.StrokeLine2(bar, trX(float64(k)-0.18), trY(mean), trX(float64(k)+0.18), trY(mean))
		}
	}
}
