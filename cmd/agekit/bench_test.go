//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/internal/bench"
)

// TestBench runs small jobs of each kind and checks the file against the jobs:
// the graph's size, the requested mode, and consistent times. Measuring a job
// again replaces the older measurement, and the report has all jobs.
func TestBench(t *testing.T) {
	t.Setenv("AGEKIT_TEST_COMMAND", "1") // makes TestMain run this test binary as agekit
	dir := t.TempDir()
	file := filepath.Join(dir, "bench.json")
	measure := func(jobs string) (code int, out, errs string) {
		return age(t, "bench", "--jobs", jobs, "--epochs", "2", "--ranking", "sampled", "--backend", "native", "--out", file)
	}
	if code, _, errs := measure("planted-300"); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	first := readBench(t, file)
	code, out, errs := measure("planted-500-onestep@3,nonsense,planted-600,eigenvalues-100,planted-300")
	if code != 1 || !strings.Contains(errs, "job nonsense") {
		t.Fatalf("one job of five cannot run: exit %d and %s", code, errs)
	}
	f := readBench(t, file)
	want := []struct {
		job           string
		nodes, epochs int
	}{{"planted-300@2", 300, 2}, {"planted-500-onestep@3", 500, 3}, {"planted-600@2", 600, 2}, {"eigenvalues-100", 100, 0}}
	if len(f.Jobs) != len(want) {
		t.Fatalf("%d jobs in the file, want %d", len(f.Jobs), len(want))
	}
	if f.Jobs[0].Seconds == first.Jobs[0].Seconds {
		t.Error("planted-300 was not replaced")
	}
	for k, r := range f.Jobs {
		if r.Job != want[k].job || r.Nodes() != want[k].nodes {
			t.Errorf("job %d: %s with %d nodes, want %+v", k, r.Job, r.Nodes(), want[k])
		}
		if r.Commit == "" || r.Machine.Cores < 1 || time.Since(r.Time) > time.Hour || r.Product.Seconds <= 0 {
			t.Errorf("job %s: %+v", r.Job, r)
		}
		if r.ProcessorSeconds <= 0 || r.PeakRSSBytes < 1<<20 || math.Abs(r.Products*r.Product.Seconds-r.Seconds) > 1e-9*r.Seconds {
			t.Errorf("job %s: %+v", r.Job, r)
		}
		if fit := r.Fit; fit != nil && (fit.Ranking != "sampled" || fit.Epochs != want[k].epochs || fit.Backend != "native" ||
			r.Seconds < fit.Seconds.Total || r.PeakRSSBytes < fit.PeakRSSBytes/2 || fit.ACC == nil) {
			t.Errorf("job %s: %+v in %v s", r.Job, fit, r.Seconds)
		}
		if r.Fit != nil && (r.FinalLoss == nil || !(*r.FinalLoss > 0)) {
			t.Errorf("job %s: no loss of the last epoch", r.Job)
		}
		if !strings.Contains(out, r.Job) {
			t.Errorf("%s is not in the table\n%s", r.Job, out)
		}
	}
	if s := f.Jobs[3].Spectrum; s == nil || s.LambdaMax <= 1 {
		t.Errorf("spectrum %+v", s)
	}

	if code, _, errs := age(t, "bench", "report", file, "--dir", filepath.Join(dir, "out")); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", "jobs.md"))
	for _, want := range []string{"planted-300@2", "planted-500-onestep@3", "eigenvalues-100", "| native, sampled, 2 epochs | 300 | 600 | ×"} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%q is not in the report (%v)\n%s", want, err, text)
		}
	}
}

func readBench(t *testing.T, file string) (f bench.File) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// An interrupt during the second job keeps the first one's measurement in the
// file and in the printed output.
func TestBenchInterrupted(t *testing.T) {
	t.Setenv("AGEKIT_TEST_COMMAND", "1")
	file := filepath.Join(t.TempDir(), "jobs.json")
	ctx, stop := context.WithCancel(t.Context())
	var out bytes.Buffer
	code := execute(ctx, []string{"bench", "--jobs", "planted-300,planted-2000", "--epochs", "3", "--ranking", "sampled", "--backend", "native", "--out", file},
		&out, stopper{"planted-2000@3", stop})
	if code != 1 || !strings.Contains(out.String(), "planted-300@3") {
		t.Errorf("exit %d, printed %s", code, &out)
	}
	if f := readBench(t, file); len(f.Jobs) != 1 || f.Jobs[0].Job != "planted-300@3" {
		t.Errorf("file has %+v", f.Jobs)
	}
}

// stopper calls stop when a given text is written.
type stopper struct {
	text string
	stop func()
}

func (s stopper) Write(p []byte) (int, error) {
	if strings.Contains(string(p), s.text) {
		s.stop()
	}
	return len(p), nil
}

func TestBenchErrors(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.json")
	if err := os.WriteFile(foreign, []byte(`{"jobs": [{"job": "cora"}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		says string
	}{
		{"bench --jobs cora@0", 2, "cora@0: 0 epochs"},
		{"bench --jobs eigenvalues-cora@7", 2, "no epochs"},
		{"bench --jobs cora --epochs 0", 2, "--epochs is 0"},
		{"bench --jobs cora --out " + foreign, 1, "job 1"},
		{"bench report " + foreign, 1, "job 1"},
		{"bench product --backend native", 2, "want go, xla:cpu"},
		{"bench product --backend tpu", 2, "unknown backend"},
		{"bench report " + filepath.Join(dir, "none.json"), 1, "none.json"},
	} {
		code, _, errs := age(t, strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(errs, test.says) {
			t.Errorf("agekit %s: exit %d, want %d with %q; it printed %s", test.args, code, test.code, test.says, errs)
		}
	}
}
