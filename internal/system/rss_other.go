//go:build !unix

package system

import "os"

// PeakMemory returns 0: the value is unknown on this system.
func PeakMemory() int64 { return 0 }

// PeakMemoryOf returns 0: the value is unknown on this system.
func PeakMemoryOf(*os.ProcessState) int64 { return 0 }
