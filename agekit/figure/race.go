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
	// Score is what the method reaches, and Deviation the score's standard deviation, or NaN
	// if it is not known.
	Score, Deviation float64
	// Kind is the index of the racer's kind among the kinds of the [Race].
	Kind int
	// Open racers are drawn as rings. An open racer with the same name as the racer before
	// it is joined to that racer by a line, and its name is not written again.
	Open bool
}

const raceRadius vg.Length = 3 // points

// raceColors are the colors of kinds 0, 1, 2, …, as indices of [colors], without the two
// lightest: orange and sky blue.
var raceColors = []int{0, 1, 2, 3, 6}

// Race draws the score of each method over the seconds that it takes, on a logarithmic time
// axis. Each point has the method's name beside it, and the color of the method's kind;
// there are up to five kinds. A legend has the names of the kinds, and openName for open
// points. The figure holds an error if a number is not finite, a time is not above 0, or a
// racer's kind has no name or no color.
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
	// The axis goes on to half the shortest and five times the longest time: the names on the
	// right of the points need room.
	p.X.Min, p.X.Max = p.X.Min-math.Log10(2), p.X.Max+math.Log10(5)
	p.full = true
	return f
}

// point returns the place of a racer: the decimal logarithm of the seconds, and the score.
func (r Racer) point() plotter.XY { return plotter.XY{X: math.Log10(r.Seconds), Y: r.Score} }

// continuesRacer reports whether racer i is a further, open point of the method of racer i−1.
func continuesRacer(racers []Racer, i int) bool {
	return i > 0 && racers[i].Open && racers[i].Name == racers[i-1].Name
}

// racerGlyph returns the mark of a racer of a kind: a disk, or a ring for an open point.
func racerGlyph(kind int, open bool) draw.GlyphStyle {
	g := glyphStyle(raceColors[kind], raceRadius)
	if open {
		g.Shape = draw.RingGlyph{}
	}
	return g
}

// raceNames returns a painter that writes the names of the racers beside their points. A name
// goes to the place where it hides the least of the points, bars, lines and names before it
// ([placeName]). If this place is far from the point, a line joins name and point.
func raceNames(racers []Racer) painter {
	return func(c draw.Canvas, trX, trY func(float64) vg.Length) {
		style := textStyle(tickSize - 1)
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
		height := style.Height("x") * 1.1 // of a name, with a little room
		onCanvas := func(r Racer, score float64) vg.Point { return vg.Point{X: trX(r.point().X), Y: trY(score)} }
		var taken []vg.Rectangle // the boxes of all points, then also of the names written so far
		var thin []vg.Rectangle  // bars and lines, which a name may cross if it must
		for _, r := range racers {
			taken = append(taken, boxAround(onCanvas(r, r.Score), 2*raceRadius, 2*raceRadius))
		}
		for i, r := range racers {
			if finite(r.Deviation) {
				low, high := onCanvas(r, r.Score-r.Deviation), onCanvas(r, r.Score+r.Deviation)
				thin = append(thin, vg.Rectangle{Min: low.Sub(vg.Point{X: 1}), Max: high.Add(vg.Point{X: 1})})
			}
			if continuesRacer(racers, i) {
				for _, p := range pointsBetween(onCanvas(racers[i-1], racers[i-1].Score), onCanvas(r, r.Score)) {
					thin = append(thin, boxAround(p, 3, 3))
				}
			}
		}
		// The names of the highest scores come first, while there is most room: their points
		// stand close to the upper edge.
		order := make([]int, len(racers))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(racers[j].Score, racers[i].Score) })
		for _, i := range order {
			r := racers[i]
			if continuesRacer(racers, i) {
				continue
			}
			point, width := onCanvas(r, r.Score), style.Width(r.Name)
			takenByOthers := append(taken[:i:i], taken[i+1:]...) // without the racer's own point
			box := placeName(point, width, height, takenByOthers, thin, c.Rectangle)
			space := vg.Point{X: 3} // between two names in a line
			taken = append(taken, vg.Rectangle{Min: box.Min.Sub(space), Max: box.Max.Add(space)})
			middle := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
			near := nearestInside(box, point)
			isFar := math.Hypot(float64(near.X-point.X), float64(near.Y-point.Y)) > float64(3*raceRadius)
			if isFar {
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

// pointsBetween returns places on the line from p to q, at most two typographic points apart.
func pointsBetween(p, q vg.Point) (all []vg.Point) {
	steps := 1 + math.Floor(math.Hypot(float64(q.X-p.X), float64(q.Y-p.Y))/2)
	for k := range int(steps) {
		all = append(all, p.Add(q.Sub(p).Scale(vg.Length((float64(k)+0.5)/steps))))
	}
	return all
}

// nameDirections are the directions (x, y) from a point to its name, the best first: to the
// right and left, above and below, and towards the corners.
var nameDirections = [][2]vg.Length{
	{1, 0}, {-1, 0}, {0, 1}, {0, -1},
	{0.5, 1}, {-0.5, 1}, {0.5, -1}, {-0.5, -1},
	{1, 0.5}, {-1, 0.5}, {1, -0.5}, {-1, -0.5},
	{1, 1}, {-1, 1}, {1, -1}, {-1, -1},
}

// placeName returns the box for a name of the given width and height near its point: the box
// with the lowest cost in the directions of nameDirections and at several distances. The
// costs make the nearest box win that overlaps nothing. Where every box overlaps something,
// a name rather covers rectangles of thin than those of taken, and its line to the point
// rather crosses taken ones than the name covers them. A box that leaves within costs most.
func placeName(point vg.Point, width, height vg.Length, taken, thin []vg.Rectangle, within vg.Rectangle) vg.Rectangle {
	const (
		rings = 12 // distances that are tried, from near to far
		gap   = 2  // points between a name and its point

		ringCost    = 2    // for each step away
		thinCost    = 3    // for each overlap of the name with something thin
		crossCost   = 20   // for each overlap of the line's places with something taken
		takenCost   = 1000 // for each overlap of the name with something taken
		outsideCost = 5000 // for a name that is not all within
		insidePoint = 3    // places of the line up to this index count as inside the point
	)
	best, lowest := boxAround(point, width, height), math.MaxInt
	for ring := range rings {
		away := vg.Length(ring) * height * 0.6
		for _, direction := range nameDirections {
			box := boxAround(vg.Point{
				X: point.X + direction[0]*(width/2+raceRadius+gap+away),
				Y: point.Y + direction[1]*(height/2+raceRadius+away),
			}, width, height)
			cost := ringCost*ring + thinCost*countOverlaps(box, thin) + takenCost*countOverlaps(box, taken)
			isInside := nearestInside(within, box.Min) == box.Min && nearestInside(within, box.Max) == box.Max
			if !isInside {
				cost += outsideCost
			}
			for k, p := range pointsBetween(point, nearestInside(box, point)) {
				if k > insidePoint {
					cost += crossCost * countOverlaps(boxAround(p, 1, 1), taken)
				}
			}
			if cost < lowest {
				best, lowest = box, cost
			}
		}
	}
	return best
}

// countOverlaps returns the number of rectangles of others that overlap r.
func countOverlaps(r vg.Rectangle, others []vg.Rectangle) (count int) {
	for _, other := range others {
		if r.Min.X < other.Max.X && other.Min.X < r.Max.X && r.Min.Y < other.Max.Y && other.Min.Y < r.Max.Y {
			count++
		}
	}
	return count
}

// boxAround returns the rectangle of the given size around a center.
func boxAround(center vg.Point, width, height vg.Length) vg.Rectangle {
	half := vg.Point{X: width / 2, Y: height / 2}
	return vg.Rectangle{Min: center.Sub(half), Max: center.Add(half)}
}

// logTicks labels the powers of ten on an axis of decimal logarithms, and on an axis shorter
// than two powers of ten also their doubles and fivefolds.
type logTicks struct{}

// Ticks implements [plot.Ticker]: it returns a tick for 1 to 9 times each power of ten between
// 10^lo and 10^hi, most of them without a label.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	short := hi-lo < 2
	var t []plot.Tick
	for e := math.Floor(lo); e <= hi; e++ { // e is the exponent
		for digit := 1.0; digit < 10; digit++ {
			value, label := e+math.Log10(digit), ""
			if digit == 1 || (short && (digit == 2 || digit == 5)) {
				label = scaleLabel(digit, int(e))
			}
			if value >= lo && value <= hi {
				t = append(t, plot.Tick{Value: value, Label: label})
			}
		}
	}
	return t
}

// scaleLabel returns digit·10^e as text: from 0.001 to 900 in full, from 1,000 to below a
// billion with k or M, and else with an exponent.
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
