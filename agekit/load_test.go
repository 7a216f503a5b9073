package agekit

import (
	"path/filepath"
	"testing"

	"github.com/agekit/age/agekit/format"
)

// TestLoadTables: the examples come with their ids, classes and features.
func TestLoadTables(t *testing.T) {
	at := func(name string) string { return filepath.Join("..", "assets", "examples", name) }
	g, err := LoadTables(format.Tables{Nodes: at("penguins.csv"), Edges: at("penguins-edges.csv"), Label: "species"})
	if err != nil {
		t.Fatal(err)
	}
	if g.N() != 344 || g.NodeNames[343] != "p343" || g.Classes != 3 || g.FeatureNames[0] != "island = Biscoe" {
		t.Errorf("%d nodes up to %q, %d classes, first feature %q", g.N(), g.NodeNames[g.N()-1], g.Classes, g.FeatureNames[0])
	}
	if _, err := LoadTables(format.Tables{Nodes: at("penguins.csv")}); err == nil {
		t.Error("no error without edges")
	}
}
