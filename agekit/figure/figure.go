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

// Figure is one panel, or several next to each other. A figure whose data cannot be drawn
// holds an error. Every method that draws returns this error, so that calls can be chained.
type Figure struct {
	panels        []*panel
	width, height vg.Length
	marks         int // individually drawn points, which make an SVG large
	rows          int // the number of rows of panels; 0 means 1
	err           error
}

// panel is one plot with its legend. The legend stands to the right of the plot, where it
// hides no data.
type panel struct {
	*plot.Plot
	legend     []legendEntry
	equalScale bool // both axes have the same scale, so that distances in a map are right
	full       bool // data reach the top: the label of a vertical line needs room above
}

// legendEntry is one line of a legend: a name, and the small picture before it.
type legendEntry struct {
	name  string
	thumb plot.Thumbnailer
}

const (
	width, height = 16 * vg.Centimeter, 9 * vg.Centimeter // of a figure with one panel
	rowWidth      = 25 * vg.Centimeter                    // largest total width of several panels
	rowPanels     = 3                                     // more panels than these are drawn in several rows
	panelAspect   = 0.95                                  // height of a panel in a row, as a share of its width
	margin        = 3 * vg.Millimeter                     // around the panels; between two panels there are two margins
	dotsPerInch   = 144                                   // of saved PNG images
	manyMarks     = 2000                                  // figures with more marks than these are shown as PNG
)

// failed returns a figure without panels that holds an error, formatted as by [fmt.Errorf].
func failed(format string, args ...any) *Figure {
	return &Figure{err: fmt.Errorf("figure: "+format, args...)}
}

// require panics with the formatted message unless fits is true. It is for data whose
// lengths do not fit together, which is a mistake of the calling program.
func require(fits bool, format string, args ...any) {
	if !fits {
		panic(fmt.Sprintf("figure: "+format, args...))
	}
}

// Row returns a figure with the panels of all figures next to each other. Four to eight
// panels stand in two rows, and nine or more in about as many rows as columns. If all panels
// have the same legend, the row has it once. Row returns the first figure that holds an
// error, and panics without figures.
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
	panelWidth := row.width / vg.Length(row.columns())
	row.height = vg.Length(row.rowCount()) * min(height, panelAspect*panelWidth)
	return row
}

// rowCount returns the number of rows of panels.
func (f *Figure) rowCount() int { return max(1, f.rows) }

// columns returns the number of panels in a row.
func (f *Figure) columns() int { return (len(f.panels) + f.rowCount() - 1) / f.rowCount() }

// VLine adds a vertical line at x, with the label next to the line's top, to each panel
// of f. It changes f and returns f.
func (f *Figure) VLine(x float64, label string) *Figure {
	const labelRoom = 0.1 // of the y axis's range: the height of one line of text
	for _, p := range f.panels {
		if p.full && label != "" {
			p.Y.Max += labelRoom * (p.Y.Max - p.Y.Min)
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

// canvas returns an image canvas on which f is drawn at dpi dots per inch.
func (f *Figure) canvas(dpi int) (*vgimg.Canvas, error) {
	if f.err != nil {
		return nil, f.err
	}
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
	f.draw(draw.New(c))
	return c, nil
}

// readable is the least size of text on a page, in CSS pixels. With it, a figure of the common
// width fits a phone.
const readable = 7

// phone is the width that a phone has for a figure, in CSS pixels.
const phone = 340

// svgText matches a text element as the SVG canvas writes it. Its groups are: the start tag
// without ">", the font's weight, the font's size in pixels, and the text.
var svgText = regexp.MustCompile(`(<text [^>]*font-weight:(\w+)[^>]*font-size:([\d.]+)px[^>]*)>([^<]*)</text>`)

// svg returns f as an SVG element. Text is in Liberation Sans, or, where a machine does not
// have this font, in another one that is stretched to the same width.
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
		groups := svgText.FindStringSubmatch(element)
		startTag, weight, content := groups[1], groups[2], groups[4]
		size, _ := strconv.ParseFloat(groups[3], 64) // the pattern matches numbers only
		smallest = min(smallest, size)
		style := textStyle(size)
		if weight == "bold" {
			style.Font.Weight = bold
		}
		textWidth := style.Width(html.UnescapeString(content)).Points()
		return fmt.Sprintf(`%s textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</text>`, startTag, textWidth, content)
	})
	// On a phone, the figure stays so wide that the smallest text has readable pixels: if that is
	// wider than the phone, its box scrolls, and a page says so where it sees the class.
	least := readable / smallest * f.width.Points()
	class := ""
	if least > phone {
		class = `class="wide" `
	}
	s = strings.Replace(s, "<svg", fmt.Sprintf(`<svg %srole="img" aria-label="%s" style="max-width:100%%;height:auto;min-width:%.0fpx"`,
		class, html.EscapeString(f.title()), least), 1)
	s = strings.ReplaceAll(s, "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")
	return []byte(s), nil
}

// Save creates or replaces the file at path with f. The path's extension, .svg or .png in
// any case, gives the format.
func (f *Figure) Save(path string) error {
	data, err := f.Encode(strings.ToLower(filepath.Ext(path)))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, atomicfile.Bytes(data))
}

// Encode returns f in the format of the extension, which is ".svg" or ".png".
func (f *Figure) Encode(extension string) ([]byte, error) {
	switch extension {
	case ".svg":
		return f.svg()
	case ".png":
		return f.png()
	}
	return nil, fmt.Errorf("figure: extension %q: want .svg or .png", extension)
}

// title returns the titles of the panels, joined by semicolons, for readers who do not see
// the figure.
func (f *Figure) title() string {
	var titles []string
	for _, p := range f.panels {
		if p.Title.Text != "" {
			titles = append(titles, p.Title.Text)
		}
	}
	return strings.Join(titles, "; ")
}

// draw draws the panels on c row by row. If all panels have the same legend, it stands once,
// at the right of all panels; otherwise each panel has its own.
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
	panelWidth := (c.Size().X - gap*(columns-1)) / columns
	panelHeight := (c.Size().Y - gap*(rows-1)) / rows
	for i, p := range f.panels {
		// The panel's left and upper edges, as distances from those of c.
		left := (panelWidth + gap) * vg.Length(i%f.columns())
		top := (panelHeight + gap) * vg.Length(i/f.columns())
		// Crop moves the left, right, lower and upper edge of c to the right or upward.
		area := draw.Crop(c, left, left+panelWidth-c.Size().X, c.Size().Y-top-panelHeight, -top)
		if !isShared {
			area = p.drawLegend(area)
		}
		p.draw(area)
	}
}

// draw draws the panel on c. With equalScale, it first widens the range of one axis on both
// sides until one unit is as long on the x axis as on the y axis.
func (p *panel) draw(c draw.Canvas) {
	scaled := *p.Plot // a copy, since the next canvas may have a different shape
	if p.equalScale {
		x, y, size := &scaled.X, &scaled.Y, scaled.DataCanvas(c).Size()
		ratio := float64(size.X / size.Y) // width to height of the area for the data
		dx, dy := x.Max-x.Min, y.Max-y.Min
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

// drawLegend draws the panel's legend along the right edge of c, below the height of the
// panel's title, and returns the part of c to the left of the legend: all of c if there is
// no legend. If the legend is too high, its text gets smaller, down to minLegendSize.
func (p *panel) drawLegend(c draw.Canvas) draw.Canvas {
	if len(p.legend) == 0 {
		return c
	}
	var top vg.Length
	if p.Title.Text != "" {
		top = p.Title.TextStyle.Height(p.Title.Text) + p.Title.Padding
	}
	l := plot.NewLegend()
	l.Left, l.Top = true, true // at the top left of the strip of c in which it is drawn
	for _, e := range p.legend {
		l.Add(e.name, e.thumb)
	}
	const (
		minLegendSize = 4                 // points; smaller text cannot be read
		legendGap     = 4 * vg.Millimeter // between the plot and its legend
		thumbWidth    = 1.4               // the width of a thumbnail, in sizes of the text
		entryGap      = 0.34              // between two entries, in sizes of the text
	)
	for size := float64(tickSize); size >= minLegendSize; size-- {
		l.TextStyle = textStyle(size)
		l.ThumbnailWidth = vg.Points(thumbWidth * size)
		l.Padding = vg.Points(entryGap * size)
		if fits := l.Rectangle(c).Size().Y < c.Size().Y-top; fits {
			break
		}
	}
	legendWidth := l.Rectangle(c).Size().X
	l.Draw(draw.Crop(c, c.Size().X-legendWidth, 0, 0, -top))
	return draw.Crop(c, 0, -legendWidth-legendGap, 0, 0)
}

// errNoData is the error of a figure without any data to draw.
var errNoData = errors.New("no data")
