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

// smallPNG returns f as a PNG image for a screen with two dots per pixel, with at most
// 256 colors, which make it a third of the size: notebooks hold many.
func (f *Figure) smallPNG() ([]byte, error) {
	c, err := f.canvas(2 * pixelsPerInch)
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

// paletted returns m with the colors of paletteOf.
func paletted(m image.Image) *image.Paletted {
	bounds := m.Bounds()
	full := image.NewRGBA(bounds)
	draw.Draw(full, bounds, m, bounds.Min, draw.Src)
	pixels := map[color.RGBA]int{} // the number of each color, then its place in the palette
	colorAt := func(i int) color.RGBA {
		return color.RGBA{full.Pix[4*i], full.Pix[4*i+1], full.Pix[4*i+2], full.Pix[4*i+3]}
	}
	for i := range len(full.Pix) / 4 {
		pixels[colorAt(i)]++
	}
	small := image.NewPaletted(bounds, paletteOf(pixels))
	for c := range pixels {
		pixels[c] = small.Palette.Index(c)
	}
	for i := range small.Pix {
		small.Pix[i] = uint8(pixels[colorAt(i)])
	}
	return small
}

// paletteOf returns the 256 most frequent colors, given the number of pixels of each.
// So that similar mixtures at edges do not use up the palette, colors with the same
// leading four bits in each channel count as one, the most frequent of them.
func paletteOf(pixels map[color.RGBA]int) color.Palette {
	// Equally frequent colors have an order, too, so that the image is always
	// the same.
	byCount := func(pixels map[color.RGBA]int) []color.RGBA {
		return slices.SortedFunc(maps.Keys(pixels), func(a, b color.RGBA) int {
			return cmp.Or(pixels[b]-pixels[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
		})
	}
	first, groups := map[color.RGBA]color.RGBA{}, map[color.RGBA]int{}
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
