package figure

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// shortCell is the length in characters up to which a cell stays on one line: on a phone, a
// number such as 0.73 ± 0.01 would otherwise be broken into several.
const shortCell = 24

// Table returns a table with a header and rows of cells. Columns of numbers are
// right-aligned. ranked are the indices of columns in which the highest number is bold and
// the second highest underlined ([Ranks]). Table panics if a row does not have one cell per
// column.
func Table(header []string, rows [][]string, ranked ...int) Fragment {
	ranks := make(map[int][]int) // by ranked column: the rank of each row
	for _, j := range ranked {
		ranks[j] = Ranks(rows, j)
	}
	right := make([]bool, len(header)) // which columns are right-aligned
	for j := range header {
		right[j] = len(rows) > 0
		for i, row := range rows {
			require(len(row) == len(header), "row %d of a table has %d cells for %d columns", i, len(row), len(header))
			right[j] = right[j] && isNumber(row[j])
		}
	}
	var page, plain strings.Builder
	text := tabwriter.NewWriter(&plain, 0, 8, 2, ' ', 0)
	// writeRow writes a row to both tables; the header has tag "th" and row −1.
	writeRow := func(tag string, row int, cells []string) {
		page.WriteString("<tr>")
		for j, cell := range cells {
			style := "text-align:left"
			if right[j] {
				style = "text-align:right"
			}
			if tag == "td" && utf8.RuneCountInString(cell) <= shortCell {
				style += ";white-space:nowrap"
			}
			open, end := "", ""
			if ranks[j] != nil && row >= 0 {
				open, end = rankTags(ranks[j][row])
			}
			fmt.Fprintf(&page, `<%s style="%s">%s%s%s</%s>`, tag, style, open, html.EscapeString(clean(cell)), end, tag)
			fmt.Fprintf(text, "%s\t", clean(cell))
		}
		page.WriteString("</tr>\n")
		fmt.Fprintln(text)
	}
	page.WriteString("<table>\n<thead>")
	writeRow("th", -1, header)
	page.WriteString("</thead>\n<tbody>")
	for i, row := range rows {
		writeRow("td", i, row)
	}
	page.WriteString("</tbody>\n</table>\n")
	text.Flush()
	return Fragment{HTML: page.String(), Text: plain.String()}
}

// Ranks returns the rank of each row by its number in a column: 1 for the highest number, 2
// for the second highest, and 0 for all others. The number is the one that the cell's text
// begins with, so rows whose numbers are printed alike share a rank. A cell that does not
// begin with a number has rank 0.
func Ranks(rows [][]string, column int) []int {
	values, ranks := make([]float64, len(rows)), make([]int, len(rows))
	for i, row := range rows {
		first, _, _ := strings.Cut(strings.Replace(row[column], "−", "-", 1), " ")
		v, err := strconv.ParseFloat(first, 64)
		if err != nil || math.IsNaN(v) {
			v = math.Inf(-1) // no number
		}
		values[i] = v
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(values)))
	for i, v := range values {
		for rank := 1; rank <= min(2, len(sorted)); rank++ {
			if v == sorted[len(sorted)-rank] && !math.IsInf(v, -1) {
				ranks[i] = rank
			}
		}
	}
	return ranks
}

// rankTags returns the tags around the text of a cell with a rank of [Ranks], empty for rank 0.
func rankTags(rank int) (open, end string) {
	switch rank {
	case 1:
		return "<strong>", "</strong>"
	case 2:
		return "<u>", "</u>"
	}
	return "", ""
}

// isNumber reports whether a cell is empty, a dash for a missing number, or a number, possibly
// with thousands separators, a percent sign or a deviation (0.73 ± 0.01).
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
