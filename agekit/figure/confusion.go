package figure

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Confusion draws a matrix of counts, with one row per class and one column
// per cluster. A cell's shade is its share of its row. Confusion panics if the
// matrix is empty, if its rows differ in length, or if the numbers of names do
// not match; a negative count is an error.
func Confusion(title string, counts [][]int, rowNames, colNames []string) *Figure {
	if len(counts) == 0 || len(counts[0]) == 0 {
		panic("figure: Confusion of an empty matrix")
	}
	if len(counts) != len(rowNames) {
		panic(fmt.Sprintf("figure: %d row names for %d rows", len(rowNames), len(counts)))
	}
	for i, row := range counts {
		if len(row) != len(colNames) {
			panic(fmt.Sprintf("figure: row %d has %d counts for %d column names", i, len(row), len(colNames)))
		}
		for j, c := range row {
			if c < 0 {
				return failed("count %d in row %d, column %d: want 0 or more", c, i, j)
			}
		}
	}
	f := newFigure(title, "cluster", "class")
	p := f.panels[0]
	p.Add(cells{counts})
	nameAxis(&p.X, colNames, func(i int) float64 { return float64(i) })
	nameAxis(&p.Y, rowNames, func(i int) float64 { return float64(len(counts) - 1 - i) })
	p.X.Color, p.Y.Color = color.Transparent, color.Transparent
	const cell, axes = 8 * vg.Millimeter, 4 * vg.Centimeter
	f.height = max(height, cell*vg.Length(len(counts))+axes)
	f.width = max(width, cell*vg.Length(len(colNames))+axes)
	return f
}

// cells is a matrix of shaded cells, each labeled with its count.
type cells struct{ counts [][]int }

func (m cells) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	style := textStyle(tickSize)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	for i, row := range m.counts {
		sum := 0
		for _, n := range row {
			sum += n
		}
		y := float64(len(m.counts) - 1 - i)
		for j, n := range row {
			share := float64(n) / float64(max(1, sum))
			x := float64(j)
			fillRectangle(c, shade(share), trX(x-0.49), trX(x+0.49), trY(y-0.48), trY(y+0.48))
			style.Color = ink
			if share > 0.55 {
				style.Color = background
			}
			c.FillText(style, vg.Point{X: trX(x), Y: trY(y)}, fmt.Sprint(n))
		}
	}
}

func (m cells) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(len(m.counts[0])) - 0.5, -0.5, float64(len(m.counts)) - 0.5
}

// shade maps a share to a color, from near white at 0 to the palette's blue at
// 1.
func shade(share float64) color.Color {
	from, to := color.RGBA{0xf3, 0xf6, 0xf9, 255}, colors[0]
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + share*(float64(b)-float64(a)) + 0.5) }
	return color.RGBA{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B), 255}
}
