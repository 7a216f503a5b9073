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

// TestEngine: --engine local gives the files of one process, byte for byte, in the stages
// that --dry-run has said, and leaves nothing beside them. Where the training needs all
// nodes, one process does everything.
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
	for _, members := range [][]string{nil, {"--best"}} {
		run("one", members...)
		_, log := run("local", append(members, "--engine", "local", "--workers", "2")...)
		for _, file := range []string{"embeddings.npy", "labels.txt", "model.npz", "nodes.csv"} {
			if !bytes.Equal(read(t, filepath.Join(path("one"), file)), read(t, filepath.Join(path("local"), file))) {
				t.Errorf("%q: %s has other bytes than from one process", members, file)
			}
		}
		var got, want []string
		for _, m := range regexp.MustCompile(`(?m)^stage (\S+): \d+ tasks`).FindAllStringSubmatch(log, -1) {
			got = append(got, m[1])
		}
		out, _ := run("none", append(members, "--engine", "local", "--dry-run", "--json")...)
		for _, s := range decoded[runEstimate](t, out).Stages {
			if s.Tasks > 0 {
				want = append(want, s.Name)
			}
		}
		if !slices.Equal(got, want) || len(got) != 12 {
			t.Errorf("%q: stages %q, planned %q", members, got, want)
		}
	}
	out, _ := run("none", "--engine", "local", "--sample", "all", "--dry-run", "--json")
	stages := decoded[runEstimate](t, out).Stages
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
		t.Errorf("log %q", log)
	}
}
