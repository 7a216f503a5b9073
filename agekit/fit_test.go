package agekit

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
)

// TestChoose: without a number of clusters, Choose finds the embedding and the clusters that
// run.Fit finds, as many as there are classes. The second time, it reads them from the store.
// The table of views and their maps fit ([checkViews]). In a graph without classes, it finds
// the number of clusters that it prints, and the levels beside this number.
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
		if err := sameRows(r.Embedding, want.Embedding); err != nil {
			t.Errorf("%s: the embedding is not that of run.Fit: %v", name, err)
		}
		if !slices.Equal(r.Labels, want.Labels) || !reflect.DeepEqual(r.Clusters, want.Clusters) {
			t.Errorf("%s: the clusters are not those of run.Fit", name)
		}
		if len(r.Clusters) != g.Classes {
			t.Errorf("%s: %d clusters, want %d", name, len(r.Clusters), g.Classes)
		}
		if clusters, _, _ := explain.Assign(r.Embedding, r.Model.Centers); metric.Accuracy(r.Labels, clusters) < 0.95 {
			t.Errorf("%s: the model finds other clusters", name)
		}
	}
	if acc := metric.Accuracy(g.Labels, first.Labels); acc < 0.9 {
		t.Errorf("ACC %.3f", acc)
	}
	checkViews(t, second)
	bare := *g
	bare.Labels, bare.Classes = nil, 0
	r, text := choose(&bare)
	if r.Number == nil || len(r.Clusters) != r.Number.Useful {
		t.Fatalf("without classes: %d clusters, a useful number %+v", len(r.Clusters), r.Number)
	}
	if !strings.Contains(text, r.NumberText()) {
		t.Errorf("without classes, it printed %q, want %q in it", text, r.NumberText())
	}
	for k, l := range r.Levels {
		// Levels()[0] is the useful number itself.
		if want := r.Number.Levels()[k+1]; l.Clusters != want || len(countOf(l.Labels)) != want {
			t.Errorf("level %d: %d clusters, want %d", k, len(countOf(l.Labels)), want)
		}
	}
}

// checkViews tests the table of the views of a run: it has a row for each view, with the number
// of clusters and the share of edges inside them, counted here, and marks the view of the
// result. ViewMaps draws the maps, and returns an error for a run without a map.
func checkViews(t *testing.T, r *run.Run) {
	t.Helper()
	if len(r.Views) != 3 {
		t.Fatalf("%d views, want features, edges and both", len(r.Views))
	}
	shown := printed(t, func() { Show(Views(r)) })
	if strings.Count(shown, "← result") != 1 || !strings.Contains(shown, r.View.Title()+" ← result") {
		t.Errorf("the table does not mark %s: %s", r.View, shown)
	}
	for _, v := range r.Views {
		inside := 0
		for _, e := range edgesOf(r.Data.Graph) {
			if v.Labels[e[0]] == v.Labels[e[1]] {
				inside++
			}
		}
		share := fmt.Sprintf("%.0f %%", 100*float64(inside)/float64(r.Data.Graph.Edges()))
		row := regexp.MustCompile(`(?m)` + v.Name.Title() + `( ← result)?\D*` + fmt.Sprint(len(countOf(v.Labels))) + `\D.*` + share)
		if !row.MatchString(shown) {
			t.Errorf("%s: no row with %s inside: %s", v.Name, share, shown)
		}
	}
	if f := testutil.Value(ViewMaps(r)).OrFatal(t); f == nil {
		t.Error("no maps")
	}
	without := *r
	without.Layout = blas32.General{}
	if _, err := ViewMaps(&without); err == nil {
		t.Error("no error without a map")
	}
}

// edgesOf returns each edge of g once, as a pair of nodes.
func edgesOf(g *graph.Graph) (edges [][2]int) {
	for i := range g.N() {
		for j := range g.Adjacency.Each(i) {
			if i < j {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	return edges
}

// countOf returns the number of nodes in each cluster.
func countOf(labels []int) map[int]int {
	counts := map[int]int{}
	for _, c := range labels {
		counts[c]++
	}
	return counts
}
