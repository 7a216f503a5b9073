package auto

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/testutil"
)

// planted returns a graph with k classes of moderate separation.
func planted(t *testing.T, k int, seed uint64) *graph.Graph {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, uint64(k)))
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{
		Nodes: 50*k + rnd.IntN(50*k), Classes: k, MeanDegree: 4 + 3*rnd.Float64(), Homophily: 0.65 + 0.2*rnd.Float64(),
		Features: 40*k + rnd.IntN(40*k), Words: 12 + 10*rnd.Float64(), Topic: 0.25 + 0.15*rnd.Float64(), Seed: seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// quick returns a graph on which all folds take a second: their time, more than their
// number, grows with the nodes.
func quick(t *testing.T) *graph.Graph {
	t.Helper()
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 60, Classes: 3, MeanDegree: 5, Homophily: 0.8, Features: 40, Words: 6, Topic: 0.4, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// example returns one of the graphs of docs/your-data.md.
func example(t *testing.T, nodes, edges, label string) *graph.Graph {
	t.Helper()
	in := input.Source{Edges: "../../assets/examples/" + edges, Label: label}
	if nodes != "" {
		in.Nodes = "../../assets/examples/" + nodes
	}
	l, err := input.Open(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return l.Graph
}

// TestCount: the number of classes of planted graphs with 3 to 20, and at worst within one
// of it: on 5 graphs, or 20 in the long test.
func TestCount(t *testing.T) {
	exact, every := 0, 4
	if testutil.IsLong() {
		every = 1
	}
	for i := 0; i < 20; i += every {
		k := 3 + i*17/19
		g := planted(t, k, uint64(1000+i))
		numbers, err := measureNumbers(t.Context(), g, Range{Least: 2, Most: 24}, 1)
		if err != nil {
			t.Fatal(err)
		}
		found := numbers[(&SearchReport{Numbers: numbers}).ChosenNumber()].Clusters
		if found < k-1 || found > k+1 {
			t.Errorf("%d classes, %d nodes: found %d", k, g.N(), found)
		}
		if found == k {
			exact++
		}
		if least, most := (&SearchReport{Numbers: numbers}).LikelyNumbers(); k < least || k > most {
			t.Errorf("%d classes: it is sure of %d to %d", k, least, most)
		}
		if len(numbers) != 23 || numbers[found-2].Clusters != found {
			t.Errorf("%d numbers, number %d is %d", len(numbers), found-2, numbers[found-2].Clusters)
		}
		for _, n := range numbers {
			if n.EdgeShare > numbers[found-2].EdgeShare {
				t.Errorf("%d classes: %d clusters have share %v, the chosen %v", k, n.Clusters, n.EdgeShare, numbers[found-2].EdgeShare)
			}
		}
	}
	if want := (20 + every - 1) / every; exact != want { // as docs/choosing-settings.md says
		t.Errorf("%d of %d numbers are exact", exact, want)
	}
}

// TestUntrained: on the penguins, clusters of the smoothed features score higher
// than trained ones, and the encoder returns their embedding again.
func TestUntrained(t *testing.T) {
	g := example(t, "penguins.csv", "penguins-edges.csv", "species")
	r, err := Fit(t.Context(), g, Options{Clusters: Exactly(3), Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	chosen := r.Trials[r.Chosen]
	if chosen.trained() || r.Chosen != r.Untrained || chosen.Score < r.Trials[r.Trained].Score {
		t.Errorf("chosen is %q, score %v; the best trained has %v", chosen.Name(), chosen.Score, r.Trials[r.Trained].Score)
	}
	if acc := metric.Accuracy(g.Labels, r.Labels); acc < 0.95 {
		t.Errorf("ACC %v, want .95 or more", acc)
	}
	again, err := r.Encoder.Embed(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.N() {
		a := blas32.Vector{N: again.Cols, Inc: 1, Data: again.Data[i*again.Stride:]}
		b := blas32.Vector{N: r.Embedding.Cols, Inc: 1, Data: r.Embedding.Data[i*r.Embedding.Stride:]}
		if cosine := blas32.Dot(a, b); math.Abs(float64(cosine)-1) > 1e-5 {
			t.Fatalf("node %d: cosine %v between the embedding and the encoder's", i, cosine)
		}
	}
	if r.Config.Clusters != 3 || r.Config.Dims != again.Cols {
		t.Errorf("settings %+v", r.Config)
	}
	later, err := Fit(t.Context(), g, Options{Clusters: Exactly(3), Seed: 1, WarmStart: &WarmStart{&r.SearchReport, r.Config, r.Encoder}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(later.Labels, r.Labels) || !slices.Equal(later.Embedding.Data, r.Embedding.Data) {
		t.Errorf("from what was chosen, another result: ARI %.3f", metric.ARI(later.Labels, r.Labels))
	}
}

// TestTrained: with words, the trained encoder is the result. Labels make no
// difference, and the same seed gives the same clusters.
func TestTrained(t *testing.T) {
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 510, Classes: 6, MeanDegree: 5, Homophily: 0.75, Features: 700, Words: 30, Topic: 0.25, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	unlabeled := *g
	unlabeled.Labels, unlabeled.Classes = nil, 0
	var all [2]*Result
	for i, g := range []*graph.Graph{g, &unlabeled} {
		if all[i], err = Fit(t.Context(), g, Options{Clusters: Range{Least: 4, Most: 8}, Seed: 2, Encoder: encoder.Options{Config: encoder.Config{Dims: 64, Epochs: 100}}}); err != nil {
			t.Fatal(err)
		}
	}
	r := all[0]
	if r.Chosen != r.Trained || !r.Trials[r.Chosen].trained() || len(r.Members) != 3 || len(r.Numbers) != 5 {
		t.Errorf("chosen %s, %d members, %d numbers", r.Trials[r.Chosen].Name(), len(r.Members), len(r.Numbers))
	}
	if !slices.Equal(r.Labels, all[1].Labels) || !slices.Equal(r.Embedding.Data, all[1].Embedding.Data) {
		t.Error("the result differs without labels")
	}
	if acc := metric.Accuracy(g.Labels, r.Labels); acc < 0.85 {
		t.Errorf("ACC %v, want .85 or more", acc)
	}
	for _, trial := range r.Trials {
		f, e := max(0, trial.Features), max(0, trial.Edges)
		want := ((f+e)/2 + math.Sqrt(f*e) + 1/float64(g.N())) * math.Exp(trial.Stability-1)
		if math.Abs(trial.Score-want) > 1e-9 || trial.Folds == 0 || trial.Stability > 1 {
			t.Errorf("%s: score %v, want %v; stability %v of %d folds", trial.Name(), trial.Score, want, trial.Stability, trial.Folds)
		}
	}
	var epochs []int
	later, err := Fit(t.Context(), g, Options{Clusters: Exactly(6), Seed: 2, WarmStart: &WarmStart{&r.SearchReport, r.Config, r.Encoder}, Encoder: encoder.Options{
		Config: encoder.Config{Epochs: 20}, Progress: func(e encoder.Event) { epochs = append(epochs, e.Epochs) },
	}})
	if err != nil {
		t.Fatal(err)
	}
	if ari := metric.ARI(later.Labels, r.Labels); ari < 0.9 || later.Chosen != r.Chosen || len(later.Members) != 3 || slices.Max(epochs) != 3*20 {
		t.Errorf("on from there: ARI %.3f, trial %d, %d members, %d epochs", ari, later.Chosen, len(later.Members), slices.Max(epochs))
	}
}

// TestNoEdges: nothing to smooth with, and nothing that tells the number of clusters.
func TestNoEdges(t *testing.T) {
	g := quick(t)
	bare := *g
	var err error
	if bare.Adjacency, err = graph.Adjacency(g.N(), nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	r, err := Fit(t.Context(), &bare, Options{Clusters: Exactly(3), Seed: 1, Encoder: encoder.Options{Config: encoder.Config{Epochs: 40}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range r.Trials {
		if trial.Layers != 0 {
			t.Errorf("tried %s", trial.Name())
		}
	}
	if _, err := Fit(t.Context(), &bare, Options{Clusters: Range{Least: 2, Most: 5}}); err == nil {
		t.Error("a number of clusters without edges")
	}
}

// TestResume: a run that is stopped goes on from its checkpoints to the same result,
// and Discard removes them all.
func TestResume(t *testing.T) {
	g := quick(t)
	dir := t.TempDir()
	checkpoints, err := files.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	short := encoder.Config{Epochs: 150, Dims: 32}
	want, err := Fit(t.Context(), g, Options{Clusters: Exactly(3), Seed: 1, Encoder: encoder.Options{Config: short}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	o := Options{Clusters: Exactly(3), Seed: 1, Encoder: encoder.Options{Config: short, Checkpoints: checkpoints, CheckpointEvery: 50 * time.Millisecond, Progress: func(e encoder.Event) {
		if e.Epoch == 200 { // of the full trainings
			stop()
		}
	}}}
	if _, err := Fit(ctx, g, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want canceled", err)
	}
	first := 0
	o.Encoder.Progress = func(e encoder.Event) {
		if first == 0 {
			first = e.Epoch
		}
	}
	got, err := Fit(t.Context(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	if first < 100 {
		t.Errorf("it went on with epoch %d", first)
	}
	if !slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Embedding.Data, want.Embedding.Data) {
		t.Error("another result")
	}
	if err := got.Discard(); err != nil {
		t.Fatal(err)
	}
	kept, ok := files.Stored[choice](checkpoints, (&search{g: g, o: o, k: 3}).choiceKey())
	if !ok || len(kept.Trials) != len(got.Trials) {
		t.Errorf("the choice is not kept for other seeds: %d trials, want %d", len(kept.Trials), len(got.Trials))
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && info.Size() > 20000 { // what was chosen stays
			t.Errorf("left: %s, %d bytes", f.Name(), info.Size())
		}
	}
}
