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

// twoPasses returns the column of some fields as the definition has it: the first pass decides
// about all of them what they are, the second stores them.
func twoPasses(name string, fields []string, isText bool) Column {
	c := Column{Name: name, words: isText}
	var numerals numerals
	oddWord, oddNumber, integers := false, false, true
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
	options Options
	columns [][]string // the fields of each
	names   []string
	lines   []int32 // of each row
	broken  string  // the error that is expected, after the name of the file; "" for none
}

// kindsOfFields are what the columns of a random table hold.
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

// drawFields draws the fields of a column: mostly of one kind, and a few of others, at any place.
func drawFields(r *rapid.T, rows int) []string {
	kind := rapid.SampledFrom(slices.Sorted(maps.Keys(kindsOfFields)))
	most := rapid.SampledFrom(kindsOfFields[kind.Draw(r, "kind")])
	fields := make([]string, rows)
	for row := range fields {
		fields[row] = most.Draw(r, "field")
	}
	for range rapid.IntRange(0, 3).Draw(r, "exceptions") {
		if rows > 0 {
			row := rapid.IntRange(0, rows-1).Draw(r, "row")
			fields[row] = rapid.SampledFrom(kindsOfFields[kind.Draw(r, "other kind")]).Draw(r, "exception")
		}
	}
	return fields
}

// drawFile draws a table and writes it as text.
func drawFile(r *rapid.T) textFile {
	f := textFile{options: Options{Separator: rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(r, "separator")}}
	header := rapid.Bool().Draw(r, "header")
	f.options.Header = &header
	rows := rapid.IntRange(1, 12).Draw(r, "rows")
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
	short := rapid.IntRange(1, 20*rows).Draw(r, "short row") // mostly there is none

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
		if strings.TrimSpace(f.columns[0][row]) == "" { // a row without any value is left out at the end
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
	quotesAll      bool // also around fields that need none
	text           []byte
	line           int32 // the number of the next one
}

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

// checkOnePass compares the table that is read with what two passes over its fields give.
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
		for row, field := range fields { // as a reader of CSV and of guarded formulas gives them
			fields[row] = unguarded(field)
		}
		want.Columns = append(want.Columns, twoPasses(f.names[k], fields, slices.Contains(f.options.Words, f.names[k]) && f.names[k] != ""))
	}
	want.lines = f.lines
	want.Finish()
	if got.Rows != want.Rows || !slices.Equal(got.lines, want.lines) || !reflect.DeepEqual(got.Warnings, want.Warnings) {
		r.Fatalf("%d rows in lines %v, warnings %q, want %d in %v, %q, of\n%s", got.Rows, got.lines, got.Warnings, want.Rows, want.lines, want.Warnings, f.text)
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

// differences says how two columns differ, "" if they do not.
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
	got.Numbers, want.Numbers, got.cells, want.cells = nil, nil, nil, nil
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%+v, want %+v", got, want)
	}
	return ""
}

// TestOnePass compares random tables with what two passes over their fields give.
func TestOnePass(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	rapid.Check(t, func(r *rapid.T) { checkOnePass(r, path) })
}

func FuzzOnePass(f *testing.F) {
	path := filepath.Join(f.TempDir(), "t.csv")
	f.Fuzz(rapid.MakeFuzz(func(r *rapid.T) { checkOnePass(r, path) }))
}

// TestLateChanges: a column of 10,000 numbers of each kind, and then one field of another.
func TestLateChanges(t *testing.T) {
	const rows = 10_000
	for kind, numbers := range kindsOfFields {
		for other, exceptions := range kindsOfFields {
			if kind == other {
				continue
			}
			var fields []string
			for row := range rows {
				fields = append(fields, numbers[row%len(numbers)])
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

// TestTooLarge: the error about a table that takes more memory than may be used counts all its rows,
// also those that are read after memory has run out.
func TestTooLarge(t *testing.T) {
	t.Setenv(system.MemoryVariable, "4MB")
	path := filepath.Join(t.TempDir(), "t.csv")
	const columns = 16
	line := strings.Repeat("1,", columns-1) + "1\n"
	for rows, want := range map[int]string{
		30_303: "", // of 4+16·8 bytes: the number of the line, and the numbers in it
		30_304: "table of 30304 rows and 16 columns: 4.0 MB of memory, want at most the 4.0 MB that are free",
		70_000: "table of 70000 rows and 16 columns: 9.2 MB of memory, want at most the 4.0 MB that are free",
	} {
		if err := os.WriteFile(path, []byte(strings.Repeat(line, rows)), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(t.Context(), path, Options{})
		if want == "" && (err != nil || got.Rows != rows) || want != "" && (err == nil || err.Error() != path+": "+want) {
			t.Errorf("%d rows: %v, want %q", rows, err, want)
		}
	}
}

// TestReadOnce reads a table, whose numbers become words in the last row, from a pipe, in which no
// one can go back.
func TestReadOnce(t *testing.T) {
	text := "id,v\n" + strings.Repeat("a,1\n", 100_000) + "b,x\n" // longer than what is looked at first
	for name, read := range map[string]func(f *File) (*Table, error){
		"whole": func(f *File) (*Table, error) { return readSeparated(t.Context(), f, Options{}) },
		"by row": func(f *File) (*Table, error) {
			rows := 0
			choose := func(Head) (Chosen, error) { return Chosen{Words: []int{1}, Number: -1}, nil }
			read, err := ScanSeparated(t.Context(), f, Options{}, choose, func(*Row) error { rows++; return nil })
			if err == nil {
				read.Rows = rows
			}
			return read, err
		},
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = writer.WriteString(text) // an error shows in the number of rows
			writer.Close()
		}()
		got, err := read(&File{file: reader})
		reader.Close()
		if err != nil || got.Rows != 100_001 {
			t.Errorf("%s: %+v (%v), want 100001 rows", name, got, err)
		}
		if name == "whole" && !slices.Equal(got.Columns[1].Values, []string{"1", "x"}) {
			t.Errorf("values %q, want 1 and x", got.Columns[1].Values)
		}
	}
}
