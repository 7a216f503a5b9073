package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/internal/testutil"
)

// TestAuto: on a graph of one's own, settings and the number of clusters are chosen,
// and flags that set one of them switch this off.
func TestAuto(t *testing.T) {
	isolate(t)
	nodes, edges := fewPenguins(t, t.TempDir())
	penguins := []string{"--nodes", nodes, "--edges", edges, "--label", "species"}
	for _, test := range []struct {
		args        string
		auto        bool
		least, most int // numbers of clusters
		layers      int
	}{
		{"", true, 0, 0, -1},
		{"--clusters 2..5", true, 2, 5, -1},
		{"--no-auto --dims 32", false, 0, 0, 8},
		{"--layers 3 --epochs 5 --dims 32", false, 0, 0, 3},
	} {
		r := fit(t, append(strings.Fields(test.args), penguins...)...)
		if (r.Search != nil) != test.auto || test.layers >= 0 && r.Layers != test.layers {
			t.Errorf("%q: auto %v, t %d", test.args, r.Search != nil, r.Layers)
		}
		if len(r.Baselines) != 3 || r.Verdict == "" || r.Measures.Score == 0 {
			t.Errorf("%q: %d simple methods, verdict %q, %+v", test.args, len(r.Baselines), r.Verdict, r.Measures)
		}
		if !test.auto {
			continue
		}
		if numbers := r.Search.Numbers; test.least == 0 && numbers != nil ||
			test.least > 0 && (len(numbers) != test.most-test.least+1 || len(r.Clusters) != numbers[r.Search.ChosenNumber()].Clusters) {
			t.Errorf("%q: numbers %+v, %d clusters", test.args, numbers, len(r.Clusters))
		}
		if r.Trained() == (r.Search.Full == nil) || strings.HasPrefix(r.Verdict, "Training helped here") {
			t.Errorf("%q: %+v, %q", test.args, r.Search.Full, r.Verdict)
		}
	}
	e := filepath.Join(t.TempDir(), "e.tsv")
	put(t, e, "0\t1\n1\t2\n2\t0\n3\t4\n4\t5\n5\t3\n")
	if r := fit(t, "--edges", e); len(r.Clusters) != 2 || r.Conductance != 0 {
		t.Errorf("two triangles: %d clusters, conductance %v", len(r.Clusters), r.Conductance)
	}
	refuses(t, 2, "fit --edges "+e, map[string]string{
		"--clusters 2..9":        "clusters is 9: want at most 3, half the number of nodes",
		"--auto --k 0.5":         "--auto and --k: want one or the other",
		"--clusters auto --best": "--clusters is 2..20: want one number where the settings are given",
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
		if chooses, err := new(fitCmd).chooses(own, ""); err != nil || !chooses {
			t.Errorf("%s.npz: no choice of settings (%v)", name, err)
		}
		if r := fit(t, "--dataset", file, "--no-auto", "--epochs", "2", "--dims", "16", "--no-baselines"); r.Layers != 8 {
			t.Errorf("%s.npz: t = %d, want the default, 8", name, r.Layers)
		}
	}
}
