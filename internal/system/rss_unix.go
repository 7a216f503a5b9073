//go:build unix

package system

// This part measures the memory of processes.

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// PeakMemory returns the peak memory of this process, in bytes. On Linux the kernel's high-water
// mark is better than getrusage's, which starts at the size of the parent process.
func PeakMemory() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kB int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kB); n == 1 {
			return kB << 10
		}
	}
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return inBytes(u.Maxrss)
}

// inBytes converts ru_maxrss, which is in bytes on darwin and elsewhere in kilobytes.
func inBytes[T int32 | int64](maxrss T) int64 {
	if runtime.GOOS == "darwin" {
		return int64(maxrss)
	}
	return int64(maxrss) << 10
}
