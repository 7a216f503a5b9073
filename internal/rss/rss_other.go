//go:build !unix

package rss

import "os"

// Peak returns 0: the value is unknown on this system.
func Peak() int64 { return 0 }

// Of returns 0: the value is unknown on this system.
func Of(*os.ProcessState) int64 { return 0 }
