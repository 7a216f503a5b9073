package run

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

func plantedData(t *testing.T) *input.Data {
	t.Helper()
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 240, Classes: 3, MeanDegree: 6, Features: 60, Words: 8, Topic: 0.5, Seed: 4})).OrFatal(t)
	return &input.Data{Graph: g}
}

// TestFitGiven: a run with given settings has the embedding of encoder.Fit, its files can
// be loaded, and a store gives it back.
func TestFitGiven(t *testing.T) {
	d := plantedData(t)
	settings := encoder.Options{Filter: laplacian.Filter{K: 2. / 3, Layers: 2}, Config: encoder.Config{Dims: 16, Epochs: 20}}
	s := testutil.Value(files.OpenStore(t.TempDir())).OrFatal(t)
	o := &Options{Given: true, Training: settings, Seed: 3, Baselines: true, Map: true}
	r, hit, err := Stored(t.Context(), s, d, o)
	if err != nil || hit {
		t.Fatal(hit, err)
	}
	settings.Seed, settings.Clusters = 3, 3
	want := testutil.Value(encoder.Fit(t.Context(), d.Graph, settings)).OrFatal(t)
	if !slices.Equal(r.Embedding.Data, want.Embedding.Data) || !slices.Equal(r.Labels, want.Labels) || r.Epoch != want.Members[0].Epoch {
		t.Error("another embedding than that of encoder.Fit")
	}
	if *r.ACC != metric.Accuracy(d.Graph.Labels, r.Labels) || len(r.Clusters) != 3 || len(r.Baselines) != 3 || r.Layout.Rows != 240 || r.Verdict == "" {
		t.Errorf("ACC %v, %d clusters, %d simple methods, %d places, verdict %q", *r.ACC, len(r.Clusters), len(r.Baselines), r.Layout.Rows, r.Verdict)
	}
	dir := filepath.Join(t.TempDir(), "with a space")
	testutil.Fails(t, r.Save(t.Context(), dir, slices.Collect(maps.Keys(Exports))...), "parquet")
	testutil.NoError(t, r.Save(t.Context(), dir, "graphml", "gexf", "membership", "projector"))
	loaded := testutil.Value(Load(t.Context(), dir)).OrFatal(t)
	if got, want := inJSON(t, loaded.Record), inJSON(t, r.Record); got != want {
		t.Errorf("loaded %s, want %s", got, want)
	}
	if clusters, err := loaded.Nodes().Find("cluster"); err != nil || loaded.Nodes().Columns[clusters].Numbers[7] != float64(r.Labels[7]) {
		t.Errorf("nodes.csv lacks the clusters (%v)", err)
	}
	if z, err := loaded.Model.Encoder.Embed(t.Context(), d.Graph); err != nil || !slices.Equal(z.Data, r.Embedding.Data) {
		t.Errorf("the model embeds otherwise (%v)", err)
	}
	again, hit, err := Stored(t.Context(), s, d, o)
	if err != nil || !hit {
		t.Fatalf("the store lost the run (%v)", err)
	}
	if inJSON(t, again.Record) != inJSON(t, r.Record) || !slices.Equal(again.Baselines[2].Labels, r.Baselines[2].Labels) || !slices.Equal(again.Embedding.Data, r.Embedding.Data) || !slices.Equal(again.Model.Centers.Data, r.Model.Centers.Data) || !reflect.DeepEqual(again.Explanation, r.Explanation) {
		t.Error("a store gives another run back")
	}
}

// inJSON returns a record as run.json has it.
func inJSON(t *testing.T, r Record) string {
	t.Helper()
	text := testutil.Value(json.Marshal(r)).OrFatal(t)
	return string(text)
}

// fake returns a method that gives every node a cluster of its row, from an embedding of
// two columns.
func fake(cluster func(i int) int) *Method {
	return &Method{Name: "fake", Mode: "fair", FindsNumber: true, Fit: func(_ context.Context, g *graph.Graph, _ int, _ func(encoder.Event)) (*Found, error) {
		z := blas32.General{Rows: g.N(), Cols: 2, Stride: 2, Data: make([]float32, 2*g.N())}
		labels := make([]int, g.N())
		for i := range labels {
			labels[i] = cluster(i)
			angle := 2 * math.Pi * float64(labels[i]) / 7
			z.Data[2*i], z.Data[2*i+1] = float32(math.Cos(angle)), float32(math.Sin(angle))
		}
		return &Found{Embedding: z, Clusters: labels, Backend: "none"}, nil
	}}
}

// TestNotExplained: clusters that cannot be explained, since one is empty, are a line in
// the log. The run goes on, and compares with simple methods.
func TestNotExplained(t *testing.T) {
	d := plantedData(t)
	var lines []string
	log := encoder.Options{Progress: func(e encoder.Event) { lines = append(lines, e.Message) }}
	r := testutil.Value(Fit(t.Context(), d, &Options{Method: fake(func(i int) int { return 2 * (i % 2) }), Training: log, Baselines: true})).OrFatal(t)
	if r.Explanation != nil || r.Clusters != nil || len(r.Baselines) != 3 || r.Baselines[0].Clusters != 3 || r.Training != nil || r.Model != nil {
		t.Errorf("record %+v", r.Record)
	}
	if len(lines) != 2 || !strings.Contains(lines[0], "nodes, ") || !strings.Contains(lines[1], "the clusters cannot be explained: ") {
		t.Errorf("it logged %q", lines)
	}
	if err := r.Save(t.Context(), t.TempDir()); err != nil {
		t.Error(err)
	}
	if err := r.Discard(); err != nil {
		t.Error(err)
	}
}

// failingRows is an embedding that cannot be computed, as where workers write to a full disk.
type failingRows struct{ nodes int }

var errFull = errors.New("no space left on device")

func (z failingRows) Dims() (n, cols int) { return z.nodes, 2 }

func (z failingRows) Sum(context.Context, linalg.Pass) (linalg.Matrix[float64], error) {
	return linalg.Matrix[float64]{}, errFull
}

func (z failingRows) Each(context.Context, linalg.Pass, func(int, linalg.Matrix[float64])) error {
	return errFull
}

// TestFailedExplanation: an explanation that fails for lack of space is no run without one.
func TestFailedExplanation(t *testing.T) {
	g := plantedData(t).Graph
	labels := make([]int, g.N())
	labels[0] = 1
	_, err := explain(t.Context(), g, nil, failingRows{g.N()}, labels)
	if !errors.Is(err, errFull) || errors.Is(err, errUnexplained) {
		t.Errorf("%v, want the error of the disk", err)
	}
}

// TestOptions: numbers of clusters that do not fit are errors before any work.
func TestOptions(t *testing.T) {
	d := plantedData(t)
	bare := *d.Graph
	bare.Labels, bare.Classes, bare.ClassNames = nil, 0, nil
	for _, test := range map[string]struct {
		d    *input.Data
		o    Options
		want string
	}{
		"a range that nobody chooses from": {d, Options{Given: true, Clusters: auto.Range{Least: 2, Most: 4}}, "clusters is 2..4: want one number where the settings are given"},
		"no number":                        {&input.Data{Graph: &bare}, Options{Given: true}, "clusters is missing"},
		"a number that a method finds":     {d, Options{Method: fake(nil), Clusters: auto.Exactly(3)}, "clusters is 3: fake finds the number of clusters itself"},
		"too many":                         {d, Options{Clusters: auto.Exactly(200)}, "clusters is 200: want at most 120"},
		"a bad setting":                    {d, Options{Training: encoder.Options{Config: encoder.Config{Dims: -1}}}, "dims is -1"},
	} {
		testutil.Fails(t, test.o.Check(test.d), test.want)
		testutil.Value(Fit(t.Context(), test.d, &test.o)).Fails(t, test.want)
	}
	if p, err := (&Options{}).plan(&bare); err != nil || p.clusters != auto.Any() {
		t.Errorf("without classes, clusters is %v (%v)", p.clusters, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Fit(ctx, d, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want canceled", err)
	}
}

// TestAbout: what a graph is like is said of its components, nodes and weights.
func TestAbout(t *testing.T) {
	g := graph.Graph{Features: graph.Features{Dense: &blas32.General{Rows: 6, Cols: 1, Stride: 1, Data: []float32{1, 2, 0, 1, 1, 1}}}}
	var err error
	if g.Adjacency, err = graph.Adjacency(6, []int32{0}, []int32{1}, nil); err != nil {
		t.Fatal(err)
	}
	want := "6 nodes, 1 edge, 1 feature; 5 connected components; 4 nodes without edges; 1 node without features; features decide about most nodes"
	if got := describe(&g).About(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	g.Adjacency = testutil.Value(graph.Adjacency(6, []int32{0, 1, 2, 3, 4}, []int32{1, 2, 3, 4, 5}, []float32{1, 2, 1, 1, 1})).OrFatal(t)
	want = "6 nodes, 5 edges, 1 feature, edges with weights; 1 node without features"
	if got := describe(&g).About(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestVerdict: it says which of the trials scored higher, and for settings that were given
// and for other methods how simple methods with as many clusters score.
func TestVerdict(t *testing.T) {
	labels := []int{0, 0, 1, 1, 2, 2}
	simple := []BaselineScore{{Name: "k-means of the features", Clusters: 3, Measures: auto.Measures{Score: 5}, Labels: labels}, {Name: "Leiden", Clusters: 2, Measures: auto.Measures{Score: 9}}}
	trained, untrained := &Training{Curves: make([]Curve, 1)}, &Training{}
	tried := &auto.SearchReport{Untrained: 0, Trained: 1, Trials: []auto.Trial{
		{Candidate: auto.Candidate{Data: "edges", Clustering: "spectral"}, Edges: 4, Score: 4},
		{Candidate: auto.Candidate{Data: "training", Layers: 2, Pairs: "wide", Clustering: "spectral"}, Features: 1, Edges: 2, Score: 3},
	}}
	full := func(chosen int, f auto.FullTraining) *auto.SearchReport {
		t := *tried
		t.Chosen, t.Full = chosen, &f
		return &t
	}
	unrelated := func(t *auto.SearchReport, features ...int) *auto.SearchReport {
		t.Unrelated = features
		return t
	}
	clear := func(t *auto.SearchReport) *auto.SearchReport {
		t.Trials = slices.Clone(t.Trials)
		t.Trials[1].Score = 5
		return t
	}
	for _, test := range []struct {
		training *Training
		tried    *auto.SearchReport
		score    float64
		want     string
	}{
		{trained, nil, 6, "Training helped here: score 6.00, k-means of the features 5.00."},
		{trained, nil, 4, "Training with these settings did not help here: k-means of the features 5.00, AGE 4.00. The trained embedding is the result, since the settings were given."},
		{trained, full(1, auto.FullTraining{Score: 5, Untrained: 4, Agreement: 0.7}), 4, "Whether training helped is too close to tell: edges alone (spectral) scores 4.00, short training, t 2, wide pairs (spectral) 3.00, and full trainings score some percent higher than short ones."},
		{trained, clear(full(1, auto.FullTraining{Score: 5, Untrained: 4, Agreement: 0.7})), 4, "Training helped here: edges alone (spectral) scores 4.00, short training, t 2, wide pairs (spectral) 5.00, and full trainings score some percent higher than short ones."},
		{trained, full(1, auto.FullTraining{Score: 5, Untrained: 4, Agreement: 0.96}), 4, "Training changed little here: its clusters and those of edges alone (spectral) are nearly the same (ARI 0.96)."},
		{untrained, full(0, auto.FullTraining{Score: 2.5, Untrained: 4, Agreement: 0.7}), 4, "Training did not help here: on the whole graph, edges alone (spectral) scores 4.00, the full training 2.50. " +
			"The clusters tell little about the features: 0.00 nats per node; short training, t 2, wide pairs (spectral) would tell 1.00."},
		{untrained, tried, 6, "Training did not help here: edges alone (spectral) scores 4.00, short training, t 2, wide pairs (spectral) 3.00, and full trainings score some percent higher than short ones. " +
			"The clusters tell little about the features: 0.00 nats per node; short training, t 2, wide pairs (spectral) would tell 1.00."},
		{untrained, &auto.SearchReport{Trained: 1, Trials: []auto.Trial{{Candidate: auto.Candidate{Data: "edges", Clustering: "spectral"}, Edges: 0.06, Score: 0.09}, {Candidate: auto.Candidate{Data: "training", Pairs: "wide", Clustering: "spectral"}}}}, 6,
			"Whether training helps cannot be told here. Little was found: the clusters tell 0.03 nats per node about edges and features that were held out, and may be no better than chance."},
		{trained, unrelated(full(1, auto.FullTraining{Score: 5, Untrained: 4, Agreement: 0.96}), 2), 4, "Training changed little here: its clusters and those of edges alone (spectral) are nearly the same (ARI 0.96). The last step leaves out 1 of 1,200 features, about which clusters found without them tell nothing: mass."},
		{trained, unrelated(full(1, auto.FullTraining{Score: 5, Untrained: 4, Agreement: 0.96}), 0, 2), 4, "Training changed little here: its clusters and those of edges alone (spectral) are nearly the same (ARI 0.96). The last step leaves out 2 of 1,200 features, about which clusters found without them tell nothing: age and mass."},
		{trained, unrelated(full(1, auto.FullTraining{Score: 5, Untrained: 4, Agreement: 0.96}), make([]int, 1000)...), 4, "Training changed little here: its clusters and those of edges alone (spectral) are nearly the same (ARI 0.96). The last step leaves out 1,000 of 1,200 features, about which clusters found without them tell nothing."},
		{nil, nil, 6, "AGE scores higher than simple methods: AGE 6.00, k-means of the features 5.00."},
		{nil, nil, 4, "A simple method scores higher: k-means of the features 5.00, AGE 4.00."},
	} {
		r := &Run{Record: Record{Method: "AGE", Training: test.training, Search: test.tried, Baselines: simple, Measures: auto.Measures{Score: test.score}, Graph: Graph{Features: 1200}}, Labels: []int{0, 1, 2, 0, 1, 2}}
		r.Data = &input.Data{Graph: &graph.Graph{FeatureNames: []string{"age", "height", "mass"}}}
		if got := r.verdict(3); got != test.want {
			t.Errorf("score %v: %q, want %q", test.score, got, test.want)
		}
	}
	// The same clusters with other numbers are no better, whatever the last digit says.
	for training, want := range map[*Training]string{
		trained: "Training changed little here: its clusters and those of k-means of the features are nearly the same (ARI 1.00).",
		nil:     "The clusters of AGE and those of k-means of the features are nearly the same (ARI 1.00).",
	} {
		r := &Run{Record: Record{Method: "AGE", Training: training, Baselines: simple, Measures: auto.Measures{Score: 6}}, Labels: []int{1, 1, 2, 2, 0, 0}}
		if got := r.verdict(3); got != want {
			t.Errorf("the same clusters: %q, want %q", got, want)
		}
	}
	if got := (&Run{Record: Record{Baselines: simple}}).verdict(4); got != "" {
		t.Errorf("nothing to compare with, but %q", got)
	}
}

// TestDecimals: what rounds to 0 has no sign.
func TestDecimals(t *testing.T) {
	for want, got := range map[string]string{
		"0.00": Decimals(-0.004, 2), "−0.01": Decimals(-0.006, 2), "0": Decimals(math.Copysign(0, -1), 0), "−1": Decimals(-0.6, 0),
		"1.50": threeDigits(1.5), "−150": threeDigits(-150), "0.000": Decimals(-1e-9, 3),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
