package reproduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestTimedAlone: the time and memory in the table are those of runs that ran one at a time, which
// have bytes; methods without such runs are named below the table and are not in the figure.
func TestTimedAlone(t *testing.T) {
	results := newResults(t)
	add := func(method string, mode Mode, seed uint64, acc, seconds float64, bytes int64) {
		t.Helper()
		r := Run{Task: Clustering, Dataset: "cora", Method: method, Mode: mode, Seed: seed}
		hash, _, err := r.Hash()
		testutil.NoError(t, err)
		testutil.NoError(t, results.add(Record{Hash: hash, Run: r, Seconds: seconds, Bytes: bytes, Scores: map[string]float64{"ACC": acc, "NMI": 0.5, "ARI": 0.4}}))
	}
	add("Louvain", Paper, 1, 0.4, 0.004, 1e6)
	add("DGI", Paper, 1, 0.6, 30, 3e6)
	add("DGI", Paper, 2, 0.7, 90, 0) // beside others
	add("DGI", Published, 1, 0.72, 31, 5e6)
	add("NS4GC", Published, 1, 0.75, 100, 0)
	add("LS", Paper, 1, 0.64, 0.5, 2e6)

	out := render(t, field, Selection{Datasets: []string{"cora"}, Seeds: 2}, results)
	want := [][]string{
		{"Louvain", "fair", "1", ".400", ".500", ".400", "–", "–", ".004", "1"},
		{"DGI", "fair", "2", ".650 ± .071", ".500 ± .000", ".400 ± .000", "–", "–", "30.0", "3"},
		{"DGI", "published", "1", ".720", ".500", ".400", "–", "–", "31.0", "5"},
		{"NS4GC", "published", "1", ".750", ".500", ".400", "–", "–", "–", "–"},
	}
	if !slices.EqualFunc(out.Tables[0].Rows, want, slices.Equal) {
		t.Errorf("rows %q, want %q", out.Tables[0].Rows, want)
	}
	if len(out.Tables) != 1 {
		t.Errorf("%d tables, want one", len(out.Tables))
	}
	if len(out.Notes) != 1 || !strings.HasPrefix(out.Notes[0], "Cora: no time for NS4GC (published), whose runs shared the machine") {
		t.Errorf("notes %q", out.Notes)
	}
	if len(out.Figures) != 1 {
		t.Fatalf("%d figures, want one", len(out.Figures))
	}
	svg, err := out.Figures[0].Encode(".svg")
	testutil.NoError(t, err)
	// The figure also has the methods of table 2, here LS; DGI is named once.
	for name, count := range map[string]int{">Louvain<": 1, ">DGI<": 1, ">LS<": 1, ">NS4GC<": 0} {
		if found := strings.Count(string(svg), name); found != count {
			t.Errorf("%d times %s in the figure, want %d", found, name, count)
		}
	}
	out = render(t, field, Selection{Datasets: []string{"cora"}, Methods: []string{"DGI"}, Seeds: 2}, results)
	if svg, err = out.Figures[0].Encode(".svg"); err != nil || strings.Contains(string(svg), ">LS<") {
		t.Errorf("a figure of DGI alone has LS, error %v", err)
	}
}

// TestRacerKind: the kinds of some methods, by what they are known to see and to train.
func TestRacerKind(t *testing.T) {
	for name, want := range map[string]int{
		"K-means": featuresOnly, "Spectral-F": featuresOnly, "Louvain": graphOnly, "DeepWalk": graphOnly,
		"AGC": withoutNetwork, "TADW": withoutNetwork, "GAE": withNetwork, "LS+RA": withNetwork, "AGE": ours,
	} {
		if got := racerKind(name); got != want {
			t.Errorf("%s is of the kind %q, want %q", name, racerKinds[got], racerKinds[want])
		}
	}
}
