package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/testutil"
)

// TestPredict: every fifth penguin comes after the training. Their clusters match
// the species about as well as in a training with all, and both commands write what
// they print.
func TestPredict(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	nodes, edges := readCSV(t, "../../assets/examples/penguins.csv"), readCSV(t, "../../assets/examples/penguins-edges.csv")
	later := map[string]bool{}
	parts, links := [2][][]string{{nodes[0]}, {nodes[0]}}, [2][][]string{{edges[0]}, {edges[0]}}
	var species []string // of the later ones
	for i, row := range nodes[1:] {
		k := 0
		if i%5 == 2 {
			k, later[row[0]] = 1, true
			species = append(species, row[1])
		}
		parts[k] = append(parts[k], row)
	}
	for _, row := range edges[1:] {
		k := 0
		if later[row[0]] || later[row[1]] {
			k = 1
		}
		links[k] = append(links[k], row)
	}
	for k, name := range []string{"old", "new"} {
		writeCSV(t, path(name+".csv"), parts[k])
		writeCSV(t, path(name+"-edges.csv"), links[k])
	}
	r := fit(t, "--nodes", path("old.csv"), "--edges", path("old-edges.csv"), "--label", "species", "--no-auto", "--layers", "4", "--dims", "32", "--epochs", "100", "--no-map", "--out", path("run"))
	args := []string{"--model", path("run/model.npz"), "--nodes", path("new.csv"), "--edges", path("new-edges.csv")}
	out, _ := succeeds(t, append([]string{"predict"}, args...)...)
	succeeds(t, append([]string{"predict", "--out", path("found.csv")}, args...)...)
	if written := read(t, path("found.csv")); string(written) != out {
		t.Errorf("--out writes %.60q, not what is printed, %.60q", written, out)
	}
	found := testutil.Value(table.Read(t.Context(), path("found.csv"), table.Options{})).OrFatal(t)
	if found.Rows != len(species) || strings.Join(columnNames(found), ",") != "id,cluster,confidence,second" {
		t.Fatalf("%d rows of %s, want %d", found.Rows, columnNames(found), len(species))
	}
	var clusters, classes []int
	for i, c := range found.Columns[1].Numbers {
		if id, _ := found.Columns[0].Text(i); id != parts[1][1+i][0] {
			t.Fatalf("row %d is %s, want %s", i, id, parts[1][1+i][0])
		}
		clusters = append(clusters, int(c))
		classes = append(classes, slices.Index([]string{"Adelie", "Chinstrap", "Gentoo"}, species[i]))
	}
	if acc := metric.Accuracy(classes, clusters); acc < *r.ACC-0.05 {
		t.Errorf("ACC %.3f of the later penguins, %.3f of those in training", acc, *r.ACC)
	}
	succeeds(t, append([]string{"embed", "--out", path("z.npy")}, args...)...)
	z := testutil.Value(input.Open(t.Context(), input.Source{Edges: oneEdge(t, dir), Features: path("z.npy")})).OrFatal(t)
	trained := testutil.Value(input.Open(t.Context(), input.Source{Edges: oneEdge(t, dir), Features: path("run/embeddings.npy")})).OrFatal(t)
	_, width := trained.Graph.Features.Dims()
	if n, d := z.Graph.Features.Dims(); n != len(species) || d != width {
		t.Errorf("%d×%d embeddings, want %d×%d", n, d, len(species), width)
	}
	for _, file := range []string{"z.parquet", "z.csv"} {
		succeeds(t, append([]string{"embed", "--out", path(file)}, args...)...)
		nodes, err := table.Read(t.Context(), path(file), table.Options{})
		if err != nil || nodes.Rows != len(species) || len(nodes.Columns) != 1+width || nodes.Columns[1].Name != "embedding 1" {
			t.Fatalf("%s: %v", file, err)
		}
		row := map[int]float32{}
		z.Graph.Features.EachInRow(7, func(j int, v float32) { row[j] = v })
		for j, c := range nodes.Columns[1:] {
			if float32(c.Numbers[7]) != row[j] {
				t.Fatalf("%s: row 7, column %d: %v, want %v", file, j, c.Numbers[7], row[j])
			}
		}
	}
}

func oneEdge(t *testing.T, dir string) string {
	path := filepath.Join(dir, "one.tsv")
	put(t, path, "0\t1\n")
	return path
}
