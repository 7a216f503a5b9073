package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/agekit/age/agekit/table"
	_ "github.com/agekit/age/agekit/table/parquet"
)

// TestRead reads files that pandas 3 wrote with pyarrow: names, numbers, codes of
// words and words.
func TestRead(t *testing.T) {
	for name, want := range map[string]string{
		"people.parquet": "[{id [] [0 1 2] [a b c]} {n [1 2 3] [] []} {x [0.5 NaN -2] [] []} {ok [] [0 1 0] [True False]} {kind [] [0 1 -1] [p q]} " +
			"{day [] [0 1 2] [1970-01-02 00:00:00 1970-01-03 12:00:00 2000-01-01 00:00:00]} {note [] [0 1 -1] [two words ?]} {e 1 [1 3 5] [] []} {e 2 [2 4 -6] [] []}]",
		"index.parquet": "[{n [1 2 3] [] []} {id [] [0 1 2] [a b c]}]",
	} {
		got, err := table.Read(context.Background(), filepath.Join("testdata", name), table.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		var columns []string
		for _, c := range got.Columns {
			columns = append(columns, fmt.Sprintf("{%s %v %v %v}", c.Name, c.Numbers, c.Codes, c.Values))
		}
		if s := fmt.Sprint(columns); s != want {
			t.Errorf("%s: %s, want %s", name, s, want)
		}
	}
}

// TestLeftOut: columns that are neither numbers nor words are left out, with a note.
func TestLeftOut(t *testing.T) {
	for name, want := range map[string]string{
		"struct.parquet": `column "x.a" left out: part of a group of columns: want numbers, words`,
		"ragged.parquet": `column "x" left out: row 2: a list of 2 numbers: want 1, as in the first row`,
		"large.parquet":  `column "x" left out: row 1: 1152921504606846976: want integers below 2⁵³`,
	} {
		got, err := table.Read(context.Background(), filepath.Join("testdata", name), table.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if notes := fmt.Sprint(got.Warnings); len(got.Columns) != 0 || got.Rows == 0 || !strings.Contains(notes, want) {
			t.Errorf("%s: %d columns, notes %q, want %q", name, len(got.Columns), notes, want)
		}
	}
}

// TestRepeated: a column that may have any number of values in a row, without being a list,
// is left out with a note, and its neighbor is read.
func TestRepeated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "repeated.parquet")
	type row struct {
		ID int64   `parquet:"id"`
		X  []int64 `parquet:"x"`
	}
	if err := parquet.WriteFile(path, []row{{1, []int64{1, 2}}, {2, nil}, {3, []int64{4}}}); err != nil {
		t.Fatal(err)
	}
	got, err := table.Read(context.Background(), path, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if notes := fmt.Sprint(got.Warnings); len(got.Columns) != 1 || !slices.Equal(got.Columns[0].Numbers, []float64{1, 2, 3}) || !strings.Contains(notes, `column "x" left out: any number of values in a row`) {
		t.Errorf("columns %v, notes %q", got.Columns, notes)
	}
}

// TestReadRefuses: a truncated file.
func TestReadRefuses(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "people.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.parquet")
	if err := os.WriteFile(cut, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Read(context.Background(), cut, table.Options{}); err == nil || !strings.Contains(err.Error(), "cut.parquet: not a Parquet file, or a truncated one") {
		t.Error(err)
	}
}

// FuzzRead: any bytes are read or refused.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"people.parquet", "index.parquet"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "t.parquet")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := table.Read(context.Background(), path, table.Options{})
		if err != nil {
			return
		}
		for k := range got.Columns {
			if c := &got.Columns[k]; got.Rows > 0 && max(len(c.Numbers), len(c.Codes)) != got.Rows {
				t.Fatalf("column %d has %d values in %d rows", k, max(len(c.Numbers), len(c.Codes)), got.Rows)
			}
		}
	})
}

// TestEndlessList: a footer that says two billion decimals and ends is damaged. The library
// alone takes ten seconds for each such list. (FuzzRead has a file with one in a page.)
func TestEndlessList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	footer := []byte{0xf9, 0xf7, 0xff, 0xff, 0xff, 0xff, 0x07} // field 15, a list, of decimals, 2³¹ − 1
	file := append([]byte("PAR1"), footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	if err := os.WriteFile(path, append(file, "PAR1"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Read(t.Context(), path, table.Options{}); err == nil || !strings.Contains(err.Error(), "damaged: a list goes on after the end") {
		t.Errorf("error %v", err)
	}
}

// TestWrite: what is written is read as it was, in the same order.
func TestWrite(t *testing.T) {
	nodes := &table.Table{Rows: 3, Columns: []table.Column{
		table.NewWords("name", []string{"ann", "", "eve"}),
		table.NewNumbers("cluster", []int{2, 0, 1}),
		table.NewNumbers("age", []float64{0.5, math.NaN(), -3}),
		table.NewNumbers("born", []float64{1990, math.NaN(), 2001}),
	}}
	path := filepath.Join(t.TempDir(), "t.parquet")
	write, err := table.Writer(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := write(f, nodes); err != nil {
		t.Fatal(err)
	}
	got, err := table.Read(context.Background(), path, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s, want := fmt.Sprint(got.Columns), fmt.Sprint(nodes.Columns); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

// TestConstant: a column of one value, which takes a few bytes in the file, is read only if
// there is memory for all rows.
func TestConstant(t *testing.T) {
	path := filepath.Join(t.TempDir(), "constant.parquet")
	constant := &table.Table{Rows: 300_000, Columns: []table.Column{table.NewNumbers("n", make([]int, 300_000)), table.NewNumbers("m", make([]int, 300_000))}}
	write, err := table.Writer(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(write(f, constant), f.Close()); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AGEKIT_MEMORY", "2MB")
	if _, err := table.Read(t.Context(), path, table.Options{}); err == nil || !strings.Contains(err.Error(), "constant.parquet: table: ") {
		t.Errorf("error %v", err)
	}
}

// TestPageHeaders: headers of pages that claim more than the footer says are refused before
// anything is allocated for them.
func TestPageHeaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	zeros := &table.Table{Rows: 20, Columns: []table.Column{table.NewNumbers("n", make([]float64, 20))}}
	write, err := table.Writer(path)
	if err != nil {
		t.Fatal(err)
	}
	var whole bytes.Buffer
	if err := write(&whole, zeros); err != nil {
		t.Fatal(err)
	}
	const mark = 4 // the pages begin after PAR1
	protocol, from := thrift.CompactProtocol{}, bytes.NewReader(whole.Bytes()[mark:])
	var header format.PageHeader
	if err := thrift.NewDecoder(protocol.NewReader(from)).Decode(&header); err != nil {
		t.Fatal(err)
	}
	for want, damage := range map[string]func(h *format.PageHeader){
		"": func(*format.PageHeader) {},
		"claim 1073741824 values: want": func(h *format.PageHeader) {
			h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues = 1<<30, 1<<30
		},
		"claim 1073741824 bytes: want":              func(h *format.PageHeader) { h.CompressedPageSize = 1 << 30 },
		"claim 1073741824 decompressed bytes: want": func(h *format.PageHeader) { h.UncompressedPageSize = 1 << 30 },
	} {
		h := header
		damage(&h)
		first, err := thrift.Marshal(&protocol, &h)
		if err != nil {
			t.Fatal(err)
		}
		// The footer is found from the end of the file, so the header may be longer.
		content := slices.Concat(whole.Bytes()[:mark], first, whole.Bytes()[whole.Len()-from.Len():])
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err = table.Read(t.Context(), path, table.Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), `damaged: pages of column "n" `+want)) {
			t.Errorf("%q: error %v", want, err)
		}
	}
}

// TestFooter: a file whose last bytes claim a footer of gigabytes is refused by its size.
func TestFooter(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("testdata", "index.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-5] = 0x7f // the length's last byte
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Read(t.Context(), path, table.Options{}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("bytes in a file of %d", len(content))) {
		t.Errorf("error %v", err)
	}
}
