package input

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// otherTable is what a person reads in a table that another program wrote.
type otherTable struct {
	Role  string            // "nodes" or "edges"
	Nodes int               // how many there are
	Edges int               // how many there are, in a table of edges
	Kinds map[string]string // of columns of nodes, by their names; "left out" if they are no features
	Says  []string          // what remarks must name
}

// TestTablesOfOthers reads tables in testdata/writers, which are written as pandas, R, Excel, QGIS,
// Cytoscape, Neo4j, SPSS, surveys, sensors, a bank, Eurostat, BioGRID and others write them. want.json says what a person
// reads in each, by hand.
func TestTablesOfOthers(t *testing.T) {
	const folder = "testdata/writers"
	text, err := os.ReadFile(filepath.Join(folder, "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string]otherTable
	if err := json.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	for name, want := range tables {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder, name)
			source := Source{Edges: path}
			if want.Role == "nodes" {
				source = Source{Nodes: path, Neighbors: 6}
			}
			d, err := Open(context.Background(), source)
			if err != nil {
				t.Fatal(err)
			}
			if n := d.Graph.N(); n != want.Nodes {
				t.Errorf("%d nodes, want %d", n, want.Nodes)
			}
			if edges := d.Graph.Adjacency.NNZ() / 2; want.Role == "edges" && edges != want.Edges {
				t.Errorf("%d edges, want %d", edges, want.Edges)
			}
			for column, kind := range want.Kinds {
				if got := kindOf(d, column); got != kind {
					t.Errorf("column %q: %s, want %s", column, got, kind)
				}
			}
			remarks := strings.Join(append(slices.Clone(d.Notes), inputtest.Texts(d.Warnings)...), "\n")
			for _, part := range want.Says {
				if !strings.Contains(remarks, part) {
					t.Errorf("no remark names %q:\n%s", part, remarks)
				}
			}
		})
	}
}

// kindOf returns the kind of the features that a column became, or "left out".
func kindOf(d *Data, column string) string {
	for _, c := range d.Recipe.Columns {
		if c.Name == column {
			return c.Kind
		}
	}
	return "left out"
}
