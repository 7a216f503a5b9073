//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && !noxla

package backend

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/go-xla/compute/xla" // registers "xla"
	"github.com/gomlx/go-xla/pjrt"
)

const xlaLinked = true

// prepareXLA forbids go-xla its own unchecked downloads, and tells XLA where the
// CUDA tools lie that come with a plugin from Python packages (ptxas, libdevice):
// go-xla looks for them one folder too low.
func prepareXLA(plugin string) {
	xla.EnableAutoInstall(false)
	cuda := filepath.Join(filepath.Dir(plugin), "..", "..", "nvidia", "cu13")
	if _, err := os.Stat(cuda); err != nil {
		return
	}
	os.Setenv("GOPJRT_CUDA_CHECKS", "no")
	if flags := os.Getenv("XLA_FLAGS"); !strings.Contains(flags, "--xla_gpu_cuda_data_dir") {
		os.Setenv("XLA_FLAGS", strings.TrimSpace(flags+" --xla_gpu_cuda_data_dir="+filepath.Clean(cuda)))
	}
}

// xlaOptions are what a plugin's backend is opened with. On NVIDIA GPUs go-xla
// would let products round their factors to TF32's 10 bits, with which
// similarities and gradients have 3 digits instead of 7.
func xlaOptions(plugin string) string {
	if pjrt.IsCUDAName(plugin) {
		return ",tf32=false"
	}
	return ""
}
