package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is a named sequence of numbers.
type Series struct {
	Name string
	// X holds the positions of Y, or is nil for 1, 2, 3, …
	X, Y []float64
	// Deviation is the standard deviation of each Y, which Lines draws as
	// an error bar; NaN means none, as for a single value. Nil: no bars.
	Deviation []float64
	// Circled is the number of a point, from 1, that Lines draws a circle around; 0: none.
	Circled int
}

// xys returns the points of s, or an error if one is not finite. It panics if
// X and Y have different lengths.
func (s Series) xys() (plotter.XYs, error) {
	if s.X != nil && len(s.X) != len(s.Y) {
		panic(fmt.Sprintf("figure: series %q has %d positions for %d values", s.Name, len(s.X), len(s.Y)))
	}
	if len(s.Y) == 0 {
		return nil, fmt.Errorf("series %q: %w", s.Name, errNoData)
	}
	points := make(plotter.XYs, len(s.Y))
	for i, y := range s.Y {
		points[i] = plotter.XY{X: float64(i + 1), Y: y}
		if s.X != nil {
			points[i].X = s.X[i]
		}
		if !finite(points[i].X, y) {
			return nil, fmt.Errorf("series %q, point %d: (%v, %v): want finite numbers", s.Name, i, points[i].X, y)
		}
	}
	return points, nil
}

// deviations returns the error bars of the points that have a deviation. It
// panics if the number of deviations is neither 0 nor the number of points.
func (s Series) deviations(points plotter.XYs) *plotter.YErrorBars {
	if s.Deviation != nil && len(s.Deviation) != len(points) {
		panic(fmt.Sprintf("figure: series %q has %d deviations for %d values", s.Name, len(s.Deviation), len(points)))
	}
	bars := &plotter.YErrorBars{}
	for i, d := range s.Deviation {
		if finite(d) {
			bars.XYs = append(bars.XYs, points[i])
			bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{d, d})
		}
	}
	return bars
}

// drawnPoints is the maximum number of points drawn per line: a page cannot
// show more, and each costs bytes in an SVG.
const drawnPoints = 2000

// thin keeps the lowest and the highest point of each stretch of a long line,
// so that no peak is lost.
func thin(points plotter.XYs) plotter.XYs {
	if len(points) <= drawnPoints {
		return points
	}
	var out plotter.XYs
	stretches := drawnPoints / 2
	for s := range stretches {
		part := points[s*len(points)/stretches : (s+1)*len(points)/stretches]
		low, high := 0, 0
		for i, p := range part {
			if p.Y < part[low].Y {
				low = i
			}
			if p.Y > part[high].Y {
				high = i
			}
		}
		out = append(out, part[min(low, high)])
		if low != high {
			out = append(out, part[max(low, high)])
		}
	}
	return out
}

// Lines draws each series as a line, with a legend if there are several. It
// panics if a series has X and Y of different lengths, or if there are no
// series.
func Lines(title, xLabel, yLabel string, series ...Series) *Figure {
	if len(series) == 0 {
		panic("figure: Lines of no series")
	}
	f := newFigure(title, xLabel, yLabel)
	p := f.panels[0]
	for i, s := range series {
		points, err := s.xys()
		if err != nil {
			return failed("%w", err)
		}
		line := &plotter.Line{XYs: thin(points), LineStyle: lineStyle(i)}
		p.Add(line)
		if len(points) == 1 { // a line with a single point is invisible
			p.Add(&plotter.Scatter{XYs: points, GlyphStyle: glyphStyle(i, 2.5)})
		}
		if s.Circled > 0 {
			ring := draw.GlyphStyle{Color: lineStyle(i).Color, Radius: vg.Points(4), Shape: draw.RingGlyph{}}
			p.Add(&plotter.Scatter{XYs: points[s.Circled-1 : s.Circled], GlyphStyle: ring})
		}
		if bars := s.deviations(points); len(bars.XYs) > 0 {
			bars.LineStyle = lineStyle(i)
			bars.Width, bars.Dashes = vg.Points(lineWidth/2), nil
			bars.CapWidth = vg.Points(3)
			p.Add(bars)
		}
		if len(series) > 1 {
			p.legend = append(p.legend, legendEntry{shortName(s.Name), line})
		}
	}
	padRange(&p.Y, 0.05)
	p.full = true
	return f
}

// padRange widens an axis by a share of its range at both ends, but not below
// 0 if all data are positive.
func padRange(a *plot.Axis, share float64) {
	pad := share * (a.Max - a.Min)
	if a.Min >= 0 {
		a.Min = max(0, a.Min-pad)
	} else {
		a.Min -= pad
	}
	a.Max += pad
}

// Bars draws a group of bars for each name, with one bar per series: series s
// gives names[i] a bar of height s.Y[i]; its X is not used. It panics if a
// series does not have a value for each name.
func Bars(title, yLabel string, names []string, series ...Series) *Figure {
	if len(series) == 0 || len(names) == 0 {
		panic("figure: Bars of no series or no names")
	}
	f := newFigure(title, "", yLabel)
	p := f.panels[0]
	for i, s := range series {
		if len(s.Y) != len(names) {
			panic(fmt.Sprintf("figure: series %q has %d values for %d names", s.Name, len(s.Y), len(names)))
		}
		if !finite(s.Y...) {
			return failed("series %q: want finite numbers", s.Name)
		}
		b := groupedBars{heights: s.Y, at: i, of: len(series), fill: colors[i%len(colors)]}
		p.Add(b)
		if len(series) > 1 {
			p.legend = append(p.legend, legendEntry{shortName(s.Name), swatch{b.fill}})
		}
	}
	p.Y.Max += 0.05 * (p.Y.Max - p.Y.Min)
	nameAxis(&p.X, names, func(i int) float64 { return float64(i) })
	return f
}

// nameAxis labels an axis with names instead of numbers, slanted if they are
// too long to fit next to each other.
func nameAxis(a *plot.Axis, names []string, at func(int) float64) {
	const sideBySide = 70 // characters
	var labels plot.ConstantTicks
	longest := 0
	for i, name := range names {
		labels = append(labels, plot.Tick{Value: at(i), Label: shortName(name)})
		longest = max(longest, len([]rune(labels[i].Label)))
	}
	a.Tick.Marker = labels
	a.Tick.Length = 0
	horizontal := a.Tick.Label.YAlign == draw.YTop
	if horizontal && longest*len(names) > sideBySide {
		a.Tick.Label.Rotation = math.Pi / 4
		a.Tick.Label.XAlign = draw.XRight
	}
}

// groupedBars are the bars of one series: bar number at in each group of of
// bars. Unlike in plotter.BarChart, their width scales with the axis.
type groupedBars struct {
	heights []float64
	at, of  int
	fill    color.Color
}

func (b groupedBars) bounds(i int) (lo, hi float64) {
	w := 0.8 / float64(b.of)
	lo = float64(i) - 0.4 + float64(b.at)*w
	return lo, lo + w
}

func (b groupedBars) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	for i, h := range b.heights {
		lo, hi := b.bounds(i)
		fillRectangle(c, b.fill, trX(lo), trX(hi), trY(0), trY(h))
	}
}

func (b groupedBars) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, h := range b.heights {
		ymin, ymax = min(ymin, h), max(ymax, h)
	}
	return -0.5, float64(len(b.heights)) - 0.5, ymin, ymax
}

// swatch is the thumbnail of a filled area.
type swatch struct{ fill color.Color }

func (s swatch) Thumbnail(c *draw.Canvas) {
	fillRectangle(*c, s.fill, c.Min.X, c.Max.X, c.Min.Y, c.Max.Y)
}
