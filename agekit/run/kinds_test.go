package run

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// TestTwoKinds: for a planted graph of persons and items, the summary and the log say what the kinds are, the summary
// that the clusters have nodes of both and that features only tell the kinds apart, and the clusters find the groups.
// The kinds are given, or found by Fit. For a graph without kinds, the summary does not speak of them.
func TestTwoKinds(t *testing.T) {
	const persons, items = 150, 60
	rnd := rand.New(rand.NewPCG(1, 0))
	g := &graph.Graph{}
	var u, v []int32
	for i := range persons {
		for range 6 {
			j := rnd.IntN(items)
			for rnd.Float64() < 0.95 && j%3 != i%3 {
				j = rnd.IntN(items)
			}
			u, v = append(u, int32(i)), append(v, int32(persons+j))
		}
	}
	x := linalg.New(persons+items, 1)
	groups := make([]int, persons+items)
	for i := range groups {
		groups[i] = i % 3
		if i >= persons {
			x.Data[i*x.Stride] = 1
		}
	}
	g.Adjacency, g.Features.Dense = testutil.Value(graph.Adjacency(len(groups), u, v, nil)).OrFatal(t), &x
	for _, kinds := range []*graph.Kinds{nil, graph.TwoKinds(g.Adjacency)} { // found by Fit, or known
		if kinds != nil {
			kinds.Names = [2]string{"person", "item"}
		}
		var log strings.Builder
		o := Options{Settings: settings.Settings{Clusters: views.Exactly(3), Config: encoder.Config{Seed: 1}}, Views: true, Training: encoder.Running{Progress: func(e encoder.Event) { log.WriteString(e.Line + "\n") }}}
		r := testutil.Value(Fit(t.Context(), &input.Data{Graph: g, Kinds: kinds}, &o)).OrFatal(t)
		what := "These are nodes of two kinds, and each edge joins one of each: 150 and 60."
		if kinds != nil {
			what = `These are nodes of two kinds: 150 in the column "person" and 60 in the column "item".`
		}
		for _, want := range []string{what, "The clusters have nodes of both that belong together.", "The clusters of the view features have nodes of one kind each"} {
			if !strings.Contains(r.Summary, want) {
				t.Errorf("summary %q: want %q", r.Summary, want)
			}
		}
		if strings.Contains(r.Summary, "depends on your question") || !strings.Contains(log.String(), what) {
			t.Errorf("summary %q, log %q", r.Summary, log.String())
		}
		if acc := metric.Accuracy(groups, r.Labels); acc < 0.9 {
			t.Errorf("ACC %.3f", acc)
		}
	}
	r := testutil.Value(Fit(t.Context(), &input.Data{Graph: testutil.NinetyGraph(t)}, &Options{Settings: settings.Settings{Clusters: views.Exactly(3), Config: encoder.Config{Seed: 1}}, Views: true})).OrFatal(t)
	if strings.Contains(r.Summary, "kind") {
		t.Errorf("summary %q", r.Summary)
	}
}
