package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
)

// SimilarityHistogram draws the distribution of pair similarities with the thresholds
// of the selection, the similarities up to which pairs are negatives and from which
// they are positives (§4.2.2 of the paper). The count axis is logarithmic because
// there are few positives and millions of negatives. The shares in the legend are
// those of the selected pairs, given as the numbers of negatives and positives, not of
// bars, which a threshold may divide.
func SimilarityHistogram(title string, b Bins, thresholds [2]float64, selected [2]int) *Figure {
	if err := b.check(); err != nil {
		return failed("%w", err)
	}
	negative, positive := thresholds[0], thresholds[1]
	if !finite(negative, positive) || negative > positive {
		return failed("thresholds %v and %v: want finite numbers, the first not above the second", negative, positive)
	}
	below, above := float64(selected[0])/b.total(), float64(selected[1])/b.total()
	if below < 0 || above < 0 || below+above > 1+1e-6 { // counts of a sample are estimates
		return failed("%d negative and %d positive pairs: want at most the %.0f in the histogram", selected[0], selected[1], b.total())
	}
	f, p := newFigure(title, "similarity", "pairs (log scale)")
	p.Y.Tick.Marker = powers{}
	logs := Bins{Lo: b.Lo, Hi: b.Hi}
	for _, c := range b.Counts {
		logs.Counts = append(logs.Counts, logHeight(c))
	}
	share := func(name string, of float64) string { return fmt.Sprintf("%s %.3g %%", name, 100*of) }
	for _, part := range []struct {
		name string
		fill swatch
		keep func(float64) bool
	}{
		{share("negative", below), swatch{colors[1]}, func(s float64) bool { return s < negative }},
		{share("neither", max(0, 1-above-below)), swatch{muted}, func(s float64) bool { return s >= negative && s <= positive }},
		{share("positive", above), swatch{colors[0]}, func(s float64) bool { return s > positive }},
	} {
		p.Add(logs.plotter(part.fill.fill, part.keep))
		p.legend = append(p.legend, legendEntry{part.name, part.fill})
	}
	p.X.Min, p.X.Max = b.Lo, b.Hi
	p.Y.Min, p.Y.Max = logHeight(0.8), logHeight(5*b.highest())
	return f.VLine(negative, fmt.Sprintf("%.4g", negative)).VLine(positive, fmt.Sprintf("%.4g", positive))
}

// Thresholds draws the schedule of the selection thresholds r_pos and r_neg,
// given as shares of all pairs ranked by similarity, over the epochs, each in
// its own panel with its own scale. Pairs ranked before r_pos are positive,
// and pairs ranked after r_neg are negative. It panics if the lengths differ.
func Thresholds(title string, epochs, pos, neg []float64) *Figure {
	panel := func(name string, shares []float64) *Figure {
		percent := floats.ScaleTo(make([]float64, len(shares)), 100, shares)
		f := Lines(title+": "+name, "epoch", "rank, % of all pairs", Series{X: epochs, Y: percent})
		if f.err == nil {
			f.panels[0].Y.Min = 0
		}
		return f
	}
	return Row(panel("r_pos", pos), panel("r_neg", neg))
}

// logHeight returns the position of a count on a logarithmic axis. (With
// plot.LogScale, the axis label would push the plot down.) A bar of height 0
// is not drawn, so a count of 1 has height 1.
func logHeight(count float64) float64 {
	if count == 0 {
		return 0
	}
	return 1 + math.Log10(count)
}

// powers marks the powers of ten on an axis of logHeight.
type powers struct{}

func (powers) Ticks(lo, hi float64) []plot.Tick {
	superscripts := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var t []plot.Tick
	for e := 0; logHeight(math.Pow10(e)) <= hi; e++ {
		label := fmt.Sprintf("%.0f", math.Pow10(e))
		if e >= 3 {
			label = "10"
			for _, digit := range fmt.Sprint(e) {
				label += string(superscripts[digit-'0'])
			}
		}
		t = append(t, plot.Tick{Value: logHeight(math.Pow10(e)), Label: label})
	}
	return t
}
