//go:build linux

package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBench runs two small jobs and checks the report against the jobs: the
// graph's size, the mode asked for, times that fit together.
func TestBench(t *testing.T) {
	t.Setenv("AGE_TEST_COMMAND", "1") // TestMain lets this program stand in for age
	file := filepath.Join(t.TempDir(), "bench.json")
	code, out, errs := age(t, "bench", "--jobs", "planted-300,planted-600", "--epochs", "2", "--mode", "sampled", "--backend", "native", "--out", file)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r benchReport
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if r.Product.Seconds <= 0 || r.Machine.Cores < 1 || r.Commit == "" || len(r.Jobs) != 2 {
		t.Fatalf("report %s", data)
	}
	for k, nodes := range []int{300, 600} {
		j := r.Jobs[k]
		if j.Fit.N != nodes || j.Fit.Mode != "sampled" || j.Fit.Epochs != 2 || j.Fit.Backend != "native" || j.Fit.PeakRSSBytes == 0 {
			t.Errorf("job %s: %+v", j.Job, j.Fit)
		}
		if j.Seconds < j.Fit.Seconds.Total || math.Abs(j.Products*r.Product.Seconds-j.Seconds) > 1e-9*j.Seconds {
			t.Errorf("job %s: %v s, %v s of them in age fit, %v products of %v s", j.Job, j.Seconds, j.Fit.Seconds.Total, j.Products, r.Product.Seconds)
		}
		if !strings.Contains(out, j.Job) {
			t.Errorf("%s is not in the table\n%s", j.Job, out)
		}
	}
	if code, _, errs := age(t, "bench", "--jobs", "nonsense"); code != 1 || !strings.Contains(errs, "job nonsense") {
		t.Errorf("unknown job: exit %d and %s", code, errs)
	}
}
