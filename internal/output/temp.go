package output

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Temporary names begin with a dot and end in tempSuffix.
const tempSuffix = ".tmp"

// staleAfter is the age at which a temporary file counts as left behind where
// locks cannot tell.
const staleAfter = time.Hour

// Clean removes the temporary files in dir whose writers were killed. It ignores
// errors, because leftover files only take up space.
func Clean(dir string) { clean(dir, ".") }

// clean removes those whose names begin with prefix.
func clean(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), tempSuffix) && e.Type().IsRegular() {
			removeLeft(filepath.Join(dir, e.Name()))
		}
	}
}

// removeLeft removes a temporary file if it was left behind by a killed process.
func removeLeft(path string) {
	if !locksTemp {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > staleAfter {
			os.Remove(path)
		}
		return
	}
	// The lock is held until the file is gone: its writer, which may have created
	// it just now, then finds it missing and creates another.
	if unlock, err := lockTemp(path); err == nil {
		os.Remove(path)
		unlock()
	}
}

// cleanFolders removes the temporary folders in dir whose names begin with
// prefix. The caller holds the lock on dir, so nobody writes to them.
func cleanFolders(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), tempSuffix) && e.IsDir() {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
