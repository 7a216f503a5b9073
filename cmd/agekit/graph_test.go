package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
)

// TestGraphBuild: a run on a folder has the bytes of the run on the files that it was built
// from: Cora, a planted graph, and a table with weights and ids.
func TestGraphBuild(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	put(t, path("ties.csv"), weightedGroups())
	sources := map[string][]string{"ties": {"--edges", path("ties.csv")}}
	for name, g := range map[string]*graph.Graph{"cora": testutil.LoadGraph(t, "cora"), "planted": plantedGraph(t)} {
		files := ownFiles(t, g)
		sources[name] = []string{"--edges", filepath.Join(files, "edges.tsv"), "--features", filepath.Join(files, "x.csv"), "--labels", filepath.Join(files, "labels.txt")}
	}
	for name, source := range sources {
		folder := path(name)
		if built := asJSON[builtGraph](t, append([]string{"graph", "build", folder, "--memory", "16MB"}, source...)...); built.Weighted != (name == "ties") {
			t.Errorf("%s: %+v", name, built)
		}
		succeeds(t, "graph", "check", folder)
		settings := []string{"--clusters", "4", "--epochs", "3", "--dims", "16", "--layers", "2", "--no-views", "--no-map"}
		succeeds(t, append(append([]string{"fit", "--out", path("from files")}, source...), settings...)...)
		succeeds(t, append([]string{"fit", "--out", path("from folder"), "--dataset", folder}, settings...)...)
		for _, file := range []string{"embeddings.npy", "labels.txt"} {
			if a, b := read(t, filepath.Join(path("from files"), file)), read(t, filepath.Join(path("from folder"), file)); !bytes.Equal(a, b) {
				t.Errorf("%s: %s has other bytes than from the files", name, file)
			}
		}
	}
}

// weightedGroups returns a table of weighted edges between 120 nodes with ids, in four groups.
func weightedGroups() string {
	rnd := rand.New(rand.NewPCG(1, 2))
	weights := []float64{0.1, 0.3, 1, 2.5}
	table := "from,to,weight\n"
	for range 900 {
		u := rnd.IntN(120)
		v := u/30*30 + rnd.IntN(30) // of the same group
		table += fmt.Sprintf("n%d,n%d,%v\n", u, v, weights[rnd.IntN(len(weights))])
	}
	return table
}
