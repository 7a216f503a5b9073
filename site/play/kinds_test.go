package play

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/testutil"
)

// sameKinds is what comes of testdata/kinds.csv and kinds-edges.csv. The browser test drops the files on the page
// and compares.
type sameKinds struct {
	Notes []string `json:"notes"` // how the columns were read
	Rows  string   `json:"rows"`  // SHA-256 of the embedding before training, which the features decide, as in same.json
}

// TestKinds: each kind of value in a table (a number with a unit, money, tags, −999 and NaT for missing values,
// intervals) becomes the same features on the page as in the program. testdata/kinds.json has the page's notes
// and the hash of the first embedding at the level without SIMD. With -update, the file is written.
func TestKinds(t *testing.T) {
	const nodes, edges, file = "testdata/kinds.csv", "testdata/kinds-edges.csv", "testdata/kinds.json"
	d := testutil.Value(input.Open(t.Context(), input.Source{Nodes: nodes, Edges: edges})).OrFatal(t)
	kinds := map[string]string{}
	for _, c := range d.Recipe.Columns {
		kinds[c.Name] = c.Kind
	}
	want := map[string]string{"mass": "number", "price": "number", "score": "number", "tags": "tags", "born": "date", "age": "category"}
	if fmt.Sprint(kinds) != fmt.Sprint(want) {
		t.Errorf("the program reads the columns as %v, want %v", kinds, want)
	}
	level := simd.Level()
	testutil.NoError(t, simd.SetLevel("go"))
	defer simd.SetLevel(level)
	var p Player
	opened := ask(t, &p, "open", fmt.Sprintf(`{"Files": [{"Path": %q}, {"Path": %q}]}`, nodes, edges)).Value.(Opened)
	if page, program := p.g.Features.ToDense(), d.Graph.Features.ToDense(); !slices.Equal(p.g.FeatureNames, d.Graph.FeatureNames) || !slices.Equal(page.Data, program.Data) {
		t.Errorf("the page's features %q are not the program's %q", p.g.FeatureNames, d.Graph.FeatureNames)
	}
	got := sameKinds{Notes: opened.Notes, Rows: hash(ask(t, &p, "train.start", `{"layers": 2, "dims": 16, "clusters": 3, "seed": 1}`).Numbers["rows"])}
	for i, note := range got.Notes {
		got.Notes[i] = strings.TrimPrefix(note, "testdata/") // as the page names its files
	}
	text := testutil.Value(json.MarshalIndent(got, "", "  ")).OrFatal(t)
	if *update {
		testutil.NoError(t, os.WriteFile(file, append(text, '\n'), 0o600))
	} else if kept := string(testutil.Value(os.ReadFile(file)).OrFatal(t)); runtime.GOARCH != "arm64" && kept != string(text)+"\n" { // which fuses multiply-adds
		t.Errorf("the page has %s, want %s", text, kept)
	}
}
