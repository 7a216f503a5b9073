//go:build !unix

package main

import "os"

// peakRSS is not known here.
func peakRSS() int64 { return 0 }

// peakRSSOf is not known here.
func peakRSSOf(*os.ProcessState) int64 { return 0 }
