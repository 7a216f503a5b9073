//go:build linux

package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/agekit/run"
)

// TestWatchGPU: a stand-in for nvidia-smi reports 500 MiB before the run, then
// 900 and 700 MiB, so the run used 400 MiB.
func TestWatchGPU(t *testing.T) {
	dir := t.TempDir()
	script := `#!/bin/sh
echo x >> ` + dir + `/calls
case $(wc -l < ` + dir + `/calls) in 1) used=500 ;; 2) used=900 ;; *) used=700 ;; esac
echo "NVIDIA L4, 580.65.06, $used"
`
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	stop := watchGPU()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if calls, _ := os.ReadFile(filepath.Join(dir, "calls")); len(calls) >= len("x\n")*4 {
			break
		}
	}
	if got := stop(); got != 400<<20 {
		t.Errorf("%d MiB, want 400", got>>20)
	}
	t.Setenv("PATH", t.TempDir())
	if got := watchGPU()(); got != 0 {
		t.Errorf("without nvidia-smi: %d bytes", got)
	}
}

// TestBesideNative: only trainings of the same job, mode and machine are
// compared. A row without device memory, loss or labels has dashes.
func TestBesideNative(t *testing.T) {
	number := func(f float64) *float64 { return &f }
	native := Row{Job: "cora", Backend: "native", Kind: "exact", Seconds: 20, FinalLoss: number(1.5),
		Fit: &run.Record{Graph: run.Graph{N: 2708}, Training: &run.Training{Epochs: 400, Epoch: 390, DBI: 0.5}, Machine: run.Machine{Seconds: run.Seconds{Filter: 1, Select: 2, Train: 12, Cluster: 4}}}}
	native.Fit.ACC = number(0.75)
	xla := native
	xla.Backend, xla.Seconds, xla.FinalLoss, xla.DeviceMemoryBytes = "xla:cuda", 8, number(1.49), 3<<30
	xla.Fit = &run.Record{Graph: run.Graph{N: 2708}, Training: &run.Training{Epochs: 400, Epoch: 400, DBI: 0.52}, Machine: run.Machine{Seconds: run.Seconds{Filter: 1, Select: 1.5, Train: 4, Cluster: 1, Compile: 3}}}
	xla.Fit.ACC = number(0.76)
	plain := xla
	plain.Backend, plain.FinalLoss, plain.DeviceMemoryBytes = "xla:cpu", nil, 0
	elsewhere := xla
	elsewhere.Backend, elsewhere.Machine.GPU = "go", "NVIDIA L4, 580.65.06"
	var text bytes.Buffer
	File{Jobs: []Row{native, xla, plain, elsewhere}}.besideNative(&text)
	for _, line := range []string{
		"| cora | xla:cuda | 20.0 → 8.0 | ×2.50 | 3.0 | ×4.00 | 1.0 → 1.0 | 2.0 → 1.5 | 12.0 → 4.0 | 4.0 → 1.0 | 3,072 |\n",
		"| cora | xla:cuda | 1.4900 (-0.0100) | 0.5200 (+0.0200) | 0.7600 (+0.0100) | – | – | 390 → 400 |\n",
		"| 4.0 → 1.0 | – |\n",
		"| cora | xla:cpu | – | 0.5200",
	} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("%q is not in\n%s", line, &text)
		}
	}
	if strings.Contains(text.String(), "| go |") {
		t.Errorf("another machine's run is compared:\n%s", &text)
	}
}
