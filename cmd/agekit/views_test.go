package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/testutil"
)

// TestViews: a graph of one's own has its views, of which one is the result, with a number of
// clusters that is found; flags that set one of AGE's settings make AGE the result.
func TestViews(t *testing.T) {
	isolate(t)
	nodes, edges := fewPenguins(t, t.TempDir())
	penguins := []string{"--nodes", nodes, "--edges", edges, "--label", "species"}
	for _, test := range []struct {
		args        string
		view        views.Name
		least, most int // numbers of clusters; 0: it was given
		layers      int
	}{
		{"", views.Edges, 0, 0, 4},
		{"--auto --view features", views.Features, 0, 0, 0},
		{"--view both --clusters 2..5", views.Both, 2, 5, 4},
		{"--view age --dims 32", views.AGE, 0, 0, -1},
		{"--no-auto --dims 32", views.AGE, 0, 0, 8},
		{"--layers 3 --epochs 5 --dims 32", views.AGE, 0, 0, 3},
	} {
		r := fit(t, append(strings.Fields(test.args), penguins...)...)
		if r.View != test.view || test.layers >= 0 && r.Layers != test.layers || r.Trained() != (test.view == views.AGE) {
			t.Errorf("%q: view %s, t %d", test.args, r.View, r.Layers)
		}
		found := map[views.Name]*run.View{}
		for i, v := range r.Views {
			found[v.Name] = &r.Views[i]
		}
		for _, name := range []views.Name{views.Features, views.Edges, views.Both, test.view} {
			if v := found[name]; v == nil || v.ACC == nil || v.Clusters != len(r.Clusters) {
				t.Errorf("%q: the view %s is %+v", test.args, name, v)
			}
		}
		if v := found[test.view]; v != nil && *v.ACC != *r.ACC {
			t.Errorf("%q: the view has ACC %v, the result %v", test.args, *v.ACC, *r.ACC)
		}
		if n := r.Number; (n != nil) != (test.least > 0) || n != nil && (n.Useful < test.least || n.Useful > test.most || n.Useful != len(r.Clusters)) {
			t.Errorf("%q: number %+v, %d clusters", test.args, n, len(r.Clusters))
		}
	}
	e := filepath.Join(t.TempDir(), "e.tsv")
	put(t, e, "0\t1\n1\t2\n2\t0\n3\t4\n4\t5\n5\t3\n")
	if r := fit(t, "--edges", e); len(r.Clusters) != 2 || r.Conductance != 0 {
		t.Errorf("two triangles: %d clusters, conductance %v", len(r.Clusters), r.Conductance)
	}
	refuses(t, 2, "fit --edges "+e, map[string]string{
		"--clusters 2..9":              "clusters is 9: want at most 3, half the number of nodes",
		"--auto --k 0.5":               "--auto and --k: want one or the other",
		"--clusters auto --best":       "--clusters is 2..50: want one number where the settings are given",
		"--view color":                 "--view: color: want features, edges, both, unlike or age",
		"--view features":              "--view is features: the graph has no features of its own: want edges",
		"--view edges --layers 2":      "--view is edges: the settings that are given are those of age",
		"--view edges --method Leiden": "--view is edges: Leiden is another method",
	})
}

// TestFileNames: a file named like one of the paper's data sets does not get the
// paper's settings: they are chosen, or are the defaults.
func TestFileNames(t *testing.T) {
	isolate(t)
	g := testutil.Value(dataset.Load(t.Context(), "planted:n=200,classes=3,f=100", dataset.Options{})).OrFatal(t)
	for _, name := range []string{"wiki", "pubmed2024", "cora"} {
		file := filepath.Join(t.TempDir(), name+".npz")
		writeNPZ(t, file, g)
		own := testutil.Value(dataset.Load(t.Context(), file, dataset.Options{})).OrFatal(t)
		if new(settings.Settings).Given(own.Catalogue) {
			t.Errorf("%s.npz: no choice of settings", name)
		}
		if r := fit(t, "--dataset", file, "--no-auto", "--epochs", "2", "--dims", "16", "--no-views"); r.Layers != 8 {
			t.Errorf("%s.npz: t = %d, want the default, 8", name, r.Layers)
		}
	}
}
