package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// limitFiles limits the size of the files that the program can write, which
// stands in for a full disk.
func limitFiles() {
	limit, err := strconv.ParseUint(os.Getenv("AGEKIT_TEST_LARGEST_FILE"), 10, 64)
	if err != nil {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// fifo makes a named pipe, which blocks whoever opens it.
func fifo(path string) error { return syscall.Mkfifo(path, 0o644) }

// peakMemory returns the peak memory of a finished process, in bytes; 0, which is unknown, where it
// is at most that of this process: until it runs its program, a process has its parent's memory,
// which counts for it.
func peakMemory(state *os.ProcessState) int64 {
	var parent syscall.Rusage
	peak := state.SysUsage().(*syscall.Rusage).Maxrss
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &parent); err != nil || peak <= parent.Maxrss {
		return 0
	}
	return peak << 10
}
