package modeltest

import (
	"testing"

	"github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/internal/affine"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
)

// Way is a way to create models.
type Way struct {
	Name string
	// Smoothed means that the model gets only the smoothed features, and not
	// the sparse ones to filter within the step.
	Smoothed bool
	// Slow shortens the tests with many steps.
	Slow bool
	// Make creates a model for batches of at most maxPairs pairs, or returns
	// nil if this way has none for that many.
	Make func(in *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error)
}

// AllNodes returns a backend's ways to encode all nodes in every step.
func AllNodes(b Backend) []Way {
	// With this many pairs, no model gathers rows.
	make := func(in *Input, start *State, loss Loss, learningRate float64, maxPairs int) (Model, error) {
		return b.NewModel(in, start, loss, learningRate, max(maxPairs, in.Smoothed.Rows))
	}
	return []Way{{Name: b.Name() + "/filtered", Make: make}, {Name: b.Name() + "/smoothed", Smoothed: true, Make: make}}
}

// Inputs returns the two forms in which a model can get a graph's features:
// sparse features to filter within the step, and smoothed features only.
func Inputs(t testing.TB, g *graph.Graph, f laplacian.Filter) (filtered, smoothed *Input) {
	t.Helper()
	in, err := encoder.Prepare(t.Context(), g, encoder.Options{Filter: f})
	if err != nil {
		t.Fatal(err)
	}
	filtered = &Input{Smoothed: in.Smoothed, Features: g.Features, Unit: in.Unit, Operator: in.Operator, Filter: in.Filter}
	return filtered, &Input{Smoothed: in.Smoothed}
}

// each runs a test on models created in all ways.
func each(t *testing.T, g *graph.Graph, ways []Way, run func(t *testing.T, way Way, in *Input)) {
	filtered, smoothed := Inputs(t, g, laplacian.Filter{K: 2.0 / 3, Layers: 8})
	for _, way := range ways {
		t.Run(way.Name, func(t *testing.T) {
			in := filtered
			if way.Smoothed {
				in = smoothed
			}
			run(t, way, in)
		})
	}
}

// model creates a model, which is closed when the test ends. It skips the test
// if the way has none for that many pairs.
func (w Way) model(t *testing.T, in *Input, start *State, loss Loss, learningRate float64, maxPairs int) Model {
	t.Helper()
	m, err := w.Make(in, start, loss, learningRate, maxPairs)
	if err != nil {
		t.Fatal(err)
	}
	if m == nil {
		t.Skip("no such model for that many pairs")
	}
	t.Cleanup(m.Close)
	return m
}
