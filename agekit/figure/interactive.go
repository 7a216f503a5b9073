package figure

// This part writes the figures that a script draws in the reader's browser. Each needs no
// network and no kernel, and a page can hold any number of them. Numbers of the method come
// from its packages with the data; what the filter's k and t change is in filter.js
// (docs/log/moving-figures.md has why no Go runs there).

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
//go:embed scripts
var scripts embed.FS

// interactiveHTML returns the figure that the script of a name draws from data. Title is a
// sentence for readers who do not see it. Where scripts do not run, as in a notebook
// that Jupyter does not trust, the page shows still, which is HTML. Scripts of further
// names add to ui what the first one needs.
func interactiveHTML(name, title, still string, data any, further ...string) (page string, err error) {
	encoded, err := json.Marshal(data) // with <, > and & as escapes: it cannot end the element
	if err != nil {
		return "", fmt.Errorf("%s: %w", title, err)
	}
	script, err := scriptOf(name, further...)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`<div class="agekit-interactive" data-figure="%s" role="group" aria-label="%s">`+"\n"+
		`<div class="agekit-stage">%s</div>`+"\n"+`<script type="application/json">%s</script>`+"\n</div>\n"+
		"<script>%s</script>\n",
		name, html.EscapeString(title), still, encoded, script), nil
}

// scriptOf returns the text of the script in [interactiveHTML], which does not depend on the
// data: a page may allow it by its hash.
func scriptOf(name string, further ...string) (string, error) {
	library, figure := "", "" // the texts before the last, and the last
	for _, part := range slices.Concat([]string{"ui"}, further, []string{name}) {
		text, err := scripts.ReadFile("scripts/" + part + ".js")
		if err != nil {
			return "", err
		}
		library += figure
		figure = string(text)
	}
	return fmt.Sprintf("\n(function () {\n%s\nstart(%q, function (stage, data, ui) {\n%s});\n})();\n", library, name, figure), nil
}

// packed is data that a page has as gzip in base64, a third of the size of text: ui.start
// unpacks it, in browsers of 2023 and later.
type packed struct{ data any }

// MarshalJSON returns the data's JSON, packed, as a string in base64.
func (p packed) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	w, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(json.NewEncoder(w).Encode(p.data), w.Close()); err != nil {
		return nil, err
	}
	return json.Marshal(text.Bytes())
}

// numbers are whole numbers from 0. A page has them as base64 of little-endian
// numbers of 1, 2 or 4 bytes, the fewest that hold them all; ui.numbers reads them.
type numbers []int

// MarshalJSON returns the numbers in little-endian bytes, 1, 2 or 4 for each, as a string in base64.
func (n numbers) MarshalJSON() ([]byte, error) {
	size := 1
	if len(n) > 0 && slices.Max(n) > math.MaxUint16 {
		size = 4
	} else if len(n) > 0 && slices.Max(n) > math.MaxUint8 {
		size = 2
	}
	all := make([]byte, 0, size*len(n)+3)
	for k, v := range n {
		all = binary.LittleEndian.AppendUint32(all, uint32(v))[:size*(k+1)] // without the bytes above size
	}
	return json.Marshal(all)
}

// onScale returns values as numbers from 0 for low to 65535 for low + width.
func onScale(values []float64, low, width float64) numbers {
	n := make(numbers, len(values))
	for i, v := range values {
		n[i] = int(math.Round(math.MaxUint16 * (v - low) / max(width, 1e-30)))
	}
	return n
}

// Grid returns places in the plane as whole numbers up to 65535, with the same scale
// along both axes.
func Grid(x, y []float64) (onX, onY []int) {
	wide, high := slices.Max(x)-slices.Min(x), slices.Max(y)-slices.Min(y)
	width := max(wide, high)
	return onScale(x, slices.Min(x)-(width-wide)/2, width), onScale(y, slices.Min(y)-(width-high)/2, width)
}
