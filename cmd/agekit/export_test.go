package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/testutil"
)

// TestExport: every format holds the user's columns, the clusters and the
// confidences of the same run, and the graph's edges.
func TestExport(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	examples := filepath.Join("..", "..", "assets", "examples")
	out := filepath.Join(dir, "run")
	r := fit(t, append(strings.Fields("--label species --export parquet,graphml,gexf --out "+out+withMap), "--nodes", filepath.Join(examples, "penguins.csv"), "--edges", filepath.Join(examples, "penguins-edges.csv"))...)
	if len(r.Clusters) != 3 || r.Clusters[0].Size+r.Clusters[1].Size+r.Clusters[2].Size != 344 || len(r.Clusters[0].Central) != 5 || !strings.HasPrefix(r.Clusters[0].Central[0], "p") {
		t.Errorf("clusters %+v", r.Clusters)
	}
	if names := r.Clusters[0].Features; len(names) != 8 || !slices.ContainsFunc(names, func(f explain.Feature) bool { return f.Name == "flipper_length_mm" && !f.Binary }) {
		t.Errorf("features %+v", names)
	}
	read := func(name string) *table.Table {
		t.Helper()
		return testutil.Value(table.Read(t.Context(), filepath.Join(out, name), table.Options{})).OrFatal(t)
	}
	column := func(exported *table.Table, name string) []string {
		t.Helper()
		k := testutil.Value(exported.Find(name)).OrFatal(t)
		var all []string
		for row := range exported.Rows {
			text, _ := exported.Columns[k].Text(row)
			all = append(all, text)
		}
		return all
	}
	want := read("nodes.csv")
	if names := strings.Join(columnNames(want), ", "); names != `id, species, island, bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g, sex, cluster, confidence, outlier, cluster by features, cluster by edges, cluster by both, cluster by AGE, x, y` {
		t.Errorf("columns %s", names)
	}
	labels := testutil.Value(os.ReadFile(filepath.Join(out, "labels.txt"))).OrFatal(t)
	if !slices.Equal(column(want, "cluster"), strings.Fields(string(labels))) {
		t.Error("nodes.csv and labels.txt have other clusters")
	}
	others := map[string]*table.Table{"nodes.parquet": read("nodes.parquet")}
	for _, name := range []string{"graph.graphml", "graph.gexf"} {
		g := testutil.Value(input.Open(t.Context(), input.Source{Graph: filepath.Join(out, name)})).OrFatal(t)
		others[name] = g.Nodes
		if g.Graph.Edges() != r.Edges {
			t.Errorf("%s: %d edges, want %d", name, g.Graph.Edges(), r.Edges)
		}
	}
	numbers := func(t *table.Table, name string) []float64 {
		k, _ := t.Find(name)
		return t.Columns[k].Numbers
	}
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	for name, exported := range others {
		for _, c := range []string{"id", "sex", "body_mass_g", "cluster", "confidence"} {
			if c == "body_mass_g" && slices.EqualFunc(numbers(exported, c), numbers(want, c), same) { // 3750.0 here, 3750 there
				continue
			}
			if !slices.Equal(column(exported, c), column(want, c)) {
				t.Errorf("%s: column %s differs from that of nodes.csv", name, c)
			}
		}
	}
	if len(r.Tree) != 2 {
		t.Errorf("%d joins of three clusters", len(r.Tree))
	}
}

func columnNames(t *table.Table) []string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// TestPrintClusters: features in words, without those that have no names, and the central
// nodes of a cluster without a name.
func TestPrintClusters(t *testing.T) {
	two := 2.
	clusters := []explain.Cluster{{Cluster: 1, Size: 7, Inside: 0.904, Central: []string{"p3", "p8"}, Features: []explain.Feature{
		{Name: "sails", Binary: true, Inside: 0.5, Outside: 0.25, Lift: &two, Strength: 3},
		{Name: "climbs", Binary: true, Inside: 0.1, Outside: 0.3, Strength: -3},
		{Name: "age", Inside: 41.24, Outside: -0.5, Strength: 2}, {Name: "mass", Inside: 4207.9, Outside: 3.14159, Strength: 2},
	}}}
	for named, want := range map[bool]string{
		true:  "cluster 1: 7 nodes, 90 % of their edges inside; sails (50 %, others 25 %), less often climbs (10 %, others 30 %), age 41.2 (others −0.50), mass 4208 (others 3.14); central: p3, p8\n",
		false: "cluster 1: 7 nodes, 90 % of their edges inside; central: p3, p8\n",
	} {
		var b strings.Builder
		if printClusters(&b, clusters, named); b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}
