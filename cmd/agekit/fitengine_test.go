package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEngine: agekit fit --engine local writes the same files as one process, byte for byte, in best mode
// too. Its workers do the 12 stages to which --dry-run gives tasks, and their folder goes in the end. With
// --sample all, where the training needs all nodes, one process does everything, as --dry-run and the log
// say.
func TestEngine(t *testing.T) {
	isolate(t)
	t.Setenv(asProgram, "1") // the workers are this binary
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	files := ownFiles(t, plantedGraph(t))
	run := func(out string, args ...string) (stdout, stderr string) {
		t.Helper()
		args = append([]string{
			"fit", "--verbose", "--edges", filepath.Join(files, "edges.tsv"), "--features", filepath.Join(files, "x.csv"), "--labels", filepath.Join(files, "labels.txt"),
			"--clusters", "4", "--epochs", "3", "--dims", "16", "--layers", "2", "--sample", "60", "--no-views", "--no-map", "--out", path(out),
		}, args...)
		return succeeds(t, args...)
	}
	stageLine := regexp.MustCompile(`(?m)^stage (\S+): \d+ tasks`)
	for _, mode := range [][]string{nil, {"--best"}} {
		run("one process", mode...)
		_, log := run("workers", append(mode, "--engine", "local", "--workers", "2")...)
		for _, file := range []string{"embeddings.npy", "labels.txt", "model.npz", "nodes.csv"} {
			if !bytes.Equal(read(t, filepath.Join(path("one process"), file)), read(t, filepath.Join(path("workers"), file))) {
				t.Errorf("%q: %s has other bytes than from one process", mode, file)
			}
		}
		var done, estimated []string
		for _, m := range stageLine.FindAllStringSubmatch(log, -1) {
			done = append(done, m[1])
		}
		out, _ := run("none", append(mode, "--engine", "local", "--dry-run", "--json")...)
		for _, s := range decoded[look](t, out).Engine.Stages {
			if s.Tasks > 0 {
				estimated = append(estimated, s.Name)
			}
		}
		const stages = 12 // of workers
		if !slices.Equal(done, estimated) || len(done) != stages {
			t.Errorf("%q: stages %q, by --dry-run %q, want %d", mode, done, estimated, stages)
		}
	}
	out, _ := run("none", "--engine", "local", "--sample", "all", "--dry-run", "--json")
	stages := decoded[look](t, out).Engine.Stages
	if len(stages) == 0 || slices.ContainsFunc(stages, func(s stageEstimate) bool { return s.Tasks > 0 }) {
		t.Errorf("--sample all: the estimate is %+v, want stages without tasks", stages)
	}
	if workspaces, _ := filepath.Glob(path("*.work")); len(workspaces) > 0 {
		t.Errorf("%q are left", workspaces)
	}
	if _, err := os.Stat(path("none")); err == nil {
		t.Error("--dry-run made a folder")
	}
	if _, log := run("whole", "--engine", "local", "--sample", "all"); !strings.Contains(log, "so this process does everything") {
		t.Errorf("--sample all: the log does not say that one process does everything: %q", log)
	}
}
