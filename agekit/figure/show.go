package figure

import (
	"encoding/base64"
	"fmt"
	"html"
	"os"

	"github.com/janpfeifer/gonb/gonbui"
)

// Show shows f in the notebook cell's output: as SVG, or as PNG if f has more
// than 2,000 points, which would make a large SVG. Outside a notebook it only
// returns the error that f holds; use Save there.
func (f *Figure) Show() error {
	fragment, err := f.html()
	if err != nil {
		return err
	}
	return Fragment{HTML: fragment}.Show()
}

// html returns f as an HTML element.
func (f *Figure) html() (string, error) {
	if f.marks <= manyMarks {
		svg, err := f.SVG()
		return "<div>" + string(svg) + "</div>", err
	}
	data, err := f.PNG()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`<img alt="%s" style="width:%.0fpt;max-width:100%%" src="data:image/png;base64,%s">`,
		html.EscapeString(f.title()), f.width.Points(), base64.StdEncoding.EncodeToString(data)), nil
}

// Fragment is a piece of an HTML page, with a plain-text equivalent for use
// without a page.
type Fragment struct {
	HTML, Text string
	err        error
}

// Show shows the fragment in the notebook cell's output, or prints its text
// outside a notebook.
func (f Fragment) Show() error {
	if f.err != nil {
		return f.err
	}
	if !gonbui.IsNotebook {
		_, err := os.Stdout.WriteString(f.Text)
		return err
	}
	afterText()
	gonbui.DisplayHTML(f.HTML)
	gonbui.Sync() // or a cell that ends right now might lose the output
	return gonbui.Error()
}

// Err returns the error that the fragment holds, if its data cannot be shown.
func (f Fragment) Err() error { return f.err }
