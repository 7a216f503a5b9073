package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/run"
)

// TestFitFindsNumber: a method that finds the number of clusters needs no --clusters
// and refuses it; any other method needs it on a graph without labels.
func TestFitFindsNumber(t *testing.T) {
	isolate(t)
	in := ownFiles(t, plantedGraph(t))
	own := []string{"fit", "--json", "--edges", in + "/edges.tsv", "--features", in + "/x.csv", "--method"}
	code, out, errs := age(t, append(own, "leiden")...)
	var r run.Record
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil || r.Reported["communities"] < 2 {
		t.Errorf("exit %d, error %v, report %+v\n%s", code, err, r, errs)
	}
	refuses(t, 2, strings.Join(own, " "), map[string]string{
		"leiden --clusters 3": "--clusters is 3: Leiden finds the number of clusters itself",
		"spectral-g":          "--clusters is missing",
	})
}
