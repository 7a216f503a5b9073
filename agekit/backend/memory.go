package backend

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// MemoryVariable is the environment variable that says how much of a GoMLX
// backend's device memory a training may take: bytes, or a number with a unit
// such as 8GB or 512MiB.
const MemoryVariable = "AGE_DEVICE_MEMORY"

// Memory is what a device has for a training.
type Memory struct {
	// Bytes is 0 where nothing is known, which means no limit.
	Bytes int64
	// Source says where the figure comes from.
	Source string
}

// DeviceMemory returns the memory that there is on the device of c: what
// $AGE_DEVICE_MEMORY says, or for XLACUDA three quarters of the first GPU's
// memory, which is what XLA takes at most. (PJRT could tell, but go-xla does
// not ask it.) For other backends, whose device is the processor, nothing is
// known.
//
// It returns an error where the variable holds no size.
func DeviceMemory(c Choice) (Memory, error) {
	return deviceMemory(c, os.Getenv(MemoryVariable), nvidiaMemory)
}

func deviceMemory(c Choice, variable string, gpu func() (bytes int64)) (Memory, error) {
	if variable != "" {
		bytes, err := humanize.ParseBytes(variable)
		if err != nil || bytes == 0 || bytes > 1<<62 {
			return Memory{}, fmt.Errorf("$%s is %q: want a number of bytes, or one with a unit, such as 8GB", MemoryVariable, variable)
		}
		return Memory{int64(bytes), "$" + MemoryVariable}, nil
	}
	if c.Name == XLACUDA {
		if bytes := gpu(); bytes > 0 {
			return Memory{bytes / 4 * 3, "three quarters of the GPU's"}, nil
		}
	}
	return Memory{}, nil
}

// nvidiaMemory returns the memory of the first GPU in bytes, or 0 where
// nvidia-smi does not tell.
func nvidiaMemory() int64 {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits").Output()
	if err != nil {
		return 0
	}
	return firstMiB(string(out))
}

// firstMiB reads the first line of nvidia-smi's answer, a number of MiB.
func firstMiB(answer string) int64 {
	line, _, _ := strings.Cut(answer, "\n")
	mib, err := strconv.ParseInt(strings.TrimSpace(line), 10, 40)
	if err != nil {
		return 0
	}
	return mib << 20
}
