package figure

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scaling draws measurements against a size on logarithmic axes, with a power
// law fitted to each series of two or more points, by least squares on their
// logarithms. The law's exponent, which is the slope, and the growth per doubling
// appear next to the series' name. X and Y must be positive. It panics if a series
// has X and Y of different lengths, or if there are no series.
func Scaling(title, xLabel, yLabel string, series ...Series) *Figure {
	require(len(series) > 0, "Scaling of no series")
	f, p := newFigure(title, xLabel, yLabel)
	var names []string
	for i, s := range series {
		points, err := s.xys()
		if err != nil {
			return failed("%w", err)
		}
		logs, name := make(plotter.XYs, len(points)), shortName(s.Name)
		var x, y []float64
		for k, point := range points {
			if point.X <= 0 || point.Y <= 0 {
				return failed("series %q, point %d: (%v, %v): want positive numbers", s.Name, k, point.X, point.Y)
			}
			logs[k] = plotter.XY{X: math.Log10(point.X), Y: math.Log10(point.Y)}
			x, y = append(x, logs[k].X), append(y, logs[k].Y)
		}
		if lo, hi, _, _ := plotter.XYRange(logs); lo < hi {
			start, slope := stat.LinearRegression(x, y, nil, false)
			line := &plotter.Line{XYs: plotter.XYs{{X: lo, Y: start + slope*lo}, {X: hi, Y: start + slope*hi}}, LineStyle: lineStyle(i)}
			line.Width = vg.Points(1)
			p.Add(line)
			name += fmt.Sprintf(": slope %.2f, ×%.2f a doubling", slope, math.Exp2(slope))
		}
		p.Add(&plotter.Scatter{XYs: logs, GlyphStyle: glyphStyle(i, 3)})
		names = append(names, name)
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = logTicks{}, logTicks{}
	widen(&p.X, 0.06)
	widen(&p.Y, 0.06)
	p.Y.Max += (p.Y.Max - p.Y.Min) * 0.09 * float64(len(names)) // the names are above the points, at the left
	p.Add(painter(func(c draw.Canvas, _, _ func(float64) vg.Length) {
		style := textStyle(tickSize)
		style.YAlign = draw.YTop
		pad, y := 1.5*vg.Millimeter, c.Max.Y-vg.Millimeter
		for i, name := range names {
			at := vg.Point{X: c.Min.X + 3.5*pad, Y: y}
			box := style.Rectangle(name).Add(at)
			fillRectangle(c, veil, c.Min.X+pad, box.Max.X, box.Min.Y, box.Max.Y)
			c.DrawGlyph(glyphStyle(i, 3), vg.Point{X: c.Min.X + 2*pad, Y: (box.Min.Y + box.Max.Y) / 2})
			c.FillText(style, at, name)
			y -= 1.25 * style.Height(name)
		}
	}))
	return f
}

// veil makes text readable over curves.
var veil = color.NRGBA{255, 255, 255, 210}

// logTicks marks the powers of ten on an axis of decimal logarithms, and on
// short axes also 2 and 5 times these.
type logTicks struct{}

// Ticks implements [plot.Ticker].
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	short := hi-lo < 2
	var t []plot.Tick
	for e := math.Floor(lo); e <= hi; e++ {
		for digit := 1.0; digit < 10; digit++ {
			at, label := e+math.Log10(digit), ""
			if digit == 1 || short && (digit == 2 || digit == 5) {
				label = scaleLabel(digit, int(e))
			}
			if at >= lo && at <= hi {
				t = append(t, plot.Tick{Value: at, Label: label})
			}
		}
	}
	return t
}

// scaleLabel formats digit·10^e: from 0.001 to 999 in full, above that with k
// or M.
func scaleLabel(digit float64, e int) string {
	v := digit * math.Pow10(e)
	switch {
	case e < -3 || e > 8:
		return fmt.Sprintf("%.0e", v)
	case e >= 6:
		return strconv.FormatFloat(v/1e6, 'f', 0, 64) + "M"
	case e >= 3:
		return strconv.FormatFloat(v/1e3, 'f', 0, 64) + "k"
	}
	return strconv.FormatFloat(v, 'f', max(0, -e), 64)
}
