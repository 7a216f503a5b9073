package run

import (
	"slices"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// renamed is a backend with another name.
type renamed struct{ encoder.Backend }

func (renamed) Name() string { return "renamed" }

// quick returns options of a short training, whose settings are given.
func quick() Options {
	return Options{Settings: settings.Settings{Filter: laplacian.Filter{K: 2. / 3, Layers: 2}, Config: encoder.Config{Dims: 8, Epochs: 8, Seed: 1}}}
}

// TestKeys: the key of a stored run changes with every field of the options and of the data on which its result
// depends, and with no other.
func TestKeys(t *testing.T) {
	d := input.Data{Graph: testutil.NinetyGraph(t)}
	o := quick()
	testutil.CheckFields(t, o, func(o Options) store.Key { return o.key(&d) }, nil, renamed{step.Native}, 1)
	testutil.CheckFields(t, d, func(d input.Data) store.Key { return o.key(&d) }, nil, "an argument of a warning")
}

// stored returns a store in a new folder.
func stored(t *testing.T) *store.Store {
	t.Helper()
	return testutil.Value(store.Open(t.TempDir())).OrFatal(t)
}

// TestStoredFrom: a run that starts from an earlier one has another key in the store than a run that does not, and than
// one that starts from a run with another seed. It is found again, with all that it says about the earlier run, even if
// it then starts from the earlier run as the store returns that.
func TestStoredFrom(t *testing.T) {
	d, s := plantedData(t), stored(t)
	from := quick()
	// fit returns the run with options o; want says whether it is in the store.
	fit := func(o Options, want bool) *Run {
		t.Helper()
		r, hit, err := Stored(t.Context(), s, d, &o)
		if err != nil {
			t.Fatal(err)
		}
		if hit != want {
			t.Fatalf("from the store: %v, want %v", hit, want)
		}
		return r
	}
	first := fit(from, false)
	started := from
	started.From = first
	second := fit(started, false)
	if second.From == nil || second.Columns.Earlier == "" {
		t.Fatalf("the run does not start from the first one: %+v", second.Columns)
	}
	started.From = fit(from, true)
	again := fit(started, true)
	if inJSON(t, again.Record) != inJSON(t, second.Record) {
		t.Errorf("the store has %s, want %s", inJSON(t, again.Record), inJSON(t, second.Record))
	}
	earlier := func(r *Run) []float64 {
		column := testutil.Value(r.Nodes().Find(r.Columns.Earlier)).OrFatal(t)
		return r.Nodes().Columns[column].Numbers
	}
	if !slices.Equal(earlier(again), earlier(second)) {
		t.Error("the store has other clusters of the earlier run")
	}
	from.Seed = 2
	started.From = fit(from, false)
	fit(started, false)
}

// TestStoredFromView: a run whose view was not asked for is found again in the store, and runs that start from it, as it
// was computed and as the store returned it, have the same key.
func TestStoredFromView(t *testing.T) {
	d, s := &input.Data{Graph: testutil.NinetyGraph(t)}, stored(t)
	o := Options{Settings: settings.Settings{Clusters: views.Exactly(3), Auto: new(true), Config: encoder.Config{Dims: 16, Epochs: 20, Seed: 1}}, Training: encoder.Running{Checkpoints: s}}
	first, _, err := Stored(t.Context(), s, d, &o)
	if err != nil {
		t.Fatal(err)
	}
	again, hit, err := Stored(t.Context(), s, d, &o)
	if err != nil || !hit {
		t.Fatalf("not found again (%v)", err)
	}
	from, other := o, o
	from.From, other.From = first, again
	if from.key(d) != other.key(d) {
		t.Error("a run that starts from a stored run has another key")
	}
}

// TestOwnMethodIsAsked: results of the caller's own method (Options.Own) are not stored, since its function may have
// changed: asked twice, it runs twice.
func TestOwnMethodIsAsked(t *testing.T) {
	d, s := plantedData(t), stored(t)
	asked := 0
	counting := fake{cluster: func(i int) int { return i % 3 }, asked: &asked}
	for range 2 {
		if _, hit, err := Stored(t.Context(), s, d, &Options{Own: counting}); err != nil || hit {
			t.Fatalf("from the store: %v, %v", hit, err)
		}
	}
	if asked != 2 {
		t.Errorf("it was asked %d times, want 2", asked)
	}
}

// TestVersion: if Fit, or Fit from an earlier run, returns other results than were recorded for Version, Version must
// grow. Times, memory and what depends on the machine or the program's version do not count.
func TestVersion(t *testing.T) {
	d := &input.Data{Graph: testutil.NinetyGraph(t)}
	testutil.CheckVersion(t, Version, func() []any {
		o := quick()
		o.Views, o.Map = true, true
		first := testutil.Value(Fit(t.Context(), d, &o)).OrFatal(t)
		o.From = first
		second := testutil.Value(Fit(t.Context(), d, &o)).OrFatal(t)
		var all []any
		for _, r := range []*Run{first, second} {
			r.Seconds, r.PeakRSSBytes, r.Version, r.SIMD = Seconds{}, 0, "", ""
			confidence := []float64(nil)
			if r.Explanation != nil {
				confidence = r.Explanation.Confidence
			}
			all = append(all, r.Embedding, r.Layout, r.Labels, confidence, inJSON(t, r.Record))
			for _, v := range r.Views {
				all = append(all, v.Labels)
			}
		}
		return all
	})
}
