package main

import (
	"strings"
	"testing"

	"github.com/agekit/age/agekit/run"
)

// TestFitFindsNumber: a method that finds the number of clusters needs no --clusters
// and refuses it; any other method needs it on a graph without labels.
func TestFitFindsNumber(t *testing.T) {
	isolate(t)
	in := ownFiles(t, plantedGraph(t))
	own := []string{"fit", "--edges", in + "/edges.tsv", "--features", in + "/x.csv", "--method"}
	if r := asJSON[run.Record](t, append(own, "leiden")...); r.Reported["communities"] < 2 {
		t.Errorf("report %+v", r)
	}
	refuses(t, 2, strings.Join(own, " "), map[string]string{
		"leiden --clusters 3": "--clusters is 3: Leiden finds the number of clusters itself",
		"spectral-g":          "--clusters is missing",
	})
}
