package figure

import (
	"fmt"
	"image/color"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter2D draws the rows of points (n×2) in the color and shape of their
// label. Both axes have the same scale and no numbers, which mean nothing in a
// t-SNE map. If names is nil, classes are numbered; if labels is nil, all
// points look alike. Up to 21 classes differ in color or shape.
//
// It panics if points is not n×2, if the number of labels is not the number of
// points, or if a label has no name.
func Scatter2D(title string, points blas32.General, labels []int, names []string) *Figure {
	if points.Cols != 2 {
		panic(fmt.Sprintf("figure: points of %d dimensions: want 2", points.Cols))
	}
	if labels != nil && len(labels) != points.Rows {
		panic(fmt.Sprintf("figure: %d labels for %d points", len(labels), points.Rows))
	}
	if points.Rows == 0 {
		return failed("%w", errNoData)
	}
	f := newFigure(title, "", "")
	f.marks = points.Rows
	p := f.panels[0]
	p.equalScale = true
	cloud := &cloud{radius: vg.Points(2)}
	if points.Rows > manyMarks/2 {
		cloud.radius = vg.Points(1.4)
	}
	for i := range points.Rows {
		xy := plotter.XY{X: float64(points.Data[i*points.Stride]), Y: float64(points.Data[i*points.Stride+1])}
		if !finite(xy.X, xy.Y) {
			return failed("point %d is (%v, %v): want finite coordinates", i, xy.X, xy.Y)
		}
		cloud.points = append(cloud.points, xy)
	}
	cloud.classes = labels
	p.Add(cloud)
	padBoth(&p.X)
	padBoth(&p.Y)
	for c := range classCount(labels, names) {
		name := fmt.Sprintf("class %d", c)
		if names != nil {
			name = shortName(names[c])
		}
		p.legend = append(p.legend, legendEntry{name, &plotter.Scatter{GlyphStyle: glyphStyle(c, vg.Points(3))}})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
	p.X.Color, p.Y.Color = color.Transparent, color.Transparent
	p.Add(frame{})
	return f
}

// classCount returns the number of classes, and panics on an invalid label.
func classCount(labels []int, names []string) int {
	if labels == nil {
		return 0
	}
	count := len(names)
	for i, l := range labels {
		if names == nil {
			count = max(count, l+1)
		}
		if l < 0 || l >= count {
			panic(fmt.Sprintf("figure: label of point %d is %d: want 0 to %d", i, l, count-1))
		}
	}
	return count
}

func padBoth(a *plot.Axis) {
	pad := 0.03 * (a.Max - a.Min)
	if pad == 0 {
		pad = 1
	}
	a.Min, a.Max = a.Min-pad, a.Max+pad
}

// cloud draws points in their given order, not class by class, so that no
// class covers the others.
type cloud struct {
	points  plotter.XYs
	classes []int // or nil
	radius  vg.Length
}

func (s *cloud) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	for i, xy := range s.points {
		class := 0
		if s.classes != nil {
			class = s.classes[i]
		}
		c.DrawGlyph(glyphStyle(class, s.radius), vg.Point{X: trX(xy.X), Y: trY(xy.Y)})
	}
}

func (s *cloud) DataRange() (xmin, xmax, ymin, ymax float64) { return plotter.XYRange(s.points) }

// frame is a border around the data.
type frame struct{}

func (frame) Plot(c draw.Canvas, _ *plot.Plot) {
	path := c.Rectangle.Path()
	c.SetLineStyle(draw.LineStyle{Color: muted, Width: vg.Points(0.6)})
	c.Stroke(path)
}
