package table_test

import (
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestTotal reads tables whose last row may have the sums of the others: the rows that stay and the warning are
// written by hand. A table without the row is read the same.
func TestTotal(t *testing.T) {
	const header = "name,a,b\n"
	const rows = "u,1,2.5\nv,4,7\nw,9,1\nx,2,2\n"
	isKey := func(field string) bool { return field == "Total" }
	for name, test := range map[string]struct {
		rows, last string
		o          table.Options
		isLeftOut  bool
		says       string
	}{
		"a word":                 {rows, "Total,16,12.5", table.Options{}, true, `the last row, "Total,16,12.5" in line 6, has the sums of the rows above and is left out`},
		"a Russian word":         {rows, "Всего:,16,12.5", table.Options{}, true, "has the sums"},
		"no name":                {rows, ",16,12.5", table.Options{}, true, "has the sums"},
		"one column of means":    {rows, "Summe,16,3.1", table.Options{}, true, "has the sums"},
		"ids are numbers":        {"1,1,2.5\n2,4,7\n3,9,1\n4,2,2\n", "Total,16,12.5", table.Options{}, true, "has the sums"},
		"a name of its own":      {rows, "y,16,12.5", table.Options{}, false, ""},
		"another word for it":    {rows, "Total,3,3", table.Options{}, false, `has a word for a sum, "Total", but not the sums of the rows above`},
		"no name and no sums":    {rows, ",3,3", table.Options{}, false, "has nothing in its first column, but not the sums"},
		"a node that edges have": {rows, "Total,16,12.5", table.Options{IsKey: isKey}, false, ""},
		"a row of features":      {rows, "Total,16,12.5", table.Options{HasRow: func(row int) bool { return row == 4 }}, false, `the last row, "Total,16,12.5" in line 6, has the sums of the rows above, but other files have a row or edges for it: it counts as any other row`},
		"a shorter matrix":       {rows, "Total,16,12.5", table.Options{HasRow: func(row int) bool { return row < 4 }}, true, "has the sums"},
		"too few to tell":        {"u,1,2\nv,2,3\n", "Total,3,5", table.Options{}, false, ""},
	} {
		got, err := table.Read(t.Context(), inputtest.WriteText(t, "t.csv", header+test.rows+test.last+"\n"), test.o)
		if err != nil {
			t.Fatal(err)
		}
		text := header + test.rows
		if !test.isLeftOut {
			text += test.last + "\n"
		}
		want, err := table.Read(t.Context(), inputtest.WriteText(t, "t.csv", text), test.o)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(text, "\n"); got.Rows != lines-1 {
			t.Errorf("%s: %d rows, want %d", name, got.Rows, lines-1)
		}
		if inputtest.Shown(got) != inputtest.Shown(want) || got.Columns[0].Distinct() != want.Columns[0].Distinct() {
			t.Errorf("%s: %s, want %s", name, inputtest.Shown(got), inputtest.Shown(want))
		}
		if warnings := strings.Join(inputtest.Texts(got.Warnings), "\n"); !strings.Contains(warnings, test.says) || test.says == "" && strings.Contains(warnings, "last row") {
			t.Errorf("%s: warnings %q, want %q", name, warnings, test.says)
		}
	}
}
