package reproduce

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/progress/progresstest"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// tiny is a data set on which a shortened run takes a moment.
const tiny = "planted:n=80,classes=3,f=60,words=8,topic=0.5,degree=5"

func loadTiny(t *testing.T) *graph.Graph {
	t.Helper()
	return testutil.Value(dataset.Load(t.Context(), tiny, dataset.Options{})).OrFatal(t)
}

// tinyMethods are a method of each kind: AGE, of features, of edges and random walks.
var tinyMethods = []string{"AGE", "LS", "Louvain", "DeepWalk"}

// tinyRuns returns runs of these methods.
func tinyRuns(seeds int) []Run {
	return Selection{Datasets: []string{tiny}, Methods: tinyMethods, Modes: []Mode{Paper}, Seeds: seeds, Quick: true}.runsOf(Run{Task: Clustering})
}

func execute(t *testing.T, results *Results, runs []Run, o Options) {
	t.Helper()
	testutil.NoError(t, Execute(t.Context(), results, runs, o))
}

// TestLabelsAreNotUsed: if the labels are permuted, a method returns the same embedding, clusters and
// chosen epoch, byte for byte, though other scores; and no method is given a label.
func TestLabelsAreNotUsed(t *testing.T) {
	g := loadTiny(t)
	permuted := *g
	permuted.Labels = slices.Clone(g.Labels)
	slices.Sort(permuted.Labels) // nodes are numbered at random
	if slices.Equal(permuted.Labels, g.Labels) {
		t.Fatal("the labels were already in order")
	}
	o := method.Options{} // no progress: methods must not need it
	for _, name := range method.Names() {
		for _, mode := range Modes() {
			if !mode.has(name) || !cheap(name) {
				continue
			}
			r := Run{Task: Clustering, Dataset: tiny, Method: name, Mode: mode, Seed: 1, Quick: true}
			m := testutil.Value(r.method()).OrFatal(t)
			a := testutil.Value(clusterNodes(t.Context(), blind{m}, g, r, o)).OrFatal(t)
			b := testutil.Value(clusterNodes(t.Context(), blind{m}, &permuted, r, o)).OrFatal(t)
			if !slices.Equal(a.Embedding.Data, b.Embedding.Data) || !slices.Equal(a.Clusters, b.Clusters) {
				t.Errorf("%v: the embedding or the clusters change with permuted labels", r)
			}
			if !maps.Equal(a.Measures, b.Measures) {
				t.Errorf("%v: measures %v, with permuted labels %v", r, a.Measures, b.Measures)
			}
			if name == "AGE" && metric.Accuracy(g.Labels, a.Clusters) == metric.Accuracy(permuted.Labels, b.Clusters) {
				t.Errorf("%v: the same accuracy with permuted labels", r)
			}
		}
	}
}

// cheap reports whether a method takes part in tests that run many methods several
// times: of the methods that train, only a few do unless the test is long. TestAll runs
// every method.
func cheap(name string) bool {
	m, _ := method.Find(name)
	return !m.Trained || m.AGE || testutil.IsLong() || slices.Contains([]string{"DeepWalk", "GAE", "LS+RA"}, name)
}

func cheapMethods() []string {
	return slices.DeleteFunc(method.Names(), func(name string) bool { return !cheap(name) })
}

// TestLinksDoNotUseLabels: permuting the labels changes neither the link
// prediction scores nor the chosen epoch.
func TestLinksDoNotUseLabels(t *testing.T) {
	g := loadTiny(t)
	permuted := *g
	permuted.Labels = slices.Clone(g.Labels)
	slices.Sort(permuted.Labels)
	r := Run{Task: Links, Dataset: tiny, Method: "AGE", Mode: Paper, Seed: 1, Quick: true}
	o := method.Options{} // no progress: methods must not need it
	want := testutil.Value(runTask(t.Context(), g, r, o)).OrFatal(t)
	got, err := runTask(t.Context(), &permuted, r, o)
	if err != nil || !maps.Equal(got.scores, want.scores) {
		t.Errorf("scores %v with permuted labels, %v without (error %v)", got.scores, want.scores, err)
	}
	if want.scores["AUC"] < 0.5 || want.scores["epoch"] == 0 {
		t.Errorf("scores %v", want.scores)
	}
	r.Method = "LS"
	testutil.Value(runTask(t.Context(), g, r, o)).Fails(t, "LS cannot predict links")
}

// TestBestLinks: in best mode, the validation edges choose among one, two and three
// layers after 30 epochs, as notebook 6 says.
func TestBestLinks(t *testing.T) {
	r := Run{Task: Links, Dataset: "cora", Method: "AGE", Mode: Best}
	m := testutil.Value(r.method()).OrFatal(t)
	var best struct {
		Filters []laplacian.Filter
		Config  encoder.Config
	}
	testutil.NoError(t, json.Unmarshal(testutil.Value(json.Marshal(m)).OrFatal(t), &best))
	var layers []int
	for _, f := range best.Filters {
		layers = append(layers, f.Layers)
	}
	if !slices.Equal(layers, []int{1, 2, 3}) || best.Config.Epochs != 30 || best.Config.UpdateEvery != 3 {
		t.Errorf("filters %v, %d epochs", best.Filters, best.Config.Epochs)
	}
}

// blind is a method that fails if it gets labels.
type blind struct{ method.Method }

func (b blind) Fit(ctx context.Context, g *graph.Graph, o method.Options) (*method.Output, error) {
	if g.Labels != nil || g.ClassNames != nil {
		return nil, errors.New("the method gets labels")
	}
	return b.Method.Fit(ctx, g, o)
}

// TestExecuteResumes: runs that already have a result are not executed again;
// more seeds add only their own runs; concurrent runs give the same scores.
func TestExecuteResumes(t *testing.T) {
	results := newResults(t)
	var made []Run
	forward := progresstest.Forward(t)
	o := Options{Code: "test", Progress: func(e Event) {
		if forward(e.Event); e.Record != nil {
			made = append(made, e.Run)
			if e.Left < 0 {
				t.Errorf("event %+v", e)
			}
		}
	}}
	execute(t, results, tinyRuns(1), o)
	if len(made) != len(tinyMethods) {
		t.Errorf("%d runs made, want %d", len(made), len(tinyMethods))
	}
	made, forward = nil, progresstest.Forward(t, "runs")
	execute(t, results, append(tinyRuns(2), tinyRuns(1)...), o)
	if len(made) != len(tinyMethods) || slices.ContainsFunc(made, func(r Run) bool { return r.Seed != 2 }) {
		t.Errorf("runs made for a second seed: %v", made)
	}
	parallel := newResults(t)
	o.Parallel, o.Progress = 4, nil
	execute(t, parallel, tinyRuns(2), o)
	for _, r := range tinyRuns(2) {
		want, ok := results.Get(r)
		got, okay := parallel.Get(r)
		if !ok || !okay || !maps.Equal(got.Scores, want.Scores) {
			t.Errorf("%v: scores %v concurrently, %v one by one", r, got.Scores, want.Scores)
		}
		if want.Backend == "" || want.Code != "test" || len(want.Graph) != 64 || len(want.Hash) != 16 {
			t.Errorf("record %+v", want)
		}
	}
}

// TestExecuteStops: when the context is canceled during training, the next
// call resumes from the checkpoint and gives the scores of an uninterrupted
// run.
func TestExecuteStops(t *testing.T) {
	r := Run{Task: Clustering, Dataset: tiny, Method: "AGE", Mode: Paper, Seed: 1, Quick: true}
	undisturbed := newResults(t)
	execute(t, undisturbed, []Run{r}, Options{})
	checkpoints, err := store.Open(t.TempDir())
	testutil.NoError(t, err)
	results := newResults(t)
	ctx, cancel := context.WithCancel(t.Context())
	err = Execute(ctx, results, []Run{r}, Options{Checkpoints: checkpoints, Progress: func(e Event) {
		if e.Share >= 0.5 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || len(results.records) != 0 {
		t.Fatalf("error %v and %d results, want a canceled context and none", err, len(results.records))
	}
	first := -1.0
	execute(t, results, []Run{r}, Options{Checkpoints: checkpoints, Progress: func(e Event) {
		if first < 0 && e.Share > 0 { // the first event has only an estimate
			first = e.Share
		}
	}})
	if first < 0.5 {
		t.Errorf("it resumed at %v of the run, want 0.5 or more", first)
	}
	want, _ := undisturbed.Get(r)
	if got, _ := results.Get(r); !maps.Equal(got.Scores, want.Scores) {
		t.Errorf("scores %v, uninterrupted %v", got.Scores, want.Scores)
	}
	if remaining, err := os.ReadDir(checkpoints.Dir); err != nil || len(remaining) != 0 {
		t.Errorf("%d checkpoints left (error %v)", len(remaining), err)
	}
}

// TestFailuresDoNotStop: if runs fail, Execute's error names each of them, and the other runs have results.
func TestFailuresDoNotStop(t *testing.T) {
	results := newResults(t)
	testutil.Fails(t, Execute(t.Context(), results, []Run{
		{Task: statisticsTask, Dataset: "planted:n=-1"},
		{Task: statisticsTask, Dataset: tiny},
	}, Options{}), "planted:n=-1")
	if len(results.records) != 1 {
		t.Errorf("%d results, want one, from the other run", len(results.records))
	}
}

// TestEstimateOfFirstRun: before the first run of its kind, AGE's time follows from its operations,
// of which a quick run on Cora, 40 of 400 epochs, has a tenth. Other methods' time is unknown: 0.
func TestEstimateOfFirstRun(t *testing.T) {
	g := testutil.Value(dataset.Load(t.Context(), "cora", dataset.Options{})).OrFatal(t)
	estimate := func(r Run) (remaining time.Duration) {
		x := testutil.Value(newExecution(&Results{}, Options{Progress: func(e Event) { remaining = e.Left }})).OrFatal(t)
		x.pending = []Run{r}
		x.reportEstimate(r, g)
		return remaining
	}
	age := Run{Task: Clustering, Dataset: "cora", Method: "AGE", Seed: 1}
	quick := age
	quick.Quick = true
	ls := age
	ls.Method = "LS"
	if all, tenth := estimate(age), estimate(quick); tenth <= 0 || all < 3*tenth || all > 30*tenth {
		t.Errorf("%v estimated for AGE and %v for a tenth of it", all, tenth)
	}
	if remaining := estimate(ls); remaining != 0 {
		t.Errorf("%v estimated for LS, of which nothing is known", remaining)
	}
}

// TestClock: the estimated time of runs follows only from runs of the same method and data set: from
// those that are finished or, before that, from the one that is running. The sums are by hand.
func TestClock(t *testing.T) {
	run := func(method string, seed uint64) Run {
		return Run{Task: Clustering, Dataset: "cora", Method: method, Seed: seed}
	}
	x := testutil.Value(newExecution(&Results{}, Options{})).OrFatal(t)
	var remaining time.Duration
	x.o.Progress = func(e Event) { remaining = e.Left }
	x.clock.stored[clockKey(run("LS", 1))] = []float64{1, 3}
	x.pending = []Run{run("AGE", 1), run("AGE", 2), run("LS", 2), run("AGC", 1)}
	x.report(x.pending[0], 0.25, 40, nil)
	if remaining != 0 {
		t.Errorf("%v left, with a run of which nothing is known", remaining)
	}
	x.removePending(run("AGC", 1))
	x.report(x.pending[0], 0.25, 40, nil)
	if want := 72 * time.Second; remaining != want { // AGE: ¾ of 40 and 40; LS: the mean of 1 and 3
		t.Errorf("%v left, want %v", remaining, want)
	}
	x.report(x.pending[0], 1, 50, &Record{Run: run("AGE", 1), Seconds: 50})
	if want := 52 * time.Second; remaining != want { // AGE: 50; LS: 2
		t.Errorf("%v left after a run, want %v", remaining, want)
	}
	x.removePending(run("AGE", 2))
	x.report(x.pending[0], 0.5, 10, nil) // LS takes longer here than the stored runs did
	if want := 5 * time.Second; remaining != want {
		t.Errorf("%v left, want %v", remaining, want)
	}
}
