package table_test

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestFormulas checks by hand-made cells that formulas are written with an apostrophe before them, and
// numbers and names without one; and for random cells that what is written is no formula and is read back
// as the cell.
func TestFormulas(t *testing.T) {
	for cell, want := range map[string]string{
		`=1+1`: `'=1+1`, ` =cmd|'/c calc'!A0`: `' =cmd|'/c calc'!A0`, "\t=x": "'\t=x", `+SUM(A1)`: `'+SUM(A1)`, `-2+3+cmd|' /C calc'!A0`: `'-2+3+cmd|' /C calc'!A0`,
		`@SUM(1)`: `'@SUM(1)`, `＝1`: `'＝1`, `'=1`: `''=1`, `''=1`: `'''=1`,
		`-5`: `-5`, `+49 30 1234`: `+49 30 1234`, `@types/node`: `@types/node`, `'quoted'`: `'quoted'`, `'`: `'`, ``: ``, `a=b`: `a=b`,
	} {
		if got := table.Guarded(cell); got != want {
			t.Errorf("%q is written as %q, want %q", cell, got, want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		cell := rapid.OneOf(rapid.String(), rapid.StringMatching(`'{0,3}[ \t]?[=+@-]?[(|!a1]{0,3}`)).Draw(r, "cell")
		written := table.Guarded(cell)
		if table.IsFormula(written) {
			r.Errorf("%q is written as %q", cell, written)
		}
		if got := table.Unguarded(written); got != cell {
			r.Errorf("%q is read back as %q", cell, got)
		}
	})
}

// TestFormulaTable writes a table with formulas as ids, words and names of columns. To package csv, which
// stands for a spreadsheet, no cell of the text is a formula; table.Read gives the table back, and warns
// of the formulas.
func TestFormulaTable(t *testing.T) {
	ids := []string{`=HYPERLINK("http://x.test")`, `@types/node`, `'=1`}
	want := &table.Table{Rows: 3, Columns: []table.Column{table.NewWords("id", ids), table.NewWords(`=name()`, []string{"a", `-1|b!c`, "c"}), table.NewNumbers("x", []float64{-1, 2, 3})}}
	for _, name := range []string{"t.csv", "t.tsv"} {
		write, err := table.Writer(name)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := write(&b, want); err != nil {
			t.Fatal(err)
		}
		plain := csv.NewReader(strings.NewReader(b.String())) // which takes no apostrophes off
		if name == "t.tsv" {
			plain.Comma = '\t'
		}
		records, err := plain.ReadAll()
		if err != nil || slices.ContainsFunc(slices.Concat(records...), table.IsFormula) {
			t.Errorf("%s: %q, %v", name, records, err)
		}
		got, err := table.Read(t.Context(), inputtest.WriteText(t, name, b.String()), table.Options{})
		if err != nil || inputtest.Shown(got) != inputtest.Shown(want) {
			t.Errorf("%s is read as %s, %v; want %s", name, inputtest.Shown(got), err, inputtest.Shown(want))
		}
		warnings := strings.Join(inputtest.Texts(got.Warnings), "; ")
		// The formulas are an id, the name =name() and the word -1|b!c: '=1 is guarded already.
		if !strings.Contains(warnings, `3 different texts, such as "=HYPERLINK(`) {
			t.Errorf("warnings: %s", warnings)
		}
	}
}
