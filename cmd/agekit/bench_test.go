//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/agekit/run"
)

// TestBench runs small jobs of each kind and checks the file against the jobs:
// the graph's size, the requested mode, and consistent times. Measuring a job
// again replaces the older measurement, and the report has all jobs.
func TestBench(t *testing.T) {
	t.Setenv("AGEKIT_TEST_COMMAND", "1") // makes TestMain run this test binary as agekit
	dir := t.TempDir()
	file := filepath.Join(dir, "bench.json")
	bench := func(jobs string) (code int, out, errs string) {
		return age(t, "bench", "--jobs", jobs, "--epochs", "2", "--ranking", "sampled", "--backend", "native", "--out", file)
	}
	if code, _, errs := bench("planted-300"); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	first := readBench(t, file)
	code, out, errs := bench("planted-500-onestep@3,nonsense,planted-600,eigenvalues-100,planted-300")
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
		if r.Job != want[k].job || r.nodes() != want[k].nodes {
			t.Errorf("job %d: %s with %d nodes, want %+v", k, r.Job, r.nodes(), want[k])
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
	checkBenchReport(t, filepath.Join(dir, "out"), "planted-300@2", "planted-500-onestep@3", "eigenvalues-100", "| native, sampled, 2 epochs | 300 | 600 | ×")
}

func readBench(t *testing.T, file string) (f benchFile) {
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

// checkBenchReport checks that a report has the given texts and a figure.
func checkBenchReport(t *testing.T, dir string, texts ...string) {
	t.Helper()
	report, err := os.ReadFile(filepath.Join(dir, "jobs.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(texts, "](scaling.svg)") {
		if !strings.Contains(string(report), text) {
			t.Errorf("%q is not in the report\n%s", text, report)
		}
	}
	svg, err := os.ReadFile(filepath.Join(dir, "scaling.svg"))
	if err != nil || !strings.Contains(string(svg), "a doubling") {
		t.Errorf("scaling.svg without a slope: %v", err)
	}
	picture, err := os.Open(filepath.Join(dir, "scaling.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	if _, err := png.Decode(picture); err != nil {
		t.Error(err)
	}
}

// Measured seconds ∝ n^1.5 and memory ∝ n, at sizes that are not doublings:
// the report must say 2^1.5 = 2.83 and 2.
func TestBenchReportGrowth(t *testing.T) {
	dir := t.TempDir()
	var f benchFile
	for _, n := range []int{90000, 1000, 10000} {
		size := float64(n)
		f.merge(benchRow{
			Job: fmt.Sprintf("planted-%d", n), Backend: "native", Kind: "sampled", Commit: "0123456789abcdef-dirty",
			Product: benchProduct{"go", 0.02}, Seconds: math.Pow(size, 1.5) / 1e4, ProcessorSeconds: size, Products: 3, PeakRSSBytes: int64(n) << 20,
			Fit: &run.Record{Graph: run.Graph{N: n}, Training: &run.Training{Epochs: 400}},
		})
	}
	other := f.Jobs[0] // a single size, with nothing to compare it with
	other.Backend = "go"
	f.merge(other)
	file := filepath.Join(dir, "jobs.json")
	if err := addToBenchFile(t.Context(), file, f.Jobs...); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := age(t, "bench", "report", file, "--dir", dir); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	checkBenchReport(t, dir,
		"| native, sampled, 400 epochs | 1,000 | 10,000 | ×31.62 | ×10.00 | ×10.00 | ×2.83 | ×2.00 |\n",
		"| native, sampled, 400 epochs | 10,000 | 90,000 | ×27.00 | ×9.00 | ×9.00 | ×2.83 | ×2.00 |\n",
		"| planted-90000 | native | sampled | 90,000 | 2,700 | 90,000 | 3 | 90,000 | 20.0 | 0001-01-01 a |\n",
		"`0123456789ab` and changes")
	report, _ := os.ReadFile(filepath.Join(dir, "jobs.md"))
	if strings.Contains(string(report), "| go, sampled, 400 epochs |") {
		t.Error("growth of a single size is in the report")
	}
	svg, _ := os.ReadFile(filepath.Join(dir, "scaling.svg"))
	for _, text := range []string{"slope 1.50, ×2.83 a doubling", "slope 1.00, ×2.00 a doubling", ">go, sampled, 400 epochs<"} {
		if !strings.Contains(string(svg), text) {
			t.Errorf("%q is not in the figure", text)
		}
	}
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

func TestBenchJobNames(t *testing.T) {
	c := &BenchRunCmd{Epochs: 400, Backend: "auto", Ranking: "auto"}
	for name, want := range map[string]string{
		"cora":                   "cora: fit --json --no-auto --no-baselines --dataset cora --epochs 400 --backend auto --ranking auto",
		"cora@20":                "cora@20: fit --json --no-auto --no-baselines --dataset cora --epochs 20 --backend auto --ranking auto",
		"cora@400":               "cora: fit --json --no-auto --no-baselines --dataset cora --epochs 400 --backend auto --ranking auto",
		"pubmed-standin-onestep": "pubmed-standin-onestep: fit --json --no-auto --no-baselines --dataset pubmed-standin --epochs 400 --backend auto --ranking auto --batch all",
		"planted-42500@20":       "planted-42500@20: fit --json --no-auto --no-baselines --dataset planted:n=42500,degree=14,f=128,seed=1 --epochs 20 --backend auto --ranking auto",
		"eigenvalues-wiki":       "eigenvalues-wiki: spectrum --json --dataset wiki",
		"density-1000000":        "density-1000000: spectrum --json --dataset planted:n=1000000,degree=14,f=128,seed=1",
	} {
		j, err := c.job(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.name + ": " + strings.Join(j.args, " "); got != want {
			t.Errorf("job %s is\n%s, want\n%s", name, got, want)
		}
	}
}
