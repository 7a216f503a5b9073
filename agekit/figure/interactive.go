package figure

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html"
)

// An interactive figure is a script, interactive/NAME.js, that draws data in the
// reader's browser. The script is a function with the parameters stage (the
// element to draw in), data, and ui (what scripts share, in interactive/ui.js).
//
//go:embed interactive/*.js
var scripts embed.FS

// interactive is what one interactive figure needs.
type interactive struct {
	name  string  // of the script
	title string  // a sentence for readers who do not see the figure
	data  any     // for the script, as JSON
	still *Figure // what is shown where scripts do not run
	text  string  // what is printed outside a notebook
}

// fragment returns the figure as a self-contained fragment: it needs no network
// and no kernel, and a page can hold any number of them. Where scripts do not
// run, as in a notebook that Jupyter does not trust, it shows an image.
func (f interactive) fragment() Fragment {
	png, err := f.still.smallPNG()
	if err != nil {
		return Fragment{err: err}
	}
	data, err := json.Marshal(f.data)
	if err != nil {
		return Fragment{err: fmt.Errorf("figure: %s: %w", f.title, err)}
	}
	shared, err := scripts.ReadFile("interactive/ui.js")
	if err != nil {
		return Fragment{err: err}
	}
	script, err := scripts.ReadFile("interactive/" + f.name + ".js")
	if err != nil {
		return Fragment{err: err}
	}
	var page bytes.Buffer
	// json.Marshal writes <, > and & as escapes, so the data cannot end the
	// element.
	fmt.Fprintf(&page, `<div class="agekit-interactive" data-figure="%s" role="group" aria-label="%s">`+"\n"+
		`<div class="agekit-stage">%s</div>`+"\n"+`<script type="application/json">%s</script>`+"\n</div>\n"+
		"<script>\n(function () {\n%s\nstart(%q, function (stage, data, ui) {\n%s});\n})();\n</script>\n",
		f.name, html.EscapeString(f.title), f.still.img(png), data, shared, f.name, script)
	return Fragment{HTML: page.String(), PNG: png, Text: f.text}
}
