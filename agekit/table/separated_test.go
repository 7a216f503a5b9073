package table_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
	"github.com/agekit/age/internal/progress"
)

// TestRead reads small texts as programs write them: the tables, as [inputtest.Shown] shows them, and a note
// about each are written by hand. It also reads a header that is longer than what is looked at first, and a
// header of numbers that an option asks for.
func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, text string
		edges      bool   // each row is a pair ([table.Options].Pairs)
		want       string // the table as [inputtest.Shown] shows it: # after the name of a column of numbers, ∅ for a gap
		note       string // a part of the notes; "" if any will do
	}{
		{"pandas", "id,age,town\na,1.5,Rome\nb,,Oslo\nc,3,\n", false, `"id" a b c; "age"# 1.5 ∅ 3; "town" Rome Oslo ∅; `, "comma-separated, header id, age, town"},
		{"pandas' index", ",age\n0,5\n1,6\n", false, `1# 0 1; "age"# 5 6; `, "header , age"},
		{"gaps", "a,b\n?,NaN\nNA,n/a\nnull,1\nnone,<NA>\n", false, `"a"# ∅ ∅ ∅ ∅; "b"# ∅ ∅ 1 ∅; `, ""},
		{"quoted", "a,b\n\"x, y\",\"say \"\"hi\"\"\"\n\"two\nlines\",z\n", false, `"a" x, y two` + "\n" + `lines; "b" say "hi" z; `, ""},
		{"mark and CRLF", "\ufeffa\tb\r\n1\t2\r\n", false, `"a"# 1; "b"# 2; `, "tab-separated"},
		{"decimal comma", "a;b\n1,5;x\n-2,25;y\n", false, `"a"# 1.5 -2.25; "b" x y; `, "decimal comma"},
		{"codes", "zip,id,n\n00501,9007199254740993,1e3\n10001,2,0.5\n", false, `"zip" 00501 10001; "id" 9007199254740993 2; "n"# 1000 0.5; `, ""},
		{"numbers without a header", "1,2\n3,4\n", false, `1# 1 3; 2# 2 4; `, "no header, 2 columns"},
		{"comments", "# by hand\na,b\n1,2\n# end\n", false, `"a"# 1; "b"# 2; `, ""},
		{"one column", "name\nx\ny\n", false, `"name" x y; `, ""},
		{"edges without a header", "ann,bob\nbob,eve\n", true, `1 ann bob; 2 bob eve; `, "no header"},
		{"edges with a header", "Source,Target\nbob,eve\n", true, `"Source" bob; "Target" eve; `, "header Source, Target"},
		{"edges with another header", "person,friend,strength\nann,bob,2\n", true, `"person" ann; "friend" bob; "strength"# 2; `, "header person"},
		{"edges between nodes u and v", "u,v\nv,w\n", true, `1 u v; 2 v w; `, "no header"},
		{"weights without a header", "ann,bob,2\n", true, `1 ann; 2 bob; 3# 2; `, "no header"},
		{"spaces", "m0 m1\nm1 m2\n", true, `1 m0 m1; 2 m1 m2; `, "space-separated"},
		{"bars", "a|b\n1|x y\n", false, `"a"# 1; "b" x y; `, "bar-separated"},
		{"no rows", "a,b\n", false, `"a"; "b"; `, ""},
	} {
		got, err := table.Read(context.Background(), inputtest.WriteText(t, "t.csv", test.text), table.Options{Pairs: test.edges})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if s := inputtest.Shown(got); s != test.want {
			t.Errorf("%s: %q, want %q", test.name, s, test.want)
		}
		if notes := strings.Join(got.Notes, "; "); !strings.Contains(notes, test.note) {
			t.Errorf("%s: notes %q, want %q", test.name, notes, test.note)
		}
	}
	const columns = 20_000
	var names strings.Builder // a header of 600 kB, more than the 256 kB that are looked at first
	for k := range columns {
		fmt.Fprintf(&names, "a rather long name, column %06d;", k)
	}
	header, row := strings.TrimSuffix(names.String(), ";"), strings.Repeat("1;", columns-1)+"2"
	got, err := table.Read(context.Background(), inputtest.WriteText(t, "t.csv", header+"\n"+row+"\n"), table.Options{})
	if err != nil || got.Rows != 1 || len(got.Columns) != columns || got.Columns[columns-1].Numbers[0] != 2 {
		t.Errorf("a wide table: %v", err)
	}
	yes := true
	got, err = table.Read(context.Background(), inputtest.WriteText(t, "t.csv", "2019,2020\n1,2\n"), table.Options{Header: &yes})
	if err != nil || inputtest.Shown(got) != `"2019"# 1; "2020"# 2; ` {
		t.Errorf("header asked for: %v, %v", got, err)
	}
}

// TestReadRefuses reads texts that are no table, or a damaged one: the errors, written by hand, say what was
// found and what was expected, and where.
func TestReadRefuses(t *testing.T) {
	for _, test := range []struct {
		name, file, text string
		want             string // a part of the error
	}{
		{"ragged", "t.csv", "a,b\n1,2\n1,2,3\n", "t.csv:3: 3 fields, want 2 as in the first line"},
		{"open quote", "t.csv", "a,b\n1,\"2\n", `t.csv:2: extraneous or missing " in quoted-field: want fields that are quoted as a whole`},
		{"same name", "t.csv", "a,a\n1,2\n", `columns 1 and 2 are both named "a": want different names`},
		{"binary", "t.csv", "a,b\x00\n", "line 1 contains a NUL byte"},
		{"Latin-1 after the beginning", "t.csv", "a,b\n" + strings.Repeat("x,1\n", table.Sniffed/4) + "M\xfcller,1\n", `t.csv:65538: column 1: "M\xfcller": want UTF-8`},
		{"empty", "t.csv", "", "no lines: want a table"},
		{"type", "t.xlsx", "a,b\n", `t.xlsx: table of type ".xlsx", want .csv or .edgelist`},
	} {
		_, err := table.Read(context.Background(), inputtest.WriteText(t, test.file, test.text), table.Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestLatin1: a text that is no UTF-8 is read as Windows-1252, in which \xfc is ü and \x80 is €, and a warning
// shows the first line that is no UTF-8. In the tables as [inputtest.Shown] shows them, # marks a column of
// numbers.
func TestLatin1(t *testing.T) {
	for text, want := range map[string]struct{ shown, warning string }{
		"a,M\xfcller\n1,2\n":          {`"a"# 1; "Müller"# 2; `, `see line 1, "a,Müller"`},
		"a,b\nx,1\nM\xfcller\x80,2\n": {`"a" x Müller€; "b"# 1 2; `, `see line 3, "Müller€,2"`},
	} {
		const areEdges = false // the rows
		got := inputtest.ReadText(t, "t.csv", text, areEdges)
		if s := inputtest.Shown(got); s != want.shown {
			t.Errorf("%q: %q, want %q", text, s, want.shown)
		}
		if warnings := strings.Join(inputtest.Texts(got.Warnings), "; "); !strings.Contains(warnings, "read as Windows-1252 (Latin-1): "+want.warning) {
			t.Errorf("%q: warnings %q, want %q", text, warnings, want.warning)
		}
	}
}

// TestRoundTrip draws tables of numbers and words, and writes them with package csv and one of the separators:
// they are read as they were. Each word ends with the letter z, so that no column of words looks like numbers.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		columns, rows := rapid.IntRange(2, 5).Draw(r, "columns"), rapid.IntRange(1, 30).Draw(r, "rows")
		header := make([]string, columns)
		records := [][]string{header}
		for k := range header {
			header[k] = "c" + string(rune('a'+k))
		}
		word := rapid.StringMatching(`[a-z,;"| \n]{0,6}z`)
		number := rapid.Float64Range(-1e9, 1e9)
		numeric := make([]bool, columns) // whether each column holds numbers
		for k := range numeric {
			numeric[k] = rapid.Bool().Draw(r, "numeric")
		}
		want := make([][]any, rows) // want[i][k] is a float64 or a string
		for i := range want {
			record := make([]string, columns)
			for k := range record {
				if numeric[k] {
					v := number.Draw(r, "number")
					want[i], record[k] = append(want[i], v), formatted(v)
				} else {
					v := strings.TrimSpace(word.Draw(r, "word"))
					want[i], record[k] = append(want[i], v), v
				}
			}
			records = append(records, record)
		}
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.Comma = rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(r, "separator")
		if err := w.WriteAll(records); err != nil {
			t.Fatal(err)
		}
		yes := true
		got, err := table.Read(context.Background(), inputtest.WriteText(t, "t.csv", b.String()), table.Options{Header: &yes})
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if got.Rows != rows || len(got.Columns) != columns {
			t.Fatalf("%d×%d, want %d×%d from\n%s", got.Rows, len(got.Columns), rows, columns, b.String())
		}
		for i := range want {
			for k, v := range want[i] {
				c := &got.Columns[k]
				if v, ok := v.(float64); ok && (c.Numbers == nil || c.Numbers[i] != v) {
					t.Fatalf("row %d, column %d is not %v in\n%s", i, k, v, b.String())
				} else if text, _ := c.Text(i); !ok && text != want[i][k] {
					t.Fatalf("row %d, column %d: %q, want %q", i, k, text, want[i][k])
				}
			}
		}
	})
}

// formatted returns a number as a table writes it.
func formatted(v float64) string {
	c := table.Column{Numbers: []float64{v}}
	s, _ := c.Text(0)
	return s
}

// FuzzRead: any bytes are read or refused. What is read is consistent: each column has as many values as the
// table has rows, each code is that of a word, there are no more different values than values, and no number
// is infinite unless the text says so.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a;b\n1,5;x\n", "\ufeffx\ty\r\n\"q\"\t?\n", "1 2\n3 4\n", "\"", "a,b\n\"x\ny\",2"} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, edges bool) {
		got, err := table.Read(context.Background(), inputtest.WriteText(t, "t.csv", string(data)), table.Options{Pairs: edges})
		if err != nil {
			return
		}
		for k := range got.Columns {
			c := &got.Columns[k]
			bothTypes := len(c.Numbers) > 0 && len(c.Codes) > 0
			if got.Rows > 0 && c.Len() != got.Rows || bothTypes {
				t.Fatalf("column %d has %d numbers and %d words in %d rows", k, len(c.Numbers), len(c.Codes), got.Rows)
			}
			if slices.ContainsFunc(c.Codes, func(code int32) bool { return code < -1 || int(code) >= len(c.Values) }) {
				t.Fatalf("column %d: a code beyond %d values", k, len(c.Values))
			}
			if c.Distinct() > got.Rows-c.Missing() {
				t.Fatalf("column %d: %d values in %d rows, %d of them missing", k, c.Distinct(), got.Rows, c.Missing())
			}
			for _, v := range c.Numbers {
				if math.IsInf(v, 0) && !strings.Contains(strings.ToLower(string(data)), "inf") {
					t.Fatalf("column %d: %v", k, v)
				}
			}
		}
	})
}

// TestProgress: reading a large table reports the bytes that were read, from 0 to the size of the file in
// several steps, and a line of text with the first report alone.
func TestProgress(t *testing.T) {
	defer func(size int64) { *table.Large = size }(*table.Large)
	*table.Large = 10 // bytes, so that the file counts as large
	text := "a,b\n" + strings.Repeat("1,x\n", 10_000)
	size := int64(len(text))
	path := inputtest.WriteText(t, "t.csv", text)
	var heard []int64
	if _, err := table.Read(t.Context(), path, table.Options{Progress: func(e progress.Event) {
		heard = append(heard, e.Done)
		if e.Stage != "reading t.csv" || e.Total != size {
			t.Errorf("stage %q of %d bytes, want that of %d", e.Stage, e.Total, size)
		}
		if isFirst := len(heard) == 1; (e.Line != "") != isFirst {
			t.Errorf("report %d has the line %q", len(heard), e.Line)
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(heard) || heard[0] != 0 || heard[len(heard)-1] != size {
		t.Errorf("heard of %v bytes, want them from 0 to %d", heard, size)
	}
	const steps = 4 // 10,000 rows are reported in steps of 4,096, and the end
	if different := slices.Compact(slices.Clone(heard)); len(different) < steps {
		t.Errorf("heard of %v bytes, want %d different numbers", heard, steps)
	}
}

// TestEachPair: pairs of numbers are taken up to the first line that is no such pair: two lines of 4
// and 5 bytes.
func TestEachPair(t *testing.T) {
	text := bufio.NewReader(strings.NewReader("1\t2\n30\t0\n3\tx\n4\t5\n"))
	_, _ = text.Peek(1) // fills the buffer, since eachPair reads no more than that
	if taken, bytes, err := table.EachPair(text, '\t', func(u, v int) error { return nil }); taken != 2 || bytes != 9 || err != nil {
		t.Errorf("%d lines of %d bytes taken, error %v; want 2 of 9", taken, bytes, err)
	}
}

// TestPairsOfColumns: a line of two numbers is no row of a table of three columns, though the first two columns
// are chosen as pairs.
func TestPairsOfColumns(t *testing.T) {
	path := inputtest.WriteText(t, "e.tsv", "a\tb\tc\n1\t2\t3\n4\t5\n")
	choose := func(table.Head) (table.Chosen, error) {
		return table.Chosen{Words: []int{0, 1}, Number: -1, Pairs: true}, nil
	}
	_, err := table.Scan(t.Context(), path, table.Options{Pairs: true}, choose, func(*table.Row) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "e.tsv:3: 2 fields, want 3") {
		t.Error(err)
	}
}
