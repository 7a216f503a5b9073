package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/testutil"
)

// TestReportRunsNothing: agekit report of a notebook runs no program of the current folder or the one above,
// though it looks like the project's. With --project, it runs that one's.
func TestReportRunsNothing(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	ran := path("ran")
	put(t, path("go.mod"), "module github.com/agekit/age\n")
	put(t, path(".venv", "bin", "python"), "#!/bin/sh\n: >'"+ran+"'\nexit 1\n")
	put(t, path("talk.ipynb"), emptyNotebook)
	put(t, path("below", "a"), "")
	if err := os.Chmod(path(".venv", "bin", "python"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{".", "below"} {
		t.Chdir(path(folder))
		refuses(t, 2, "report "+path("talk.ipynb"), map[string]string{
			"":                           "this program is in no checkout of agekit",
			"--project=" + path("below"): "want the folder where go.mod says github.com/agekit/age",
		})
		if _, err := os.Stat(ran); err == nil {
			t.Fatalf("in %s: .venv/bin/python of the folder was run", folder)
		}
	}
	_, _, errs := age(t, "report", path("talk.ipynb"), "--project", dir)
	if _, err := os.Stat(ran); err != nil {
		t.Error("--project: .venv/bin/python of the project was not run: " + errs)
	}
}

// TestNamesInBytes: files and folders whose names are no UTF-8, as those of old disks, are read and written under
// their own bytes, and two of them are two. run.json has them so that --config finds the same files, and agekit
// verify finds those of the manifest.
func TestNamesInBytes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names of files are UTF-8 here")
	}
	isolate(t)
	karate := read(t, "../../assets/examples/karate.txt")
	t.Chdir(t.TempDir())
	dir := "d\xe9"
	put(t, dir+"/e.csv", karate)
	for k, out := range []string{"M\xfcller", "M\xf6ller", "\U0010fffc"} {
		fit(t, "--edges", dir+"/e.csv", "--clusters", "2", "--view", "edges", "--no-views", "--no-map", "--seed", strconv.Itoa(k+1), "--out", out)
	}
	for _, out := range []string{"M\xfcller", "M\xf6ller", "\U0010fffc"} {
		succeeds(t, "verify", out)
		if !utf8.Valid(read(t, out+"/run.json")) || !utf8.Valid(read(t, out+"/run.manifest.json")) {
			t.Errorf("%q: a record is no UTF-8", out)
		}
		m := testutil.Value(provenance.Read(out + "/run.manifest.json")).OrFatal(t)
		if got := checksum.Paths(m.Inputs); !slices.Equal(got, []string{dir + "/e.csv"}) {
			t.Errorf("%q: inputs %q", out, got)
		}
	}
	again := fit(t, "--config", "M\xf6ller/run.json", "--out", "again")
	if again.Seed != 2 {
		t.Errorf("--config: seed %d", again.Seed)
	}
}

// TestConfigIsData: a file for --config that somebody else made is data. Whatever stands in it, no program and no
// library that it names is run or loaded, and no file is written where it says: names of flags that decide no
// result, names with more than a name, and values of another type are errors before anything is read.
func TestConfigIsData(t *testing.T) {
	p := newPlace(t)
	put(t, p.path("cwd", "karate.txt"), read(t, "../../assets/examples/karate.txt"))
	program := p.path("cwd", "program")
	put(t, program, "#!/bin/sh\n: >'"+p.path("cwd", "ran")+"'\n")
	testutil.NoError(t, os.Chmod(program, 0o755))
	for _, setting := range []string{
		`"spark-sql": "` + program + `"`, `"spark-sql=` + program + `": true`, `"engine=spark": ""`, `"engine": "spark"`, `"work": "w"`, `"out": "w"`, `"out=w": null`,
		`"spark-conf": ["spark.driver.extraClassPath=."]`, `"master": "local[1]"`, `"export": ["graphml"]`, `"config": "other.json"`, `"verbose": true`, `"dry-run": true`,
		`"--backend": "xla:` + program + `"`, `"Backend": "xla:` + program + `"`, `"backend=xla:` + program + `": ""`, `"backend": "xla:` + program + `"`, `"backend": ["xla:` + program + `"]`,
		`"backend": "go:` + program + `"`, `"backend": ["native", "xla:` + program + `"]`, `"backend": "` + program + `"`, `"backend": "XLA:` + program + `"`, `"backend": 3`, `"backend": {}`,
		`"clusters": [2]`, `"clusters": {"a": 2}`, `"seed": true`, `"views": "--spark-sql=` + program + `"`, `"dataset": ["cora"]`, `"edges": ["karate.txt"]`, `"edges": 3`, `"drop": [["a"]]`, `"drop": [1]`, `"seed": null`, `"header": 1`,
	} {
		put(t, p.path("cwd", "config.json"), `{"settings": {`+setting+`}}`)
		e := p.run(t, strings.Fields("fit --config config.json --edges karate.txt --view edges --no-views --no-map")...)
		if e.code != 2 {
			t.Errorf("%s: exit code %d, want 2:\n%s", setting, e.code, e.stdout+e.stderr)
		}
		if _, err := os.Stat(p.path("cwd", "ran")); err == nil {
			t.Fatalf("%s: the program was run", setting)
		}
	}
}

// TestEngineWithoutFeatures: agekit fit --engine local on a folder of agekit graph build without features, whose
// features follow from the edges, writes the same files as one process.
func TestEngineWithoutFeatures(t *testing.T) {
	isolate(t)
	t.Setenv(asProgram, "1") // the workers are this binary
	karate := testutil.Value(filepath.Abs("../../assets/examples/karate.txt")).OrFatal(t)
	t.Chdir(t.TempDir())
	succeeds(t, "graph", "build", "g", "--edges", karate)
	for _, out := range []string{"one", "workers"} {
		args := strings.Fields("fit --dataset g --no-auto --clusters 2 --epochs 2 --dims 8 --no-views --no-map --sample 20 --out " + out)
		if out == "workers" {
			args = append(args, "--engine", "local", "--workers", "2")
			succeeds(t, append(args, "--dry-run")...)
		}
		succeeds(t, args...)
	}
	for _, file := range []string{"embeddings.npy", "labels.txt", "model.npz", "nodes.csv"} {
		if !slices.Equal(read(t, "one/"+file), read(t, "workers/"+file)) {
			t.Errorf("%s has other bytes than from one process", file)
		}
	}
}

// TestDryRunFails: agekit fit --engine --dry-run fails with the error of the run, which comes before anything is
// written: no Spark, a folder for workers that is no folder or has others' files, no memory, files that are not
// to be replaced.
func TestDryRunFails(t *testing.T) {
	isolate(t)
	t.Setenv(asProgram, "1")
	files := ownFiles(t, plantedGraph(t))
	t.Chdir(t.TempDir())
	put(t, "file", "mine")
	put(t, "foreign/agekit-work/diary", "mine")
	put(t, "old/nodes.csv", "mine")
	t.Setenv("SPARK_HOME", "spark")
	fit := "fit --clusters 4 --epochs 1 --dims 8 --sample 60 --edges " + files + "/edges.tsv --features " + files + "/x.csv"
	before := names(t, ".")
	for flags, want := range map[string]string{
		"--engine spark --out o":                   `SPARK_HOME is "spark": want an absolute path`,
		"--engine local --work file --out o":       "want a folder",
		"--engine local --work foreign --out o":    "agekit did not write",
		"--engine local --out file":                "file",
		"--engine local --out file/o":              "file is a regular file: want a folder",
		"--engine local --out old":                 "nodes.csv is there, and is not as a run wrote it",
		"--engine local --worker-memory 1 --out o": "--worker-memory",
		"--engine local --work w\xfc --out o":      "is no UTF-8",
		"--engine local --out o --export png":      "--export",
		"--engine local --out o --from none":       "--from",
	} {
		_, _, run := age(t, strings.Fields(fit+" "+flags)...)
		if !strings.Contains(run, want) {
			t.Errorf("%s: %s, want %q", flags, run, want)
		}
		code, _, dry := age(t, strings.Fields(fit+" --dry-run "+flags)...)
		if code == 0 || dry != run {
			t.Errorf("%s --dry-run: exit code %d, %s, want that of the run, %s", flags, code, dry, run)
		}
		if got := names(t, "."); !slices.Equal(got, before) {
			t.Fatalf("%s: files %q, before %q", flags, got, before)
		}
	}
}
