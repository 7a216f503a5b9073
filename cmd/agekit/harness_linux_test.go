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

// peakMemory returns the peak memory of a finished process, in bytes: at least what its
// parent had used when it started the process.
func peakMemory(state *os.ProcessState) int64 {
	return int64(state.SysUsage().(*syscall.Rusage).Maxrss) << 10
}
