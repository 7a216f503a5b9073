//go:build !unix

package limit

import "os"

// PeakRSS returns 0: the value is unknown on this system.
func PeakRSS() int64 { return 0 }

// PeakRSSOf returns 0: the value is unknown on this system.
func PeakRSSOf(*os.ProcessState) int64 { return 0 }
