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

// memoryVariable is the environment variable that limits how much of a GoMLX
// backend's device memory training may use: a number of bytes, or a number
// with a unit such as 8GB or 512MiB.
const memoryVariable = "AGEKIT_DEVICE_MEMORY"

// DeviceMemory returns the memory available for training on the device of c, and
// where the figure comes from: the value of $AGEKIT_DEVICE_MEMORY, or for a CUDA
// plugin three quarters of the first GPU's memory, which is the most that XLA
// takes. (PJRT can report this, but go-xla does not query it.) For other backends,
// whose device is the processor, it is 0, which means no limit.
//
// It returns an error if the variable's value is not a size.
func DeviceMemory(c Choice) (bytes int64, source string, err error) {
	total := func() int64 { return firstMiB(askNvidia("memory.total")) }
	return deviceMemory(c, os.Getenv(memoryVariable), total)
}

func deviceMemory(c Choice, variable string, gpu func() (bytes int64)) (int64, string, error) {
	if variable != "" {
		bytes, err := humanize.ParseBytes(variable)
		if err != nil || bytes == 0 || bytes > 1<<62 {
			return 0, "", fmt.Errorf("$%s is %s: want a number of bytes, or one with a unit, such as 8GB", memoryVariable, limit.Quote(variable))
		}
		return int64(bytes), "$" + memoryVariable, nil
	}
	if strings.Contains(filepath.Base(c.Plugin), "cuda") {
		if bytes := gpu(); bytes > 0 {
			return bytes / 4 * 3, "three quarters of the GPU's", nil
		}
	}
	return 0, "", nil
}

// GPU returns the name and the driver of the first NVIDIA GPU as nvidia-smi
// prints them, such as "NVIDIA L4, 580.65.06", and the bytes that all programs
// together use there. It returns "" and 0 if there is none.
func GPU() (name string, used int64) {
	line, _, _ := strings.Cut(askNvidia("name,driver_version,memory.used"), "\n")
	last := strings.LastIndex(line, ",")
	if last < 0 {
		return "", 0
	}
	return strings.TrimSpace(line[:last]), firstMiB(line[last+1:])
}

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
