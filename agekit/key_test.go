package agekit

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// renamed is a backend that only differs from another one in its name.
type renamed struct{ encoder.Backend }

func (renamed) Name() string { return "renamed" }

// TestTrainingKey changes each field of the options and of the graph: each change gives another
// key, so that a stored training is found again only with the same options and graph.
func TestTrainingKey(t *testing.T) {
	g := testutil.NinetyGraph(t)
	testutil.CheckFields(t, Settings(g), func(c encoder.Options) store.Key { return trainingKey(g, c) }, nil, renamed{step.Native})
	testutil.CheckFields(t, *g, func(g graph.Graph) store.Key { return trainingKey(&g, encoder.Options{}) }, nil)
}

// TestTrainNotStored: a training with a Judge asks the Judge each time, even after the same
// training without one was stored. A training that begins with a given encoder is not taken
// for the stored one that begins with random weights.
func TestTrainNotStored(t *testing.T) {
	g := testutil.NinetyGraph(t)
	c := Settings(g)
	c.Dims, c.Epochs, c.UpdateEvery = 8, 6, 2
	plain := must(Train(g, c))
	judged := c
	var asked atomic.Int64 // by several goroutines
	judged.Judge = &encoder.Judge{Name: "first", Score: func(context.Context, blas32.General) (float64, error) {
		asked.Add(1)
		return 0, nil
	}}
	for k := range 2 {
		asked.Store(0)
		r := must(Train(g, judged))
		if want := int64(c.Epochs / c.UpdateEvery); asked.Load() != want {
			t.Errorf("training %d asked the judge %d times, want %d", k+1, asked.Load(), want)
		}
		// All scores are 0: the last of equal epochs is chosen. With a judge, nothing is clustered.
		if r.Members[0].Epoch != c.Epochs || r.Labels != nil {
			t.Errorf("training %d with a judge chose epoch %d and has the clusters %v", k+1, r.Members[0].Epoch, r.Labels)
		}
	}
	continued := c
	continued.Initial = plain.Encoder
	if r := must(Train(g, continued)); sameRows(r.Embedding, plain.Embedding) == nil {
		t.Error("a training that begins with an encoder returns the one that does not")
	}
}

// thirds is a method that puts the nodes into clusters by turns, and counts in runs how often it
// ran.
type thirds struct{ runs *int }

func (thirds) Name() string { return "thirds" }

func (thirds) Info() method.Info { return method.Info{Name: "thirds"} }

// Fit puts node i into cluster i modulo the number of clusters.
func (m thirds) Fit(_ context.Context, g *graph.Graph, o method.Options) (*method.Output, error) {
	*m.runs++
	clusters := make([]int, g.N())
	for i := range clusters {
		clusters[i] = i % o.Clusters
	}
	return &method.Output{Clusters: clusters}, nil
}

// TestFitStored: Fit does not return a stored run if it starts from another run or has another
// method. With a method of the program it returns the stored run the second time, and with a
// method of one's own it runs the method each time.
func TestFitStored(t *testing.T) {
	d := &input.Data{Graph: testutil.NinetyGraph(t)}
	o := run.Options{Settings: settings.Settings{Clusters: views.Exactly(3), Config: encoder.Config{Dims: 8, Epochs: 8, Seed: 1}}}
	first := must(Fit(d, &o))
	started := o
	started.From = first
	if second := must(Fit(d, &started)); second.From == nil {
		t.Error("a run that starts from another returns the one that does not")
	}
	for _, name := range []string{"NS4GC", "Spectral-F"} {
		other := run.Options{Settings: settings.Settings{Clusters: views.Exactly(3), Method: name}}
		if name == "NS4GC" {
			other.Epochs = 3 // instead of hundreds; the other method has no epochs
		}
		first, again := must(Fit(d, &other)), must(Fit(d, &other))
		if first.Method != name || !slices.Equal(first.Labels, again.Labels) || first.Seconds != again.Seconds {
			t.Errorf("%s: a run of %s, which was not stored: %+v, %+v", name, first.Method, first.Seconds, again.Seconds)
		}
	}
	other := o
	runs := 0
	other.Own = thirds{&runs}
	for range 2 {
		if r := must(Fit(d, &other)); r.Method != "thirds" {
			t.Errorf("a run of another method returns that of %s", r.Method)
		}
	}
	if runs != 2 {
		t.Errorf("the method ran %d times, want 2", runs)
	}
}
