package readfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/agekit/age/internal/message"
)

// The limits on the parts of a file, which can still ask for too much memory: see
// [system.CheckMemory].
const (
	// LongestLine is that of a text file, in bytes: a row of features is long.
	LongestLine = 64 << 20
	// MostArrays is the largest number of arrays in an archive.
	MostArrays = 1 << 10
	// MostRecords is the largest file of results or measurements, in bytes.
	MostRecords = 1 << 28
)

// Unpacked returns how many bytes an archive of the given size may unpack to: far more than
// real graphs need, and too few for a crafted archive to keep the program busy for minutes.
func Unpacked(size int64) uint64 { return max(1<<30, 100*uint64(max(0, size))) }

// Open opens a regular file for reading and returns its size. Folders, pipes,
// sockets and devices are errors, since they may block forever or never end.
func Open(path string) (*os.File, int64, error) {
	// Merely opening a device can have an effect, so look first.
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, shortened(err)
	}
	if err := regular(path, info); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, 0, shortened(err)
	}
	// The file may have been replaced in between.
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// All returns the content of the regular file at path. A file of more than most bytes is an error.
func All(path string, most int64) ([]byte, error) {
	f, size, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data []byte
	if size <= most {
		data, err = io.ReadAll(io.LimitReader(f, most+1)) // the size of a file in /proc is 0
		size = int64(len(data))
	}
	if err == nil && size > most {
		err = fmt.Errorf("%s: %d bytes, want at most %d", message.ShortPath(path), size, most)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// regular returns an error, which names path, unless info is that of a regular file.
func regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is %s: want a regular file", message.ShortPath(path), Kind(info.Mode()))
}

// shortened returns err, whose path it shortens in place if err is an error of package os.
func shortened(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		e.Path = message.ShortPath(e.Path)
	}
	return err
}

// Kind returns the name of what has such a mode, such as "a folder".
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a regular file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}
