package encoder_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	. "github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/system"
	"github.com/agekit/age/internal/testutil"
)

// TestFeatureScale: features times a power of two give the bytes of a training on the features
// themselves, for each form of features, with all nodes in a step (exact) and with those of a batch
// (sampled). The saved encoder has the unit times that power, and embeds the scaled features with
// the same bytes.
func TestFeatureScale(t *testing.T) {
	for form, g := range testutil.GraphForms(SmallGraph(t)) {
		for kind, c := range map[string]Options{"exact": Small(), "sampled": sampled()} {
			c.Epochs = 6
			want := MustTrain(t, g, c, Options{})
			factors := []float64{slices.Min(testutil.Scales), slices.Max(testutil.Scales)}
			if testutil.IsLong() {
				factors = testutil.Scales
			}
			for _, factor := range factors {
				scaled := testutil.ScaledGraph(g, factor)
				r := MustTrain(t, scaled, c, Options{})
				SameResult(t, form+", "+kind, r, want)
				path := filepath.Join(t.TempDir(), "model.npz")
				testutil.NoError(t, r.Encoder.Save(path))
				loaded, err := Load(path)
				if err != nil || loaded.Unit != factor*want.Encoder.Unit {
					t.Fatalf("unit %v (%v), want %v", loaded.Unit, err, factor*want.Encoder.Unit)
				}
				z := testutil.Value(loaded.Embed(t.Context(), scaled)).OrFatal(t)
				before, err := want.Encoder.Embed(t.Context(), g)
				if err != nil || !slices.Equal(z.Data, before.Data) {
					t.Errorf("%s, %s: the features times %g have another embedding (%v)", form, kind, factor, err)
				}
			}
		}
	}
}

// TestFeatureScaleAccuracy: features times any factor, from 1e-37 to 1e38, are clustered with an
// accuracy of .9 or more, as those of about 1 are. If features were not divided by their unit, a
// factor of 1e-6 would give .3 to .4.
func TestFeatureScaleAccuracy(t *testing.T) {
	g := testutil.GraphForms(SmallGraph(t))["weighted"]
	for _, factor := range []float64{1, 1e-6, 1e6, 1e-18, 1e18, 1e-37, 1e38} {
		r := MustTrain(t, testutil.ScaledGraph(g, factor), Small(), Options{})
		if acc := metric.Accuracy(g.Labels, r.Labels); acc < 0.9 {
			t.Errorf("features times %g: accuracy %.3f, want .9 or more", factor, acc)
		}
	}
}

// TestLoadUnit: Load returns the unit that a file has. It is an error if there is none, several, or
// one that is no power of two.
func TestLoadUnit(t *testing.T) {
	w := step.NewWeights(3, 2)
	for _, test := range []struct {
		unit any    // the array; nil for none
		want string // the error; "" for none
	}{
		{nil, "has no array unit"},
		{[]float64{0.25}, ""},
		{[]float64{3}, "unit of the features is 3"},
		{[]float64{0}, "is 0"},
		{[]float64{math.NaN()}, "is NaN"},
		{[]float64{1, 1}, "array unit has 2 numbers"},
	} {
		arrays := []npy.NamedArray{{Name: "W", Value: w.W}, {Name: "b", Value: w.Bias()}, {Name: "k", Value: []float64{1}}, {Name: "t", Value: []int64{1}}}
		if test.unit != nil {
			arrays = append(arrays, npy.NamedArray{Name: "unit", Value: test.unit})
		}
		var b bytes.Buffer
		testutil.NoError(t, npy.WriteArchive(&b, arrays...))
		path := filepath.Join(t.TempDir(), "model.npz")
		testutil.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		e, err := Load(path)
		switch {
		case test.want != "":
			testutil.Fails(t, err, test.want)
		case err != nil || e.Unit != 0.25:
			t.Errorf("%+v, %v, want the unit 0.25", e, err)
		}
	}
}

// TestPrepareErrors: features that are all 0 are an error, and so is a filter that amplifies,
// because its k is above 2/λmax, unless it has no layers. A column that is much larger than the
// others is only named in the log.
func TestPrepareErrors(t *testing.T) {
	g := SmallGraph(t)
	testutil.Value(Prepare(t.Context(), testutil.ScaledGraph(g, 0), Options{})).Fails(t, "all features are 0")
	f := Options{Filter: Small().Filter}
	for _, f.K = range []float64{1.5, 1e300} {
		testutil.Value(Prepare(t.Context(), g, f)).Fails(t, "want at most 2/λmax = 1.")
	}
	f.Layers = 0 // k has no effect
	if _, err := Prepare(t.Context(), g, f); err != nil {
		t.Error(err)
	}
	x := g.Features.ToDense()
	x.Data[7] = 1e5 // in the first row, so in column 7
	outlying := *g
	outlying.Features = graph.Features{Dense: &x}
	var lines []string
	input := testutil.Value(Prepare(t.Context(), &outlying, Options{Running: Running{Progress: func(e Event) { lines = append(lines, e.Line) }}})).OrFatal(t)
	defer input.Close()
	if len(lines) != 1 || !strings.Contains(lines[0], "column 7 up to 1e+05") {
		t.Errorf("log %q", lines)
	}
}

// TestDiverged: with a learning rate so high that weights overflow, a training ends with an error
// that says so and what to lower.
func TestDiverged(t *testing.T) {
	for _, rate := range []float64{1e20, 1e30, 3e38} {
		c := Small()
		c.LearningRate = rate
		_, err := Train(t.Context(), SmallGraph(t), c, Options{})
		if err == nil || !strings.Contains(err.Error(), "the training diverged") || !strings.Contains(err.Error(), "lower the learning_rate") {
			t.Errorf("learning rate %v: error %v", rate, err)
		}
	}
}

// TestTooMuchMemory: settings that need more memory than is free, by the environment variable that
// states it, are errors that say what to lower. Too little memory for X̃ is none: it goes to a file.
func TestTooMuchMemory(t *testing.T) {
	g := SmallGraph(t)
	t.Setenv(system.MemoryVariable, "4MB")
	for what, change := range map[string]func(*Config){
		"lower dims":                   func(c *Config) { c.Dims = 1e9 },
		"lower the number of clusters": func(c *Config) { c.Clusters = 200 },
	} {
		c := Small()
		change(&c.Config)
		_, err := Train(t.Context(), g, c, Options{})
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "want at most the 4.0 MB") {
			t.Errorf("error %v, want one with %q", err, what)
		}
	}
	t.Setenv(system.MemoryVariable, "1kB") // too little for X̃
	input := testutil.Value(Prepare(t.Context(), g, Options{})).OrFatal(t)
	input.Close()
}
