//go:build !linux

package main

import (
	"errors"
	"os"
)

func limitFiles() {}

func peakMemory(*os.ProcessState) int64 { return 0 } // unknown

func fifo(string) error { return errors.ErrUnsupported }
