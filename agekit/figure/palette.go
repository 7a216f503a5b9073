package figure

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
)

// smallPNG returns f as a PNG image for a screen with two dots per pixel. The image has at
// most 256 colors, which makes it a third of the size: a notebook holds many images.
func (f *Figure) smallPNG() ([]byte, error) {
	const dotsPerPixel = 2
	c, err := f.canvas(dotsPerPixel * pixelsPerInch)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, paletted(c.Image())); err != nil {
		return nil, fmt.Errorf("figure: %w", err)
	}
	return b.Bytes(), nil
}

// paletted returns the image m with the colors of [paletteOf]: each pixel has the nearest one.
func paletted(m image.Image) *image.Paletted {
	bounds := m.Bounds()
	full := image.NewRGBA(bounds)
	draw.Draw(full, bounds, m, bounds.Min, draw.Src)
	// colorAt returns the color of pixel i, row by row.
	colorAt := func(i int) color.RGBA {
		return color.RGBA{full.Pix[4*i], full.Pix[4*i+1], full.Pix[4*i+2], full.Pix[4*i+3]}
	}
	pixels := map[color.RGBA]int{} // how many pixels have a color
	for i := range len(full.Pix) / 4 {
		pixels[colorAt(i)]++
	}
	small := image.NewPaletted(bounds, paletteOf(pixels))
	nearest := map[color.RGBA]uint8{} // the place in the palette: looked for once per color, not per pixel
	for c := range pixels {
		nearest[c] = uint8(small.Palette.Index(c))
	}
	for i := range small.Pix {
		small.Pix[i] = nearest[colorAt(i)]
	}
	return small
}

// paletteOf returns the at most 256 most frequent colors; pixels has the number of pixels of
// each color. Colors with the same leading four bits in each channel are a group, which has
// the most frequent color of the group: otherwise similar mixtures at the edges of shapes
// would use up the palette.
func paletteOf(pixels map[color.RGBA]int) color.Palette {
	// byCount returns the colors, the most frequent first. Equally frequent colors have an
	// order, too, so that the image is always the same.
	byCount := func(pixels map[color.RGBA]int) []color.RGBA {
		return slices.SortedFunc(maps.Keys(pixels), func(a, b color.RGBA) int {
			return cmp.Or(pixels[b]-pixels[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
		})
	}
	first := map[color.RGBA]color.RGBA{} // the most frequent color with these leading bits
	groups := map[color.RGBA]int{}       // the pixels of a group, by its most frequent color
	for _, c := range byCount(pixels) {
		leading := color.RGBA{c.R >> 4, c.G >> 4, c.B >> 4, 255}
		if _, ok := first[leading]; !ok {
			first[leading] = c
		}
		groups[first[leading]] += pixels[c]
	}
	var p color.Palette
	for _, c := range byCount(groups)[:min(256, len(groups))] {
		p = append(p, c)
	}
	return p
}
