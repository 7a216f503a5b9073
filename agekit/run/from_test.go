package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/testutil"
)

// TestRenumber: clusters get the numbers of the earlier clusters with which they share the most nodes, and other
// clusters the numbers that are left. Nodes are matched by their ids, and new, gone and moved ones are counted. The
// expected numbers are by hand.
func TestRenumber(t *testing.T) {
	earlier := &Model{Graph: named("a b c d e f g"), Clusters: []int{2, 2, 2, 0, 0, 1, 1}}
	now := named("g f x e d c b y z")
	got, before, change := renumber(now, []int{1, 1, 1, 0, 2, 2, 2, 3, 3}, earlier)
	// 2 has b, c and d, and so is 2; 1 has f and g and is 1; 0 has e and is 0; 3 is new.
	if want := []int{1, 1, 1, 0, 2, 2, 2, 3, 3}; !slices.Equal(got, want) {
		t.Errorf("clusters %v, want %v", got, want)
	}
	if want := "[1 1 NaN 0 0 2 2 NaN NaN]"; fmt.Sprint(before) != want {
		t.Errorf("earlier clusters %v, want %v", before, want)
	}
	if want := (Change{New: 3, Gone: 1, Kept: 6, Moved: 1}); *change != want {
		t.Errorf("%+v, want %+v", *change, want)
	}
	got, _, change = renumber(now, []int{3, 3, 3, 1, 1, 0, 0, 2, 2}, earlier)
	if want := []int{1, 1, 1, 0, 0, 2, 2, 3, 3}; !slices.Equal(got, want) || change.Moved != 0 {
		t.Errorf("clusters %v, want %v; %+v", got, want, *change)
	}
	if got := change.String(); got != "since the earlier run: 3 nodes new, 1 gone; 0 of the other 6 moved to another cluster" {
		t.Errorf("it says %q", got)
	}
	// Without a node of the earlier run, clusters keep their numbers.
	if got, _, change = renumber(named("u v"), []int{1, 0}, earlier); !slices.Equal(got, []int{1, 0}) || *change != (Change{New: 2, Gone: 7}) {
		t.Errorf("clusters %v, %+v", got, *change)
	}
}

// named returns a graph without edges of nodes with the given ids, which are separated by spaces.
func named(ids string) *graph.Graph {
	names := strings.Fields(ids)
	return &graph.Graph{NodeNames: names, Adjacency: &graph.CSR{Rows: len(names), Cols: len(names), Indptr: make([]int, len(names)+1)}}
}

// TestFromNeedsModel: starting from a run without a model, such as one of another method, is an error.
func TestFromNeedsModel(t *testing.T) {
	o := &Options{From: &Run{Data: &input.Data{}}}
	testutil.Value(o.Plan(t.Context(), plantedData(t))).Fails(t, "has no model: want one of AGE")
}
