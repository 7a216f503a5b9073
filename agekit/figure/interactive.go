package figure

// This file writes the figures that a script draws in the reader's browser. Such a figure
// needs no network and no kernel, and a page can hold any number of them. The numbers of the
// method are computed in Go and come with the data. Only what changes with the filter's k
// and t is computed in the browser, by filter.js (docs/log/moving-figures.md says why no Go
// runs there).

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"slices"
)

// scripts has a file NAME.js for each kind of figure: the body of a function with the
// parameters stage (the element to draw in), data, and ui (what all scripts share, from ui.js).
//
//go:embed scripts
var scripts embed.FS

// interactiveHTML returns the HTML of the figure that scripts/NAME.js draws from data, where
// NAME is name. title is a sentence for readers who do not see the figure. still is HTML
// that stands where scripts do not run, as in a notebook that Jupyter does not trust.
// further are the names of scripts that add to ui what the script of the figure needs.
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

// scriptOf returns the text of the script that [interactiveHTML] writes for the figure name
// with the further scripts. The text does not depend on the data, so a page may allow the
// script by its hash.
func scriptOf(name string, further ...string) (string, error) {
	var library string // ui.js and the further scripts
	for _, part := range append([]string{"ui"}, further...) {
		text, err := scripts.ReadFile("scripts/" + part + ".js")
		if err != nil {
			return "", err
		}
		library += string(text)
	}
	figure, err := scripts.ReadFile("scripts/" + name + ".js")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("\n(function () {\n%s\nstart(%q, function (stage, data, ui) {\n%s});\n})();\n", library, name, figure), nil
}

// packed is data that a page holds as gzip in base64, which has a third of the size of the
// JSON text. ui.start unpacks the data, in browsers of 2023 and later.
type packed struct{ data any }

// MarshalJSON returns the JSON of the data, compressed with gzip, as a JSON string in base64.
func (p packed) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	w, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(p.data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(text.Bytes())
}

// numbers are whole numbers from 0. A page holds them as base64 of little-endian
// numbers of 1, 2 or 4 bytes, the fewest that are enough for all; ui.numbers reads them.
type numbers []int

// MarshalJSON returns the numbers in little-endian bytes, 1, 2 or 4 for each, as a string in base64.
func (n numbers) MarshalJSON() ([]byte, error) {
	size := 1
	if len(n) > 0 && slices.Max(n) > math.MaxUint16 {
		size = 4
	} else if len(n) > 0 && slices.Max(n) > math.MaxUint8 {
		size = 2
	}
	all := make([]byte, 0, size*len(n)+3) // 3: the last number is written with 4 bytes and then cut to 1
	for k, v := range n {
		all = binary.LittleEndian.AppendUint32(all, uint32(v))[:size*(k+1)] // without the bytes above size
	}
	return json.Marshal(all)
}

// onScale returns the values as whole numbers: 0 for low, 65535 for low + width.
func onScale(values []float64, low, width float64) numbers {
	n := make(numbers, len(values))
	for i, v := range values {
		n[i] = int(math.Round(math.MaxUint16 * (v - low) / max(width, 1e-30))) // all 0 if all values are low
	}
	return n
}

// Grid returns the places (x[i], y[i]) as whole numbers from 0 to 65535. Both axes have the
// same scale: the axis with the larger range fills it, and the other one is centered in it.
func Grid(x, y []float64) (onX, onY []int) {
	rangeX, rangeY := slices.Max(x)-slices.Min(x), slices.Max(y)-slices.Min(y)
	side := max(rangeX, rangeY)
	return onScale(x, slices.Min(x)-(side-rangeX)/2, side), onScale(y, slices.Min(y)-(side-rangeY)/2, side)
}
