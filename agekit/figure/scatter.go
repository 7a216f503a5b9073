package figure

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter2D draws the rows of points (n×2) in the color and shape of their label: labels[i]
// is the class of point i, and names[c] the name of class c. Both axes have the same scale
// and no numbers, which mean nothing in a t-SNE map. If names is nil, classes are numbered;
// if labels is nil, all points look alike. Up to 21 classes differ in color or shape.
//
// It panics if points is not n×2, if the number of labels is not the number of points,
// or if a label has no name.
func Scatter2D(title string, points blas32.General, labels []int, names []string) *Figure {
	require(points.Cols == 2, "points of %d dimensions: want 2", points.Cols)
	require(labels == nil || len(labels) == points.Rows, "%d labels for %d points", len(labels), points.Rows)
	if points.Rows == 0 {
		return failed("%w", errNoData)
	}
	f, p := newFigure(title, "", "")
	f.marks = points.Rows
	p.equalScale = true
	radius := vg.Points(2) // the more points, the smaller
	if points.Rows > manyMarks/2 {
		radius = vg.Points(1.4)
	}
	if points.Rows > manyMarks {
		radius = vg.Points(1.1)
	}
	xys := make(plotter.XYs, points.Rows)
	for i := range xys {
		xys[i] = plotter.XY{X: float64(points.Data[i*points.Stride]), Y: float64(points.Data[i*points.Stride+1])}
		if !finite(xys[i].X, xys[i].Y) {
			return failed("point %d is (%v, %v): want finite coordinates", i, xys[i].X, xys[i].Y)
		}
	}
	xmin, xmax, ymin, ymax := plotter.XYRange(xys)
	cloud := func(c draw.Canvas, trX, trY func(float64) vg.Length) {
		for i, xy := range xys { // not class by class, so that no class covers the others
			class := 0
			if labels != nil {
				class = labels[i]
			}
			c.DrawGlyph(glyphStyle(class, radius), vg.Point{X: trX(xy.X), Y: trY(xy.Y)})
		}
	}
	p.Add(ranged{cloud, xmin, xmax, ymin, ymax})
	widenAxis(&p.X, 0.03)
	widenAxis(&p.Y, 0.03)
	for c := range classCount(labels, names) {
		name := fmt.Sprintf("class %d", c)
		if names != nil {
			name = shortName(names[c])
		}
		p.legend = append(p.legend, legendEntry{name, &plotter.Scatter{GlyphStyle: glyphStyle(c, vg.Points(3))}})
	}
	p.hideAxes()
	p.Add(painter(func(c draw.Canvas, _, _ func(float64) vg.Length) { // a frame
		c.SetLineStyle(draw.LineStyle{Color: muted, Width: vg.Points(0.6)})
		c.Stroke(c.Rectangle.Path())
	}))
	return f
}

// classCount returns the number of classes: that of names, or, if names is nil, the largest
// label plus 1; 0 if labels is nil. It panics if a label is negative or has no name.
func classCount(labels []int, names []string) int {
	if labels == nil {
		return 0
	}
	count := len(names)
	for i, l := range labels {
		if names == nil {
			count = max(count, l+1)
		}
		require(l >= 0 && l < count, "label of point %d is %d: want 0 to %d", i, l, count-1)
	}
	return count
}
