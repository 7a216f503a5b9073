package mapped

import (
	"errors"
	"os"
	"syscall"
)

// reserve makes the file size bytes long and allocates its disk space.
func reserve(f *os.File, size int64) error {
	err := syscall.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, syscall.EOPNOTSUPP) {
		return writeZeros(f, size)
	}
	return err
}
