package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// limitFiles limits the size of the files that this process can write to the bytes in
// $AGEKIT_TEST_LARGEST_FILE, if it is set: the limit stands in for a full disk.
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

// peakMemory returns the peak memory of a finished process, in bytes, or 0 if it is unknown. It is unknown
// if it is at most that of this process, which is the parent: until a child runs its program, it has its
// parent's memory, and this counts as the child's.
func peakMemory(state *os.ProcessState) int64 {
	var parent syscall.Rusage
	peak := state.SysUsage().(*syscall.Rusage).Maxrss
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &parent); err != nil || peak <= parent.Maxrss {
		return 0
	}
	return peak << 10
}
