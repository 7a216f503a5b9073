package gomlx

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
)

// choices returns every GoMLX backend that is available in this program on this machine, pure Go
// first, and sets the environment that they need. XLA needs its plugin: if AGEKIT_REQUIRE_XLA is
// set, a missing plugin is a failure. AGEKIT_TEST_XLA names an XLA backend to test instead of the
// CPU's.
func choices(t testing.TB) []backend.Choice {
	t.Helper()
	var all []backend.Choice
	for _, name := range []string{backend.Go, cmp.Or(os.Getenv("AGEKIT_TEST_XLA"), backend.XLACPU)} {
		c, err := backend.Resolve(name)
		if err == nil {
			for name, value := range c.Environment() {
				t.Setenv(name, value)
			}
			all = append(all, c)
			continue
		}
		if os.Getenv("AGEKIT_REQUIRE_XLA") != "" {
			t.Fatal(err)
		}
		t.Logf("NOT TESTED on %s: %v", name, err)
	}
	return all
}

// variant is a way to create models, of which the tests compare all.
type variant struct {
	Name string
	// Smoothed means that the model gets only the smoothed features, and not
	// the sparse ones to filter within the step.
	Smoothed bool
	// Slow shortens the tests with many steps.
	Slow bool
	// Programs means that the model compiles programs, which takes seconds.
	Programs bool
	// Make creates a model for batches of at most maxPairs pairs, or returns
	// nil if this way has none for that many.
	Make func(input *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error)
}

// ways returns all ways to encode on all backends, the native one's first, with which
// the others are compared. GoMLX always gets the smoothed features.
func ways(t *testing.T) []variant {
	nativeGathered := func(input *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error) {
		return NewGathered(input.Smoothed, start, Steps{Loss: loss, LearningRate: learningRate, Pairs: maxPairs}), nil
	}
	all := []variant{
		{Name: "native/filtered", Make: allNodes(Native)}, {Name: "native/smoothed", Smoothed: true, Make: allNodes(Native)},
		{Name: "native/gathered", Smoothed: true, Make: nativeGathered},
	}
	for _, choice := range choices(t) {
		on, slow := On(choice), choice.Name == backend.Go
		gathered := func(input *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error) {
			if 2*maxPairs >= input.Smoothed.Rows { // a batch can have all nodes of the graph
				return nil, nil
			}
			return on.NewModel(input, start, Steps{Loss: loss, LearningRate: learningRate, Pairs: maxPairs})
		}
		all = append(all, variant{Name: on.Name() + "/smoothed", Smoothed: true, Slow: slow, Make: allNodes(on)},
			variant{Name: on.Name() + "/gathered", Smoothed: true, Slow: slow, Make: gathered})
		if choice.Plugin == "" {
			continue
		}
		// What a GPU computes, and what a device does that has no room for X̃.
		gpu := gomlxBackend{choice: choice, gpu: true}
		sent := func(input *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error) {
			if 2*maxPairs >= input.Smoothed.Rows {
				return nil, nil
			}
			return gpu.model(input, start, Steps{Loss: loss, LearningRate: learningRate, Pairs: maxPairs}, true)
		}
		all = append(all, variant{Name: on.Name() + "/integers", Smoothed: true, Make: allNodes(gpu)},
			variant{Name: on.Name() + "/tiles", Make: allNodes(on)},
			variant{Name: on.Name() + "/sent", Smoothed: true, Make: sent})
	}
	const natives = 3 // which come first
	for k := range all[natives:] {
		all[natives+k].Programs = true
	}
	return all
}

// allNodes returns a way to make models of a backend that encode all nodes in every step: they are
// made for batches of as many pairs as there are nodes, for which none gathers rows.
func allNodes(b Backend) func(input *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error) {
	return func(input *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error) {
		return b.NewModel(input, start, Steps{Loss: loss, LearningRate: learningRate, Pairs: max(maxPairs, input.Smoothed.Rows)})
	}
}

// inputs returns the two forms in which a model can get the features of g, smoothed by the filter f:
// with the sparse features, to filter within the step, and the smoothed features only.
func inputs(t testing.TB, g *graph.Graph, f laplacian.Filter) (filtered, smoothed *Input) {
	t.Helper()
	input := testutil.Value(encoder.Prepare(t.Context(), g, encoder.Options{Filter: f})).OrFatal(t)
	filtered = &Input{Smoothed: input.Smoothed, Features: g.Features, Unit: input.Unit, Operator: input.Operator, Filter: input.Filter}
	return filtered, &Input{Smoothed: input.Smoothed}
}

// each runs a subtest for each way to create models, with the input for g that this way takes. The
// filter is the paper's for Cora.
func each(t *testing.T, g *graph.Graph, run func(t *testing.T, way variant, input *Input)) {
	filtered, smoothed := inputs(t, g, laplacian.Filter{K: 2.0 / 3, Layers: 8})
	for _, way := range ways(t) {
		t.Run(way.Name, func(t *testing.T) {
			input := filtered
			if way.Smoothed {
				input = smoothed
			}
			run(t, way, input)
		})
	}
}

// model creates a model, which is closed when the test ends. It skips the test
// if the way has none for that many pairs.
func (w variant) model(t *testing.T, input *Input, start *State, loss Loss, learningRate float64, maxPairs int) Model {
	t.Helper()
	m := testutil.Value(w.Make(input, start, loss, learningRate, maxPairs)).OrFatal(t)
	if m == nil {
		t.Skip("no such model for that many pairs")
	}
	t.Cleanup(m.Close)
	return m
}

// near fails the test unless got differs from want by at most the share relative of want.
func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v to %v relative", what, got, want, relative)
	}
}

// dot64 returns the dot product of a and b in float64.
func dot64(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

// randomBatch returns count pairs of n nodes, with labels 0 and 1 in turn. One in 50, which is
// positive, is (i, i).
func randomBatch(n, count int, rnd *rand.Rand) Batch {
	var b Batch
	for k := range count {
		b.I, b.J = append(b.I, rnd.Int32N(int32(n))), append(b.J, rnd.Int32N(int32(n)))
		b.Labels = append(b.Labels, float32(k%2))
		if k%50 == 1 { // odd, so positive
			b.J[k] = b.I[k]
		}
	}
	return b
}

// distance returns |a − b|/|b|.
func distance[T float32 | float64](a, b []T) float64 {
	var d, norm float64
	for i := range a {
		d += math.Pow(float64(a[i]-b[i]), 2)
		norm += math.Pow(float64(b[i]), 2)
	}
	return math.Sqrt(d / norm)
}
