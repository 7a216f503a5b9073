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

// Step is the state of a training after a step: the embedding Z of n nodes, with rows of
// length 1, the positive pairs, and a sentence about them.
type Step struct {
	Z        mat.Matrix
	Positive [][2]int
	Text     string
}

// StepsExplorer shows the similarities ZZᵀ of the nodes, in the given order, at a step that
// the reader chooses: the darker, the more similar, and positive pairs are blue. Each step
// is a picture, so a page should have at most a hundred steps of a hundred nodes.
func StepsExplorer(title string, order []int, steps []Step) Fragment {
	if len(steps) == 0 {
		return refused("%w", errNoData)
	}
	type shown struct {
		Picture []byte // PNG
		Text    string
	}
	var all []shown
	var last *image.RGBA
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

// picture returns a pixel for each pair.
func (s Step) picture(order []int) *image.RGBA {
	var similarity mat.Dense
	similarity.Mul(s.Z, s.Z.T())
	n := len(order)
	place, out := make([]int, n), image.NewRGBA(image.Rect(0, 0, n, n))
	for row, i := range order {
		place[i] = row
		for other, j := range order {
			gray := uint8(math.Round(255 * (1 - 0.8*min(max(similarity.At(i, j), 0), 1))))
			out.Set(other, row, color.Gray{gray})
		}
	}
	for _, p := range s.Positive {
		out.Set(place[p[1]], place[p[0]], color.RGBA{0x00, 0x72, 0xb2, 0xff})
	}
	return out
}

// raster returns a figure of an image alone.
func raster(title string, pixels image.Image) *Figure {
	f, p := newFigure(title, "", "")
	size := pixels.Bounds()
	p.Add(plotter.NewImage(pixels, 0, 0, float64(size.Dx()), float64(size.Dy())))
	p.equalScale = true
	p.hideAxes()
	return f
}
