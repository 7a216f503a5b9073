package reproduce

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
)

// TestAgainstScikitLearn compares rows of table 2 on Cora with scikit-learn's
// scores for the same similarities, to .005. LS is also the printed row.
func TestAgainstScikitLearn(t *testing.T) {
	results := newResults(t)
	s := Selection{Datasets: []string{"cora"}, Methods: []string{"ls", "spectral-f"}, Seeds: 1}
	execute(t, results, table2.Runs(s), Options{})
	for method, want := range map[string][3]float64{
		"LS":         {0.6381, 0.4922, 0.3729},
		"Spectral-F": {0.3501, 0.1523, 0.0706},
	} {
		record, ok := results.Get(Run{Task: Clustering, Dataset: "cora", Method: method, Mode: Paper, Seed: 1})
		if !ok {
			t.Errorf("no result for %s", method)
		}
		for i, score := range clusteringScores {
			if got := record.Scores[score]; !(math.Abs(got-want[i]) <= 0.005) {
				t.Errorf("%s of %s is %v, want %v", score, method, got, want[i])
			}
		}
	}
}

// TestScoreTable: from a few results, the table of scores has the rows that were worked out by hand.
func TestScoreTable(t *testing.T) {
	results := newResults(t)
	for seed, acc := range []float64{0.70, 0.74, 0.78} {
		put(t, results, Run{Task: Clustering, Dataset: "cora", Method: "AGE", Mode: Paper, Seed: uint64(seed + 1)},
			map[string]float64{"ACC": acc, "NMI": 0.607, "ARI": -0.0001, "modularity": 0.5, "conductance": 0.1, "DBI": 2})
	}
	out := render(t, table2, Selection{Datasets: []string{"cora"}, Modes: Modes(), Seeds: 4}, results)
	want := []string{"AGE", "paper", "3", ".740 ± .040", ".780", ".768", "−.028", ".607 ± .000", ".607", ".607", ".000", ".000 ± .000", ".000", ".565", "−.565"}
	if len(out.Tables) != 2 || len(out.Tables[0].Rows) != 1 || !slices.Equal(out.Tables[0].Rows[0], want) {
		t.Errorf("tables %v, want the single row %q", out.Tables, want)
	}
	if row := out.Tables[1].Rows[0]; !slices.Equal(row, []string{"AGE", "paper", ".500 ± .000", ".100 ± .000", "2.000 ± .000", "2.0"}) {
		t.Errorf("measures without labels: %q", row)
	}
	if row := out.Data[1]; !slices.Equal(row, []string{"cora", "AGE", "paper", "ACC", "3", "0.74", "0.04", "0.78", "0.768", "-0.028"}) {
		t.Errorf("first line of the CSV: %q", row)
	}
}

func render(t *testing.T, i Item, s Selection, results *Results) *Output {
	t.Helper()
	return testutil.Value(i.Render(s, results, func(name string) (*graph.Graph, error) {
		return dataset.Load(t.Context(), name, dataset.Options{Offline: true})
	})).OrFatal(t)
}

// TestFixed: numbers are formatted as in the paper's tables, with a minus sign and without a leading zero.
func TestFixed(t *testing.T) {
	for _, test := range []struct {
		value    float64
		decimals int
		want     string
	}{
		{0.7344, 3, ".734"}, {-0.0126, 3, "−.013"}, {-0.0001, 3, ".000"}, {1.25, 3, "1.250"}, {0.5, 1, "0.5"}, {-10.04, 1, "−10.0"}, {math.NaN(), 3, "–"},
	} {
		if got := fixed(test.value, test.decimals); got != test.want {
			t.Errorf("fixed(%v, %d) is %q, want %q", test.value, test.decimals, got, test.want)
		}
	}
}

// TestAll makes every table and figure for a tiny data set, shortened, and
// checks the files.
func TestAll(t *testing.T) {
	results := newResults(t)
	s := Selection{Datasets: []string{tiny}, Methods: append(cheapMethods(), figure3.Methods...), Quick: true}
	var runs []Run
	for _, i := range Items() {
		runs = append(runs, i.Runs(s)...)
	}
	execute(t, results, runs, Options{Parallel: 2})
	dir := t.TempDir()
	var outputs []*Output
	for _, i := range Items() {
		out := render(t, i, s, results)
		testutil.NoError(t, out.Save(t.Context(), dir))
		for _, note := range out.Notes {
			if strings.HasPrefix(note, "No results") {
				t.Errorf("%s: %s", i.Name, note)
			}
		}
		if len(out.Tables)+len(out.Figures) == 0 || len(out.Data) < 2 {
			t.Errorf("%s: %d tables, %d figures, %d lines of data", i.Name, len(out.Tables), len(out.Figures), len(out.Data))
		}
		outputs = append(outputs, out)
	}
	// All eigenvalues are counted and are below 2.
	total := 0.0
	record, _ := results.Get(Run{Task: Spectrum, Dataset: tiny})
	for _, count := range record.Series["counts"] {
		total += count
	}
	if nodes := loadTiny(t).N(); total != float64(nodes) {
		t.Errorf("%v eigenvalues counted, want %d", total, nodes)
	}
	report := filepath.Join(dir, "report.md")
	testutil.NoError(t, WriteReport(t.Context(), report, outputs, results))
	text := testutil.Value(os.ReadFile(report)).OrFatal(t)
	for _, line := range strings.Split(string(text), "\n") {
		if _, link, ok := strings.Cut(line, "]("); ok && strings.HasPrefix(line, "!") {
			if _, err := os.Stat(filepath.Join(dir, strings.TrimSuffix(link, ")"))); err != nil {
				t.Errorf("the report shows an image that does not exist: %v", err)
			}
		}
	}
	for _, i := range Items() {
		if !strings.Contains(string(text), "## "+i.Title) {
			t.Errorf("%s is not in the report", i.Name)
		}
	}
}

// TestSelection: of the selected data sets, those of the paper that the item does not have are left out,
// and all others are kept. Methods are found whatever their case, and are in the item's order.
func TestSelection(t *testing.T) {
	s := table4.selected(Selection{Datasets: []string{"wiki", "cora", "planted"}, Methods: []string{"age", "LS"}})
	if !slices.Equal(s.Datasets, []string{"cora", "planted"}) || !slices.Equal(s.Methods, []string{"LS", "AGE"}) || s.Seeds != 10 {
		t.Errorf("selection %+v", s)
	}
	if runs := table4.Runs(Selection{Datasets: []string{"wiki"}}); len(runs) != 0 {
		t.Errorf("table 4 has runs on Wiki: %v", runs)
	}
	// Figure 5's runs with the mode's own k are those of table 2. ksShown has it as its seventh, 0.
	ownK := figure5.Runs(Selection{Datasets: []string{"cora"}})[6*s.Seeds]
	if ownK.K != 0 || !slices.Contains(table2.Runs(Selection{}), ownK) {
		t.Errorf("figure 5 does not share the run %v with table 2", ownK)
	}
}
