package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
)

// TestFitFrom: a run on a table that grew and lost rows, in another order, goes on from the
// earlier one: features are made by the means of that one, clusters keep their numbers, and
// it says what changed.
func TestFitFrom(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	rows := readCSV(t, "../../assets/examples/penguins.csv")
	writeCSV(t, path("old.csv"), slices.Concat(rows[:100], rows[140:]))
	later := slices.Concat(rows[1:150], rows[160:])
	slices.Reverse(later)
	writeCSV(t, path("new.csv"), slices.Concat(rows[:1], later))
	const settings = "--label species --knn 10"
	fit(t, strings.Fields(settings+" --no-views --no-map --clusters 3 --layers 2 --epochs 40 --nodes "+path("old.csv")+" --out "+path("old"))...)
	r := fit(t, strings.Fields(settings+" --no-views --no-map --from "+path("old")+" --nodes "+path("new.csv")+" --out "+path("new"))...)
	if r.From == nil || r.From.New != 40 || r.From.Gone != 10 || r.From.Kept != 294 || r.From.Moved > 30 {
		t.Errorf("changed: %+v", r.From)
	}
	if r.Epochs != 10 || r.Layers != 2 || len(r.Clusters) != 3 {
		t.Errorf("%d epochs, t %d, %d clusters", r.Epochs, r.Layers, len(r.Clusters))
	}
	if old, new := readModel(t, path("old")).About, readModel(t, path("new")).About; !slices.EqualFunc(old.Recipe.Columns, new.Recipe.Columns, func(a, b recipe.Column) bool {
		return a.Name == b.Name && a.Mean == b.Mean && a.Deviation == b.Deviation
	}) {
		t.Errorf("recipes %+v and %+v", old.Recipe, new.Recipe)
	}
	if code, _, errs := age(t, "report", path("new")); code != 0 || !strings.Contains(string(read(t, path("new/report.html"))), "40 nodes new, 10 gone;") {
		t.Errorf("the report does not say what changed: %s", errs)
	}
	both := [2]*run.Run{}
	for i, name := range []string{"old", "new"} {
		var err error
		if both[i], err = run.Load(t.Context(), path(name)); err != nil {
			t.Fatal(err)
		}
	}
	c := testutil.Value(compareRuns(both[0], both[1])).OrFatal(t)
	if c.Moved != r.From.Moved || !slices.Equal(c.Matched, c.First) { // each cluster is the one of its own number
		t.Errorf("%d moved, want %d; clusters %v are %v", c.Moved, r.From.Moved, c.First, c.Matched)
	}
}
