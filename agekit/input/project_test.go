package input

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/inputtest"
)

// openedSource opens a graph.
func openedSource(t *testing.T, s Source) *Data {
	t.Helper()
	d, err := Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestKindsOfColumns: the columns of the edges tell two kinds of nodes if no id is in both columns, and
// either the columns have the names of different things or the edges have cycles. The kinds are in the
// order of the nodes, which a table of nodes may give.
func TestKindsOfColumns(t *testing.T) {
	const square = "a,x\na,y\nb,x\nb,y\n"
	const star = "a,x\na,y\na,z\n"
	for _, test := range []struct {
		name, edges, nodes string
		want               string // the names of the columns and the kind of each node, −1 for none; "" if there are no kinds
	}{
		{"names", "person,event\n" + star, "", `person event 0 1 1 1`},
		{"cycles", "source,target\n" + square, "", `source target 0 1 1 0`},
		{"no header", square, "", `1 2 0 1 1 0`},
		{"weights", "event,person,weight\nx,a,1\nx,b,2\n", "", `event person 0 1 1`},
		{"nodes", "person,event\n" + square, "id,size\nx,1\ny,2\nalone,4\na,5\nb,7\n", `person event 1 1 -1 0 0`},
		{"a star", "source,target\n" + star, "", ""},
		{"alike", "person1,person2\n" + star, "", ""},
		{"both ways", "source,target\n" + square + "x,a\n", "", ""},
		{"an id in both", "person,event\n" + square + "y,c\n", "", ""},
		{"a loop", "person,event\n" + square + "x,x\n", "", ""},
	} {
		s := Source{Edges: inputtest.WriteText(t, "e.csv", test.edges)}
		// Only names of columns, such as person and event, have one of these letters.
		if header := true; strings.ContainsAny(test.edges[:10], "rt") {
			s.Header = &header
		}
		if test.nodes != "" {
			s.Nodes = inputtest.WriteText(t, "n.csv", test.nodes)
		}
		d := openedSource(t, s)
		got := ""
		if k := d.Kinds; k != nil {
			got = fmt.Sprint(k.Names[0], " ", k.Names[1], " ", strings.Trim(fmt.Sprint(k.Of), "[]"))
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestProject keeps the persons of persons and events, and checks by hand what they keep: their order,
// their classes, and their features, which are made from their rows alone; and the weights by which
// they are joined. It also keeps the events, and uses an earlier recipe.
func TestProject(t *testing.T) {
	header := true
	edges := inputtest.WriteText(t, "e.csv", "person,event\nb,x\na,x\na,y\nc,y\nb,y\nd,z\n")
	nodes := inputtest.WriteText(t, "n.csv", "id,team,age,what\nz,,,event\nd,red,30,person\nb,blue,20,person\nx,none,70,event\na,red,40,person\ny,none,90,event\nc,blue,50,person\n")
	d := openedSource(t, Source{Edges: edges, Nodes: nodes, Label: "team", Project: "person"})
	g := d.Graph
	if !slices.Equal(g.NodeNames, []string{"d", "b", "a", "c"}) || d.Kinds != nil {
		t.Errorf("nodes %v, kinds %v", g.NodeNames, d.Kinds)
	}
	if !slices.Equal(g.ClassNames, []string{"blue", "red"}) || !slices.Equal(g.Labels, []int{1, 0, 1, 0}) || g.Classes != 2 {
		t.Errorf("classes %v %v", g.ClassNames, g.Labels)
	}
	age := d.Recipe.Columns[0]
	if !slices.Equal(g.FeatureNames, []string{"age"}) || age.Mean != 35 { // of the ages 30, 20, 40 and 50 of persons
		t.Errorf("features %v, recipe %+v", g.FeatureNames, d.Recipe)
	}
	if v := g.Features.ToDense().Data[0]; v != float32((30-35)/age.Deviation) {
		t.Errorf("feature %v of d, whose age is 30", v)
	}
	weights := []float32{
		0, 0, 0, 0, // d
		0, 0, 1.5, .5, // b, which shares x and y with a, and y with c
		0, 1.5, 0, .5, // a
		0, .5, .5, 0, // c
	}
	if got := g.Adjacency.Dense().Data; !slices.Equal(got, weights) {
		t.Errorf("weights %v, want %v", got, weights)
	}
	if text, _ := d.Nodes.Columns[2].Text(3); d.Nodes.Rows != 4 || text != "50" {
		t.Errorf("table %+v, want four rows, with the age of c in the last", d.Nodes)
	}
	if d.IDColumn != 0 || d.LabelColumn != 1 {
		t.Errorf("columns %d and %d of ids and labels, want 0 and 1", d.IDColumn, d.LabelColumn)
	}
	if all := strings.Join(d.Notes, "\n"); !strings.Contains(all, `4 of 7 nodes are kept, those of column "person", and joined where they share neighbors: 3 edges`) {
		t.Errorf("notes %s", all)
	}

	events := openedSource(t, Source{Edges: edges, Header: &header, Project: "target"})
	if got := events.Graph.NodeNames; !slices.Equal(got, []string{"x", "y", "z"}) || !OfStructure(events.Graph) || events.Graph.Edges() != 1 {
		t.Errorf("events %v", got)
	}
	earlier := openedSource(t, Source{Edges: edges, Nodes: nodes, Label: "team", Project: "person", Recipe: d.Recipe})
	if !slices.Equal(earlier.Graph.Features.ToDense().Data, g.Features.ToDense().Data) {
		t.Error("by the recipe of the earlier data, the features differ")
	}
}

// TestProjectNumbered draws a random graph of nodes 0 to 39 and 40 to 59, whose two kinds only the
// edges show, and keeps the second kind: the nodes keep their numbers as ids, and their rows of
// features and labels.
func TestProjectNumbered(t *testing.T) {
	var edges, features, labels strings.Builder
	rnd := rand.New(rand.NewPCG(1, 0))
	const first, all = 40, 60 // how many nodes are of the first kind, and in all
	for i := range all {
		fmt.Fprintf(&features, "%d,%d\n", i*i+1, i%3)
		fmt.Fprintf(&labels, "%d\n", 5+i%2)
		for j := first; j < all; j++ {
			if i < first && rnd.IntN(4) == 0 {
				fmt.Fprintf(&edges, "%d\t%d\n%d\t%d\n", i, j, j, i) // both ways, so that the columns do not tell the kinds
			}
		}
	}
	s := Source{Edges: inputtest.WriteText(t, "e.tsv", edges.String()), Features: inputtest.WriteText(t, "x.csv", features.String()), Labels: inputtest.WriteText(t, "l.txt", labels.String())}
	whole := openedSource(t, s)
	kinds := graph.TwoKinds(whole.Graph.Adjacency)
	if whole.Kinds != nil || kinds == nil {
		t.Fatalf("kinds %v, %v", whole.Kinds, kinds)
	}
	s.Project = "second"
	d := openedSource(t, s)
	x := d.Graph.Features.ToDense()
	for row, name := range d.Graph.NodeNames {
		node := first + row
		if name != fmt.Sprint(node) {
			t.Fatalf("row %d: node %s, want %d", row, name, node)
		}
		if v := x.Data[row*x.Stride]; v != float32(node*node+1) {
			t.Fatalf("node %d: feature %v, want %d", node, v, node*node+1)
		}
		if class := d.Graph.ClassNames[d.Graph.Labels[row]]; class != fmt.Sprint(5+node%2) {
			t.Fatalf("node %d: class %s, want %d", node, class, 5+node%2)
		}
	}
}

// TestProjectRefused: an unknown kind, nodes that are not of two kinds, and edges by neighbors are
// errors that name the option.
func TestProjectRefused(t *testing.T) {
	two := inputtest.WriteText(t, "e.csv", "person,event\na,x\na,y\nb,x\n")
	header := true
	mixed := inputtest.WriteText(t, "one.csv", "a,b\nb,c\nc,a\n")
	for want, s := range map[string]Source{
		`Source.Project is "boss": want "person" or "event"`:     {Edges: two, Header: &header, Project: "boss"},
		`Source.Project is "a": the nodes are not of two kinds`:  {Edges: mixed, Project: "a"},
		`Source.Project is for edges between nodes of two kinds`: {Nodes: filepath.Join(t.TempDir(), "n.csv"), Neighbors: 3, Project: "a"},
	} {
		if _, err := Open(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %s", err, want)
		}
	}
}
