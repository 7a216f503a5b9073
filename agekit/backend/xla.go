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

// cudaTools are the folders, beside a plugin's Python package, that may hold
// libdevice and ptxas: NVIDIA's packages for CUDA 13, and those for CUDA 12.
var cudaTools = []string{"nvidia/cu13", "nvidia/cuda_nvcc"}

// prepareXLA forbids go-xla its own unchecked downloads, and tells XLA where the
// CUDA tools are that come with a plugin from Python packages: go-xla looks for
// them one folder too low. Without such packages XLA searches the machine itself.
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

// xlaOptions are what a plugin's backend is opened with. On NVIDIA GPUs go-xla
// would let products round their factors to TF32's 10 bits, with which
// similarities and gradients have 3 digits instead of 7.
func xlaOptions(plugin string) string {
	if pjrt.IsCUDAName(plugin) {
		return ",tf32=false"
	}
	return ""
}
