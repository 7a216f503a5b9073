// Package interactive writes the figures that a script draws in the reader's browser.
// Each needs no network and no kernel, and a page can hold any number of them. Numbers
// of the method come from its packages with the data; what the filter's k and t change is
// in filter.js (docs/log/moving-figures.md has why no Go runs there).
package interactive

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math"
	"slices"
)

// NAME.js is a function with the parameters stage (the element to draw in), data, and
// ui (what scripts share, in ui.js).
//
//go:embed *.js
var scripts embed.FS

//go:embed ui.js
var shared string

// HTML returns the figure that the script of a name draws from data. Title is a
// sentence for readers who do not see it. Where scripts do not run, as in a notebook
// that Jupyter does not trust, the page shows still, which is HTML. Scripts of further
// names add to ui what the first one needs.
func HTML(name, title, still string, data any, further ...string) (string, error) {
	encoded, err := json.Marshal(data) // with <, > and & as escapes: it cannot end the element
	if err != nil {
		return "", fmt.Errorf("%s: %w", title, err)
	}
	script, err := Script(name, further...)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`<div class="agekit-interactive" data-figure="%s" role="group" aria-label="%s">`+"\n"+
		`<div class="agekit-stage">%s</div>`+"\n"+`<script type="application/json">%s</script>`+"\n</div>\n"+
		"<script>%s</script>\n",
		name, html.EscapeString(title), still, encoded, script), nil
}

// Script returns the text of the script in [HTML], which does not depend on the data: a page
// may allow it by its hash.
func Script(name string, further ...string) (string, error) {
	script, err := scripts.ReadFile(name + ".js")
	if err != nil {
		return "", err
	}
	before := shared
	for _, name := range further {
		more, err := scripts.ReadFile(name + ".js")
		if err != nil {
			return "", err
		}
		before += string(more)
	}
	return fmt.Sprintf("\n(function () {\n%s\nstart(%q, function (stage, data, ui) {\n%s});\n})();\n", before, name, script), nil
}

// Packed is data that a page has as gzip in base64, a third of the size of text: ui.start
// unpacks it, in browsers of 2023 and later.
type Packed struct{ Data any }

// MarshalJSON implements [json.Marshaler].
func (p Packed) MarshalJSON() ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(json.NewEncoder(w).Encode(p.Data), w.Close()); err != nil {
		return nil, err
	}
	return json.Marshal(packed.Bytes())
}

// Numbers are whole numbers from 0. A page has them as base64 of little-endian
// numbers of 1, 2 or 4 bytes, the fewest that hold them all; ui.numbers reads them.
type Numbers []int

// MarshalJSON implements [json.Marshaler].
func (n Numbers) MarshalJSON() ([]byte, error) {
	size := 1
	if len(n) > 0 && slices.Max(n) > math.MaxUint16 {
		size = 4
	} else if len(n) > 0 && slices.Max(n) > math.MaxUint8 {
		size = 2
	}
	all := make([]byte, 0, size*len(n)+3)
	for k, v := range n {
		all = binary.LittleEndian.AppendUint32(all, uint32(v))[:size*(k+1)]
	}
	return json.Marshal(all)
}

// onScale returns values as numbers from 0 for low to 65535 for low + width.
func onScale(values []float64, low, width float64) Numbers {
	n := make(Numbers, len(values))
	for i, v := range values {
		n[i] = int(math.Round(math.MaxUint16 * (v - low) / max(width, 1e-30)))
	}
	return n
}

// Grid returns places in the plane as whole numbers up to 65535, with the same scale
// along both axes.
func Grid(x, y []float64) (onX, onY Numbers) {
	wide, high := slices.Max(x)-slices.Min(x), slices.Max(y)-slices.Min(y)
	width := max(wide, high)
	return onScale(x, slices.Min(x)-(width-wide)/2, width), onScale(y, slices.Min(y)-(width-high)/2, width)
}
