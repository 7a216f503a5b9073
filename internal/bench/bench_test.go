package bench

import (
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/run"
)

// Measured seconds ∝ n^1.5 and memory ∝ n, at sizes that are not doublings:
// the report must say 2^1.5 = 2.83 and 2.
func TestReportGrowth(t *testing.T) {
	dir := t.TempDir()
	var f File
	for _, n := range []int{90000, 1000, 10000} {
		size := float64(n)
		f.Merge(Row{
			Job: fmt.Sprintf("planted-%d", n), Backend: "native", Kind: "sampled", Commit: "0123456789abcdef-dirty",
			Product: Product{"go", 0.02}, Seconds: math.Pow(size, 1.5) / 1e4, ProcessorSeconds: size, Products: 3, PeakRSSBytes: int64(n) << 20,
			Fit: &run.Record{Graph: run.Graph{N: n}, Training: &run.Training{Epochs: 400}},
		})
	}
	other := f.Jobs[0] // a single size, with nothing to compare it with
	other.Backend = "go"
	f.Merge(other)
	file := filepath.Join(dir, "jobs.json")
	if err := Add(t.Context(), file, f.Jobs...); err != nil {
		t.Fatal(err)
	}
	f, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteReport(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	checkReport(t, dir,
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

// checkReport checks that a report has the given texts and a figure.
func checkReport(t *testing.T, dir string, texts ...string) {
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

func TestJobNames(t *testing.T) {
	c := Settings{Epochs: 400, Backend: "auto", Ranking: "auto"}
	for name, want := range map[string]string{
		"cora":                   "cora: fit --json --no-auto --no-baselines --dataset cora --epochs 400 --backend auto --ranking auto",
		"cora@20":                "cora@20: fit --json --no-auto --no-baselines --dataset cora --epochs 20 --backend auto --ranking auto",
		"cora@400":               "cora: fit --json --no-auto --no-baselines --dataset cora --epochs 400 --backend auto --ranking auto",
		"pubmed-standin-onestep": "pubmed-standin-onestep: fit --json --no-auto --no-baselines --dataset pubmed-standin --epochs 400 --backend auto --ranking auto --batch all",
		"planted-42500@20":       "planted-42500@20: fit --json --no-auto --no-baselines --dataset planted:n=42500,degree=14,f=128,seed=1 --epochs 20 --backend auto --ranking auto",
		"eigenvalues-wiki":       "eigenvalues-wiki: spectrum --json --dataset wiki",
		"density-1000000":        "density-1000000: spectrum --json --dataset planted:n=1000000,degree=14,f=128,seed=1",
	} {
		j, err := c.Job(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.Name + ": " + strings.Join(j.args, " "); got != want {
			t.Errorf("job %s is\n%s, want\n%s", name, got, want)
		}
	}
}
