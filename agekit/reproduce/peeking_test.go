package reproduce

import (
	"maps"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/internal/testutil"
)

// TestPeekingLabels: with permuted labels, a run of the task looks at the same epochs and finds the same
// indices and modularities, from which epochs are chosen without labels; its ACC differs.
func TestPeekingLabels(t *testing.T) {
	g := loadTiny(t)
	permuted := *g
	permuted.Labels = slices.Clone(g.Labels)
	slices.Sort(permuted.Labels)
	for _, name := range []string{"GAE", "AGE"} {
		r := Run{Task: peekingTask, Dataset: tiny, Method: name, Mode: Paper, Seed: 1, Quick: true}
		want := testutil.Value(runTask(t.Context(), g, r, method.Options{})).OrFatal(t)
		got := testutil.Value(runTask(t.Context(), &permuted, r, method.Options{})).OrFatal(t)
		if len(want.series["epoch"]) < 3 || len(want.series["ACC"]) != len(want.series["epoch"]) {
			t.Errorf("%s: series %v", name, want.series)
		}
		for _, s := range []string{"epoch", "DBI", "modularity"} {
			if !slices.Equal(got.series[s], want.series[s]) {
				t.Errorf("%s: %s %v, with permuted labels %v", name, s, want.series[s], got.series[s])
			}
		}
		if slices.Equal(got.series["ACC"], want.series["ACC"]) {
			t.Errorf("%s: the same ACC with permuted labels", name)
		}
	}
}

// TestPeekingLast: the last look at GAE, which returns its last epoch, has the scores of the run of table 2.
func TestPeekingLast(t *testing.T) {
	g := loadTiny(t)
	r := Run{Task: Clustering, Dataset: tiny, Method: "GAE", Mode: Paper, Seed: 1, Quick: true}
	want := testutil.Value(runTask(t.Context(), g, r, method.Options{})).OrFatal(t)
	r.Task = peekingTask
	got := testutil.Value(runTask(t.Context(), g, r, method.Options{})).OrFatal(t)
	delete(want.scores, "DBI")
	if !maps.Equal(got.scores, want.scores) {
		t.Errorf("scores %v, want %v", got.scores, want.scores)
	}
}

// TestPeekingTable: from two records, the row that was worked out by hand. The lowest index is at the second
// look, the highest modularity at the first, and the best ACC at the third and the second.
func TestPeekingTable(t *testing.T) {
	results := newResults(t)
	for seed, acc := range [][]float64{{.5, .6, .8, .7}, {.5, .8, .6, .7}} {
		r := Run{Task: peekingTask, Dataset: "cora", Method: "GAE", Mode: Paper, Seed: uint64(seed + 1)}
		record := Record{Run: r, Backend: "native", Code: "0", Series: map[string][]float64{
			"epoch": {10, 20, 30, 40}, "ACC": acc, "DBI": {3, 1, 2, 2}, "modularity": {.4, .3, .2, .1},
		}}
		record.Hash, record.Settings, _ = r.Hash()
		testutil.NoError(t, results.add(record))
	}
	out := render(t, peeking, Selection{Datasets: []string{"cora"}, Seeds: 2}, results)
	want := []string{"GAE", "fair", "2", "40", "4", ".700 ± .000", ".700 ± .141", ".500 ± .000", ".800 ± .000", ".100 ± .000"}
	if len(out.Tables) != 1 || !slices.Equal(out.Tables[0].Rows[0], want) {
		t.Errorf("tables %v, want the single row %q", out.Tables, want)
	}
}

// TestPeekingRuns: each trained method is in the table once, in published mode if it has one.
func TestPeekingRuns(t *testing.T) {
	modes := map[string]Mode{}
	for _, r := range peeking.Runs(Selection{Datasets: []string{"cora"}, Seeds: 1}) {
		if _, twice := modes[r.Method]; twice {
			t.Errorf("%s is there twice", r.Method)
		}
		modes[r.Method] = r.Mode
	}
	for name, want := range map[string]Mode{"AGE": Paper, "NS4GC": Published, "GALA": Paper, "GAE": Paper} {
		if modes[name] != want {
			t.Errorf("%s in %q mode, want %q", name, modes[name], want)
		}
	}
	if _, there := modes["K-means"]; there || len(modes) < 11 {
		t.Errorf("runs of %v", modes)
	}
}
