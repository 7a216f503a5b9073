//go:build !linux

package mapped

import "os"

// reserve makes the file size bytes long and allocates its disk space.
func reserve(f *os.File, size int64) error { return writeZeros(f, size) }
