package input_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/internal/inputtest"
	"github.com/agekit/age/internal/testutil"
)

// TestSchema reads a table in which columns look like something else than they are. Without a schema
// the values decide on the kind of each column, with one the schema does, and columns that the source
// names are as it says. The kinds, and the errors about schemas that do not fit the table, are written
// by hand.
func TestSchema(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		inputtest.Write(t, path, []byte(content))
		return path
	}
	const n = 40
	nodes := file("nodes.csv", "id,zip,grade,born,height,list\n"+inputtest.Lines(n, func(i int) string {
		return fmt.Sprintf("n%d,%05d,%d,%d-%02d-01,%d.5,\"[%d, 2]\"\n", i, i%4+10115, i%3, 2000+i, i%12+1, i*i, i%5)
	}))
	edges := file("edges.csv", "source,target\n"+inputtest.Lines(n, func(i int) string { return fmt.Sprintf("n%d,n%d\n", i, (i+1)%n) }))
	kinds := func(s input.Source) (all []string) {
		t.Helper()
		s.Nodes, s.Edges = nodes, edges
		d := testutil.Value(input.Open(t.Context(), s)).OrFatal(t)
		for _, c := range d.Recipe.Columns {
			all = append(all, c.Name+" "+c.Kind)
		}
		return all
	}
	guessed := []string{"zip category", "grade number", "born date", "height number", "list 1 number"} // list 2 is all the same
	if got := kinds(input.Source{}); !slices.Equal(got, guessed) {
		t.Errorf("without a schema %q, want %q", got, guessed)
	}
	schema := file("nodes.csv.schema.json", `{"columns": {"zip": "text", "grade": "category", "born": "date", "height": "number", "list": "text"}}`)
	known := []string{"zip category", "grade category", "born date", "height number", "list category"}
	if got := kinds(input.Source{Schema: schema}); !slices.Equal(got, known) {
		t.Errorf("with a schema %q, want %q", got, known)
	}
	if got := kinds(input.Source{Schema: schema, Columns: recipe.Columns{Number: []string{"zip"}, Drop: []string{"list"}}}); !slices.Equal(got, []string{"zip number", "grade category", "born date", "height number"}) {
		t.Errorf("columns that are named: %q", got)
	}
	for content, want := range map[string]string{
		`{"columns": {"zap": "text"}}`:    `no column "zap", of which the type is given: want one of`,
		`{"columns": {"zip": "integer"}}`: `column "zip": type "integer": want one of [number category text date tags]`,
		`{"columns": ["zip"]}`:            `want {"columns": {"NAME": "TYPE"}}`,
		`{"columns": {"zip": "date"}}`:    `column "zip": "10115": want dates, such as 2006-01-02`,
	} {
		testutil.Value(input.Open(t.Context(), input.Source{Nodes: nodes, Edges: edges, Schema: file("wrong.json", content)})).Fails(t, want)
	}
	testutil.Value(input.Open(t.Context(), input.Source{Edges: edges, Schema: schema})).Fails(t, "Source.Schema is of the columns of a table of nodes: want Source.Nodes too")
	// What numbers the rows is left out, also if it is known to be a number.
	numbered := file("numbered.csv", "id,row\n"+strings.Join([]string{"a,0", "b,1", "c,2"}, "\n"))
	three := file("three.csv", "source,target\na,b\nb,c\n")
	d := testutil.Value(input.Open(t.Context(), input.Source{Nodes: numbered, Edges: three, Schema: file("row.json", `{"columns": {"row": "number"}}`)})).OrFatal(t)
	if warnings := fmt.Sprint(d.Warnings); !strings.Contains(warnings, "numbers the rows") {
		t.Errorf("warnings %s, want one of the row numbers", warnings)
	}
}
