package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestCompareCommand: the same settings with another seed, and a method without a model.
func TestCompareCommand(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, how := range map[string]string{"a": quick, "b": quick + " --seed 2 --layers 2", "c": " --method K-means"} {
		fit(t, strings.Fields("--dataset "+planted+" --no-views --no-map --out "+path(name)+how)...)
	}
	c := asJSON[comparison](t, "compare", path("a"), path("b"))
	var differ []string
	for _, s := range c.Settings {
		differ = append(differ, s.Name)
	}
	if got := strings.Join(differ, ", "); got != "seed, layers" || c.Both != 300 || c.OnlyFirst+c.OnlySecond != 0 || len(c.Overlaps) != 4 {
		t.Errorf("settings %s, %+v", got, c)
	}
	code, out, errs := age(t, "compare", path("b"), path("c"), "--out", path("moved.csv"))
	for _, want := range []string{"method                AGE", "K-means", "ACC", "agreement of the clusters: ARI 0.", "nodes of b in clusters of c", " of 300 nodes moved"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Fatalf("exit %d, want %q in\n%s%s", code, want, out, errs)
		}
	}
	moved := strings.Fields(out[strings.LastIndex(strings.TrimSpace(out), "\n"):])[0]
	if lines := strings.Count(string(read(t, path("moved.csv"))), "\n") - 1; moved != strconv.Itoa(lines) {
		t.Errorf("%d lines in moved.csv, want %s", lines, moved)
	}
}
