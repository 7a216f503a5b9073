package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// owner is the file that the owner of a scratch folder locks; others may lock the folder.
const owner = ".owner"

// young is the age below which a scratch folder may be one that is not locked yet.
const young = time.Minute

// ScratchFolder creates a folder among the system's temporary files, whose name begins with
// prefix, and returns a function that removes it. Those of processes that were killed,
// which cannot remove theirs, are removed by the next call with the same prefix.
func ScratchFolder(prefix string) (dir string, remove func(), err error) {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) || time.Since(info.ModTime()) < young {
			continue
		}
		folder := filepath.Join(os.TempDir(), e.Name())
		unlock, err := LockFile(filepath.Join(folder, owner))
		if err == nil {
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
	if err = os.WriteFile(filepath.Join(dir, owner), nil, 0o600); err == nil {
		unlock, err = LockFile(filepath.Join(dir, owner))
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() {
		unlock()
		os.RemoveAll(dir)
	}, nil
}
