package figure

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// shortCell is the length in characters up to which a cell is not broken into lines: on
// a phone, a number such as 0.73 ± 0.01 would be.
const shortCell = 24

// Table returns a table of text. Columns of numbers are right-aligned. It panics if a
// row does not have one cell per column.
func Table(header []string, rows [][]string) Fragment {
	right := make([]bool, len(header))
	for j := range header {
		right[j] = len(rows) > 0
		for i, row := range rows {
			require(len(row) == len(header), "row %d of a table has %d cells for %d columns", i, len(row), len(header))
			right[j] = right[j] && isNumber(row[j])
		}
	}
	var page, plain strings.Builder
	text := tabwriter.NewWriter(&plain, 0, 8, 2, ' ', 0)
	writeRow := func(tag string, cells []string) {
		page.WriteString("<tr>")
		for j, cell := range cells {
			style := "text-align:left"
			if right[j] {
				style = "text-align:right"
			}
			if tag == "td" && utf8.RuneCountInString(cell) <= shortCell {
				style += ";white-space:nowrap"
			}
			fmt.Fprintf(&page, `<%s style="%s">%s</%s>`, tag, style, html.EscapeString(clean(cell)), tag)
			fmt.Fprintf(text, "%s\t", clean(cell))
		}
		page.WriteString("</tr>\n")
		fmt.Fprintln(text)
	}
	page.WriteString("<table>\n<thead>")
	writeRow("th", header)
	page.WriteString("</thead>\n<tbody>")
	for _, row := range rows {
		writeRow("td", row)
	}
	page.WriteString("</tbody>\n</table>\n")
	text.Flush()
	return Fragment{HTML: page.String(), Text: plain.String()}
}

// isNumber reports whether a cell is empty or a number, possibly with
// thousands separators, a percent sign or a deviation (0.73 ± 0.01).
func isNumber(cell string) bool {
	for part := range strings.SplitSeq(cell, "±") {
		part = strings.TrimSuffix(strings.TrimSpace(part), "%")
		part = strings.NewReplacer(",", "", "−", "-").Replace(strings.TrimSpace(part))
		if part == "" || part == "–" {
			continue
		}
		if _, err := strconv.ParseFloat(part, 64); err != nil {
			return false
		}
	}
	return true
}
