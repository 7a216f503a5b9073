package table

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/system"
)

// twoPasses returns the column that columnMaker should make of some fields. It is the definition, in two
// passes: the first looks at all fields to decide what they are, the second stores them. IsText says that the
// column is known to hold words.
func twoPasses(name string, fields []string, isText bool) Column {
	c := Column{Name: name, words: isText}
	var numerals numerals
	oddWord, oddNumber := false, false // some field is not what the values give back, as words or as numbers
	integers := true                   // all numbers are written as integers with .0
	for _, field := range fields {
		value := strings.TrimSpace(field)
		if IsMissing(value) {
			oddWord = oddWord || field != ""
			continue
		}
		oddWord = oddWord || value != field
		if isText {
			continue
		}
		plain, _ := numerals.add(value)
		isText = numerals.none()
		oddNumber = oddNumber || value != formatNumber(plain)
		integers = integers && IsInteger(value)
	}
	c.Notation = numerals.best()
	c.integers = integers && !isText && numerals.fields > 0
	if oddWord || !isText && (oddNumber || c.Notation != 0) {
		c.cells = &Cells{}
	}
	for _, field := range fields {
		if c.cells != nil {
			c.cells.Add((&Cleaner{}).Clean(field))
		}
		value := strings.TrimSpace(field)
		switch missing := IsMissing(value); {
		case isText && missing:
			c.gap = cmp.Or(c.gap, value)
			c.AddWord("")
		case isText:
			c.AddWord(value)
		case missing:
			c.Numbers = append(c.Numbers, math.NaN())
		default:
			v, _ := c.Notation.Number(value)
			c.Numbers = append(c.Numbers, v)
		}
	}
	return c
}

// textFile is a random table as a program may write it, with what reading it should give.
type textFile struct {
	text    []byte
	options Options    // to read it with
	columns [][]string // columns[k][row] is a field
	names   []string   // the names of the columns; "" without a header
	lines   []int32    // the line of each row
	broken  string     // the error that is expected, after the name of the file; "" for none
}

// kindsOfFields are examples of the fields that the columns of a random table hold, by their kinds.
var kindsOfFields = map[string][]string{
	"numbers":      {"1", "2.5", "-3", "0.125", "1000", "40000000"},
	"odd numbers":  {"1e3", "+5", "2.50", "-0", ".5", "7."},
	"integers":     {"1.0", "2.0", "30.0"},
	"commas":       {"1,5", "2,25", "3"},
	"thousands":    {"1.234", "12.345", "987.000", "5", "1.000.000"},
	"English":      {"1,234", "12,345.5", "7"},
	"French":       {"1 234", "12\u00a0345,5", "\u202f7", "8"},
	"gaps":         {"", "", "NA", "nan", "?", " ", "<NA>"},
	"dates":        {"2020-01-02", "2021-12-31", "1999-05-06"},
	"other dates":  {"31.12.2021", "01.02.2020"},
	"words":        {"ann", "bob & co", "x", "two words", "=1+1", "'=1", "a\"b"},
	"codes":        {"00501", "9007199254740993"},
	"spaces":       {" ann", "7 ", "\tx\t", "\u00a05\u0085"},
	"odd letters":  {"e\u0301", "caf\u00e9", "a\u0001b", "z\ufeff", "\u0085q"},
	"lists":        {"[1, 2]", "[3, 4]"},
	"other things": {"two\nlines", "semi;colon", "ta\tb", "0x1F", "Inf", "1_000"},
}

// drawFields draws the fields of a column for a number of rows: mostly of one kind, and up to three of other
// kinds, at any place.
func drawFields(r *rapid.T, rows int) []string {
	kind := rapid.SampledFrom(slices.Sorted(maps.Keys(kindsOfFields)))
	usual := rapid.SampledFrom(kindsOfFields[kind.Draw(r, "kind")])
	fields := make([]string, rows)
	for row := range fields {
		fields[row] = usual.Draw(r, "field")
	}
	for range rapid.IntRange(0, 3).Draw(r, "exceptions") {
		if rows > 0 {
			row := rapid.IntRange(0, rows-1).Draw(r, "row")
			fields[row] = rapid.SampledFrom(kindsOfFields[kind.Draw(r, "other kind")]).Draw(r, "exception")
		}
	}
	return fields
}

// drawFile draws a table and writes it as text, sometimes with a row that has a field too few.
func drawFile(r *rapid.T) textFile {
	f := textFile{options: Options{Separator: rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(r, "separator")}}
	header := rapid.Bool().Draw(r, "header")
	f.options.Header = &header
	rows := rapid.IntRange(1, 12).Draw(r, "rows")
	// Sometimes the first rows come 20 times, for a column that changes late.
	repeats := rapid.SampledFrom([]int{0, 0, 0, 20}).Draw(r, "repeats")
	for k := range rapid.IntRange(2, 4).Draw(r, "columns") {
		same := drawFields(r, rows)
		f.columns = append(f.columns, append(slices.Repeat(same, repeats), drawFields(r, rows)...))
		f.names = append(f.names, "")
		if header {
			f.names[k] = fmt.Sprintf("c%d", k+1)
		}
	}
	if header && rapid.Bool().Draw(r, "known words") {
		f.options.Words = []string{"c2"}
	}
	rows = len(f.columns[0])
	// The row that has a field too few; mostly it is beyond the last one, and so none has.
	short := rapid.IntRange(1, 20*rows).Draw(r, "short row")

	w := textWriter{separator: string(f.options.Separator), line: 1}
	w.end = rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(r, "line end")
	w.quotesAll = rapid.Bool().Draw(r, "quotes")
	if rapid.Bool().Draw(r, "byte-order mark") {
		w.text = append(w.text, "\ufeff"...)
	}
	if header {
		w.write(f.names)
	}
	for row := range rows {
		if strings.TrimSpace(f.columns[0][row]) == "" { // no row is without any value: at the end it would be left out
			f.columns[0][row] = "NA"
		}
		var record []string
		for _, fields := range f.columns {
			record = append(record, fields[row])
		}
		if row == short {
			record = record[1:]
			record[0] = "x"
			f.broken = fmt.Sprintf(":%d: %d fields, want %d as in the first line", w.line, len(record), len(f.columns))
		}
		f.lines = append(f.lines, w.line)
		w.write(record)
	}
	f.text = w.text
	return f
}

// textWriter writes records as text.
type textWriter struct {
	separator, end string
	quotesAll      bool   // fields that need no quotes get them too
	text           []byte // what was written so far
	line           int32  // the line in which the next record begins, from 1
}

// write appends a record.
func (w *textWriter) write(record []string) {
	for k, field := range record {
		if k > 0 {
			w.text = append(w.text, w.separator...)
		}
		if w.quotesAll || strings.ContainsAny(field, "\"\n,;|\t ") {
			field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
		}
		w.text = append(w.text, field...)
		w.line += int32(strings.Count(field, "\n"))
	}
	w.text = append(w.text, w.end...)
	w.line++
}

// checkOnePass writes a random table to a file at path and reads it. The table is the one that twoPasses makes
// of its fields, the error is the expected one, and the checksum is that of the text.
func checkOnePass(r *rapid.T, path string) {
	f := drawFile(r)
	if err := os.WriteFile(path, f.text, 0o600); err != nil {
		r.Fatal(err)
	}
	var sums []checksum.File
	got, err := Read(WithSums(r.Context(), &sums), path, f.options)
	if f.broken != "" {
		if err == nil || err.Error() != path+f.broken {
			r.Fatalf("error %v, want %q, of\n%s", err, f.broken, f.text)
		}
		return
	}
	if err != nil {
		r.Fatalf("%v of\n%s", err, f.text)
	}
	if len(sums) != 1 || sums[0].Sum != checksum.Of(f.text) {
		r.Fatalf("checksum %+v", sums)
	}
	want := &Table{Path: path, Rows: len(f.lines), Separator: f.options.Separator}
	for k, fields := range f.columns {
		for row, field := range fields { // the reader takes apostrophes before formulas off
			fields[row] = unguarded(field)
		}
		name := f.names[k]
		isText := name != "" && slices.Contains(f.options.Words, name)
		want.Columns = append(want.Columns, twoPasses(name, fields, isText))
	}
	want.lines = f.lines
	want.Finish()
	if got.Rows != want.Rows || !slices.Equal(got.lines, want.lines) {
		r.Fatalf("%d rows in lines %v, want %d in %v, of\n%s", got.Rows, got.lines, want.Rows, want.lines, f.text)
	}
	if !reflect.DeepEqual(got.Warnings, want.Warnings) {
		r.Fatalf("warnings %q, want %q, of\n%s", got.Warnings, want.Warnings, f.text)
	}
	if len(got.Columns) != len(want.Columns) {
		r.Fatalf("%d columns, want %d, of\n%s", len(got.Columns), len(want.Columns), f.text)
	}
	for k := range want.Columns {
		if message := differences(got.Columns[k], want.Columns[k]); message != "" {
			r.Fatalf("column %d: %s, of\n%s", k+1, message, f.text)
		}
	}
}

// differences says how two columns differ, bit by bit and in all fields; "" if they do not.
func differences(got, want Column) string {
	sameNumbers := slices.EqualFunc(got.Numbers, want.Numbers, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	if !sameNumbers || (got.Numbers == nil) != (want.Numbers == nil) {
		return fmt.Sprintf("numbers %v, want %v", got.Numbers, want.Numbers)
	}
	if (got.cells == nil) != (want.cells == nil) {
		return fmt.Sprintf("fields %v, want %v", got.cells, want.cells)
	}
	if got.cells != nil && (!bytes.Equal(got.cells.Text, want.cells.Text) || !slices.Equal(got.cells.Ends, want.cells.Ends)) {
		return fmt.Sprintf("fields %q %v, want %q %v", got.cells.Text, got.cells.Ends, want.cells.Text, want.cells.Ends)
	}
	got.Numbers, want.Numbers, got.cells, want.cells = nil, nil, nil, nil // these are compared
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%+v, want %+v", got, want)
	}
	return ""
}

// TestOnePass reads random tables of text, which are read in one pass, and compares them with what two passes
// over their fields give ([checkOnePass]).
func TestOnePass(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	rapid.Check(t, func(r *rapid.T) { checkOnePass(r, path) })
}

// FuzzOnePass is [TestOnePass] with tables that the fuzzer draws.
func FuzzOnePass(f *testing.F) {
	path := filepath.Join(f.TempDir(), "t.csv")
	f.Fuzz(rapid.MakeFuzz(func(r *rapid.T) { checkOnePass(r, path) }))
}

// TestLateChanges makes columns of 10,000 fields of each kind, and then one field of each other kind, and
// compares them with what two passes give.
func TestLateChanges(t *testing.T) {
	const rows = 10_000
	for kind, usual := range kindsOfFields {
		for other, exceptions := range kindsOfFields {
			if kind == other {
				continue
			}
			var fields []string
			for row := range rows {
				fields = append(fields, usual[row%len(usual)])
			}
			fields = append(fields, exceptions[0])
			var made columnMaker
			for _, field := range fields {
				made.add(field)
			}
			if message := differences(made.column(), twoPasses("", fields, false)); message != "" {
				t.Errorf("%s, then %s: %.2000s", kind, other, message)
			}
		}
	}
}

// TestTooLarge: a table that takes just the memory that may be used is read, one more row is an error, and the
// error counts all rows, also those that come after memory has run out. A row of 16 numbers takes 4 bytes
// for its line and 8 for each number, 132 together: 4 MB hold 30,303 rows.
func TestTooLarge(t *testing.T) {
	t.Setenv(system.MemoryVariable, "4MB")
	path := filepath.Join(t.TempDir(), "t.csv")
	const columns = 16
	line := strings.Repeat("1,", columns-1) + "1\n"
	for rows, want := range map[int]string{
		30_303: "",
		30_304: "table of 30304 rows and 16 columns: 4.0 MB of memory, want at most the 4.0 MB that are free",
		70_000: "table of 70000 rows and 16 columns: 9.2 MB of memory, want at most the 4.0 MB that are free",
	} {
		if err := os.WriteFile(path, []byte(strings.Repeat(line, rows)), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(t.Context(), path, Options{})
		switch {
		case want == "" && (err != nil || got.Rows != rows):
			t.Errorf("%d rows: error %v, want none", rows, err)
		case want != "" && (err == nil || err.Error() != path+": "+want):
			t.Errorf("%d rows: error %v, want %q", rows, err, want)
		}
	}
}

// TestReadOnce reads a table from a pipe, in which no one can go back: so nothing is read twice, though
// the last row turns the numbers of a column to words. The table is read both as a whole and by row.
func TestReadOnce(t *testing.T) {
	const rows = 100_001
	text := "id,v\n" + strings.Repeat("a,1\n", rows-1) + "b,x\n" // longer than the 256 kB that are looked at first
	for name, read := range map[string]func(f *File) (*Table, error){
		"whole": func(f *File) (*Table, error) { return readSeparated(t.Context(), f, Options{}) },
		"by row": func(f *File) (*Table, error) {
			count := 0
			choose := func(Head) (Chosen, error) { return Chosen{Words: []int{1}, Number: -1}, nil }
			read, err := ScanSeparated(t.Context(), f, Options{}, choose, func(*Row) error { count++; return nil })
			if err == nil {
				read.Rows = count
			}
			return read, err
		},
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = writer.WriteString(text) // an error shows as too few rows
			writer.Close()
		}()
		got, err := read(&File{file: reader})
		reader.Close()
		if err != nil || got.Rows != rows {
			t.Errorf("%s: %+v (%v), want %d rows", name, got, err, rows)
		}
		if name == "whole" && !slices.Equal(got.Columns[1].Values, []string{"1", "x"}) {
			t.Errorf("values %q, want 1 and x", got.Columns[1].Values)
		}
	}
}
