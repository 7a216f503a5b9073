package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// young is the age below which a scratch folder may be one that is not locked yet.
const young = time.Minute

// Scratch creates a folder among the system's temporary files, whose name begins with
// prefix, and returns a function that removes it. Those of processes that were killed,
// which cannot remove theirs, are removed by the next call with the same prefix.
func Scratch(prefix string) (dir string, remove func(), err error) {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) || time.Since(info.ModTime()) < young {
			continue
		}
		left := filepath.Join(os.TempDir(), e.Name())
		if unlock, err := LockFile(left); err == nil {
			os.RemoveAll(left)
			unlock()
		}
	}
	if dir, err = os.MkdirTemp("", prefix+"*"); err != nil {
		return "", nil, err
	}
	unlock, err := LockFile(dir)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() {
		os.RemoveAll(dir)
		unlock()
	}, nil
}
