package device

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/testutil"
)

// putNvidia puts a program first on the PATH that is called nvidia-smi and runs a script of the shell.
func putNvidia(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake nvidia-smi is a shell script")
	}
	dir := t.TempDir()
	testutil.NoError(t, os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestAvailable: for a backend with a CUDA plugin, the memory is three quarters of what nvidia-smi says of the
// first GPU, or what is free there if that is less; 0 if nvidia-smi fails. The variable goes before it,
// and one that is no number of bytes is an error. Backends of the processor have no limit, 0.
func TestAvailable(t *testing.T) {
	const cuda = "/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so"
	const gpu = "echo 8192, 8000; echo 40960, 40000" // MiB of two GPUs
	for _, test := range []struct {
		backend, plugin string
		variable        string // AGEKIT_DEVICE_MEMORY
		nvidia          string // the script in the place of nvidia-smi
		want            int64  // bytes
		failed          string // what the error says; "": none
	}{
		{backend: backend.XLACPU, want: 0},
		{backend: backend.Go, nvidia: gpu, want: 0},
		{backend: backend.XLACUDA, plugin: cuda, nvidia: gpu, want: 6 << 30},
		{backend: "xla:" + cuda, plugin: cuda, nvidia: gpu, want: 6 << 30},
		{backend: backend.XLACUDA, plugin: cuda, nvidia: "echo 8192, 1024", want: 1 << 30}, // in use
		{backend: backend.XLACUDA, plugin: cuda, nvidia: "echo 8192", want: 6 << 30},
		{backend: "xla:/cuda/cpu.so", plugin: "/cuda/cpu.so", nvidia: gpu, want: 0},
		{backend: backend.XLACUDA, plugin: cuda, nvidia: "echo failed; exit 9", want: 0},
		{backend: backend.XLACUDA, plugin: cuda, nvidia: gpu, variable: "1000000", want: 1000000},
		{backend: backend.XLACPU, variable: "8GB", want: 8e9},
		{backend: backend.Go, variable: "512 MiB", want: 512 << 20},
		{backend: backend.Go, variable: "1.5gb", want: 15e8},
		{backend: backend.Go, variable: "much", failed: `$AGEKIT_DEVICE_MEMORY is "much": want a number of bytes`},
		{backend: backend.Go, variable: "0", failed: "want a number of bytes"},
		{backend: backend.Go, variable: "-1", failed: "want a number of bytes"},
	} {
		t.Setenv(memoryVariable, test.variable)
		putNvidia(t, test.nvidia)
		got, _, err := available(backend.Choice{Name: test.backend, Plugin: test.plugin})
		if test.failed != "" {
			testutil.Fails(t, err, test.failed)
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%+v: %d bytes (%v)", test, got, err)
		}
	}
}

// TestFirstMiB: firstMiB reads the two numbers of the first GPU from what nvidia-smi prints, or the only one,
// and 0 from what it prints if the driver does not respond.
func TestFirstMiB(t *testing.T) {
	for answer, want := range map[string][2]int64{ // total and free, in bytes
		"81559, 81000\n40960, 1\n": {81559 << 20, 81000 << 20},
		" 15360 \n":                {15360 << 20, 0},
		"[N/A], [N/A]\n":           {0, 0},
		"":                         {0, 0},
	} {
		if total, free := firstMiB(answer); total != want[0] || free != want[1] {
			t.Errorf("%q: %d and %d, want %d", answer, total, free, want)
		}
	}
}
