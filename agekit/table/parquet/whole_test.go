package parquet_test

import (
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/agekit/age/agekit/table"
)

// writeRows writes rows of a type to a new Parquet file with the library, and returns its path.
func writeRows[T any](t *testing.T, rows []T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLargeIntegers: integers of 2⁵³ and more, as ids of Twitter are, keep all digits: in a table that is read
// as a whole, whose column becomes words, and row by row. The digits are those of package math/big.
func TestLargeIntegers(t *testing.T) {
	type row struct {
		Small int64   `parquet:"small"`
		ID    *int64  `parquet:"id"`
		Hash  uint64  `parquet:"hash"`
		Float float64 `parquet:"float"`
	}
	large := new(big.Int).Lsh(big.NewInt(1), 53)
	id := func(more int64) *int64 {
		v := new(big.Int).Add(large, big.NewInt(more)).Int64()
		return &v
	}
	seven := int64(7)
	path := writeRows(t, []row{{1, &seven, 3, 1e20}, {2, nil, 4, 2}, {3, id(1), math.MaxUint64, 3}, {4, id(2), 5, 4}})
	got, err := table.Read(t.Context(), path, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	most := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 64), big.NewInt(1)).String()
	want := map[string][]string{
		"small": {"1", "2", "3", "4"}, "float": {"100000000000000000000", "2", "3", "4"},
		"id":   {"7", "", new(big.Int).Add(large, big.NewInt(1)).String(), new(big.Int).Add(large, big.NewInt(2)).String()},
		"hash": {"3", "4", most, "5"},
	}
	isNumber := map[string]bool{"small": true, "float": true}
	for k := range got.Columns {
		c := &got.Columns[k]
		var texts []string
		for row := range got.Rows {
			texts = append(texts, c.Cell(row))
		}
		if !slices.Equal(texts, want[c.Name]) || (c.Numbers != nil) != isNumber[c.Name] {
			t.Errorf("column %s: %q, want %q", c.Name, texts, want[c.Name])
		}
	}
	var scanned [2][]string
	choose := func(h table.Head) (table.Chosen, error) {
		return table.Chosen{Words: []int{slices.Index(h.Names, "id"), slices.Index(h.Names, "hash")}, Number: -1}, nil
	}
	if _, err := table.Scan(t.Context(), path, table.Options{}, choose, func(r *table.Row) error {
		for k := range scanned {
			scanned[k] = append(scanned[k], r.Words[k])
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(scanned[0], want["id"]) || !slices.Equal(scanned[1], want["hash"]) {
		t.Errorf("row by row %q, want %q and %q", scanned, want["id"], want["hash"])
	}
}

// TestLargeDecimals: a decimal without decimals, as databases export their ids, keeps its 20 digits.
func TestLargeDecimals(t *testing.T) {
	const digits = "12345678901234567891"
	n, _ := new(big.Int).SetString(digits, 10)
	path := filepath.Join(t.TempDir(), "d.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewWriter(f, parquet.NewSchema("t", parquet.Group{"id": parquet.Decimal(0, 38, parquet.FixedLenByteArrayType(16))}))
	if _, err := w.WriteRows([]parquet.Row{{parquet.FixedLenByteArrayValue(n.FillBytes(make([]byte, 16))).Level(0, 0, 0)}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	got, err := table.Read(t.Context(), path, table.Options{})
	if err != nil || len(got.Columns) != 1 || got.Columns[0].Cell(0) != digits {
		t.Errorf("%+v, %v; want %s", got, err, digits)
	}
}

// TestGapsInLists: a row without a list is a gap in each place of the lists, also in the first row; lists of
// words are words, as JSON writes them.
func TestGapsInLists(t *testing.T) {
	type row struct {
		E []float32 `parquet:"e,optional,list"`
		T []string  `parquet:"t,optional,list"`
	}
	path := writeRows(t, []row{{nil, []string{"a<b", `say "x"`}}, {[]float32{1, 2}, nil}, {nil, []string{"a<b"}}, {[]float32{3, 4}, []string{}}})
	got, err := table.Read(t.Context(), path, table.Options{})
	if err != nil || len(got.Columns) != 3 || len(got.Warnings) > 0 {
		t.Fatalf("%+v, %v; want 3 columns", got, err)
	}
	want := [][]string{{"", "1", "", "3"}, {"", "2", "", "4"}, {`["a<b","say \"x\""]`, "", `["a<b"]`, ""}}
	for k := range got.Columns {
		var cells []string
		for row := range got.Rows {
			cells = append(cells, got.Columns[k].Cell(row))
		}
		if !slices.Equal(cells, want[k]) {
			t.Errorf("column %d: %q, want %q", k+1, cells, want[k])
		}
	}
}
