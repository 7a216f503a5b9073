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

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// plantedData returns the data of a planted graph of 240 nodes in three classes.
func plantedData(t *testing.T) *input.Data {
	t.Helper()
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 240, Classes: 3, MeanDegree: 6, Features: 60, Words: 8, Topic: 0.5, Seed: 4})).OrFatal(t)
	return &input.Data{Graph: g}
}

// TestFitGiven: a run with given settings has the embedding and clusters of encoder.Fit, with scores, views, explanation
// and map. Its files, once saved, are loaded as the same record, clusters and model, and a store returns the same run.
func TestFitGiven(t *testing.T) {
	d := plantedData(t)
	training := encoder.Options{Filter: laplacian.Filter{K: 2. / 3, Layers: 2}, Config: encoder.Config{Dims: 16, Epochs: 20, Seed: 3}}
	s := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	o := &Options{Settings: settings.Settings{Filter: training.Filter, Config: training.Config}, Views: true, Map: true}
	r, hit, err := Stored(t.Context(), s, d, o)
	if err != nil || hit {
		t.Fatal(hit, err)
	}
	training.Clusters = 3
	want := testutil.Value(encoder.Fit(t.Context(), d.Graph, training)).OrFatal(t)
	if !slices.Equal(r.Embedding.Data, want.Embedding.Data) || !slices.Equal(r.Labels, want.Labels) || r.Epoch != want.Members[0].Epoch {
		t.Error("another embedding than that of encoder.Fit")
	}
	if *r.ACC != metric.Accuracy(d.Graph.Labels, r.Labels) || len(r.Clusters) != 3 || len(r.Views) != 4 || !slices.Equal(r.Views[3].Labels, r.Labels) || r.Layout.Rows != 240 || r.Agreement == nil {
		t.Errorf("ACC %v, %d clusters, views %+v, %d places, agreement %v", *r.ACC, len(r.Clusters), r.Views, r.Layout.Rows, r.Agreement)
	}
	dir := filepath.Join(t.TempDir(), "with a space")
	testutil.Fails(t, r.Save(t.Context(), dir, slices.Collect(maps.Keys(Exports))...), "parquet")
	testutil.NoError(t, r.Save(t.Context(), dir, "graphml", "gexf"))
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
	if inJSON(t, again.Record) != inJSON(t, r.Record) || !slices.Equal(again.Views[2].Labels, r.Views[2].Labels) || !slices.Equal(again.Embedding.Data, r.Embedding.Data) || !slices.Equal(again.Model.Centers.Data, r.Model.Centers.Data) || !reflect.DeepEqual(again.Explanation, r.Explanation) {
		t.Error("a store gives another run back")
	}
}

// inJSON returns a record as run.json has it.
func inJSON(t *testing.T, r Record) string {
	t.Helper()
	text := testutil.Value(json.Marshal(r)).OrFatal(t)
	return string(text)
}

// fake is a method that returns for each node the cluster that the function cluster says, and an embedding of two columns
// that depends only on the cluster.
type fake struct {
	cluster func(i int) int // the cluster of node i
	number  bool            // it finds the number of clusters
	asked   *int            // how often it ran; nil if nobody counts
	bare    bool            // without an embedding
}

func (f fake) Name() string { return "fake" }

func (f fake) Info() method.Info { return method.Info{Name: "fake", Number: f.number} }

func (f fake) Fit(_ context.Context, g *graph.Graph, _ method.Options) (*method.Output, error) {
	if f.asked != nil {
		*f.asked++
	}
	z := blas32.General{Rows: g.N(), Cols: 2, Stride: 2, Data: make([]float32, 2*g.N())}
	labels := make([]int, g.N())
	for i := range labels {
		labels[i] = f.cluster(i)
		angle := 2 * math.Pi * float64(labels[i]) / 7
		z.Data[2*i], z.Data[2*i+1] = float32(math.Cos(angle)), float32(math.Sin(angle))
	}
	if f.bare {
		z = blas32.General{}
	}
	return &method.Output{Embedding: z, Clusters: labels, Backend: "none"}, nil
}

// TestNotExplained: if clusters cannot be explained because one of them is empty, the run has no explanation, and a line
// in the log says so. It has its views, and can be saved.
func TestNotExplained(t *testing.T) {
	d := plantedData(t)
	var lines []string
	log := encoder.Running{Progress: func(e encoder.Event) {
		if e.Line != "" {
			lines = append(lines, e.Line)
		}
	}}
	r := testutil.Value(Fit(t.Context(), d, &Options{Own: fake{cluster: func(i int) int { return 2 * (i % 2) }, number: true}, Training: log, Views: true})).OrFatal(t)
	if r.Explanation != nil || r.Clusters != nil || len(r.Views) != 3 || r.Views[0].Clusters != 3 || r.Training != nil || r.Model != nil {
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
type failingRows struct{ linalg.Source }

var errFull = errors.New("no space left on device")

func (z failingRows) Sum(context.Context, linalg.Pass) (linalg.Matrix[float64], error) {
	return linalg.Matrix[float64]{}, errFull
}

func (z failingRows) Each(context.Context, linalg.Pass, func(int, linalg.Matrix[float64])) error {
	return errFull
}

// TestFailedExplanation: if the rows cannot be computed for lack of space on the disk, Explain returns that error, and not
// ErrUnexplained, with which a run would go on.
func TestFailedExplanation(t *testing.T) {
	g := plantedData(t).Graph
	labels := make([]int, g.N())
	labels[0] = 1
	_, err := explain.Explain(t.Context(), g, nil, failingRows{linalg.InMemory(linalg.New(g.N(), 2))}, labels)
	if !errors.Is(err, errFull) || errors.Is(err, explain.ErrUnexplained) {
		t.Errorf("%v, want the error of the disk", err)
	}
}

// TestOptions: numbers of clusters and settings that do not fit the data are errors, of Plan and of Fit. Without classes,
// any number of clusters is planned. Fit returns the error of a canceled context.
func TestOptions(t *testing.T) {
	d := plantedData(t)
	bare := *d.Graph
	bare.Labels, bare.Classes, bare.ClassNames = nil, 0, nil
	for _, test := range map[string]struct {
		d    *input.Data
		o    Options
		want string
	}{
		"a range with settings that are given": {d, Options{Settings: settings.Settings{Auto: new(false), Clusters: views.Range{Least: 2, Most: 4}}}, "clusters is 2..4: want one number where the settings are given"},
		"no number":                            {&input.Data{Graph: &bare}, Options{Settings: settings.Settings{Auto: new(false)}}, "clusters is missing"},
		"a number that a method finds":         {d, Options{Own: fake{number: true}, Settings: settings.Settings{Clusters: views.Exactly(3)}}, "clusters is 3: fake finds the number of clusters itself"},
		"too many":                             {d, Options{Settings: settings.Settings{Clusters: views.Exactly(200)}}, "clusters is 200: want at most 120"},
		"a bad setting":                        {d, Options{Settings: settings.Settings{Config: encoder.Config{Dims: -1}}}, "dims is -1"},
	} {
		testutil.Value(test.o.Plan(t.Context(), test.d)).Fails(t, test.want)
		testutil.Value(Fit(t.Context(), test.d, &test.o)).Fails(t, test.want)
	}
	if p, err := (&Options{}).Plan(t.Context(), &input.Data{Graph: &bare}); err != nil || p.plan.clusters != views.Any() {
		t.Errorf("without classes, clusters is %v (%v)", p.plan.clusters, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Fit(ctx, d, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want canceled", err)
	}
}

// TestAbout: About names the sizes of a graph and, only where they say something, its components, the nodes without edges
// or features, and weights.
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

// TestDecimals: package message formats numbers with a minus sign and the given digits, and what rounds to 0 has no sign.
func TestDecimals(t *testing.T) {
	for want, got := range map[string]string{
		"0.00": message.Decimals(-0.004, 2), "−0.01": message.Decimals(-0.006, 2), "0": message.Decimals(math.Copysign(0, -1), 0), "−1": message.Decimals(-0.6, 0),
		"1.50": message.ThreeDigits(1.5), "−150": message.ThreeDigits(-150), "0.000": message.Decimals(-1e-9, 3),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
