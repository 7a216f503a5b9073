package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
)

// SimilarityHistogram draws the distribution b of pair similarities with the thresholds
// of the selection: thresholds[0] is the similarity up to which pairs are negatives, and
// thresholds[1] the one from which they are positives (§4.2.2 of the paper). selected[0] and
// selected[1] are the numbers of negative and positive pairs, from which the shares in the
// legend are computed: a sum over bars would be wrong where a threshold divides a bar. The
// count axis is logarithmic because there are few positives and millions of negatives.
func SimilarityHistogram(title string, b Bins, thresholds [2]float64, selected [2]int) *Figure {
	if err := b.check(); err != nil {
		return failed("%w", err)
	}
	negative, positive := thresholds[0], thresholds[1]
	if !finite(negative, positive) || negative > positive {
		return failed("thresholds %v and %v: want finite numbers, the first not above the second", negative, positive)
	}
	negativeShare, positiveShare := float64(selected[0])/b.total(), float64(selected[1])/b.total()
	const tolerance = 1e-6 // the counts of a sample are estimates
	if negativeShare < 0 || positiveShare < 0 || negativeShare+positiveShare > 1+tolerance {
		return failed("%d negative and %d positive pairs: want at most the %.0f in the histogram", selected[0], selected[1], b.total())
	}
	f, p := newFigure(title, "similarity", "pairs (log scale)")
	p.Y.Tick.Marker = powers{}
	logs := Bins{Lo: b.Lo, Hi: b.Hi} // b with the heights of its bars on the logarithmic axis
	for _, c := range b.Counts {
		logs.Counts = append(logs.Counts, logHeight(c))
	}
	share := func(name string, fraction float64) string { return fmt.Sprintf("%s %.3g %%", name, 100*fraction) }
	for _, part := range []struct {
		name string
		fill swatch
		keep func(similarity float64) bool // of the middle of a bin
	}{
		{share("negative", negativeShare), swatch{colors[1]}, func(s float64) bool { return s < negative }},
		{share("neither", max(0, 1-positiveShare-negativeShare)), swatch{muted}, func(s float64) bool { return s >= negative && s <= positive }},
		{share("positive", positiveShare), swatch{colors[0]}, func(s float64) bool { return s > positive }},
	} {
		p.Add(logs.plotter(part.fill.fill, part.keep))
		p.legend = append(p.legend, legendEntry{part.name, part.fill})
	}
	// Trained similarities crowd at 1: the few positive pairs may then share their bin with
	// other pairs. Positive pairs beyond those in positive bars get a bar over that bin.
	if inSharedBin := float64(selected[1]) - b.countAbove(positive); inSharedBin > 0 {
		p.Add(b.barFrom(positive, logHeight(inSharedBin), colors[0]))
	}
	p.X.Min, p.X.Max = b.Lo, b.Hi
	p.Y.Min, p.Y.Max = logHeight(0.8), logHeight(5*b.highest()) // from below one pair to above the bars, for the labels
	return f.VLine(negative, fmt.Sprintf("%.4g", negative)).VLine(positive, fmt.Sprintf("%.4g", positive))
}

// Thresholds draws the schedule of the selection thresholds r_pos and r_neg over the epochs,
// each in its own panel with its own scale. pos[i] and neg[i] are r_pos and r_neg at
// epochs[i], as shares of all pairs ranked by similarity: pairs ranked before r_pos are
// positive, and pairs ranked after r_neg are negative. Thresholds panics if the lengths
// differ.
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

// logHeight returns the height of a count's bar on a logarithmic axis: 1 + log₁₀ count, and 0
// for no count. A bar of height 0 is not drawn, so a count of 1 has height 1. (Values are
// transformed here because with plot.LogScale, the axis label would push the plot down.)
func logHeight(count float64) float64 {
	if count == 0 {
		return 0
	}
	return 1 + math.Log10(count)
}

// powers marks the powers of ten on an axis of logHeight.
type powers struct{}

// Ticks returns a tick for each power of ten: 1, 10, 100, 10³, …
func (powers) Ticks(lo, hi float64) []plot.Tick {
	superscripts := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var t []plot.Tick
	for e := 0; logHeight(math.Pow10(e)) <= hi; e++ {
		label := fmt.Sprintf("%.0f", math.Pow10(e))
		if e >= 3 { // too long to write out
			label = "10"
			for _, digit := range fmt.Sprint(e) {
				label += string(superscripts[digit-'0'])
			}
		}
		t = append(t, plot.Tick{Value: logHeight(math.Pow10(e)), Label: label})
	}
	return t
}

// Epochs is what an [EpochsExplorer] shows of a training.
type Epochs struct {
	Loss   []float64 // of epochs 1, 2, …
	Saved  []int     // epochs whose embedding was scored
	Index  []float64 // the Davies–Bouldin index after each of the epochs Saved
	Chosen int       // the epoch with the lowest index
	// Maps[k] is the map of the embedding at epoch At[k]; 0 is before training. At is in
	// increasing order. A map has a row for each node with the node's place in the plane; the
	// plane is the same for all epochs.
	At   []int
	Maps []*mat.Dense
	// Colorings are what the points can be colored by, one number per node.
	Colorings []Coloring
}

// check panics unless the coloring has one number for each of n nodes and a label for each
// number.
func (c Coloring) check(n int) {
	require(len(c.Numbers) == n && slices.Max(c.Numbers) < len(c.Labels), "coloring %q has %d numbers and %d labels for %d nodes", c.Name, len(c.Numbers), len(c.Labels), n)
}

// EpochsExplorer draws the loss and the Davies–Bouldin index over the epochs of a training.
// A slider chooses an epoch: it moves a mark along both curves and shows the map of the
// embedding at that epoch. Between the epochs of two maps, points move along straight lines.
func EpochsExplorer(title string, e Epochs) Fragment {
	if err := e.check(); err != nil {
		return refused("epochs: %w", err)
	}
	var x, y []float64 // the places of one map after the other, so that all share a scale
	for _, m := range e.Maps {
		x, y = append(x, mat.Col(nil, 0, m)...), append(y, mat.Col(nil, 1, m)...)
	}
	onX, onY := Grid(x, y)
	var indices Series
	for k, epoch := range e.Saved {
		indices.X, indices.Y = append(indices.X, float64(epoch)), append(indices.Y, e.Index[k])
	}
	chosen := fmt.Sprintf("chosen: epoch %d", e.Chosen)
	return explorer{
		name: "epochs", title: title,
		data: map[string]any{
			"Loss": rounded(e.Loss, 5), "Index": rounded(e.Index, 5), "Saved": e.Saved, "Chosen": e.Chosen,
			"At": e.At, "N": e.Maps[0].RawMatrix().Rows, "X": numbers(onX), "Y": numbers(onY), "Colorings": e.Colorings,
		},
		still: Row(Lines(title, "epoch", "loss", Series{Name: "loss", Y: e.Loss}).VLine(float64(e.Chosen), chosen),
			Lines("Davies–Bouldin index", "epoch", "index", indices).VLine(float64(e.Chosen), chosen)),
		text: fmt.Sprintf("%s: loss %.4g at first, %.4g at last; %s\n", title, e.Loss[0], e.Loss[len(e.Loss)-1], chosen),
	}.fragment()
}

// check returns an error if there is nothing to draw or a number is not finite, and panics if
// the lengths of e's slices do not fit together.
func (e Epochs) check() error {
	if len(e.Loss) == 0 || len(e.Maps) == 0 || len(e.Colorings) == 0 {
		return errNoData
	}
	require(len(e.At) == len(e.Maps) && len(e.Saved) == len(e.Index), "%d maps of %d epochs, %d indices of %d: want equal numbers", len(e.Maps), len(e.At), len(e.Index), len(e.Saved))
	n, _ := e.Maps[0].Dims()
	for _, m := range e.Maps {
		r, c := m.Dims()
		require(r == n && c == 2, "a map is %d×%d: want %d×2", r, c, n)
		if !finite(m.RawMatrix().Data...) {
			return errors.New("want finite places")
		}
	}
	for _, c := range e.Colorings {
		c.check(n)
	}
	if !finite(e.Loss...) || !finite(e.Index...) || slices.Min(e.Loss) < 0 {
		return errors.New("want finite losses, not negative, and finite indices")
	}
	return nil
}
