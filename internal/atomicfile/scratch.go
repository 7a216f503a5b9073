package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockName is the file in a scratch folder that its owner locks; the folder itself others may lock.
const lockName = ".owner"

// young is the age below which a scratch folder may be one that is not locked yet.
const young = time.Minute

// ScratchFolder creates a folder among the system's temporary files, whose name begins with prefix. It
// returns the folder's path and a function that removes the folder. Before, it removes the folders
// with the same prefix that killed processes left.
func ScratchFolder(prefix string) (dir string, remove func(), err error) {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) || time.Since(info.ModTime()) < young {
			continue
		}
		folder := filepath.Join(os.TempDir(), e.Name())
		unlock, err := LockFile(filepath.Join(folder, lockName))
		if err == nil { // its owner is no more
			unlock() // Windows removes no file that is open
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			os.RemoveAll(folder)
		}
	}
	if dir, err = os.MkdirTemp("", prefix+"*"); err != nil {
		return "", nil, err
	}
	unlock := func() {}
	if err = os.WriteFile(filepath.Join(dir, lockName), nil, 0o600); err == nil {
		unlock, err = LockFile(filepath.Join(dir, lockName))
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() {
		unlock()
		os.RemoveAll(dir)
	}, nil
}
