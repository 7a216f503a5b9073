package experiment

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/internal/testutil"
)

// TestAlone: time and memory are those of runs that ran one at a time; methods
// without such runs are named below the table and are not in the figure.
func TestAlone(t *testing.T) {
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
	reruns := [][]string{
		{"DGI", "published", ".720", ".722", ".500", ".562", ".400", ".520", pyAGC},
		{"NS4GC", "published", ".750", ".749 ± .006", ".500", ".594", ".400", ".566", pyAGC},
	}
	if len(out.Tables) != 2 || !slices.EqualFunc(out.Tables[1].Rows, reruns, slices.Equal) {
		t.Errorf("re-runs %v, want %q", out.Tables[1:], reruns)
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

func TestRacerKind(t *testing.T) {
	for method, want := range map[string]int{
		"K-means": featuresOnly, "Spectral-F": featuresOnly, "Louvain": graphOnly, "DeepWalk": graphOnly,
		"AGC": withoutNetwork, "TADW": withoutNetwork, "GAE": withNetwork, "LS+RA": withNetwork, "AGE": ours,
	} {
		if got := racerKind(method); got != want {
			t.Errorf("%s is of the kind %q, want %q", method, racerKinds[got], racerKinds[want])
		}
	}
}

// TestReruns: where a stored result is further from a re-run than twice the larger
// deviation, or than .02 without any, the re-run says why.
func TestReruns(t *testing.T) {
	const path = "../../docs/reproduction/results.jsonl"
	if _, err := os.Stat(filepath.FromSlash(path)); err != nil {
		t.Skip(err)
	}
	results := testutil.Value(Open(filepath.FromSlash(path), false)).OrFatal(t)
	from := source{Selection{Seeds: 10}, results, nil}
	for _, r := range reruns {
		if _, ok := baseline.Find(r.method); !ok || !r.mode.has(r.method) {
			t.Errorf("%s in %s mode is no method's", r.method, r.mode)
		}
		sum := from.find(Run{Task: Clustering, Dataset: r.dataset, Method: r.method, Mode: r.mode}).score("ACC")
		if sum.count == 0 {
			t.Logf("%s on %s: no stored results", r.method, r.dataset)
			continue
		}
		limit := max(0.02, 2*r.deviation, 2*sum.deviation)
		if away := math.Abs(sum.mean - r.acc); away > limit && r.why == "" {
			t.Errorf("%s on %s: ACC %.3f ± %.3f, theirs %.3f ± %.3f, and no reason", r.method, r.dataset, sum.mean, sum.deviation, r.acc, r.deviation)
		}
	}
}
