package figure

import (
	"cmp"
	"fmt"
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
	// Kind is the number of the racer's kind.
	Kind int
	// Open racers are drawn as rings. One with the name of the racer before it
	// is joined to that one by a line, instead of getting its name again.
	Open bool
}

const raceRadius vg.Length = 3 // points

// raceColors are the colors of the kinds.
var raceColors = []int{0, 1, 2, 3, 6}

// Race draws what methods reach over the time that they take, on a logarithmic
// axis, in a color for each kind, of up to five, each with its name beside its
// point. A legend has the names of the kinds, and openName for open points. The
// figure holds an error if a number is not finite, a time not above 0, or a kind
// has no name.
func Race(title, yLabel string, kinds []string, openName string, racers ...Racer) *Figure {
	if len(racers) == 0 {
		return failed("%w", errNoData)
	}
	f, p := newFigure(title, "seconds per run (logarithmic)", yLabel)
	f.width, f.height = 21*vg.Centimeter, 12*vg.Centimeter
	for i, r := range racers {
		if !(r.Seconds > 0) || !finite(r.Seconds, r.Score) {
			return failed("%s: %v seconds, score %v: want finite numbers, and a time above 0", r.Name, r.Seconds, r.Score)
		}
		if r.Kind < 0 || r.Kind >= min(len(kinds), len(raceColors)) {
			return failed("%s: kind %d of %d: want one with a name and a color", r.Name, r.Kind, len(kinds))
		}
		points := plotter.XYs{r.point()}
		if finite(r.Deviation) {
			bars := &plotter.YErrorBars{XYs: points, YErrors: plotter.YErrors{{Low: r.Deviation, High: r.Deviation}}}
			bars.LineStyle = draw.LineStyle{Color: muted, Width: vg.Points(0.8)}
			p.Add(bars)
		}
		if continuesRacer(racers, i) {
			style := draw.LineStyle{Color: racerGlyph(r.Kind, true).Color, Width: vg.Points(0.8)}
			p.Add(&plotter.Line{XYs: plotter.XYs{racers[i-1].point(), points[0]}, LineStyle: style})
		}
		p.Add(&plotter.Scatter{XYs: points, GlyphStyle: racerGlyph(r.Kind, r.Open)})
	}
	p.Add(raceNames(racers))
	for kind, name := range kinds {
		if !slices.ContainsFunc(racers, func(r Racer) bool { return r.Kind == kind }) {
			continue
		}
		p.legend = append(p.legend, legendEntry{name, &plotter.Scatter{GlyphStyle: racerGlyph(kind, false)}})
	}
	if slices.ContainsFunc(racers, func(r Racer) bool { return r.Open }) {
		ring := racerGlyph(0, true)
		ring.Color = ink
		p.legend = append(p.legend, legendEntry{openName, &plotter.Scatter{GlyphStyle: ring}})
	}
	p.X.Tick.Marker = logTicks{}
	padRange(&p.Y, 0.08)
	p.X.Min, p.X.Max = p.X.Min-math.Log10(2), p.X.Max+math.Log10(5) // names are on the right
	p.full = true
	return f
}

// point returns the place of a racer, on an axis of decimal logarithms of the time.
func (r Racer) point() plotter.XY { return plotter.XY{X: math.Log10(r.Seconds), Y: r.Score} }

// continuesRacer reports whether racer i is an open point of the racer before it.
func continuesRacer(racers []Racer, i int) bool {
	return i > 0 && racers[i].Open && racers[i].Name == racers[i-1].Name
}

// racerGlyph returns the mark of a kind: a disk, or a ring for an open point.
func racerGlyph(kind int, open bool) draw.GlyphStyle {
	g := glyphStyle(raceColors[kind], raceRadius)
	if open {
		g.Shape = draw.RingGlyph{}
	}
	return g
}

// raceNames writes the names of racers beside their points. Each goes to the first
// place that is free of other names, points, bars and lines ([placeName]), with a line to its
// point if that is far away.
func raceNames(names []Racer) painter {
	return func(c draw.Canvas, trX, trY func(float64) vg.Length) {
		style := textStyle(tickSize - 1)
		style.XAlign, style.YAlign = -0.5, -0.5
		height := style.Height("x") * 1.1
		onCanvas := func(r Racer, score float64) vg.Point { return vg.Point{X: trX(r.point().X), Y: trY(score)} }
		var taken []vg.Rectangle // by points, then also by names
		var thin []vg.Rectangle  // bars and lines
		for _, r := range names {
			taken = append(taken, boxAround(onCanvas(r, r.Score), 2*raceRadius, 2*raceRadius))
		}
		for i, r := range names {
			if finite(r.Deviation) {
				low, high := onCanvas(r, r.Score-r.Deviation), onCanvas(r, r.Score+r.Deviation)
				thin = append(thin, vg.Rectangle{Min: low.Sub(vg.Point{X: 1}), Max: high.Add(vg.Point{X: 1})})
			}
			if continuesRacer(names, i) {
				for _, p := range pointsBetween(onCanvas(names[i-1], names[i-1].Score), onCanvas(r, r.Score)) {
					thin = append(thin, boxAround(p, 3, 3))
				}
			}
		}
		// The best come first: they stand close to the upper edge.
		order := make([]int, len(names))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(names[j].Score, names[i].Score) })
		for _, i := range order {
			r := names[i]
			if continuesRacer(names, i) {
				continue
			}
			point, width := onCanvas(r, r.Score), style.Width(r.Name)
			takenByOthers := append(taken[:i:i], taken[i+1:]...)
			box := placeName(point, width, height, takenByOthers, thin, c.Rectangle)
			space := vg.Point{X: 3} // between names
			taken = append(taken, vg.Rectangle{Min: box.Min.Sub(space), Max: box.Max.Add(space)})
			middle := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
			near := nearestInside(box, point)
			if math.Hypot(float64(near.X-point.X), float64(near.Y-point.Y)) > float64(3*raceRadius) {
				c.StrokeLine2(draw.LineStyle{Color: muted, Width: vg.Points(0.6)}, point.X, point.Y, near.X, near.Y)
			}
			c.FillText(style, middle, r.Name)
		}
	}
}

// nearestInside returns the place in r that is nearest to p.
func nearestInside(r vg.Rectangle, p vg.Point) vg.Point {
	return vg.Point{X: min(max(p.X, r.Min.X), r.Max.X), Y: min(max(p.Y, r.Min.Y), r.Max.Y)}
}

// pointsBetween returns places on the line from p to q, two points apart or less.
func pointsBetween(p, q vg.Point) (all []vg.Point) {
	steps := 1 + math.Floor(math.Hypot(float64(q.X-p.X), float64(q.Y-p.Y))/2)
	for k := range int(steps) {
		all = append(all, p.Add(q.Sub(p).Scale(vg.Length((float64(k)+0.5)/steps))))
	}
	return all
}

// nameDirections are those from a point to its name, the best first: beside, above and below it, and
// towards corners.
var nameDirections = [][2]vg.Length{
	{1, 0}, {-1, 0}, {0, 1}, {0, -1},
	{0.5, 1}, {-0.5, 1}, {0.5, -1}, {-0.5, -1},
	{1, 0.5}, {-1, 0.5}, {1, -0.5}, {-1, -0.5},
	{1, 1}, {-1, 1}, {1, -1}, {-1, -1},
}

// placeName returns the place for a name of the given size near a point: right, left,
// above, below or towards a corner. It is as near as possible without overlap; where
// everything overlaps, better thin things than what is taken, and better the line from
// the point to the name than the name.
func placeName(point vg.Point, width, height vg.Length, taken, thin []vg.Rectangle, within vg.Rectangle) vg.Rectangle {
	const rings, gap = 12, 2 // steps outward; points between a name and its point
	best, lowest := boxAround(point, width, height), math.MaxInt
	for ring := range rings {
		away := vg.Length(ring) * height * 0.6
		for _, direction := range nameDirections {
			box := boxAround(vg.Point{
				X: point.X + direction[0]*(width/2+raceRadius+gap+away),
				Y: point.Y + direction[1]*(height/2+raceRadius+away),
			}, width, height)
			cost := 2*ring + 3*countOverlaps(box, thin) + 1000*countOverlaps(box, taken)
			isInside := nearestInside(within, box.Min) == box.Min && nearestInside(within, box.Max) == box.Max
			if !isInside {
				cost += 5000
			}
			for k, p := range pointsBetween(point, nearestInside(box, point)) {
				if k > 3 { // outside of the point
					cost += 20 * countOverlaps(boxAround(p, 1, 1), taken)
				}
			}
			if cost < lowest {
				best, lowest = box, cost
			}
		}
	}
	return best
}

// countOverlaps returns how many of others overlap r.
func countOverlaps(r vg.Rectangle, others []vg.Rectangle) (count int) {
	for _, other := range others {
		if r.Min.X < other.Max.X && other.Min.X < r.Max.X && r.Min.Y < other.Max.Y && other.Min.Y < r.Max.Y {
			count++
		}
	}
	return count
}

func boxAround(center vg.Point, width, height vg.Length) vg.Rectangle {
	half := vg.Point{X: width / 2, Y: height / 2}
	return vg.Rectangle{Min: center.Sub(half), Max: center.Add(half)}
}

// logTicks marks the powers of ten on an axis of decimal logarithms, and on
// short axes also 2 and 5 times these.
type logTicks struct{}

// Ticks implements [plot.Ticker].
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	short := hi-lo < 2
	var t []plot.Tick
	for e := math.Floor(lo); e <= hi; e++ {
		for digit := 1.0; digit < 10; digit++ {
			value, label := e+math.Log10(digit), ""
			if digit == 1 || short && (digit == 2 || digit == 5) {
				label = scaleLabel(digit, int(e))
			}
			if value >= lo && value <= hi {
				t = append(t, plot.Tick{Value: value, Label: label})
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
