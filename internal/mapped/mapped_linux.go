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

// Memory returns the machine's memory in bytes.
func Memory() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return assumed
	}
	return int64(info.Totalram) * int64(info.Unit)
}
