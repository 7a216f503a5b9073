//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)) && !noxla

package backend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agekit/age/internal/system"
	"github.com/gomlx/go-xla/compute/xla" // registers "xla"
	"github.com/gomlx/go-xla/pjrt"
)

const xlaLinked = true

// cudaTools lists the folders next to a plugin's Python package that may hold
// libdevice and ptxas: NVIDIA's packages for CUDA 13, and those for CUDA 12.
var cudaTools = []string{"nvidia/cu13", "nvidia/cuda_nvcc"}

const (
	flagsVariable  = "XLA_FLAGS"
	checksVariable = "GOPJRT_CUDA_CHECKS"
	toolsFlag      = "--xla_gpu_cuda_data_dir"
	tuningFlag     = "--xla_gpu_autotune_level"
	// noTuning takes the products of NVIDIA's library as they are. XLA would otherwise measure
	// kernels of its own for each: on an H100, a training's five programs took 34 s to
	// compile, and 1.9 s without.
	noTuning = tuningFlag + "=0 --xla_gpu_enable_triton_gemm=false"
)

// environment returns the variables that a plugin needs. For CUDA, XLA_FLAGS names the CUDA
// tools that come with a plugin from Python packages, because go-xla looks for them one
// folder too deep, or else the usual place; and it turns tuning off, unless it is set.
func environment(plugin string) map[string]string {
	if !pjrt.IsCUDAName(plugin) {
		return nil
	}
	flags := []string{os.Getenv(flagsVariable)}
	if !strings.Contains(flags[0], tuningFlag) {
		flags = append(flags, noTuning)
	}
	if !strings.Contains(flags[0], toolsFlag) {
		flags = append(flags, toolsFlag+"="+cudaFolder(plugin))
	}
	return map[string]string{checksVariable: "no", flagsVariable: strings.TrimSpace(strings.Join(flags, " "))}
}

// cudaFolder returns the folder of the CUDA tools for a plugin, quoted for XLA_FLAGS.
func cudaFolder(plugin string) string {
	found := "/usr/local/cuda"
	for _, tools := range cudaTools {
		dir := filepath.Join(filepath.Dir(plugin), "..", "..", filepath.FromSlash(tools))
		if system.CheckTrusted(filepath.Join(dir, "nvvm", "libdevice")) == nil {
			found = dir
			break
		}
	}
	if strings.ContainsAny(found, " \t\n\"'\\") { // XLA_FLAGS is split at spaces
		found = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(found) + `"`
	}
	return found
}

// prepareXLA disables go-xla's own unverified downloads, and returns the options with
// which a plugin is opened: on NVIDIA GPUs, products would otherwise round their factors
// to TF32's 10 bits, which leaves 3 digits instead of 7.
func prepareXLA(plugin string) (options string, err error) {
	xla.EnableAutoInstall(false)
	if !pjrt.IsCUDAName(plugin) {
		return "", nil
	}
	// XLA's own default is a folder in the current one, whose programs it would run.
	if !strings.Contains(os.Getenv(flagsVariable), toolsFlag) {
		return "", fmt.Errorf("%s does not say where CUDA is: set the variables of Choice.Environment first", flagsVariable)
	}
	return ",tf32=false", nil
}
