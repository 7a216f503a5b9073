package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSweepCommand: agekit sweep compares the numbers of clusters 3 and 4 with two seeds each, and writes
// tables and pictures of that. The same command again takes all four fits from the store.
func TestSweepCommand(t *testing.T) {
	isolate(t)
	dir := filepath.Join(t.TempDir(), "sweep")
	args := strings.Fields("sweep --dataset " + planted + strings.TrimSuffix(quick, " --no-map") + " --clusters 3..4 --seeds 2 --out " + dir)
	numbers := asJSON[sweepRecord](t, args...).Numbers
	if len(numbers) != 2 || numbers[1].Clusters != 4 || numbers[1].Seeds != 2 {
		t.Fatalf("%+v, want 3 and 4 clusters, two seeds each", numbers)
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
	out, errs := succeeds(t, args...)
	if !strings.Contains(out, "clusters  stability") {
		t.Errorf("no table is printed: %s", out)
	}
	if fits := strings.Count(errs, "kept from before"); fits != 4 { // two numbers with two seeds
		t.Errorf("%d fits were kept from before, want 4:\n%s", fits, errs)
	}
}
