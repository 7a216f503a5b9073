//go:build !unix

package main

import "os"

// peakRSS returns 0: the value is unknown on this system.
func peakRSS() int64 { return 0 }

// peakRSSOf returns 0: the value is unknown on this system.
func peakRSSOf(*os.ProcessState) int64 { return 0 }
