package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// eigenvectorLayers is the largest t of an EigenvectorExplorer.
const eigenvectorLayers = 12

// EigenvectorExplorer draws the graph d, whose nodes have the colors of an eigenvector of the
// graph's L̃sym. Beside the graph stand all eigenvalues as stems, and over the stems the
// amplitude |1 − kλ|ᵗ of the filter, with sliders for k and t. The reader chooses an
// eigenvalue with a click, the arrow keys or a slider, and sees its eigenvector, or what the
// filter leaves of the eigenvector. start has the first k and t; its zero value means
// k = 1/λmax, t = 1.
//
// values and the columns of vectors are what [mat.EigenSym] returns. The sign of
// an eigenvector is arbitrary; it is drawn so that its value of largest magnitude is positive.
// EigenvectorExplorer panics if the numbers of nodes, values and vectors differ.
func EigenvectorExplorer(title string, d Drawing, values []float64, vectors mat.Matrix, start Response) Fragment {
	n := len(d.X)
	r, c := vectors.Dims()
	require(r == n && c == n && len(values) == n, "%d eigenvalues and %d×%d eigenvectors of %d nodes", len(values), r, c, n)
	if n < 2 {
		return refused("%w: want two nodes or more", errNoData)
	}
	if start == (Response{}) {
		start = Response{K: 1 / values[n-1], Layers: 1}
	}
	switch {
	case !finite(values...) || values[0] < -1e-9 || values[n-1] > 2+1e-9:
		return refused("eigenvalues from %v to %v: want 0 to 2", values[0], values[n-1])
	case !isSliderK(start.K) || start.Layers < 1 || start.Layers > eigenvectorLayers:
		return refused("start with k = %v and t = %d: want k from 0.05 to 1.5 and t from 1 to %d", start.K, start.Layers, eigenvectorLayers)
	}
	const chosen = 1 // the second eigenvector: the first one has no negative values
	columns, magnitudes := make([][]float64, n), rounded(values, 6)
	equal := make([]int, n) // how many eigenvalues equal this one, with itself
	for j, v := range values {
		x := withSign(mat.Col(nil, j, vectors))
		if !finite(x...) {
			return refused("eigenvector %d: want finite numbers", j+1)
		}
		columns[j] = rounded(x, 4)
		equal[j] = floats.Count(func(w float64) bool { return math.Abs(v-w) < 1e-9 }, values)
		magnitudes[j] = math.Abs(magnitudes[j]) // a zero may be −1e−17
	}
	return explorer{
		name: "eigenvectors", title: title, needs: filterScript,
		data: map[string]any{
			"Title": title, "Graph": d.rounded(), "Values": magnitudes, "Equal": equal, "Vectors": columns,
			"Start": chosen, "K": start.K, "Layers": start.Layers, "MostLayers": eigenvectorLayers,
		},
		still: Row(
			Graph(fmt.Sprintf("%s: eigenvector %d, λ = %.3f", title, chosen+1, values[chosen]), d, withSign(mat.Col(nil, chosen, vectors))),
			stems("eigenvalues and the filter", values, chosen, start)),
		text: fmt.Sprintf("%s: %d eigenvalues from 0 to %.4f\n", title, n, values[n-1]),
	}.fragment()
}

// withSign returns x with the sign that makes its value of largest magnitude positive. It
// changes x in place.
func withSign(x []float64) []float64 {
	largest := 0.0
	for _, v := range x {
		if math.Abs(v) > math.Abs(largest)+1e-9 { // of values that are equal up to rounding, the first counts
			largest = v
		}
	}
	if largest < 0 {
		floats.Scale(-1, x)
	}
	return x
}

// rounded returns the values, rounded to a number of digits after the point.
func rounded(values []float64, digits int) []float64 {
	r := make([]float64, len(values))
	for i, v := range values {
		r[i] = scalar.Round(v, digits)
	}
	return r
}

// stems draws each eigenvalue as a gray vertical line of height 1, blue up to the filter's
// amplitude there, and the curve of the amplitude over all λ. The line of the chosen
// eigenvalue, an index of values, is vermilion.
func stems(title string, values []float64, chosen int, r Response) *Figure {
	const top = 1.25 // of the y axis; the curve is cut off there
	f, p := newFigure(title, "eigenvalue λ", "amplitude |1 − kλ|ᵗ")
	stem := func(x, y float64, c color.Color, width vg.Length) {
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: x}, {X: x, Y: y}}, LineStyle: draw.LineStyle{Color: c, Width: width}})
	}
	for _, v := range values {
		stem(v, 1, muted, vg.Points(1))
		stem(v, min(1, r.Amplitude(v)), colors[5], vg.Points(2))
	}
	stem(values[chosen], 1, colors[1], vg.Points(2))
	curve := responseCurve(0, 2, 0, func(lambda float64) float64 { return min(top, r.Amplitude(lambda)) })
	p.Add(curve)
	p.legend = append(p.legend, legendEntry{responseName(r), curve})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 2, 0, top
	return f
}
