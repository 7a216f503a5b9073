package limit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a regular file for reading and returns its size. Folders, pipes,
// sockets and devices are errors, since they may block forever or never end.
func Open(path string) (*os.File, int64, error) {
	// Merely opening a device can have an effect, so look first.
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, shortPath(err)
	}
	if err := regular(path, info); err != nil {
		return nil, 0, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, 0, shortPath(err)
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

// ReadFile reads a regular file of at most the given number of bytes.
func ReadFile(path string, most int64) ([]byte, error) {
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
		err = fmt.Errorf("%s: %d bytes, want at most %d", Path(path), size, most)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// regular returns an error for anything but a regular file.
func regular(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is %s: want a regular file", Path(path), Kind(info.Mode()))
}

// shortPath shortens the path in an error of package os.
func shortPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		e.Path = Path(e.Path)
	}
	return err
}

// Kind names what a mode's type bits describe, such as "a folder".
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
