package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/plotter"
)

// Step is the state of a training after one of its steps.
type Step struct {
	Z        mat.Matrix // the embedding: one row of length 1 for each node
	Positive [][2]int   // the positive pairs of nodes
	Text     string     // a sentence about this state
}

// StepsExplorer shows the similarities ZZᵀ of all pairs of nodes at a step that the reader
// chooses: the darker, the more similar, and positive pairs are blue. order lists all nodes
// in the order of the rows and columns shown. Each step is a picture, so a page should have
// at most a hundred steps of a hundred nodes.
func StepsExplorer(title string, order []int, steps []Step) Fragment {
	if len(steps) == 0 {
		return refused("%w", errNoData)
	}
	type shown struct {
		Picture []byte // PNG
		Text    string
	}
	var all []shown
	var last *image.RGBA // the last step's picture, which stands where scripts do not run
	for k, s := range steps {
		if n, _ := s.Z.Dims(); n != len(order) {
			return refused("step %d has %d nodes: want the %d of the order", k, n, len(order))
		}
		last = s.picture(order)
		var b bytes.Buffer
		if err := png.Encode(&b, last); err != nil {
			return refused("step %d: %w", k, err)
		}
		all = append(all, shown{b.Bytes(), s.Text})
	}
	end := steps[len(steps)-1].Text
	return explorer{
		name: "steps", title: title,
		data:  map[string]any{"Nodes": len(order), "Steps": all},
		still: raster(title, last),
		text:  fmt.Sprintf("%s: %s\n", title, end),
	}.fragment()
}

// picture returns an image with one pixel for each pair of nodes: row by row the first node,
// column by column the second, both in the given order.
func (s Step) picture(order []int) *image.RGBA {
	const darkest = 0.8 // share of black for similarity 1
	var similarity mat.Dense
	similarity.Mul(s.Z, s.Z.T())
	n := len(order)
	place := make([]int, n) // of a node in order
	out := image.NewRGBA(image.Rect(0, 0, n, n))
	for row, i := range order {
		place[i] = row
		for column, j := range order {
			shown := min(max(similarity.At(i, j), 0), 1) // negative similarities are white
			gray := uint8(math.Round(255 * (1 - darkest*shown)))
			out.Set(column, row, color.Gray{gray})
		}
	}
	for _, pair := range s.Positive {
		out.Set(place[pair[1]], place[pair[0]], colors[0]) // blue
	}
	return out
}

// raster returns a figure that shows only an image, without axes.
func raster(title string, pixels image.Image) *Figure {
	f, p := newFigure(title, "", "")
	size := pixels.Bounds()
	p.Add(plotter.NewImage(pixels, 0, 0, float64(size.Dx()), float64(size.Dy())))
	p.equalScale = true
	p.hideAxes()
	return f
}
