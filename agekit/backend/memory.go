package backend

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/program"
	"github.com/dustin/go-humanize"
)

// MemoryVariable is the environment variable that limits how much of a GoMLX
// backend's device memory training may use: a number of bytes, or a number
// with a unit such as 8GB or 512MiB.
const MemoryVariable = "AGEKIT_DEVICE_MEMORY"

// Memory is the memory that a device has for training.
type Memory struct {
	// Bytes is 0 if unknown, which means no limit.
	Bytes int64
	// Source says where the figure comes from.
	Source string
}

// DeviceMemory returns the memory available on the device of c: the value of
// $AGEKIT_DEVICE_MEMORY, or for a CUDA plugin three quarters of the first GPU's
// memory, which is the most that XLA takes. (PJRT can report this, but go-xla
// does not query it.) For other backends, whose device is the processor, it is
// unknown.
//
// It returns an error if the variable's value is not a size.
func DeviceMemory(c Choice) (Memory, error) {
	return deviceMemory(c, os.Getenv(MemoryVariable), func() int64 { return gpuMemory("memory.total") })
}

func deviceMemory(c Choice, variable string, gpu func() (bytes int64)) (Memory, error) {
	if variable != "" {
		bytes, err := humanize.ParseBytes(variable)
		if err != nil || bytes == 0 || bytes > 1<<62 {
			return Memory{}, fmt.Errorf("$%s is %s: want a number of bytes, or one with a unit, such as 8GB", MemoryVariable, limit.Quote(variable))
		}
		return Memory{int64(bytes), "$" + MemoryVariable}, nil
	}
	if strings.Contains(filepath.Base(c.Plugin), "cuda") {
		if bytes := gpu(); bytes > 0 {
			return Memory{bytes / 4 * 3, "three quarters of the GPU's"}, nil
		}
	}
	return Memory{}, nil
}

// GPU returns the name and the driver of the first NVIDIA GPU as nvidia-smi
// prints them, such as "NVIDIA L4, 580.65.06", or "" if there is none.
func GPU() string {
	line, _, _ := strings.Cut(askNvidia("name,driver_version"), "\n")
	return strings.TrimSpace(line)
}

// GPUMemoryUsed returns the bytes that all programs together use on the first
// NVIDIA GPU, or 0 if nvidia-smi does not report it.
func GPUMemoryUsed() int64 { return gpuMemory("memory.used") }

// gpuMemory returns a quantity of the first GPU's memory in bytes, or 0 if
// nvidia-smi does not report it.
func gpuMemory(quantity string) int64 { return firstMiB(askNvidia(quantity)) }

// askNvidia returns what nvidia-smi prints for a query, one line per GPU, or
// "" if it fails.
func askNvidia(query string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := program.Output(ctx, "nvidia-smi", "--query-gpu="+query, "--format=csv,noheader,nounits")
	if err != nil {
		return "" // an error message may be on its standard output
	}
	return string(out)
}

// firstMiB parses the first line of nvidia-smi's answer, a number of MiB, and
// returns it in bytes.
func firstMiB(answer string) int64 {
	line, _, _ := strings.Cut(answer, "\n")
	mib, err := strconv.ParseInt(strings.TrimSpace(line), 10, 40)
	if err != nil {
		return 0
	}
	return mib << 20
}
