package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/plotter"
)

// Bins is a histogram: counts in bins of equal width on [Lo, Hi].
type Bins struct {
	Counts []float64
	Lo, Hi float64
}

// BinValues counts values in k equal bins on [lo, hi], by the rule of
// laplacian.Histogram: a value on an edge, up to rounding, is counted in the bin
// above the edge. Values below lo are counted in the first bin, and values above hi in the
// last. If a value is NaN, the first count is NaN, so that the bins cannot be drawn.
func BinValues[T ~float32 | ~float64](values []T, k int, lo, hi float64) Bins {
	b := Bins{Counts: make([]float64, k), Lo: lo, Hi: hi}
	for _, v := range values {
		if v != v { // NaN
			b.Counts[0] = math.NaN()
			continue
		}
		b.Counts[max(0, min(k-1, linalg.Bin(float64(v), k, lo, hi)))]++
	}
	return b
}

// check returns an error that says why the bins cannot be drawn, or nil.
func (b Bins) check() error {
	if !(finite(b.Lo, b.Hi) && b.Lo < b.Hi) {
		return fmt.Errorf("bins from %v to %v: want finite bounds in increasing order", b.Lo, b.Hi)
	}
	if len(b.Counts) == 0 || b.total() == 0 {
		return errNoData
	}
	for i, c := range b.Counts {
		if !finite(c) || c < 0 {
			return fmt.Errorf("bin %d holds %v: want a count", i, c)
		}
	}
	return nil
}

// total returns the sum of the counts.
func (b Bins) total() float64 { return floats.Sum(b.Counts) }

// highest returns the largest count.
func (b Bins) highest() float64 { return slices.Max(b.Counts) }

// edges returns the bounds of bin i.
func (b Bins) edges(i int) (lo, hi float64) {
	w := (b.Hi - b.Lo) / float64(len(b.Counts))
	return b.Lo + float64(i)*w, b.Lo + float64(i+1)*w
}

// shareAbove returns the share of all values that are at or above x. largest is the largest
// value. Within a bin, values are taken to be spread evenly, up to largest.
func (b Bins) shareAbove(x, largest float64) float64 {
	var sum float64
	for i, c := range b.Counts {
		lo, hi := b.edges(i)
		if lo < largest {
			hi = min(hi, largest)
		}
		sum += c * max(0, min(1, (hi-x)/(hi-lo)))
	}
	return sum / b.total()
}

// countAbove returns the count of the bins whose center is above a value.
func (b Bins) countAbove(value float64) (count float64) {
	for k, c := range b.Counts {
		if b.center(k) > value {
			count += c
		}
	}
	return count
}

// center returns the middle of bin k.
func (b Bins) center(k int) float64 {
	return b.Lo + (float64(k)+0.5)*(b.Hi-b.Lo)/float64(len(b.Counts))
}

// barFrom returns a bar over the bin that holds value, with its own height and color. The bar
// ends where the bin ends. It is as wide as the bin, or wider if the bin is too narrow to be seen.
func (b Bins) barFrom(value, height float64, fill color.Color) *plotter.Histogram {
	const visible = 0.012 // of the axis: the least width of a bar
	width := (b.Hi - b.Lo) / float64(len(b.Counts))
	bin := min(len(b.Counts)-1, max(0, int((value-b.Lo)/width)))
	hi := b.Lo + float64(bin+1)*width
	width = max(width, visible*(b.Hi-b.Lo))
	return &plotter.Histogram{FillColor: fill, Width: width, Bins: []plotter.HistogramBin{{Min: hi - width, Max: hi, Weight: height}}}
}

// plotter returns bars in the color fill for the bins whose center keep accepts.
func (b Bins) plotter(fill color.Color, keep func(center float64) bool) *plotter.Histogram {
	h := &plotter.Histogram{FillColor: fill, Width: (b.Hi - b.Lo) / float64(len(b.Counts))}
	h.LineStyle.Width = 0.4
	h.LineStyle.Color = background
	for i, c := range b.Counts {
		lo, hi := b.edges(i)
		if c > 0 && keep((lo+hi)/2) {
			h.Bins = append(h.Bins, plotter.HistogramBin{Min: lo, Max: hi, Weight: c})
		}
	}
	return h
}

// always keeps every bin.
func always(float64) bool { return true }
