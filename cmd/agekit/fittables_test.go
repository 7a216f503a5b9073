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

// TestFitTables: a graph given as tables, whose nodes have texts as ids, has the same clusters as the same
// graph in one archive, where nodes are numbers. nodes.csv has the ids, with the clusters beside them. In
// the tables a tenth of the classes is unknown: scores leave these nodes out, so they differ.
func TestFitTables(t *testing.T) {
	isolate(t)
	g := plantedGraph(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	id := func(i int) string { return "node, " + strconv.Itoa(i) }
	nodes, edges := [][]string{{"id", "class"}}, [][]string{{"source", "target"}}
	for i := range g.N() {
		class := "c" + strconv.Itoa(g.Labels[i])
		if i%10 == 0 {
			class = "?" // unknown
		}
		nodes = append(nodes, []string{id(i), class})
		neighbors, _ := g.Adjacency.Row(i)
		for _, j := range neighbors {
			edges = append(edges, []string{id(i), id(int(j))})
		}
	}
	writeCSV(t, path("nodes.csv"), nodes)
	writeCSV(t, path("edges.csv"), edges)
	testutil.NoError(t, atomicfile.Write(path("x.npy"), func(w io.Writer) error { return npy.WriteMatrix(w, g.Features.ToDense()) }))
	writeNPZ(t, path("whole.npz"), g)

	want := fit(t, append(strings.Fields("--clusters 4"+quick), "--dataset", path("whole.npz"), "--out", path("from archive"))...)
	got := fit(t, append(strings.Fields("--clusters 4 --id id --label class"+quick), "--nodes", path("nodes.csv"), "--edges", path("edges.csv"), "--features", path("x.npy"), "--out", path("from tables"))...)
	if got.N != want.N || got.Edges != want.Edges || got.DBI != want.DBI {
		t.Errorf("tables: %d nodes, %d edges, DBI %v; want %d, %d, %v", got.N, got.Edges, got.DBI, want.N, want.Edges, want.DBI)
	}
	rows := readCSV(t, path("from tables/nodes.csv"))
	if header := strings.Join(rows[0], " "); len(rows) != g.N()+1 || header != "id class cluster confidence outlier cluster by features cluster by edges cluster by both cluster by AGE" {
		t.Fatalf("%d rows of %q", len(rows), header)
	}
	clusters := readLabels(t, path("from archive"))
	for i, row := range rows[1:] {
		if cluster := strconv.Itoa(clusters[i]); row[0] != id(i) || row[2] != cluster {
			t.Fatalf("node %d: %q, want %q in cluster %s", i, row, id(i), cluster)
		}
	}
	if *got.ACC == *want.ACC && *got.NMI == *want.NMI {
		t.Errorf("ACC %v and NMI %v are the same without a tenth of the classes", *got.ACC, *got.NMI)
	}
}
