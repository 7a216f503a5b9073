package figure

import (
	"fmt"

	"github.com/agekit/age/internal/interactive"
)

// explorer is what one interactive figure needs.
type explorer struct {
	name  string  // of the script
	title string  // a sentence for readers who do not see the figure
	data  any     // for the script, as JSON
	still *Figure // what is shown where scripts do not run
	text  string  // what is printed outside a notebook
}

// fragment returns the figure as a self-contained fragment. Where scripts do not run,
// as in a notebook that Jupyter does not trust, it shows an image.
func (e explorer) fragment() Fragment {
	png, err := e.still.smallPNG()
	if err != nil {
		return Fragment{err: err}
	}
	page, err := interactive.HTML(e.name, e.title, e.still.img(png), e.data)
	if err != nil {
		return refused("%w", err)
	}
	return Fragment{HTML: page, PNG: png, Text: e.text}
}

// refused returns a fragment that holds an error.
func refused(format string, args ...any) Fragment {
	return Fragment{err: fmt.Errorf("figure: "+format, args...)}
}
