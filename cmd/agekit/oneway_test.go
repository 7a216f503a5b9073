package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
)

// TestOneWay: the program, Go, a notebook's cell and Python give the same labels and the same run.json for
// a graph of penguins, but for what withoutTimes leaves out. The part in a cell needs `make jupyter tools`,
// and that in Python `make python-test`.
func TestOneWay(t *testing.T) {
	isolated := newPlace(t)
	folder := t.TempDir()
	nodes, edges := filepath.Join(folder, "nodes.csv"), filepath.Join(folder, "edges.csv")
	penguins, penguinEdges := fewPenguins(t, t.TempDir())
	copyWithout(t, nodes, penguins, "species") // the classes, which would become features
	put(t, edges, read(t, penguinEdges))
	out := func(name string) string { return filepath.Join(folder, name) } // the folder of a run

	program := isolated.command(t.Context(), "fit", "--auto", "--nodes", nodes, "--edges", edges, "--backend", "native", "--out", out("program"))
	if text, err := program.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	d := testutil.Value(input.Open(t.Context(), input.Source{Nodes: nodes, Edges: edges})).OrFatal(t)
	r := testutil.Value(run.Fit(t.Context(), d, nil)).OrFatal(t)
	testutil.NoError(t, r.Save(t.Context(), out("go")))
	same(t, out("program"), out("go"))
	t.Run("cell", func(t *testing.T) {
		t.Setenv("AGEKIT_STORE", t.TempDir())
		t.Setenv("AGEKIT_BACKEND", "native")
		answers := kernelAnswers(t, []map[string]string{{"run": fmt.Sprintf(`import (
	"context"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/input"
)

%%%%
d := agekit.Must(input.Open(context.Background(), input.Source{Nodes: %q, Edges: %q}))
r := agekit.Must(agekit.Fit(d, nil))
agekit.Check(r.Save(context.Background(), %q))`, nodes, edges, out("cell"))}})
		if _, err := os.Stat(out("cell")); err != nil {
			t.Fatalf("%v; the kernel said %s", err, answers)
		}
		same(t, out("program"), out("cell"))
	})
	t.Run("Python", func(t *testing.T) {
		python := testutil.Value(filepath.Abs("../../.venv-python/bin/python")).OrFatal(t)
		if _, err := os.Stat(python); err != nil {
			t.Skip("NOT COMPARED WITH PYTHON: want `make python-test` first")
		}
		c := exec.Command(python, "-I", "-c", fmt.Sprintf(`
import pandas as pd
from agekit import AGE
nodes = pd.read_csv(%q, index_col=0)
model = AGE().fit(pd.read_csv(%q), nodes=nodes)
model.save(%q)
`, nodes, edges, out("python")))
		c.Env = append(os.Environ(), "AGEKIT="+os.Args[0], asProgram+"=1", "AGEKIT_STORE="+t.TempDir(), "AGEKIT_BACKEND=native")
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		same(t, out("program"), out("python"))
	})
}

// copyWithout copies the table at the path src to dst, without a column.
func copyWithout(t *testing.T, dst, src, column string) {
	t.Helper()
	rows := readCSV(t, src)
	k := slices.Index(rows[0], column)
	for i := range rows {
		rows[i] = slices.Delete(rows[i], k, k+1)
	}
	writeCSV(t, dst, rows)
}

// same checks that the runs in the folders a and b have the same labels, and the same records but for what
// withoutTimes leaves out.
func same(t *testing.T, a, b string) {
	t.Helper()
	if string(read(t, filepath.Join(a, "labels.txt"))) != string(read(t, filepath.Join(b, "labels.txt"))) {
		t.Errorf("%s has other labels than %s", filepath.Base(b), filepath.Base(a))
	}
	var records [2]any
	for i, dir := range []string{a, b} {
		testutil.NoError(t, json.Unmarshal(read(t, filepath.Join(dir, "run.json")), &records[i]))
		records[i] = withoutTimes(records[i])
	}
	first, second := records[0].(map[string]any), records[1].(map[string]any)
	names := maps.Clone(first)
	maps.Copy(names, second)
	for name := range names {
		if v, w := first[name], second[name]; !reflect.DeepEqual(v, w) {
			t.Errorf("%s of %s is %.300v, of %s %.300v", name, filepath.Base(b), w, filepath.Base(a), v)
		}
	}
}

// withoutTimes removes from a record in JSON, at every depth, what may differ between runs of the same graph:
// times, memory, the version, the flags, which only the program has, and notes with the names of files.
func withoutTimes(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"seconds", "peak_rss_bytes", "version", "settings", "notes"} {
			delete(v, name)
		}
		for name := range v {
			v[name] = withoutTimes(v[name])
		}
	case []any:
		for i := range v {
			v[i] = withoutTimes(v[i])
		}
	}
	return v
}
