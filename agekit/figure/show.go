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

// Show shows f in the notebook cell's output: as SVG, with a PNG image for front ends
// that show no SVG. If f has more than 2,000 points, which would make a large SVG, Show
// shows the PNG image alone. Outside a notebook, Show only returns the error that f holds;
// use Save there.
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

// bundle returns f in every format that a front end may choose from, by MIME type. The SVG is
// an entry of its own rather than part of HTML: Jupyter removes SVG from the HTML of a
// notebook that somebody else has run. There, JupyterLab shows the PNG image instead, and in
// a trusted notebook the SVG.
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

// html returns f as an HTML element, for output that is not saved with the notebook: an SVG,
// or a PNG image if f has more than manyMarks points.
func (f *Figure) html() (string, error) {
	if f.marks <= manyMarks {
		svg, err := f.svg()
		return "<div>" + string(svg) + "</div>", err
	}
	png, err := f.smallPNG()
	return f.img(png), err
}

// img returns an HTML element that shows png, which is f as a PNG image, in f's width.
func (f *Figure) img(png []byte) string {
	return fmt.Sprintf(`<img alt="%s" style="width:%.0fpt;max-width:100%%" src="data:image/png;base64,%s">`,
		html.EscapeString(f.title()), f.width.Points(), base64.StdEncoding.EncodeToString(png))
}

// pixelsPerInch is the number of CSS pixels in an inch.
const pixelsPerInch = 96

// pixels returns a length in CSS pixels, rounded.
func pixels(l vg.Length) int { return int(l.Dots(pixelsPerInch) + 0.5) }

// Fragment is a piece of an HTML page, with a plain text for use without a page. A fragment
// whose data cannot be drawn holds an error, which Show returns.
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

// afterText waits until the kernel has taken the text that the cell printed so far.
// Text and figures reach the kernel through two pipes, and without the wait most figures
// would overtake the line before them. The kernel does not say when it has passed a text on
// to the page, so a short pause after the pipe is empty has to do.
func afterText() {
	const (
		longest = time.Second          // to wait for a kernel that does not read
		pause   = 3 * time.Millisecond // for the kernel to pass on what it has read
	)
	for start := time.Now(); textWaits() && time.Since(start) < longest; {
		time.Sleep(pause / 10)
	}
	gonbui.Sync()
	time.Sleep(pause)
}
