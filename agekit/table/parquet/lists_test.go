package parquet_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/inputtest"
)

// TestListsOfNeighbors: lists of words and of integers, which another library wrote, are edges to each member;
// a node with an empty list stays a node, and fractions in lists are no ends.
func TestListsOfNeighbors(t *testing.T) {
	type words struct {
		Node      string   `parquet:"node"`
		Neighbors []string `parquet:"neighbors,list"`
	}
	type numbers struct {
		Node      int64   `parquet:"node"`
		Neighbors []int64 `parquet:"neighbors,list"`
	}
	type vectors struct {
		From   string    `parquet:"a"`
		To     string    `parquet:"b"`
		Vector []float64 `parquet:"vector,list"`
	}
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name+".parquet") }
	err := parquet.WriteFile(path("words"), []words{{"a", []string{"b;x", "c"}}, {"b;x", []string{"c"}}, {"d", nil}})
	if err == nil {
		err = parquet.WriteFile(path("numbers"), []numbers{{1, []int64{2, 3}}, {2, []int64{3}}, {4, nil}})
	}
	if err == nil {
		err = parquet.WriteFile(path("vectors"), []vectors{{"a", "b", []float64{.5, 1}}, {"b", "c", []float64{1, 2}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, ids, remark string
		edges             int
	}{
		{"words", "a b;x c d", `column "neighbors" has lists with brackets`, 3},
		{"numbers", "1 2 3 4", "1 rows have an empty list", 3},
		{"vectors", "a b c", "", 2},
	} {
		d, err := input.Open(t.Context(), input.Source{Edges: path(test.name)})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		ids := strings.Join(slices.Sorted(slices.Values(d.Graph.NodeNames)), " ")
		remarks := strings.Join(inputtest.Texts(d.Warnings), "\n")
		if ids != test.ids || d.Graph.Edges() != test.edges || !strings.Contains(remarks, test.remark) {
			t.Errorf("%s: ids %q, %d edges, %s: want %q, %d edges, %q", test.name, ids, d.Graph.Edges(), remarks, test.ids, test.edges, test.remark)
		}
	}
}
