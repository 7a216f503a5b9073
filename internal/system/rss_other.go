//go:build !unix

package system

// PeakMemory returns 0: the value is unknown on this system.
func PeakMemory() int64 { return 0 }
