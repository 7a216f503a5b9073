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

// environment returns the environment variables that the plugin at a path needs; nil unless it is one for
// CUDA. XLA_FLAGS keeps the flags that the user has set. Unless these do, it turns tuning off and names the
// folder of the CUDA tools, for which go-xla itself would look one folder too deep.
func environment(plugin string) map[string]string {
	if !pjrt.IsCUDAName(plugin) {
		return nil
	}
	users := os.Getenv(flagsVariable)
	flags := []string{users}
	if !strings.Contains(users, tuningFlag) {
		flags = append(flags, noTuning)
	}
	if !strings.Contains(users, toolsFlag) {
		flags = append(flags, toolsFlag+"="+cudaFolder(plugin))
	}
	return map[string]string{checksVariable: "no", flagsVariable: strings.TrimSpace(strings.Join(flags, " "))}
}

// cudaFolder returns the folder of the CUDA tools for the plugin at a path, quoted for XLA_FLAGS: the one
// in the same Python packages as the plugin, if it has libdevice and no other user could have written that,
// and otherwise CUDA's usual place.
func cudaFolder(plugin string) string {
	folder := "/usr/local/cuda"
	sitePackages := filepath.Join(filepath.Dir(plugin), "..", "..") // of SITE/jax_plugins/xla_cuda13/FILE
	for _, tools := range cudaTools {
		dir := filepath.Join(sitePackages, filepath.FromSlash(tools))
		if system.CheckTrusted(filepath.Join(dir, "nvvm", "libdevice")) == nil {
			folder = dir
			break
		}
	}
	if strings.ContainsAny(folder, " \t\n\"'\\") { // XLA splits the flags at spaces and unquotes each
		folder = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(folder) + `"`
	}
	return folder
}

// prepareXLA disables go-xla's own downloads, which are not verified, and returns the options with which the
// plugin is opened. For CUDA they turn TF32 off, since matrix products would otherwise round their factors
// to 10 bits, which leaves 3 digits instead of 7. It returns an error if XLA_FLAGS, which environment has,
// does not say where CUDA is.
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
