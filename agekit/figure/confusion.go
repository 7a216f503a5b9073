package figure

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Confusion draws a matrix of counts, with one row per class, the first at the top, and one
// column per cluster. The darker a cell, the larger its share of its row. Confusion panics
// if the matrix is empty, if its rows differ in length, or if the numbers of names do not
// match. For a negative count, the figure holds an error.
func Confusion(title string, counts [][]int, rowNames, colNames []string) *Figure {
	require(len(counts) > 0 && len(counts[0]) > 0, "Confusion of an empty matrix")
	require(len(counts) == len(rowNames), "%d row names for %d rows", len(rowNames), len(counts))
	for i, row := range counts {
		require(len(row) == len(colNames), "row %d has %d counts for %d column names", i, len(row), len(colNames))
		if low := slices.Min(row); low < 0 {
			return failed("count %d in row %d, column %d: want 0 or more", low, i, slices.Index(row, low))
		}
	}
	upward := slices.Clone(rowNames) // the axis begins at the bottom, with the last row
	slices.Reverse(upward)
	f, p := newFigure(title, "cluster", "class")
	p.Add(inColumns(len(colNames), -0.5, float64(len(counts))-0.5, shadedCells(counts)))
	nameAxis(&p.X, colNames)
	nameAxis(&p.Y, upward)
	p.X.Color, p.Y.Color = color.Transparent, color.Transparent
	const cell, axes = 8 * vg.Millimeter, 4 * vg.Centimeter
	f.height = max(height, cell*vg.Length(len(counts))+axes)
	f.width = max(width, cell*vg.Length(len(colNames))+axes)
	return f
}

// shadedCells returns a painter of the counts, each in a cell whose color goes from near white
// for no share of its row to blue for the whole row.
func shadedCells(counts [][]int) painter {
	return func(c draw.Canvas, trX, trY func(float64) vg.Length) {
		style := textStyle(tickSize)
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
		for i, row := range counts {
			sum := 0
			for _, n := range row {
				sum += n
			}
			y := float64(len(counts) - 1 - i)
			for j, n := range row {
				share, x := float64(n)/float64(max(1, sum)), float64(j)
				const whiteText = 0.55 // the share from which black text is hard to read
				shade := mixed(color.RGBA{0xf3, 0xf6, 0xf9, 255}, colors[0], share)
				fillRectangle(c, shade, trX(x-0.49), trX(x+0.49), trY(y-0.48), trY(y+0.48))
				style.Color = ink
				if share > whiteText {
					style.Color = background
				}
				c.FillText(style, vg.Point{X: trX(x), Y: trY(y)}, fmt.Sprint(n))
			}
		}
	}
}
