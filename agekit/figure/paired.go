package figure

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Paired draws the values of several runs under several conditions: one column
// of dots for each name, with a bar at their mean. A line joins the dots of the
// same run, so the reader sees in how many runs a step goes up. runs[r] has run
// r's value for each name. It panics if a run does not have a value for each
// name, or if there are no runs.
func Paired(title, yLabel string, names []string, runs [][]float64) *Figure {
	if len(names) == 0 || len(runs) == 0 {
		panic("figure: Paired of no names or no runs")
	}
	f := newFigure(title, "", yLabel)
	p := f.panels[0]
	for r, values := range runs {
		if len(values) != len(names) {
			panic(fmt.Sprintf("figure: run %d has %d values for %d names", r, len(values), len(names)))
		}
		if !finite(values...) {
			return failed("run %d: want finite numbers", r)
		}
	}
	p.Add(pairedRuns(runs))
	padRange(&p.Y, 0.05)
	nameAxis(&p.X, names, func(i int) float64 { return float64(i) })
	return f
}

// pairedRuns are the values of runs, under one condition per column.
type pairedRuns [][]float64

func (r pairedRuns) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	line := draw.LineStyle{Color: muted, Width: vg.Points(0.9)}
	dot := glyphStyle(0, vg.Points(2.6))
	for _, values := range r {
		for k := 1; k < len(values); k++ {
			c.StrokeLine2(line, trX(float64(k-1)), trY(values[k-1]), trX(float64(k)), trY(values[k]))
		}
	}
	for _, values := range r {
		for k, v := range values {
			c.DrawGlyph(dot, vg.Point{X: trX(float64(k)), Y: trY(v)})
		}
	}
	bar := draw.LineStyle{Color: colors[1], Width: vg.Points(2)}
	for k := range r[0] {
		mean := 0.0
		for _, values := range r {
			mean += values[k] / float64(len(r))
		}
		c.StrokeLine2(bar, trX(float64(k)-0.18), trY(mean), trX(float64(k)+0.18), trY(mean))
	}
}

func (r pairedRuns) DataRange() (xmin, xmax, ymin, ymax float64) {
	_, _, ymin, ymax = plotter.XYRange(r.points())
	return -0.5, float64(len(r[0])) - 0.5, ymin, ymax
}

func (r pairedRuns) points() plotter.XYs {
	var points plotter.XYs
	for _, values := range r {
		for k, v := range values {
			points = append(points, plotter.XY{X: float64(k), Y: v})
		}
	}
	return points
}
