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

// powerLaw is y = Factor·x^Exponent.
type powerLaw struct{ Factor, Exponent float64 }

// fitPowerLaw fits a power law to two or more points by least squares on their
// logarithms.
func fitPowerLaw(x, y []float64) powerLaw {
	logX, logY := make([]float64, len(x)), make([]float64, len(y))
	for i := range x {
		logX[i], logY[i] = math.Log(x[i]), math.Log(y[i])
	}
	factor, exponent := stat.LinearRegression(logX, logY, nil, false)
	return powerLaw{math.Exp(factor), exponent}
}

// at returns the law's y at x.
func (p powerLaw) at(x float64) float64 { return p.Factor * math.Pow(x, p.Exponent) }

// perDoubling returns the factor by which y grows when x doubles.
func (p powerLaw) perDoubling() float64 { return math.Exp2(p.Exponent) }

// Scaling draws measurements against a size on logarithmic axes, with a power
// law fitted to each series of two or more points. The law's exponent, which
// is the slope, and the growth per doubling appear next to the series' name. X
// and Y must be positive. It panics if a series has X and Y of different
// lengths, or if there are no series.
func Scaling(title, xLabel, yLabel string, series ...Series) *Figure {
	if len(series) == 0 {
		panic("figure: Scaling of no series")
	}
	f := newFigure(title, xLabel, yLabel)
	p := f.panels[0]
	var names scalingNames
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
			x, y = append(x, point.X), append(y, point.Y)
			logs[k] = plotter.XY{X: math.Log10(point.X), Y: math.Log10(point.Y)}
		}
		if lo, hi := plotter.Range(plotter.XValues{XYer: logs}); lo < hi {
			law := fitPowerLaw(x, y)
			at := func(log float64) plotter.XY { return plotter.XY{X: log, Y: math.Log10(law.at(math.Pow(10, log)))} }
			line := &plotter.Line{XYs: plotter.XYs{at(lo), at(hi)}, LineStyle: lineStyle(i)}
			line.Width = vg.Points(1)
			p.Add(line)
			name += fmt.Sprintf(": slope %.2f, ×%.2f a doubling", law.Exponent, law.perDoubling())
		}
		p.Add(&plotter.Scatter{XYs: logs, GlyphStyle: glyphStyle(i, 3)})
		names = append(names, name)
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = logTicks{}, logTicks{}
	widen(&p.X, 0.06)
	widen(&p.Y, 0.06)
	// The names are above the points, at the left.
	p.Y.Max += (p.Y.Max - p.Y.Min) * 0.09 * float64(len(names))
	p.Add(names)
	return f
}

// widen adds a share of the range at both ends of an axis, or half a unit if
// the range is empty.
func widen(a *plot.Axis, share float64) {
	pad := share * (a.Max - a.Min)
	if pad == 0 {
		pad = 0.5
	}
	a.Min -= pad
	a.Max += pad
}

// scalingNames are the names of the series, drawn in the upper left corner.
type scalingNames []string

func (s scalingNames) Plot(c draw.Canvas, _ *plot.Plot) {
	style := textStyle(tickSize)
	style.YAlign = draw.YTop
	pad, y := 1.5*vg.Millimeter, c.Max.Y-vg.Millimeter
	for i, name := range s {
		glyph := glyphStyle(i, 3)
		at := vg.Point{X: c.Min.X + 2*pad, Y: y}
		box := style.Rectangle(name).Add(vg.Point{X: at.X + 1.5*pad, Y: at.Y})
		fillRectangle(c, color.NRGBA{255, 255, 255, 210}, c.Min.X+pad, box.Max.X, box.Min.Y, box.Max.Y)
		c.DrawGlyph(glyph, vg.Point{X: at.X, Y: (box.Min.Y + box.Max.Y) / 2})
		c.FillText(style, vg.Point{X: at.X + 1.5*pad, Y: at.Y}, name)
		y -= 1.25 * style.Height(name)
	}
}

// logTicks marks the powers of ten on an axis of decimal logarithms, and on
// short axes also 2 and 5 times these.
type logTicks struct{}

func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	short := hi-lo < 2
	var t []plot.Tick
	for e := math.Floor(lo); e <= hi; e++ {
		for digit := 1.0; digit < 10; digit++ {
			at := e + math.Log10(digit)
			if at < lo || at > hi {
				continue
			}
			label := ""
			if digit == 1 || short && (digit == 2 || digit == 5) {
				label = scaleLabel(digit, int(e))
			}
			t = append(t, plot.Tick{Value: at, Label: label})
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
