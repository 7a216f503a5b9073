package parquet_test

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
)

// TestTypes writes decimals, both as bytes and as integers, and times of type INT96 with the library,
// value by value: decimals are read as numbers and times as words, which are worked out by hand.
func TestTypes(t *testing.T) {
	schema := parquet.NewSchema("t", parquet.Group{
		"fixed": parquet.Decimal(2, 18, parquet.FixedLenByteArrayType(8)), // 2 decimals of 18 digits
		"int":   parquet.Decimal(3, 9, parquet.Int32Type),                 // 3 decimals of 9 digits
		"time":  parquet.Leaf(parquet.Int96Type),
	})
	path := filepath.Join(t.TempDir(), "t.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewWriter(f, schema)
	for _, digits := range []int64{1234567, -5} { // without the decimal point
		fixed := big.NewInt(digits)
		if digits < 0 { // two's complement of 64 bits
			fixed.Add(fixed, new(big.Int).Lsh(big.NewInt(1), 64))
		}
		const noon, day = 12 * 3600 * 1e9, 2440588 + 1 // nanoseconds, and the Julian day of 2 January 1970
		nanoseconds := uint64(noon)
		row := parquet.Row{
			parquet.FixedLenByteArrayValue(fixed.FillBytes(make([]byte, 8))).Level(0, 0, 0), parquet.Int32Value(int32(digits)).Level(0, 0, 1),
			parquet.Int96Value(deprecated.Int96{uint32(nanoseconds), uint32(nanoseconds >> 32), day}).Level(0, 0, 2),
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	got, err := table.Read(t.Context(), path, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Columns) != 3 || len(got.Warnings) > 0 {
		t.Fatalf("%+v, warnings %q", got.Columns, got.Warnings)
	}
	fixed, integer, times := got.Columns[0], got.Columns[1], got.Columns[2]
	if want := []float64{12345.67, -0.05}; !slices.Equal(fixed.Numbers, want) {
		t.Errorf("decimals of bytes %v, want %v", fixed.Numbers, want)
	}
	if want := []float64{1234.567, -0.005}; !slices.Equal(integer.Numbers, want) {
		t.Errorf("decimals of integers %v, want %v", integer.Numbers, want)
	}
	if want := []string{"1970-01-02 12:00:00"}; !slices.Equal(times.Values, want) {
		t.Errorf("times %q, want %q", times.Values, want)
	}
}

// TestAsText: people.parquet, a table that pandas wrote, gives the same features as the text that pandas
// writes of the same table, which is here.
func TestAsText(t *testing.T) {
	const people = `id,n,x,ok,kind,day,note,e
a,1,0.5,True,p,1970-01-02 00:00:00,two words,"[1.0, 2.0]"
b,2,,False,q,1970-01-03 12:00:00,?,"[3.0, 4.0]"
c,3,-2.0,True,,2000-01-01 00:00:00,,"[5.0, -6.0]"
`
	peopleCSV, edgesCSV := filepath.Join(t.TempDir(), "n.csv"), filepath.Join(t.TempDir(), "e.csv")
	for path, text := range map[string]string{peopleCSV: people, edgesCSV: "source,target\na,b\nb,c\nc,a\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	columns := recipe.Columns{Category: []string{"ok", "kind"}, Number: []string{"n"}, Drop: []string{"note"}}
	// features returns the names and the values of the features that the table in the file nodes gives.
	features := func(nodes string) string {
		d, err := input.Open(t.Context(), input.Source{Nodes: nodes, Edges: edgesCSV, ID: "id", Columns: columns})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(d.Graph.FeatureNames, d.Graph.Features.ToDense().Data)
	}
	if got, want := features(filepath.Join("testdata", "people.parquet")), features(peopleCSV); got != want {
		t.Errorf("features %s from Parquet, %s from text", got, want)
	}
}
