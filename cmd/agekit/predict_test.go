package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/testutil"
)

// TestPredict: a model is trained on four fifths of the penguins. The clusters that agekit predict finds for
// the other fifth match their species about as well as those of the training do (an accuracy at most .05
// lower). Their table has names and digits as nodes.csv has. predict --out writes what predict prints, in the order of the new nodes. agekit embed writes the
// same embeddings in each of its formats.
func TestPredict(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	newNodes := splitPenguins(t, dir)
	r := fit(t, "--nodes", path("old.csv"), "--edges", path("old-edges.csv"), "--label", "species", "--no-auto", "--layers", "4", "--dims", "32", "--epochs", "100", "--no-map", "--out", path("run"))
	args := []string{"--model", path("run/model.npz"), "--nodes", path("new.csv"), "--edges", path("new-edges.csv")}

	printed, _ := succeeds(t, append([]string{"predict"}, args...)...)
	succeeds(t, append([]string{"predict", "--out", path("found.csv")}, args...)...)
	if written := read(t, path("found.csv")); string(written) != printed {
		t.Errorf("--out writes %.60q, not what is printed, %.60q", written, printed)
	}
	found := testutil.Value(table.Read(t.Context(), path("found.csv"), table.Options{})).OrFatal(t)
	if found.Rows != len(newNodes) || strings.Join(columnNames(found), ",") != "id,cluster,cluster name,confidence,second" {
		t.Fatalf("%d rows of %s, want %d", found.Rows, columnNames(found), len(newNodes))
	}
	nameOf := map[float64]string{} // of a cluster, in nodes.csv of the training
	old := testutil.Value(table.Read(t.Context(), path("run/nodes.csv"), table.Options{})).OrFatal(t)
	cluster, name := columnNumbers(t, old, recipe.ClusterColumn), columnTexts(t, old, recipe.NameColumn)
	for i := range old.Rows {
		nameOf[cluster[i]] = name[i]
	}
	var clusters, classes []int
	for i, node := range newNodes {
		if id, _ := found.Columns[0].Text(i); id != node.id {
			t.Fatalf("row %d is %s, want %s", i, id, node.id)
		}
		clusters = append(clusters, int(found.Columns[1].Numbers[i]))
		if got, want := found.Columns[2].Cell(i), nameOf[found.Columns[1].Numbers[i]]; got != want {
			t.Errorf("row %d: name %q, want %q as in nodes.csv", i, got, want)
		}
		if confidence := found.Columns[3].Cell(i); len(strings.TrimLeft(confidence, "-0.")) > 6 {
			t.Errorf("row %d: confidence %s, want at most six significant digits", i, confidence)
		}
		classes = append(classes, slices.Index([]string{"Adelie", "Chinstrap", "Gentoo"}, node.species))
	}
	const worse = 0.05
	if acc := metric.Accuracy(classes, clusters); acc < *r.ACC-worse {
		t.Errorf("ACC %.3f of the new penguins, %.3f of those in training", acc, *r.ACC)
	}

	_, dims := readEmbeddings(t, path("run")).Dims()
	succeeds(t, append([]string{"embed", "--out", path("embeddings.npy")}, args...)...)
	z := readEmbeddings(t, dir)
	if rows, cols := z.Dims(); rows != len(newNodes) || cols != dims {
		t.Fatalf("%d×%d embeddings, want %d×%d", rows, cols, len(newNodes), dims)
	}
	for _, file := range []string{"z.parquet", "z.csv"} {
		succeeds(t, append([]string{"embed", "--out", path(file)}, args...)...)
		nodes := testutil.Value(table.Read(t.Context(), path(file), table.Options{})).OrFatal(t)
		if nodes.Rows != len(newNodes) || len(nodes.Columns) != 1+dims || nodes.Columns[1].Name != "embedding 1" {
			t.Fatalf("%s: %d rows of %q", file, nodes.Rows, columnNames(nodes))
		}
		for j, column := range nodes.Columns[1:] {
			for i, v := range column.Numbers {
				if float32(v) != float32(z.At(i, j)) {
					t.Fatalf("%s: row %d, dimension %d: %v, want %v", file, i, j+1, v, z.At(i, j))
				}
			}
		}
	}
}

// penguin is a new node of TestPredict.
type penguin struct{ id, species string }

// splitPenguins writes the penguins of assets/examples to tables in the folder dir: every fifth to new.csv
// and the others to old.csv; edges with a new end to new-edges.csv and the others to old-edges.csv. It
// returns the penguins in new.csv, in order.
func splitPenguins(t *testing.T, dir string) (newNodes []penguin) {
	t.Helper()
	nodes, edges := readCSV(t, "../../assets/examples/penguins.csv"), readCSV(t, "../../assets/examples/penguins-edges.csv")
	oldRows, newRows := nodes[:1:1], nodes[:1:1] // each begins with the header, and append copies it
	isNew := map[string]bool{}
	for i, row := range nodes[1:] {
		if i%5 != 2 {
			oldRows = append(oldRows, row)
			continue
		}
		newRows = append(newRows, row)
		newNodes = append(newNodes, penguin{row[0], row[1]})
		isNew[row[0]] = true
	}
	oldEdges, newEdges := edges[:1:1], edges[:1:1]
	for _, row := range edges[1:] {
		if isNew[row[0]] || isNew[row[1]] {
			newEdges = append(newEdges, row)
		} else {
			oldEdges = append(oldEdges, row)
		}
	}
	for name, rows := range map[string][][]string{"old": oldRows, "new": newRows, "old-edges": oldEdges, "new-edges": newEdges} {
		writeCSV(t, filepath.Join(dir, name+".csv"), rows)
	}
	return newNodes
}
