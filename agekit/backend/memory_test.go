package backend

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestDeviceMemory(t *testing.T) {
	const cuda = "/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so"
	for _, test := range []struct {
		backend, plugin, variable string
		gpu, want                 int64
		failed                    string
	}{
		{backend: XLACPU, want: 0},
		{backend: Go, gpu: 8 << 30, want: 0},
		{backend: XLACUDA, plugin: cuda, gpu: 8 << 30, want: 6 << 30},
		{backend: "xla:" + cuda, plugin: cuda, gpu: 8 << 30, want: 6 << 30},
		{backend: "xla:/cuda/cpu.so", plugin: "/cuda/cpu.so", gpu: 8 << 30, want: 0},
		{backend: XLACUDA, plugin: cuda, gpu: 0, want: 0}, // nvidia-smi does not report it
		{backend: XLACUDA, plugin: cuda, gpu: 8 << 30, variable: "1000000", want: 1000000},
		{backend: XLACPU, variable: "8GB", want: 8e9},
		{backend: Go, variable: "512 MiB", want: 512 << 20},
		{backend: Go, variable: "1.5gb", want: 15e8},
		{backend: Go, variable: "much", failed: `$AGEKIT_DEVICE_MEMORY is "much": want a number of bytes`},
		{backend: Go, variable: "0", failed: "want a number of bytes"},
		{backend: Go, variable: "-1", failed: "want a number of bytes"},
	} {
		got, _, err := deviceMemory(Choice{Name: test.backend, Plugin: test.plugin}, test.variable, func() int64 { return test.gpu })
		if test.failed != "" {
			if err == nil || !strings.Contains(err.Error(), test.failed) {
				t.Errorf("%+v: error %v, want one with %q", test, err, test.failed)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%+v: %d bytes (%v)", test, got, err)
		}
	}
}

// TestFirstMiB uses what nvidia-smi prints for two GPUs, and what it prints if
// the driver does not respond.
func TestFirstMiB(t *testing.T) {
	for answer, want := range map[string]int64{"81559\n40960\n": 81559 << 20, " 15360 \n": 15360 << 20, "[N/A]\n": 0, "": 0} {
		if got := firstMiB(answer); got != want {
			t.Errorf("%q: %d, want %d", answer, got, want)
		}
	}
}

// TestGPU uses a fake nvidia-smi that reports two GPUs, and one that fails
// with a message on its standard output, as the real one does without a
// driver.
func TestGPU(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake nvidia-smi is a shell script")
	}
	putNvidia := func(script string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	putNvidia(`case "$1 $2" in
"--query-gpu=name,driver_version,memory.used --format=csv,noheader,nounits") printf 'NVIDIA L4, 580.65.06, 1234\nNVIDIA T4, 580.65.06, 7\n' ;;
*) exit 2 ;;
esac`)
	if name, used := GPU(); name != "NVIDIA L4, 580.65.06" || used != 1234<<20 {
		t.Errorf("%q with %d bytes in use", name, used)
	}
	putNvidia(`echo "NVIDIA-SMI has failed"; exit 9`)
	if name, used := GPU(); name != "" || used != 0 {
		t.Errorf("without a driver: %q with %d bytes in use", name, used)
	}
}
