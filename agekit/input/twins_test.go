package input_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/inputtest"
	"github.com/agekit/age/internal/testutil"
)

// TestTwins: a column that tells the classes is no feature, whether they are in a column or a file, and is one
// without them.
func TestTwins(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		inputtest.Write(t, path, []byte(content))
		return path
	}
	const n = 40
	source := input.Source{
		Nodes: file("nodes.csv", "id,kind,latin,mass\n"+inputtest.Lines(n, func(i int) string {
			return fmt.Sprintf("n%d,%s,%s,%d.5\n", i, []string{"owl", "finch"}[i%2], []string{"Strix", "Fringilla"}[i%2], i*i%23)
		})),
		Edges: file("edges.csv", "source,target\n"+inputtest.Lines(n, func(i int) string { return fmt.Sprintf("n%d,n%d\n", i, (i+1)%n) })),
	}
	features := func(s input.Source) string {
		t.Helper()
		return strings.Join(testutil.Value(input.Open(t.Context(), s)).OrFatal(t).Graph.FeatureNames, ", ")
	}
	if got, want := features(source), "kind = finch, kind = owl, mass"; got != want { // latin has the same groups as kind
		t.Errorf("without classes: %q, want %q", got, want)
	}
	byColumn, byFile := source, source
	byColumn.Label = "kind"
	byFile.Labels = file("labels.txt", inputtest.Lines(n, func(i int) string { return fmt.Sprintln(i % 2) }))
	byBoth := byFile
	byBoth.Columns.Category = []string{"latin"}
	for name, test := range map[string]struct {
		source input.Source
		want   string
	}{
		"column": {byColumn, "mass"},
		"file":   {byFile, "mass"},
		"named":  {byBoth, "latin = Fringilla, latin = Strix, mass"},
	} {
		if got := features(test.source); got != test.want {
			t.Errorf("classes by %s: features %q, want %q", name, got, test.want)
		}
	}
}
