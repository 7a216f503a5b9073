package figure

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Racer is a method in a [Race].
type Racer struct {
	Name string
	// Seconds is the time it takes, above 0.
	Seconds float64
	// Score is what it reaches, and Deviation its standard deviation, or NaN.
	Score, Deviation float64
	// Kind is the number of the racer's color.
	Kind int
}

// Race draws what methods reach over the time that they take, on a logarithmic
// axis, each with its name beside its point. Points that lie close together have
// their names above each other.
func Race(title, yLabel string, racers ...Racer) *Figure {
	if len(racers) == 0 {
		return failed("%w", errNoData)
	}
	f := newFigure(title, "seconds per run (logarithmic)", yLabel)
	p := f.panels[0]
	for _, r := range racers {
		if !(r.Seconds > 0) || !finite(r.Seconds, r.Score) {
			return failed("%s: %v seconds, score %v: want finite numbers, and a time above 0", r.Name, r.Seconds, r.Score)
		}
		at := plotter.XYs{{X: r.Seconds, Y: r.Score}}
		if finite(r.Deviation) {
			bars := &plotter.YErrorBars{XYs: at, YErrors: plotter.YErrors{{Low: r.Deviation, High: r.Deviation}}}
			bars.LineStyle = lineStyle(r.Kind % len(colors))
			bars.Width, bars.CapWidth = vg.Points(lineWidth/2), vg.Points(3)
			p.Add(bars)
		}
		p.Add(&plotter.Scatter{XYs: at, GlyphStyle: glyphStyle(r.Kind, 3)})
	}
	p.Add(raceNames(racers))
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decades{}
	padRange(&p.Y, 0.08)
	p.X.Min, p.X.Max = p.X.Min/1.6, p.X.Max*1.6
	p.full = true
	return f
}

// raceNames writes the names of racers, to the right of their points, or to the
// left on the right half.
type raceNames []Racer

// Plot implements [plot.Plotter].
func (names raceNames) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	style := textStyle(tickSize - 1)
	style.YAlign = -0.5
	height := style.Height("x") * 1.4
	order := slices.SortedFunc(slices.Values(names), func(a, b Racer) int { return int(math.Copysign(1, a.Score-b.Score)) })
	type box struct{ from, to, y vg.Length }
	var placed []box
	for _, r := range order {
		x, y := trX(r.Seconds), trY(r.Score)
		width := style.Width(r.Name)
		b := box{x + vg.Points(5), x + vg.Points(5) + width, y}
		if x > (c.Min.X+c.Max.X)/2 {
			b.from, b.to = x-vg.Points(5)-width, x-vg.Points(5)
		}
		// Upward until no other name is in the way.
		for slices.ContainsFunc(placed, func(o box) bool { return b.from < o.to && o.from < b.to && b.y-o.y < height && o.y-b.y < height }) {
			b.y += height / 4
		}
		placed = append(placed, b)
		if b.y-y > height/2 {
			c.StrokeLine2(draw.LineStyle{Color: muted, Width: vg.Points(0.6)}, x, y, x, b.y)
		}
		c.FillText(style, vg.Point{X: b.from, Y: b.y}, r.Name)
	}
}

// DataRange implements [plot.DataRanger].
func (names raceNames) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	for _, r := range names {
		xmin, xmax = min(xmin, r.Seconds), max(xmax, r.Seconds)
		ymin, ymax = min(ymin, r.Score), max(ymax, r.Score)
	}
	return xmin, xmax, ymin, ymax
}

// decades marks the powers of ten on a logarithmic axis, and 2 and 5 times these.
type decades struct{}

// Ticks implements [plot.Ticker].
func (decades) Ticks(from, to float64) []plot.Tick {
	var all []plot.Tick
	for e := math.Floor(math.Log10(from)); math.Pow(10, e) <= to; e++ {
		for _, digit := range []float64{1, 2, 5} {
			if v := digit * math.Pow(10, e); v >= from && v <= to {
				all = append(all, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 3, 64)})
			}
		}
	}
	return all
}
