package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
)

// CheckWorkspace returns the error that [Workspace] would return for a folder with files that are not ours, or
// where no folder can be, and changes nothing.
func CheckWorkspace(path string) error {
	if err := CheckNewFolder(path); err != nil || isWorkspace(path) {
		return err
	}
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s holds %s, which agekit did not write: want a new folder, or an empty one", message.ShortPath(path), message.Quote(entries[0].Name()))
	}
	return nil
}

// CheckNewFolder returns an error if no folder can be at path, or made there, because something else is at path
// or in place of a folder above it.
func CheckNewFolder(path string) error {
	for ; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is %s: want a folder", message.ShortPath(path), readfile.Kind(info.Mode()))
		case err == nil, path == filepath.Dir(path):
			return nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			return err
		}
	}
}
