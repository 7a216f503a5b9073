package table

import (
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/internal/message"
)

// sumWords are what programs and people call a row of sums, in lower case.
var sumWords = []string{"total", "totals", "grand total", "sum", "sums", "subtotal", "gesamt", "gesamtergebnis", "summe", "insgesamt", "somme", "totaal", "totale", "razem", "toplam", "summa", "yhteensä", "итого", "всего", "合計", "总计", "合计", "總計", "합계"}

// isSumWord reports whether a word, perhaps with a colon after it, is one of [sumWords].
func isSumWord(word string) bool {
	return slices.Contains(sumWords, strings.ToLower(strings.TrimRight(strings.TrimSpace(word), ":.")))
}

// fewestSummed is how many rows a row of sums must have before it: sums of fewer fit by chance.
const fewestSummed = 3

// lastRow says what the last row of a table looks like beside the rows before it.
type lastRow struct {
	summed   int    // columns of numbers in which it has the sum of the others
	other    int    // columns of numbers in which it has another number
	nameless bool   // it has no word, and the first column is empty, in which all other rows have different values
	word     string // a word for a sum that no other row has in that column; "" for none
	bare     bool   // some field is empty in a column that has a value in all other rows
}

// lookAtLast returns what the last row is like. Columns of words whose other values are numbers count as
// columns of words alone.
func (t *Table) lookAtLast() (last lastRow) {
	row := t.Rows - 1
	last.nameless = true
	for k := range t.Columns {
		c := &t.Columns[k]
		text, ok := c.Text(row)
		last.bare = last.bare || !ok && c.Missing() == 1
		switch {
		case c.Numbers == nil && ok:
			last.nameless = false
			if isSumWord(text) && slices.Index(c.Codes, c.Codes[row]) == row {
				last.word = text
			}
		case c.Numbers != nil && ok && k == 0:
			last.nameless = false
		case k == 0: // empty
			last.nameless = last.nameless && c.Missing() == 1 && c.Distinct() == row
		}
		if c.Numbers == nil || !ok {
			continue
		}
		sum, size, nonzero := 0., 0., 0
		for _, v := range c.Numbers[:row] {
			if !math.IsNaN(v) {
				sum, size = sum+v, size+math.Abs(v)
			}
			if v != 0 {
				nonzero++
			}
		}
		// Numbers are rounded before or after they are added.
		const rounding = 1e-3
		switch fits := math.Abs(sum-c.Numbers[row]) <= rounding*size; {
		case fits && nonzero > 1:
			last.summed++
		case !fits:
			last.other++
		}
	}
	return last
}

// leaveOutTotal leaves the last row out if it has the sums of the others, in most columns of numbers, and no
// name or a word for a sum in place of one; or if it has a word for a sum, and lacks what all others have. It
// warns of it, and of a last row that only looks so. A row that another file refers to, as o says, stays.
func (t *Table) leaveOutTotal(o Options, asText bool) {
	if t.Rows <= fewestSummed || o.Pairs || o.Verbatim || o.EveryLine {
		return
	}
	last := t.lookAtLast()
	if last.word == "" && !last.nameless {
		return
	}
	row := t.Rows - 1
	if o.IsKey != nil && slices.ContainsFunc(t.Columns, func(c Column) bool { text, ok := c.Text(row); return ok && c.Numbers == nil && o.IsKey(text) }) {
		return
	}
	var fields []string
	for k := range t.Columns {
		fields = append(fields, t.Columns[k].Cell(row))
	}
	text := message.Quote(strings.Join(fields, ","))
	isTotal := last.summed > 0 && last.summed >= last.other
	switch {
	case (isTotal || last.word != "" && last.bare) && o.HasRow != nil && o.HasRow(row):
		what := "has the sums of the rows above"
		if !isTotal {
			what = "has a word for a sum, " + message.Quote(last.word)
		}
		t.Warn("the last row, %s in %s, %s, but other files have a row or edges for it: it counts as any other row", text, t.Place(row), what)
		return
	case isTotal:
		t.Warn("the last row, %s in %s, has the sums of the rows above and is left out", text, t.Place(row))
		t.shorten(asText)
		return
	case last.word != "" && last.bare:
		t.Warn("the last row, %s in %s, has a word for a sum, %s, and an empty field where no other row has one: it is left out", text, t.Place(row), message.Quote(last.word))
		t.shorten(asText)
		return
	}
	what := "has nothing in its first column"
	if last.word != "" {
		what = "has a word for a sum, " + message.Quote(last.word)
	}
	t.Warn("the last row, %s in %s, %s, but not the sums of the rows above: it counts as any other row", text, t.Place(row), what)
}

// shorten takes the last row off. The columns become what they would be without it, if they are made of the
// fields of a text.
func (t *Table) shorten(asText bool) {
	t.Rows--
	t.LeftOut = true
	for k := range t.Columns {
		c := &t.Columns[k]
		if !asText {
			*c = c.upTo(t.Rows)
			continue
		}
		shorter := columnMaker{Column: Column{Name: c.Name, words: c.words, changes: c.changes}, text: c.words}
		for row := range t.Rows {
			shorter.add(c.Cell(row))
		}
		*c = shorter.column()
	}
	if t.lines != nil {
		t.lines = t.lines[:t.Rows]
	}
}

// upTo returns a column with the values of the first rows, and without the words that only later rows have.
func (c *Column) upTo(rows int) Column {
	shorter := *c
	if c.cells != nil {
		end := 0
		if rows > 0 {
			end = c.cells.Ends[rows-1]
		}
		shorter.cells = &Cells{Text: c.cells.Text[:end], Ends: c.cells.Ends[:rows]}
	}
	if c.Numbers != nil {
		shorter.Numbers = c.Numbers[:rows]
		return shorter
	}
	shorter.Codes = c.Codes[:rows]
	if words := int(slices.Max(append([]int32{-1}, shorter.Codes...))) + 1; words < len(c.Values) { // in the order in which they appear
		shorter.Values = c.Values[:words]
	}
	return shorter
}
