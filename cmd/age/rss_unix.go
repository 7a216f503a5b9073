//go:build unix

package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// peakRSS returns the most memory that the process has held, in bytes. On
// Linux the kernel's high-water mark is better than getrusage's, which begins
// at the size of the process that started this one.
func peakRSS() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if kB, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64); err == nil {
				return kB << 10
			}
		}
	}
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return inBytes(u.Maxrss)
}

// peakRSSOf returns the most memory that a process which has ended held, in
// bytes. It is no less than what the one that started it had held until then.
func peakRSSOf(state *os.ProcessState) int64 {
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		return inBytes(u.Maxrss)
	}
	return 0
}

// inBytes: darwin counts in bytes, the others in kilobytes.
func inBytes[T int32 | int64](maxrss T) int64 {
	if runtime.GOOS == "darwin" {
		return int64(maxrss)
	}
	return int64(maxrss) << 10
}
