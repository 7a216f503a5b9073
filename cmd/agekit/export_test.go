package main

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/testutil"
)

// TestExport: nodes.parquet, graph.graphml and graph.gexf, read back, have in columns of the user's table,
// in the clusters and in the confidences what nodes.csv has, and the graphs have all edges. nodes.csv has
// the user's columns and those of the result, and the clusters of labels.txt. The report describes the
// clusters.
func TestExport(t *testing.T) {
	isolate(t)
	const examples = "../../assets/examples/"
	out := filepath.Join(t.TempDir(), "run")
	r := fit(t, strings.Fields("--label species --export parquet,graphml,gexf --nodes "+examples+"penguins.csv --edges "+examples+"penguins-edges.csv --out "+out+withMap)...)
	checkPenguinClusters(t, r)

	nodes := testutil.Value(table.Read(t.Context(), filepath.Join(out, "nodes.csv"), table.Options{})).OrFatal(t)
	if names := strings.Join(columnNames(nodes), ", "); names != `id, species, island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex, cluster, cluster name, confidence, outlier, cluster by features, cluster by edges, cluster by both, cluster by AGE, x, y` {
		t.Errorf("columns %s", names)
	}
	labels := strings.Fields(string(read(t, filepath.Join(out, "labels.txt"))))
	if !slices.Equal(columnTexts(t, nodes, "cluster"), labels) {
		t.Error("nodes.csv and labels.txt have other clusters")
	}
	for i, name := range columnTexts(t, nodes, "cluster name") {
		if cluster := testutil.Value(strconv.Atoi(labels[i])).OrFatal(t); name != r.Clusters[cluster].Name {
			t.Fatalf("row %d: the name %q, want %q", i, name, r.Clusters[cluster].Name)
		}
	}
	for _, column := range []string{"confidence", "outlier", "x", "y"} {
		for _, text := range columnTexts(t, nodes, column) {
			if digits := strings.TrimLeft(strings.ReplaceAll(strings.Trim(text, "-"), ".", ""), "0"); len(digits) > 6 {
				t.Fatalf("column %s has %s: want six digits", column, text)
			}
		}
	}
	exports := map[string]*table.Table{
		"nodes.parquet": testutil.Value(table.Read(t.Context(), filepath.Join(out, "nodes.parquet"), table.Options{})).OrFatal(t),
	}
	for _, name := range []string{"graph.graphml", "graph.gexf"} {
		d := testutil.Value(input.Open(t.Context(), input.Source{Graph: filepath.Join(out, name)})).OrFatal(t)
		exports[name] = d.Nodes
		if d.Graph.Edges() != r.Edges {
			t.Errorf("%s: %d edges, want %d", name, d.Graph.Edges(), r.Edges)
		}
	}
	for name, exported := range exports {
		for _, column := range []string{"id", "sex", "cluster", "cluster name", "confidence"} {
			if !slices.Equal(columnTexts(t, exported, column), columnTexts(t, nodes, column)) {
				t.Errorf("%s: column %s differs from that of nodes.csv", name, column)
			}
		}
		// As numbers: a format may write 3750.0 as 3750.
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !slices.EqualFunc(columnNumbers(t, exported, "body_mass_g"), columnNumbers(t, nodes, "body_mass_g"), same) {
			t.Errorf("%s: column body_mass_g differs from that of nodes.csv", name)
		}
	}
}

// checkPenguinClusters checks what a report says of the three clusters of the 344 penguins: that they have
// all nodes, how they are joined to one (Tree), and what is typical of the first.
func checkPenguinClusters(t *testing.T, r run.Record) {
	t.Helper()
	if len(r.Clusters) != 3 || len(r.Tree) != 2 {
		t.Fatalf("%d clusters, %d joins of them, want 3 and 2", len(r.Clusters), len(r.Tree))
	}
	if inAll := r.Clusters[0].Size + r.Clusters[1].Size + r.Clusters[2].Size; inAll != 344 {
		t.Errorf("%d penguins in the clusters, want 344", inAll)
	}
	first := r.Clusters[0]
	if len(first.Central) != 5 || !strings.HasPrefix(first.Central[0], "p") {
		t.Errorf("central nodes %q, want the ids of five", first.Central)
	}
	isFlipper := func(f explain.Feature) bool { return f.Name == "flipper_length_mm" && !f.Binary }
	if len(first.Features) != 8 || !slices.ContainsFunc(first.Features, isFlipper) {
		t.Errorf("features %+v, want 8 with flipper_length_mm, a number", first.Features)
	}
}

// columnTexts returns the cells of a column as texts, "" for a missing one.
func columnTexts(t *testing.T, nodes *table.Table, name string) (texts []string) {
	t.Helper()
	k := testutil.Value(nodes.Find(name)).OrFatal(t)
	for row := range nodes.Rows {
		text, _ := nodes.Columns[k].Text(row)
		texts = append(texts, text)
	}
	return texts
}

// columnNumbers returns the numbers of a column, NaN for a missing one.
func columnNumbers(t *testing.T, nodes *table.Table, name string) []float64 {
	t.Helper()
	return nodes.Columns[testutil.Value(nodes.Find(name)).OrFatal(t)].Numbers
}

func columnNames(t *table.Table) []string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// TestPrintClusters: the line of a cluster without a name has its size, the share of the edges inside and
// its central nodes, and, if features are asked for, the features in words: how many nodes have one, or
// the mean of a number, in the cluster and in the others.
func TestPrintClusters(t *testing.T) {
	two := 2. // 0.5/0.25
	clusters := []explain.Cluster{{Cluster: 1, Size: 7, Inside: 0.904, Central: []string{"p3", "p8"}, Features: []explain.Feature{
		{Name: "sails", Binary: true, Inside: 0.5, Outside: 0.25, Lift: &two, Strength: 3},
		{Name: "climbs", Binary: true, Inside: 0.1, Outside: 0.3, Strength: -3},
		{Name: "age", Inside: 41.24, Outside: -0.5, Strength: 2}, {Name: "mass", Inside: 4207.9, Outside: 3.14159, Strength: 2},
	}}}
	for withFeatures, want := range map[bool]string{
		true:  "cluster 1: 7 nodes, 90 % of their edges inside; sails (50 %, others 25 %), less often climbs (10 %, others 30 %), age 41.2 (others −0.50), mass 4208 (others 3.14); central: p3, p8\n",
		false: "cluster 1: 7 nodes, 90 % of their edges inside; central: p3, p8\n",
	} {
		var b strings.Builder
		if printClusters(&b, clusters, withFeatures); b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}
