package agekit

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
)

// TestChoose: it finds what run.Fit finds, the second time in the store, and the table
// marks the result. Without a number of clusters, it takes the number of classes.
func TestChoose(t *testing.T) {
	g := load(t, "planted:n=60,f=40,classes=3,degree=6,words=8,topic=0.6")
	choose := func(g *graph.Graph) (r *run.Run, text string) {
		t.Helper()
		text = printed(t, func() {
			var err error
			if r, err = Choose(g, 0); err != nil {
				t.Fatal(err)
			}
		})
		return r, text
	}
	first, text := choose(g)
	if !regexp.MustCompile(`(?m)^(.*\n)*clusters of .*: computed in [\d.]+ s, saved for the next cell\n\z`).MatchString(text) {
		t.Errorf("the first time it printed %q", text)
	}
	second, text := choose(g)
	if !regexp.MustCompile(`^clusters of .*: from the store, in \d+ ms\n$`).MatchString(text) {
		t.Errorf("the second time it printed %q", text)
	}
	want := testutil.Value(run.Fit(t.Context(), &input.Data{Graph: g}, nil)).OrFatal(t)
	for name, r := range map[string]*run.Run{"first": first, "second": second} {
		if err := sameRows(r.Embedding, want.Embedding); err != nil || !slices.Equal(r.Labels, want.Labels) || !reflect.DeepEqual(r.Clusters, want.Clusters) || len(r.Clusters) != g.Classes {
			t.Errorf("%s: %d clusters, want %d (%v)", name, len(r.Clusters), len(want.Clusters), err)
		}
		if clusters, _, _ := run.AssignClusters(r.Embedding, r.Model.Centers); metric.Accuracy(r.Labels, clusters) < 0.95 {
			t.Errorf("%s: the model finds other clusters", name)
		}
	}
	if acc := metric.Accuracy(g.Labels, first.Labels); acc < 0.9 {
		t.Errorf("ACC %.3f", acc)
	}
	shown := printed(t, func() { Show(Tried(second)) })
	tried := second.Record.Search
	if name := tried.Trials[tried.Chosen].Name() + " ← chosen"; strings.Count(shown, "← chosen") != 1 || !strings.Contains(shown, name) {
		t.Errorf("the table does not mark %q: %.300s", name, shown)
	}
	bare := *g
	bare.Labels, bare.Classes = nil, 0
	if r, text := choose(&bare); len(r.Record.Search.Numbers) != 19 || !strings.Contains(text, "3 clusters tell most about the edges, of 2 to 20") {
		t.Errorf("without classes it tried %d numbers of clusters and printed %q", len(r.Record.Search.Numbers), text)
	}
}
