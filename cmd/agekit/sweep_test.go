package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSweepCommand: the files of a sweep, and what is wrong for any.
func TestSweepCommand(t *testing.T) {
	isolate(t)
	dir := filepath.Join(t.TempDir(), "sweep")
	args := strings.Fields("sweep --dataset " + planted + strings.TrimSuffix(quick, " --no-map") + " --clusters 3..4 --seeds 2 --out " + dir)
	if record := asJSON[sweepRecord](t, args...); len(record.Numbers) != 2 || record.Numbers[1].Clusters != 4 || record.Numbers[1].Seeds != 2 {
		t.Fatalf("%+v", record)
	}
	if got, want := names(t, dir), []string{"sweep.csv", "sweep.json", "sweep.manifest.json", "sweep.png", "sweep.svg"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	if table := string(read(t, filepath.Join(dir, "sweep.csv"))); !strings.HasPrefix(table, "clusters,seeds,stability,edges_inside,modularity,features_explained,acc,seconds\n3,2,") {
		t.Errorf("sweep.csv: %s", table)
	}
	if picture := string(read(t, filepath.Join(dir, "sweep.svg"))); !strings.Contains(picture, ">stability<") {
		t.Error("sweep.svg does not show the stability")
	}
	code, out, errs := age(t, args...)
	if code != 0 || !strings.Contains(out, "clusters  stability") || strings.Count(errs, "kept from before") != 4 {
		t.Errorf("again: exit %d, %s\n%s", code, out, errs)
	}
	refuses(t, 2, "sweep --dataset "+planted, map[string]string{
		"--out x":                           "--clusters is missing: want numbers to compare",
		"--clusters 2..3":                   "missing flags: --out",
		"--out x --clusters 2..3 --seeds 0": "--seeds is 0: want 1 to 1000",
		"--out x --clusters 2..200":         "--clusters is 200: want at most 150",
		"--out x --clusters 2..3 --dims 0":  "--dims is 0: want 1 or more",
	})
}
