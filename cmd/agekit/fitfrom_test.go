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

// TestFitFrom: --from goes on from a run on a table that has since gained 40 rows, lost 10, and changed its
// order. Features are standardized by the means and deviations of the earlier run, the training takes a
// quarter of its epochs, and clusters keep their numbers. The record and the report's page say what changed,
// and agree with agekit compare about the nodes that moved.
func TestFitFrom(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	penguins := readCSV(t, "../../assets/examples/penguins.csv")
	header, rows := penguins[:1], penguins[1:]
	oldRows := slices.Concat(rows[:99], rows[139:])  // 304 of 344: without 40
	newRows := slices.Concat(rows[:149], rows[159:]) // with these 40, without 10 others
	slices.Reverse(newRows)
	writeCSV(t, path("old.csv"), slices.Concat(header, oldRows))
	writeCSV(t, path("new.csv"), slices.Concat(header, newRows))
	const flags = "--label species --knn 10 --no-views --no-map"
	fit(t, strings.Fields(flags+" --clusters 3 --layers 2 --epochs 40 --nodes "+path("old.csv")+" --out "+path("old"))...)
	r := fit(t, strings.Fields(flags+" --from "+path("old")+" --nodes "+path("new.csv")+" --out "+path("new"))...)
	const fewMoved = 30 // a tenth of the nodes that stay
	if r.From == nil || r.From.New != 40 || r.From.Gone != 10 || r.From.Kept != 294 || r.From.Moved > fewMoved {
		t.Errorf("changed: %+v, want 40 new, 10 gone, 294 kept, at most %d moved", r.From, fewMoved)
	}
	if r.Epochs != 10 || r.Layers != 2 || len(r.Clusters) != 3 { // a quarter of the epochs
		t.Errorf("%d epochs, t %d, %d clusters", r.Epochs, r.Layers, len(r.Clusters))
	}
	oldRecipe, newRecipe := readModel(t, path("old")).About.Recipe, readModel(t, path("new")).About.Recipe
	sameScale := func(a, b recipe.Column) bool {
		return a.Name == b.Name && a.Mean == b.Mean && a.Deviation == b.Deviation
	}
	if !slices.EqualFunc(oldRecipe.Columns, newRecipe.Columns, sameScale) {
		t.Errorf("recipes %+v and %+v, want the same means and deviations", oldRecipe, newRecipe)
	}
	if code, _, errs := age(t, "report", path("new")); code != 0 || !strings.Contains(string(read(t, path("new/report.html"))), "40 nodes new, 10 gone;") {
		t.Errorf("the report does not say what changed: %s", errs)
	}
	oldRun := testutil.Value(run.Load(t.Context(), path("old"))).OrFatal(t)
	newRun := testutil.Value(run.Load(t.Context(), path("new"))).OrFatal(t)
	c := testutil.Value(compareRuns(oldRun, newRun)).OrFatal(t)
	if c.Moved != r.From.Moved {
		t.Errorf("%d nodes moved, and the report says %d", c.Moved, r.From.Moved)
	}
	if !slices.Equal(c.Matched, c.First) {
		t.Errorf("clusters %v became %v, want the same numbers", c.First, c.Matched)
	}
}
