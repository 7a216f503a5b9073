package table_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agekit/age/agekit/table"
)

func read(t *testing.T, name, text string, edges bool) *table.Table {
	t.Helper()
	got, err := table.Read(context.Background(), write(t, name, text), table.Options{Edges: edges})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestEdges: which columns are used, and what happens to loops, repeated edges and
// directions.
func TestEdges(t *testing.T) {
	for _, test := range []struct {
		name, text string
		columns    table.EdgeColumns
		want       string // edges and weights
		ids        string
		notes      []string
	}{
		{"names", "weight,to,from\n2,b,a\n", table.EdgeColumns{}, "0-1:2", "a b", nil},
		{"first two", "x y\ny z\n", table.EdgeColumns{}, "0-1 1-2", "x y z", []string{"no header"}},
		{"third is the weight", "x,y,2.5\n", table.EdgeColumns{}, "0-1:2.5", "x y", nil},
		{"others are not", "source,target,year\nx,y,1999\n", table.EdgeColumns{}, "0-1", "x y", nil},
		{"unless asked for", "source,target,year\nx,y,1999\n", table.EdgeColumns{Weight: "year"}, "0-1:1999", "x y", nil},
		{"by number", "q,a,b\n7,x,y\n", table.EdgeColumns{Source: "2", Target: "3"}, "0-1", "x y", nil},
		{"repeated", "x,y,1\nx,y,2\nx,z,4\n", table.EdgeColumns{}, "0-1:3 0-2:4", "x y z", []string{"1 lines repeat an edge: its weights are added"}},
		{"repeated without weights", "x,y\nx,y\nx,z\n", table.EdgeColumns{}, "0-1:2 0-2:1", "x y z", nil},
		{"loops", "x,x\nx,y\n", table.EdgeColumns{}, "0-1", "x y", []string{"1 loops dropped"}},
		{"directions", "x,y,1\ny,x,2\n", table.EdgeColumns{}, "0-1:1 1-0:2", "x y", []string{"1 edges are there in both directions"}},
		{"numbers as ids", "source,target\n10,7\n7,1\n", table.EdgeColumns{}, "0-1 1-2", "10 7 1", nil},
	} {
		ids := &table.IDs{}
		e, err := read(t, "e.csv", test.text, true).Edges(ids, test.columns, table.Symmetrize)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := shownEdges(e); got != test.want || strings.Join(ids.Names, " ") != test.ids {
			t.Errorf("%s: %s of %v, want %s of %s", test.name, got, ids.Names, test.want, test.ids)
		}
		for _, note := range test.notes {
			if all := strings.Join(e.Notes, "\n"); !strings.Contains(all, note) {
				t.Errorf("%s: notes %q, want %q", test.name, all, note)
			}
		}
	}
}

func shownEdges(e *table.Edges) string {
	var parts []string
	for k := range e.U {
		s := fmt.Sprintf("%d-%d", e.U[k], e.V[k])
		if e.W != nil {
			s += fmt.Sprintf(":%v", e.W[k])
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, " ")
}

// TestEdgesRefuse: the errors name the line, and ids that no node has.
func TestEdgesRefuse(t *testing.T) {
	known, err := table.NewIDs([]string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text string
		columns    table.EdgeColumns
		direction  table.Direction
		want       string
	}{
		{"unknown id", "source,target\nx,y\nx,q\n", table.EdgeColumns{}, 0, `e.csv:3: no node has the id "q" in column "target": want one of the 2 ids of the nodes`},
		{"unknown ids", "source,target\nx,q\nx,p\nr,y\n", table.EdgeColumns{}, 0, `"q" in column "target", nor have 2 others ("p", …): want the 2 ids`},
		{"empty end", "source,target\nx,\nx,y\n", table.EdgeColumns{}, 0, `e.csv:2: column "target" is empty: want the id of a node`},
		{"weight 0", "x,y,0\n", table.EdgeColumns{}, 0, `e.csv:1: weight 0 in column 3: want a positive finite number`},
		{"no weight", "source,target,weight\nx,y,\n", table.EdgeColumns{}, 0, `e.csv:2: weight NaN in column "weight"`},
		{"words as weights", "source,target,kind\nx,y,friend\n", table.EdgeColumns{Weight: "kind"}, 0, `weight "friend" in column "kind": want positive numbers, or --weight`},
		{"no such column", "source,target\nx,y\n", table.EdgeColumns{Weight: "w"}, 0, `no column "w": want one of "source", "target"`},
		{"same column", "source,target\nx,y\n", table.EdgeColumns{Source: "target"}, 0, "want different ones"},
		{"one column", "source\nx\n", table.EdgeColumns{}, 0, "1 columns: want two"},
		{"directed", "x,y,1\ny,x,2\n", table.EdgeColumns{}, table.RefuseDirected, "1 edges are there in both directions, 1 of them with different weights: the graph is directed"},
	} {
		_, err := read(t, "e.csv", test.text, true).Edges(known, test.columns, test.direction)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	if _, err := read(t, "e.csv", "x,y\ny,x\n", true).Edges(known, table.EdgeColumns{}, table.RefuseDirected); err != nil {
		t.Errorf("all edges in both directions: %v", err)
	}
}

// TestFindIDs: the ids are found by the ends of the edges, and doubts are errors.
func TestFindIDs(t *testing.T) {
	edges := read(t, "e.csv", "source,target\n7,8\n8,9\n", true)
	for _, test := range []struct{ name, nodes, want string }{
		{"among others", "rank,key,size\n1,7,5\n2,8,5\n3,9,6\n4,10,7\n", `"key"`},
		{"pandas' index as ids", ",age\n7,30\n8,31\n9,30\n", "1"},
		{"two", "a,b\n7,7\n8,8\n9,9\n", `columns "a" and "b" could both be the ids`},
		{"none", "a,b\nx,1\ny,1\nz,2\n", "no column has a different value in each row"},
		{"one end is missing", "a,b\n7,p\n8,q\n", `"a"`},
	} {
		nodes := read(t, "n.csv", test.nodes, false)
		k, err := nodes.FindIDs(edges, 0, 1)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = nodes.Label(k)
		}
		if err == nil && got != test.want || err != nil && !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	for _, test := range []struct{ nodes, want string }{
		{"a,b\nx,1\nx,2\n", `n.csv:3: column "a": id "x" is also that of row 1`},
		{"a,b\nx,1\n,2\n", `n.csv:3: column "a": the id is missing`},
	} {
		if _, err := read(t, "n.csv", test.nodes, false).IDs(0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestEdgesSum: the edges' weights add up to those of the lines without loops.
func TestEdgesSum(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		b.WriteString("source,target,weight\n")
		want, pairs := 0., map[[2]int]bool{}
		for range rapid.IntRange(1, 40).Draw(r, "lines") {
			u, v, w := rapid.IntRange(0, 6).Draw(r, "u"), rapid.IntRange(0, 6).Draw(r, "v"), rapid.IntRange(1, 9).Draw(r, "w")
			fmt.Fprintf(&b, "n%d,n%d,%d\n", u, v, w)
			if u != v {
				want += float64(w)
				pairs[[2]int{u, v}] = true
			}
		}
		e, err := read(t, "e.csv", b.String(), true).Edges(&table.IDs{}, table.EdgeColumns{}, table.Symmetrize)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.
		for _, w := range e.W {
			sum += float64(w)
		}
		if sum != want || len(e.U) != len(pairs) {
			t.Fatalf("%d edges of weight %v, want %d of weight %v", len(e.U), sum, len(pairs), want)
		}
	})
}
