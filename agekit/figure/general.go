package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

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
	// Circled is the number of a point, from 1, that Lines marks with a circle; 0: none.
	Circled int
}

// xys returns the points of s, or an error if there are none or one is not finite. It panics
// if X, Y and Deviation have different lengths.
func (s Series) xys() (plotter.XYs, error) {
	require(s.X == nil || len(s.X) == len(s.Y), "series %q has %d positions for %d values", s.Name, len(s.X), len(s.Y))
	require(s.Deviation == nil || len(s.Deviation) == len(s.Y), "series %q has %d deviations for %d values", s.Name, len(s.Deviation), len(s.Y))
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

// drawnPoints is the most points per line: a page shows no more, and each costs bytes.
const drawnPoints = 2000

// thinned returns at most drawnPoints points of a line, in order. It keeps the lowest and the
// highest point of each stretch of the line, so that no peak is lost.
func thinned(points plotter.XYs) plotter.XYs {
	if len(points) <= drawnPoints {
		return points
	}
	var out plotter.XYs
	byY := func(a, b plotter.XY) int { return cmp.Compare(a.Y, b.Y) }
	stretchLength := (2*len(points) + drawnPoints - 1) / drawnPoints // rounded up: two points per stretch
	for stretch := range slices.Chunk(points, stretchLength) {
		first, second := slices.MinFunc(stretch, byY), slices.MaxFunc(stretch, byY)
		if first.X > second.X {
			first, second = second, first
		}
		out = append(out, first)
		if first != second {
			out = append(out, second)
		}
	}
	return out
}

// Lines draws each series as a line, with a legend if there are several series. It panics if
// the lengths within a series differ, or if there are no series.
func Lines(title, xLabel, yLabel string, series ...Series) *Figure {
	require(len(series) > 0, "Lines of no series")
	f, p := newFigure(title, xLabel, yLabel)
	for i, s := range series {
		points, err := s.xys()
		if err != nil {
			return failed("%w", err)
		}
		line := &plotter.Line{XYs: thinned(points), LineStyle: lineStyle(i)}
		p.Add(line)
		if len(points) == 1 { // a line with a single point is invisible
			p.Add(&plotter.Scatter{XYs: points, GlyphStyle: glyphStyle(i, 2.5)})
		}
		if s.Circled > 0 {
			circle := draw.GlyphStyle{Color: lineStyle(i).Color, Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
			p.Add(&plotter.Scatter{XYs: points[s.Circled-1 : s.Circled], GlyphStyle: circle})
		}
		bars := &plotter.YErrorBars{LineStyle: lineStyle(i), CapWidth: vg.Points(3)}
		for k, d := range s.Deviation {
			if finite(d) {
				bars.XYs = append(bars.XYs, points[k])
				bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{d, d})
			}
		}
		if len(bars.XYs) > 0 {
			bars.Width, bars.Dashes = vg.Points(lineWidth/2), nil // thin and full, also for a dashed line
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

// Bars draws a group of bars for each name, with one bar per series: series s gives
// names[i] a bar of height s.Y[i]. X and Deviation of a series are not used. Bars panics if
// a series does not have one value for each name.
func Bars(title, yLabel string, names []string, series ...Series) *Figure {
	require(len(series) > 0 && len(names) > 0, "Bars of no series or no names")
	f, p := newFigure(title, "", yLabel)
	for i, s := range series {
		require(len(s.Y) == len(names), "series %q has %d values for %d names", s.Name, len(s.Y), len(names))
		if !finite(s.Y...) {
			return failed("series %q: want finite numbers", s.Name)
		}
		fill := colors[i%len(colors)]
		p.Add(groupedBars(s.Y, i, len(series), fill))
		if len(series) > 1 {
			p.legend = append(p.legend, legendEntry{shortName(s.Name), swatch{fill}})
		}
	}
	p.Y.Max += 0.05 * (p.Y.Max - p.Y.Min)
	nameAxis(&p.X, names)
	return f
}

// groupedBars returns a painter of the bars of series k of n: a bar of heights[i] at name i,
// beside the bars of the other series. Unlike in plotter.BarChart, the bars' width scales
// with the axis.
func groupedBars(heights []float64, k, n int, fill color.Color) ranged {
	const groupWidth = 0.8 // of the distance between two names
	barWidth := groupWidth / float64(n)
	return inColumns(len(heights), min(0, slices.Min(heights)), max(0, slices.Max(heights)), func(c draw.Canvas, trX, trY func(float64) vg.Length) {
		for i, h := range heights {
			left := float64(i) - groupWidth/2 + float64(k)*barWidth
			fillRectangle(c, fill, trX(left), trX(left+barWidth), trY(0), trY(h))
		}
	})
}
