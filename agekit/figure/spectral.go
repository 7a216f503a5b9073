package figure

import (
	"fmt"
	"image/color"
	"math"

	"github.com/agekit/age/agekit/laplacian"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Response is the filter (I − kL)ᵗ of which a figure shows the frequency response
// (1 − kλ)ᵗ. K is a positive number; Layers is t ≥ 1.
type Response = laplacian.Filter

// responseName returns the name of r in a legend: its k and t.
func responseName(r Response) string { return fmt.Sprintf("k = %.3g, t = %d", r.K, r.Layers) }

// EigenvalueHistogram draws the distribution b of the graph Laplacian's eigenvalues with
// λmax marked and, on a second axis, the amplitude |1 − kλ|ᵗ of each response. Amplitudes
// far above 1 are cut off.
func EigenvalueHistogram(title string, b Bins, lambdaMax float64, responses ...Response) *Figure {
	if err := b.check(); err != nil {
		return failed("%w", err)
	}
	f, p := newFigure(title, "eigenvalue λ", "number of eigenvalues")
	p.Add(b.plotter(muted, always))
	top := 1.15 * p.Y.Max // room for λmax's label above the bars; amplitude 1 is there, too
	if err := p.addResponses(b.Lo, b.Hi, top, responses); err != nil {
		return failed("%w", err)
	}
	p.X.Min, p.X.Max, p.Y.Max = b.Lo, b.Hi, top
	if len(responses) > 0 {
		p.Add(rightAxis{label: "amplitude |1 − kλ|ᵗ"})
	}
	return f.markLambdaMax(lambdaMax)
}

// FrequencyResponse draws the amplitude |1 − kλ|ᵗ over λ in [0, 2] with λmax
// marked. Where a curve rises to the left of λmax, its filter is not low-pass:
// it lets through high frequencies more than lower ones (§4.1.2 of the paper).
func FrequencyResponse(title string, lambdaMax float64, responses ...Response) *Figure {
	f, p := newFigure(title, "eigenvalue λ", "amplitude |1 − kλ|ᵗ")
	if err := p.addResponses(0, 2, 1, responses); err != nil {
		return failed("%w", err)
	}
	p.X.Min, p.X.Max = 0, 2
	p.Y.Min, p.Y.Max = 0, 1.1
	return f.markLambdaMax(lambdaMax)
}

// addResponses adds the curve and the legend entry of each response to p. The curves are drawn
// for λ from lo to hi, with amplitude 1 at the given height of the y axis. The error is that
// of an invalid response.
func (p *panel) addResponses(lo, hi, height float64, responses []Response) error {
	for i, r := range responses {
		if !finite(r.K) || r.K <= 0 || r.Layers < 1 {
			return fmt.Errorf("response with k = %v and t = %d: want k > 0 and t ≥ 1", r.K, r.Layers)
		}
		curve := responseCurve(lo, hi, i, func(lambda float64) float64 { return height * r.Amplitude(lambda) })
		p.Add(curve)
		p.legend = append(p.legend, legendEntry{responseName(r), curve})
	}
	return nil
}

// markLambdaMax adds a vertical line at λmax to f and returns f. If λmax is not an eigenvalue
// of a normalized Laplacian above 0, it returns a figure with an error instead.
func (f *Figure) markLambdaMax(lambdaMax float64) *Figure {
	if !isLambdaMax(lambdaMax) {
		return failed("λmax is %v: want a number in (0, 2]", lambdaMax)
	}
	return f.VLine(lambdaMax, fmt.Sprintf("λmax = %.4g", lambdaMax))
}

// isLambdaMax reports whether v is in (0, 2], where λmax is, up to rounding; NaN is not.
func isLambdaMax(v float64) bool { return v > 0 && v <= 2+1e-9 }

// responseCurve returns the line of value(λ) for λ from lo to hi, in the style of series 0, 1, 2, …
func responseCurve(lo, hi float64, series int, value func(lambda float64) float64) *plotter.Line {
	const steps = 400
	points := make(plotter.XYs, steps+1)
	for i := range points {
		lambda := lo + (hi-lo)*float64(i)/steps
		points[i] = plotter.XY{X: lambda, Y: value(lambda)}
	}
	return &plotter.Line{XYs: points, LineStyle: lineStyle(series)}
}

// rightAxis is a second vertical axis from 0 to 1, at the right edge.
type rightAxis struct{ label string }

const rightAxisWidth = 14 * vg.Millimeter

// Plot implements [plot.Plotter]: it draws the axis with ticks at 0, 0.5 and 1, and its label.
func (a rightAxis) Plot(c draw.Canvas, _ *plot.Plot) {
	line := draw.LineStyle{Color: ink, Width: vg.Points(0.5)}
	c.StrokeLine2(line, c.Max.X, c.Min.Y, c.Max.X, c.Max.Y)
	style := textStyle(tickSize)
	style.YAlign = draw.YCenter
	tick := 1.2 * vg.Millimeter
	for _, v := range []float64{0, 0.5, 1} {
		y := c.Y(v) // v is a share of the canvas's height
		c.StrokeLine2(line, c.Max.X, y, c.Max.X+tick, y)
		c.FillText(style, vg.Point{X: c.Max.X + 2*tick, Y: y + style.FontExtents().Descent}, fmt.Sprint(v))
	}
	style = textStyle(labelSize)
	style.Rotation = math.Pi / 2
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	c.FillText(style, vg.Point{X: c.Max.X + rightAxisWidth - vg.Millimeter, Y: c.Center().Y}, a.label)
}

// GlyphBoxes implements [plot.GlyphBoxer]: it reserves the axis's width at the right edge.
func (a rightAxis) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: rightAxisWidth, Y: 1}}}}
}

// RayleighBeforeAfter draws the distributions of the Rayleigh quotients of the
// feature columns before and after smoothing, with L̃sym, on [0, 2]. The smaller the
// quotient, the smoother the signal (§4.1.1 of the paper).
func RayleighBeforeAfter(title string, before, after []float64) *Figure {
	const bins = 50
	f, p := newFigure(title, "Rayleigh quotient R(x) of the normalized Laplacian", "number of features")
	for i, s := range []struct {
		name   string
		values []float64
	}{{"before", before}, {"after", after}} {
		b := BinValues(s.values, bins, 0, 2)
		if err := b.check(); err != nil {
			return failed("Rayleigh quotients %s smoothing: %w", s.name, err)
		}
		c := colors[1-i]    // vermilion before, blue after
		const opacity = 170 // of 255: the two histograms lie over each other
		h := b.plotter(color.NRGBA{c.R, c.G, c.B, opacity}, always)
		p.Add(h)
		p.legend = append(p.legend, legendEntry{fmt.Sprintf("%s, mean %.3f", s.name, stat.Mean(s.values, nil)), h})
	}
	p.X.Min, p.X.Max = 0, 2
	p.Y.Max *= 1.05
	return f
}
