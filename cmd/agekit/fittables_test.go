package main

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/testutil"
)

// TestFitTables: a graph given as tables with ids in words has the results of the
// same graph given by numbers, and its files carry the ids.
func TestFitTables(t *testing.T) {
	isolate(t)
	g := plantedGraph(t)
	dir := t.TempDir()
	id := func(i int) string { return "node, " + strconv.Itoa(i) }
	table := func(name string, rows [][]string) string {
		path := filepath.Join(dir, name)
		writeCSV(t, path, rows)
		return path
	}
	nodes, edges := [][]string{{"id", "class"}}, [][]string{{"source", "target"}}
	for i := range g.N() {
		class := "c" + strconv.Itoa(g.Labels[i])
		if i%10 == 0 {
			class = "?"
		}
		nodes = append(nodes, []string{id(i), class})
		neighbors, _ := g.Adjacency.Row(i)
		for _, j := range neighbors {
			edges = append(edges, []string{id(i), id(int(j))})
		}
	}
	whole := filepath.Join(dir, "whole.npz")
	writeNPZ(t, whole, g)
	features := filepath.Join(dir, "x.npy")
	testutil.NoError(t, atomicfile.Write(features, func(w io.Writer) error { return npy.WriteMatrix(w, g.Features.ToDense()) }))
	out := filepath.Join(dir, "out")
	want := fit(t, append(strings.Fields("--clusters 4"+quick), "--dataset", whole, "--out", out)...)
	clusters := read(t, filepath.Join(out, "labels.txt"))
	args := append(strings.Fields("--json --label class --clusters 4 --id id"+quick), "--nodes", table("nodes.csv", nodes), "--edges", table("edges.csv", edges), "--features", features, "--out", filepath.Join(dir, "tables"))
	got := fit(t, args[1:]...)
	if got.N != want.N || got.Edges != want.Edges || got.DBI != want.DBI {
		t.Errorf("tables: %d nodes, %d edges, DBI %v; want %d, %d, %v", got.N, got.Edges, got.DBI, want.N, want.Edges, want.DBI)
	}
	records := readCSV(t, filepath.Join(dir, "tables", "nodes.csv"))
	lines := strings.Fields(string(clusters))
	if len(records) != g.N()+1 || strings.Join(records[0], " ") != "id class cluster confidence outlier cluster by features cluster by edges cluster by both cluster by AGE" {
		t.Fatalf("%d records that begin with %q", len(records), records[0])
	}
	for i, r := range records[1:] {
		if r[0] != id(i) || r[2] != lines[i] {
			t.Fatalf("node %d: %q, want %q in cluster %s", i, r, id(i), lines[i])
		}
	}
	// The scores leave out the nodes of unknown class, a tenth of them.
	if got.ACC == nil || *got.ACC == *want.ACC && *got.NMI == *want.NMI {
		t.Errorf("ACC %v, NMI %v with unknown classes, %v, %v without", *got.ACC, *got.NMI, *want.ACC, *want.NMI)
	}
}
