package figure

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/atomicfile"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is one panel, or several next to each other. If its data cannot be drawn, it
// holds the error, which every method that draws it returns, so that calls can be
// chained.
type Figure struct {
	panels        []*panel
	width, height vg.Length
	marks         int // individually drawn points, which make an SVG large
	rows          int // of panels; 0 means 1
	err           error
}

// panel is one plot with its legend, drawn to its right, where it hides no data.
type panel struct {
	*plot.Plot
	legend     []legendEntry
	equalScale bool // of both axes, as distances in a map need
	full       bool // data reach the top: the label of a vertical line needs room above
}

type legendEntry struct {
	name  string
	thumb plot.Thumbnailer
}

const (
	width, height = 16 * vg.Centimeter, 9 * vg.Centimeter
	rowWidth      = 25 * vg.Centimeter // largest total width of several panels
	rowPanels     = 3                  // more than these are drawn in several rows
	margin        = 3 * vg.Millimeter
	dotsPerInch   = 144
	manyMarks     = 2000 // more than these are shown as PNG
)

// failed returns a figure that holds an error.
func failed(format string, args ...any) *Figure {
	return &Figure{err: fmt.Errorf("figure: "+format, args...)}
}

// require panics with a message if the caller's data do not fit together.
func require(fits bool, format string, args ...any) {
	if !fits {
		panic(fmt.Sprintf("figure: "+format, args...))
	}
}

// Row returns a figure with the panels of all figures next to each other, from four on in
// two rows, and from nine on in about as many rows as columns.
// Panels with the same legend share one. It panics without figures.
func Row(figures ...*Figure) *Figure {
	require(len(figures) > 0, "Row of no figures")
	row := &Figure{}
	for _, f := range figures {
		if f.err != nil {
			return f
		}
		row.width += f.width
		row.panels = append(row.panels, f.panels...)
		row.marks += f.marks
	}
	if len(figures) == 1 {
		return figures[0]
	}
	row.width = min(rowWidth, row.width)
	if n := len(row.panels); n > rowPanels {
		row.rows = max(2, int(math.Sqrt(float64(n))))
	}
	row.height = vg.Length(row.rowCount()) * min(height, row.width/vg.Length(row.columns())*0.95)
	return row
}

// rowCount returns the number of rows of panels.
func (f *Figure) rowCount() int { return max(1, f.rows) }

// columns returns the number of panels in a row.
func (f *Figure) columns() int { return (len(f.panels) + f.rowCount() - 1) / f.rowCount() }

// VLine adds a vertical line at x to each panel, with a label next to its top,
// and returns f.
func (f *Figure) VLine(x float64, label string) *Figure {
	for _, p := range f.panels {
		if p.full && label != "" {
			p.Y.Max += 0.1 * (p.Y.Max - p.Y.Min)
			p.full = false
		}
		p.Add(verticalLine(x, clean(label)))
	}
	return f
}

// png returns f as a PNG image at 144 dots per inch.
func (f *Figure) png() ([]byte, error) {
	c, err := f.canvas(dotsPerInch)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("figure: %w", err)
	}
	return b.Bytes(), nil
}

// canvas draws f at the given number of dots per inch.
func (f *Figure) canvas(dpi int) (*vgimg.Canvas, error) {
	if f.err != nil {
		return nil, f.err
	}
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
	f.draw(draw.New(c))
	return c, nil
}

// readable is the least size of text on a page, in CSS pixels.
const readable = 9

// svgText is what the canvas writes for a text: the element's beginning with its weight and
// size, and the text.
var svgText = regexp.MustCompile(`(<text [^>]*font-weight:(\w+)[^>]*font-size:([\d.]+)px[^>]*)>([^<]*)</text>`)

// svg returns f as an SVG element, with text in Liberation Sans, or in another font as wide
// as that.
func (f *Figure) svg() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	c := vgsvg.New(f.width, f.height)
	f.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("figure: %w", err)
	}
	s := b.String()
	s = s[strings.Index(s, "<svg"):] // without the XML declaration, which HTML does not allow
	smallest := math.Inf(1)
	s = svgText.ReplaceAllStringFunc(s, func(element string) string {
		found := svgText.FindStringSubmatch(element)
		size, _ := strconv.ParseFloat(found[3], 64)
		smallest = min(smallest, size)
		style := textStyle(size)
		if found[2] == "bold" {
			style.Font.Weight = bold
		}
		wide := style.Width(html.UnescapeString(found[4])).Points()
		return fmt.Sprintf(`%s textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`, found[1], wide, found[4])
	})
	// On a phone, where text would be too small to read, the figure's box scrolls.
	s = strings.Replace(s, "<svg", fmt.Sprintf(`<svg role="img" aria-label="%s" style="max-width:100%%;height:auto;min-width:%.0fpx"`,
		html.EscapeString(f.title()), readable/smallest*f.width.Points()), 1)
	s = strings.ReplaceAll(s, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	return []byte(s), nil
}

// Save creates or replaces a file with f in the format given by the path's
// extension, .svg or .png.
func (f *Figure) Save(path string) error {
	data, err := f.Encode(strings.ToLower(filepath.Ext(path)))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, atomicfile.Bytes(data))
}

// Encode returns f in the format with the given extension, .svg or .png.
func (f *Figure) Encode(extension string) ([]byte, error) {
	switch extension {
	case ".svg":
		return f.svg()
	case ".png":
		return f.png()
	}
	return nil, fmt.Errorf("figure: extension %q: want .svg or .png", extension)
}

// title returns the titles of the panels, for readers who do not see the figure.
func (f *Figure) title() string {
	var titles []string
	for _, p := range f.panels {
		if p.Title.Text != "" {
			titles = append(titles, p.Title.Text)
		}
	}
	return strings.Join(titles, "; ")
}

// draw draws the panels row by row. The legend that all of them have stands beside them once.
func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(background)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	sameName := func(a, b legendEntry) bool { return a.name == b.name }
	isShared := !slices.ContainsFunc(f.panels, func(p *panel) bool {
		return !slices.EqualFunc(p.legend, f.panels[0].legend, sameName)
	})
	if isShared {
		c = f.panels[0].drawLegend(c)
	}
	const gap = 2 * margin
	columns, rows := vg.Length(f.columns()), vg.Length(f.rowCount())
	wide, high := (c.Size().X-gap*(columns-1))/columns, (c.Size().Y-gap*(rows-1))/rows
	for i, p := range f.panels {
		leftEdge := (wide + gap) * vg.Length(i%f.columns())
		top := (high + gap) * vg.Length(i/f.columns())
		area := draw.Crop(c, leftEdge, leftEdge+wide-c.Size().X, c.Size().Y-top-high, -top)
		if !isShared {
			area = p.drawLegend(area)
		}
		p.draw(area)
	}
}

// draw draws the panel. With equalScale, the shorter axis is widened on both sides.
func (p *panel) draw(c draw.Canvas) {
	scaled := *p.Plot // a copy, since the next canvas may have a different shape
	if p.equalScale {
		x, y, size := &scaled.X, &scaled.Y, scaled.DataCanvas(c).Size()
		ratio, dx, dy := float64(size.X/size.Y), x.Max-x.Min, y.Max-y.Min
		if dx < dy*ratio {
			pad := (dy*ratio - dx) / 2
			x.Min, x.Max = x.Min-pad, x.Max+pad
		} else {
			pad := (dx/ratio - dy) / 2
			y.Min, y.Max = y.Min-pad, y.Max+pad
		}
	}
	scaled.Draw(c)
}

// drawLegend draws the panel's legend along the right edge of c, and returns the rest.
func (p *panel) drawLegend(c draw.Canvas) draw.Canvas {
	if len(p.legend) == 0 {
		return c
	}
	var top vg.Length
	if p.Title.Text != "" {
		top = p.Title.TextStyle.Height(p.Title.Text) + p.Title.Padding
	}
	l := plot.NewLegend()
	l.Left, l.Top = true, true
	for _, e := range p.legend {
		l.Add(e.name, e.thumb)
	}
	for size := float64(tickSize); size >= 4; size-- { // until it fits
		l.TextStyle = textStyle(size)
		l.ThumbnailWidth = vg.Points(1.4 * size)
		l.Padding = vg.Points(0.34 * size)
		if l.Rectangle(c).Size().Y < c.Size().Y-top {
			break
		}
	}
	w := l.Rectangle(c).Size().X + 2*vg.Millimeter
	l.Draw(draw.Crop(c, c.Size().X-w+2*vg.Millimeter, 0, 0, -top))
	return draw.Crop(c, 0, -w-2*vg.Millimeter, 0, 0)
}

// errNoData is the error of an empty figure.
var errNoData = errors.New("no data")
