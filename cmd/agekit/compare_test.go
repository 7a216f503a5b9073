package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompareCommand: agekit compare lists, of two trainings, the settings in which their flags differ. It
// also compares a training with K-means, which has no model. The table of --out has a row for each node
// that, as is printed, moved.
func TestCompareCommand(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, flags := range map[string]string{
		"a": quick,
		"b": quick + " --seed 2 --layers 2",
		"c": " --method K-means",
	} {
		fit(t, strings.Fields("--dataset "+planted+" --no-views --no-map --out "+path(name)+flags)...)
	}
	c := asJSON[comparison](t, "compare", path("a"), path("b"))
	var differ []string
	for _, s := range c.Settings {
		differ = append(differ, s.Name)
	}
	if got := strings.Join(differ, ", "); got != "seed, layers" {
		t.Errorf("settings that differ: %s, want seed, layers", got)
	}
	if c.Both != 300 || c.OnlyFirst != 0 || c.OnlySecond != 0 { // all nodes of the planted graph
		t.Errorf("%+v, want 300 nodes in both runs", c)
	}
	if len(c.Overlaps) != 4 { // as many as classes
		t.Errorf("%d clusters of the first run, want 4", len(c.Overlaps))
	}

	out, _ := succeeds(t, "compare", path("b"), path("c"), "--out", path("moved.csv"))
	for _, want := range []string{"method                AGE", "K-means", "ACC", "agreement of the clusters: ARI 0.", "nodes of b in clusters of c"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	rows := len(readCSV(t, path("moved.csv"))) - 1 // without the header
	if want := fmt.Sprintf("\n%d of 300 nodes moved", rows); !strings.Contains(out, want) {
		t.Errorf("moved.csv has %d rows, and there is no line %q in\n%s", rows, want, out)
	}
}
