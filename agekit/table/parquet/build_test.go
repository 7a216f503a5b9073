package parquet_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/table"
	_ "github.com/agekit/age/agekit/table/parquet"
)

// writeTable writes a table with some columns to a new file e.parquet and returns its path.
func writeTable(t *testing.T, columns ...table.Column) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "e.parquet")
	write, err := table.Writer(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := max(len(columns[0].Numbers), len(columns[0].Codes))
	if err := errors.Join(write(f, &table.Table{Rows: rows, Columns: columns}), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBuild compares the graph of a folder that [input.Build] made row by row, in little memory, with
// the graph that [input.Open] makes of the table as a whole: for ids that are integers, words or
// fractions, and for weights.
func TestBuild(t *testing.T) {
	var u, v, w []float64 // sources, targets and weights of edges, some of which repeat
	var sources, targets []string
	for k := range 5000 {
		source, target := k%97, k*k%89
		u, v, w = append(u, float64(source)), append(v, float64(target)), append(w, 0.1+float64(k%7))
		sources, targets = append(sources, fmt.Sprint("node ", source)), append(targets, fmt.Sprint("node ", target))
	}
	half := []float64{0.5, 1.5, -2}
	for name, path := range map[string]string{
		"numbers":   writeTable(t, table.NewNumbers("source", u), table.NewNumbers("target", v)),
		"weights":   writeTable(t, table.NewNumbers("target", v), table.NewNumbers("x", w), table.NewNumbers("source", u), table.NewNumbers("weight", w)),
		"words":     writeTable(t, table.NewWords("from", sources), table.NewWords("to", targets)),
		"fractions": writeTable(t, table.NewNumbers("from", half), table.NewNumbers("to", []float64{1.5, -2, 7})),
	} {
		want, err := input.Open(t.Context(), input.Source{Edges: path})
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), "g")
		const memory = 5000 // bytes, too few for all edges at once
		if _, err := input.Build(t.Context(), input.Source{Edges: path}, input.Building{Folder: folder, Memory: memory}); err != nil {
			t.Fatal(err)
		}
		got, err := input.Open(t.Context(), input.Source{Graph: folder})
		if err != nil {
			t.Fatal(err)
		}
		want.Graph.Name = "g" // that of the folder
		if !reflect.DeepEqual(got.Graph, want.Graph) {
			t.Errorf("%s: %+v, want %+v", name, got.Graph, want.Graph)
		}
	}
}

// TestScanRefuses reads edges, row by row, that do not fit two rows of features: the errors, written by
// hand, name the row, and the column if it is at fault.
func TestScanRefuses(t *testing.T) {
	x := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(x, []byte("1,2\n3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	numbers := func(name string, v ...float64) table.Column { return table.NewNumbers(name, v) }
	words := func(name string, v ...string) table.Column { return table.NewWords(name, v) }
	for says, path := range map[string]string{
		"e.parquet: row 3: node \"2\", want 0 to 1":                    writeTable(t, numbers("u", 0, 1, 2), numbers("v", 1, 0, 0)),
		`e.parquet: row 2: column "v" is empty: want the id of a node`: writeTable(t, words("u", "0", "1"), words("v", "1", "")),
		`e.parquet: row 1: weight -1 in column "weight": want`:         writeTable(t, numbers("u", 0), numbers("v", 1), numbers("weight", -1)),
		`e.parquet: column "weight" has words`:                         writeTable(t, numbers("u", 0), numbers("v", 1), words("weight", "big")),
		"e.parquet: 1 columns: want two":                               writeTable(t, numbers("u", 0)),
	} {
		_, err := input.Build(context.Background(), input.Source{Edges: path, Features: x}, input.Building{Folder: filepath.Join(t.TempDir(), "g"), Memory: 5000})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

// TestUnusedColumns: a column of positive numbers that could be the weights is named, in a warning by
// [input.Open] and in a note by [input.Build]; columns of other numbers or of words are not.
func TestUnusedColumns(t *testing.T) {
	path := writeTable(t, table.NewNumbers("source", []int{0, 1}), table.NewNumbers("calls", []int{3, 7}),
		table.NewNumbers("target", []int{1, 2}), table.NewNumbers("change", []int{1, -1}), table.NewWords("kind", []string{"a", "b"}))
	d, err := input.Open(t.Context(), input.Source{Edges: path})
	if err != nil {
		t.Fatal(err)
	}
	built, err := input.Build(t.Context(), input.Source{Edges: path}, input.Building{Folder: filepath.Join(t.TempDir(), "g")})
	if err != nil {
		t.Fatal(err)
	}
	want := path + `: no weights: column "calls" has positive numbers`
	advised := want + `; Source.EdgeColumns.Weight "calls" uses them`
	if len(d.Warnings) != 1 || d.Warnings[0].String() != advised || !slices.Equal(built.Notes, []string{want}) {
		t.Errorf("warnings %q, notes of the folder %q, want %q", d.Warnings, built.Notes, advised)
	}
}

// TestNumberedRows: a first column that numbers the rows is no end of edges, in Parquet as in a text,
// and a warning says so. The nodes are those of the other two columns.
func TestNumberedRows(t *testing.T) {
	path := writeTable(t, table.NewNumbers("n", []int{1001, 1002, 1003}), table.NewNumbers("node_a", []int{1, 2, 3}), table.NewNumbers("node_b", []int{2, 3, 4}))
	d, err := input.Open(t.Context(), input.Source{Edges: path})
	if err != nil {
		t.Fatal(err)
	}
	if names := strings.Join(d.Graph.NodeNames, " "); names != "1 2 3 4" {
		t.Errorf("nodes %s, want 1 to 4", names)
	}
	if len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0].String(), `column "n" numbers the rows`) {
		t.Errorf("warnings %v", d.Warnings)
	}
}

// TestWeightsOfNumbers: weights that are numbers in the file are taken as they are. As text, 1.234,
// 2.345 and 3.456 beside 7 would be read as thousands.
func TestWeightsOfNumbers(t *testing.T) {
	path := writeTable(t, table.NewWords("source", []string{"a", "b", "c", "d"}), table.NewWords("target", []string{"b", "c", "d", "e"}), table.NewNumbers("weight", []float64{1.234, 2.345, 3.456, 7}))
	d, err := input.Open(t.Context(), input.Source{Edges: path})
	if err != nil {
		t.Fatal(err)
	}
	if w := d.Graph.Adjacency.At(0, 1); w != 1.234 || len(d.Warnings) > 0 {
		t.Errorf("weight %v, warnings %v", w, d.Warnings)
	}
}
