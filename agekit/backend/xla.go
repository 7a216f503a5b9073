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

// cudaTools lists the folders next to a plugin's Python package that may hold
// libdevice and ptxas: NVIDIA's packages for CUDA 13, and those for CUDA 12.
var cudaTools = []string{"nvidia/cu13", "nvidia/cuda_nvcc"}

// prepareXLA disables go-xla's own unverified downloads, and tells XLA where
// to find the CUDA tools that come with a plugin from Python packages, because
// go-xla looks for them one folder too deep. Without such packages, XLA
// searches the machine itself.
func prepareXLA(plugin string) {
	xla.EnableAutoInstall(false)
	if !pjrt.IsCUDAName(plugin) {
		return
	}
	os.Setenv("GOPJRT_CUDA_CHECKS", "no")
	flags := os.Getenv("XLA_FLAGS")
	if strings.Contains(flags, "--xla_gpu_cuda_data_dir") {
		return
	}
	for _, tools := range cudaTools {
		dir := filepath.Join(filepath.Dir(plugin), "..", "..", filepath.FromSlash(tools))
		if _, err := os.Stat(filepath.Join(dir, "nvvm", "libdevice")); err == nil {
			os.Setenv("XLA_FLAGS", strings.TrimSpace(flags+" --xla_gpu_cuda_data_dir="+dir))
			return
		}
	}
}

// xlaOptions returns the options with which a plugin's backend is opened. On
// NVIDIA GPUs, go-xla would otherwise let products round their factors to
// TF32's 10 bits, which leaves similarities and gradients with 3 digits
// instead of 7.
func xlaOptions(plugin string) string {
	if pjrt.IsCUDAName(plugin) {
		return ",tf32=false"
	}
	return ""
}
