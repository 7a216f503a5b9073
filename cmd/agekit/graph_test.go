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

// TestGraphBuild: agekit fit on a folder of agekit graph build writes the same embeddings and labels, byte
// for byte, as on the files that the folder was built from: of Cora, of a planted graph, and of a table
// with weights and ids.
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
		built := asJSON[builtGraph](t, append([]string{"graph", "build", folder, "--memory", "16MB"}, source...)...)
		if wantWeights := name == "ties"; built.Weighted != wantWeights {
			t.Errorf("%s: with weights is %v, want %v", name, built.Weighted, wantWeights)
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

// weightedGroups returns a table of 900 weighted edges between 120 nodes, each within one of four groups of
// nodes. The ids are n0 to n119.
func weightedGroups() string {
	const groups, groupSize, edges = 4, 30, 900
	rnd := rand.New(rand.NewPCG(1, 2))
	weights := []float64{0.1, 0.3, 1, 2.5}
	table := "from,to,weight\n"
	for range edges {
		u := rnd.IntN(groups * groupSize)
		v := u/groupSize*groupSize + rnd.IntN(groupSize) // of the same group
		table += fmt.Sprintf("n%d,n%d,%v\n", u, v, weights[rnd.IntN(len(weights))])
	}
	return table
}
