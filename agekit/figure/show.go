package figure

import (
	"encoding/base64"
	"fmt"
	"html"
	"os"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
	"gonum.org/v1/plot/vg"
)

// Show shows f in the notebook cell's output: as SVG with a PNG image for front ends
// that show no SVG, or as PNG only if f has more than 2,000 points, which would make a
// large SVG. Outside a notebook it only returns the error that f holds; use Save there.
func (f *Figure) Show() error {
	if f.err != nil || !gonbui.IsNotebook {
		return f.err
	}
	data, err := f.bundle()
	if err != nil {
		return err
	}
	return display(&protocol.DisplayData{Data: data, Metadata: map[string]any{
		string(protocol.MIMEImagePNG): map[string]int{"width": pixels(f.width), "height": pixels(f.height)},
	}})
}

// bundle returns f in every format that a front end may choose from. The SVG is not
// in HTML, from which Jupyter removes it in a notebook that somebody else has run:
// JupyterLab shows the PNG image there, and the SVG in a trusted notebook.
func (f *Figure) bundle() (map[protocol.MIMEType]any, error) {
	png, err := f.smallPNG()
	if err != nil {
		return nil, err
	}
	data := map[protocol.MIMEType]any{protocol.MIMEImagePNG: png, protocol.MIMETextPlain: f.title()}
	if f.marks <= manyMarks {
		svg, err := f.svg()
		if err != nil {
			return nil, err
		}
		data[protocol.MIMEImageSVG] = string(svg)
	}
	return data, nil
}

// html returns f as an HTML element, for output that is not saved.
func (f *Figure) html() (string, error) {
	if f.marks <= manyMarks {
		svg, err := f.svg()
		return "<div>" + string(svg) + "</div>", err
	}
	png, err := f.smallPNG()
	return f.img(png), err
}

// img returns an HTML element with f's PNG image.
func (f *Figure) img(png []byte) string {
	return fmt.Sprintf(`<img alt="%s" style="width:%.0fpt;max-width:100%%" src="data:image/png;base64,%s">`,
		html.EscapeString(f.title()), f.width.Points(), base64.StdEncoding.EncodeToString(png))
}

// pixelsPerInch is the number of CSS pixels in an inch.
const pixelsPerInch = 96

func pixels(l vg.Length) int { return int(l.Dots(pixelsPerInch) + 0.5) }

// Fragment is a piece of an HTML page, with a plain text for use without a page.
type Fragment struct {
	HTML, Text string
	PNG        []byte // an image for front ends that show no HTML, or nil
	err        error
}

// Show shows f in the notebook cell's output, or prints its text outside a notebook.
func (f Fragment) Show() error {
	if f.err != nil {
		return f.err
	}
	if !gonbui.IsNotebook {
		_, err := os.Stdout.WriteString(f.Text)
		return err
	}
	data := map[protocol.MIMEType]any{protocol.MIMETextHTML: f.HTML}
	if f.PNG != nil {
		data[protocol.MIMEImagePNG] = f.PNG
	}
	return display(&protocol.DisplayData{Data: data})
}

// display sends data to the notebook, after the text that the cell has printed.
func display(d *protocol.DisplayData) error {
	afterText()
	gonbui.SendData(d)
	gonbui.Sync() // or a cell that ends right now might lose the output
	return gonbui.Error()
}

// afterText waits until the kernel has taken the text that the cell printed so far,
// since text and figures reach it through two pipes, and most figures would overtake
// the line before them. The kernel does not say when it has passed a text on, so a
// short pause after the pipe is empty has to do.
func afterText() {
	const longest, pause = time.Second, 3 * time.Millisecond
	for start := time.Now(); textWaits() && time.Since(start) < longest; {
		time.Sleep(pause / 10)
	}
	gonbui.Sync()
	time.Sleep(pause)
}
