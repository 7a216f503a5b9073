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

// TestRead reads files that pandas 3 wrote with pyarrow: a table of columns of every type that is read, and one
// with an index, which pandas writes as the last column. What was put in them is written by hand here, each
// column as {name, numbers, codes of words (-1 is a gap), words}.
func TestRead(t *testing.T) {
	for file, want := range map[string][]string{
		"people.parquet": {
			"{id [] [0 1 2] [a b c]}",
			"{n [1 2 3] [] []}",
			"{x [0.5 NaN -2] [] []}",
			"{ok [] [0 1 0] [True False]}",
			"{kind [] [0 1 -1] [p q]}",
			"{day [] [0 1 2] [1970-01-02 00:00:00 1970-01-03 12:00:00 2000-01-01 00:00:00]}",
			"{note [] [0 1 -1] [two words ?]}",
			"{e 1 [1 3 5] [] []}", // the first numbers of the lists in column e
			"{e 2 [2 4 -6] [] []}",
		},
		"index.parquet": {
			"{n [1 2 3] [] []}",
			"{id [] [0 1 2] [a b c]}",
		},
	} {
		got, err := table.Read(context.Background(), filepath.Join("testdata", file), table.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		var columns []string
		for _, c := range got.Columns {
			columns = append(columns, fmt.Sprintf("{%s %v %v %v}", c.Name, c.Numbers, c.Codes, c.Values))
		}
		if !slices.Equal(columns, want) {
			t.Errorf("%s: %s, want %s", file, columns, want)
		}
	}
}

// TestLeftOut reads files that pandas wrote with one column that cannot be read: a group of columns, or lists of
// different lengths. The column is left out, with a warning.
func TestLeftOut(t *testing.T) {
	for name, want := range map[string]string{
		"struct.parquet": `column "x.a" left out: part of a group of columns: want numbers, words`,
		"ragged.parquet": `column "x" left out: row 2: a list of 2 numbers: want 1, as in the first row`,
	} {
		got, err := table.Read(context.Background(), filepath.Join("testdata", name), table.Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if len(got.Columns) != 0 || got.Rows == 0 {
			t.Errorf("%s: %d columns of %d rows, want no columns of some rows", name, len(got.Columns), got.Rows)
		}
		if warnings := fmt.Sprint(got.Warnings); !strings.Contains(warnings, want) {
			t.Errorf("%s: warnings %q, want %q", name, warnings, want)
		}
	}
}

// TestRepeated: a repeated column, which may have any number of values in a row without being a list, is left
// out with a warning, and the column beside it is read.
func TestRepeated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "repeated.parquet")
	type row struct {
		ID int64   `parquet:"id"`
		X  []int64 `parquet:"x"` // repeated, since no tag says that it is a list
	}
	if err := parquet.WriteFile(path, []row{{1, []int64{1, 2}}, {2, nil}, {3, []int64{4}}}); err != nil {
		t.Fatal(err)
	}
	got, err := table.Read(context.Background(), path, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Columns) != 1 || !slices.Equal(got.Columns[0].Numbers, []float64{1, 2, 3}) {
		t.Errorf("columns %v, want the ids alone", got.Columns)
	}
	if warnings := fmt.Sprint(got.Warnings); !strings.Contains(warnings, `column "x" left out: any number of values in a row`) {
		t.Errorf("warnings %q", warnings)
	}
}

// TestReadRefuses: the first half of a file, which has no footer, is refused with the file's name.
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

// FuzzRead: any bytes are read or refused, and each column that is read has as many values as there are rows.
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

// TestEndlessList: a footer that announces a list of two billion decimals, and ends there, is damaged. The
// library alone would take ten seconds for each such list. (FuzzRead has a file with such a list in a page.)
func TestEndlessList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	footer := []byte{
		0xf9,                         // field 15 is a list
		0xf7,                         // of decimals, whose length follows
		0xff, 0xff, 0xff, 0xff, 0x07, // 2³¹ − 1
	}
	file := append([]byte("PAR1"), footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	if err := os.WriteFile(path, append(file, "PAR1"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Read(t.Context(), path, table.Options{}); err == nil || !strings.Contains(err.Error(), "damaged: a list goes on after the end") {
		t.Errorf("error %v", err)
	}
}

// TestWrite writes a table of words, whole numbers and fractions, with gaps, and reads it: the columns are
// printed as they were, in the same order, which is not that of the alphabet.
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

// TestConstant: columns of 300,000 zeros, which take a few bytes in the file, are refused where there is no
// memory for all rows: 2 columns of 8 bytes a row are 4.8 MB, more than 2 MB.
func TestConstant(t *testing.T) {
	path := filepath.Join(t.TempDir(), "constant.parquet")
	const rows = 300_000
	constant := &table.Table{Rows: rows, Columns: []table.Column{table.NewNumbers("n", make([]int, rows)), table.NewNumbers("m", make([]int, rows))}}
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

// TestPageHeaders writes a small file, and makes the header of its page claim more values, bytes or
// decompressed bytes than the footer says: the file is refused. With the header as it was, it is read.
func TestPageHeaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	const rows = 20
	zeros := &table.Table{Rows: rows, Columns: []table.Column{table.NewNumbers("n", make([]float64, rows))}}
	write, err := table.Writer(path)
	if err != nil {
		t.Fatal(err)
	}
	var whole bytes.Buffer
	if err := write(&whole, zeros); err != nil {
		t.Fatal(err)
	}
	const mark = len("PAR1") // at the beginning of the file, before the first page
	protocol, from := thrift.CompactProtocol{}, bytes.NewReader(whole.Bytes()[mark:])
	var header format.PageHeader
	if err := thrift.NewDecoder(protocol.NewReader(from)).Decode(&header); err != nil {
		t.Fatal(err)
	}
	const many = 1 << 30
	for want, damage := range map[string]func(h *format.PageHeader){
		"": func(*format.PageHeader) {},
		"claim 1073741824 values: want": func(h *format.PageHeader) {
			h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues = many, many
		},
		"claim 1073741824 bytes: want":              func(h *format.PageHeader) { h.CompressedPageSize = many },
		"claim 1073741824 decompressed bytes: want": func(h *format.PageHeader) { h.UncompressedPageSize = many },
	} {
		h := header
		damage(&h)
		damagedHeader, err := thrift.Marshal(&protocol, &h)
		if err != nil {
			t.Fatal(err)
		}
		afterHeader := whole.Bytes()[whole.Len()-from.Len():]
		// The footer is found from the end of the file, so the header may be longer than it was.
		content := slices.Concat(whole.Bytes()[:mark], damagedHeader, afterHeader)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err = table.Read(t.Context(), path, table.Options{})
		switch {
		case want == "" && err != nil:
			t.Errorf("the file as it was: error %v", err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), `damaged: pages of column "n" `+want)):
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestFooter: a file whose last bytes claim a footer of 2 GB, far more than the file has, is refused.
func TestFooter(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("testdata", "index.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-5] = 0x7f // the highest byte of the footer's length, before the mark PAR1
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Read(t.Context(), path, table.Options{}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("bytes in a file of %d", len(content))) {
		t.Errorf("error %v", err)
	}
}
