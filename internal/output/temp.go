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
		if !strings.HasPrefix(e.Name(), prefix) || !strings.HasSuffix(e.Name(), tempSuffix) || !e.Type().IsRegular() {
			continue
		}
		if path := filepath.Join(dir, e.Name()); left(path) {
			os.Remove(path)
		}
	}
}

// left reports whether a temporary file was left behind by a killed process.
func left(path string) bool {
	if !locksTemp {
		info, err := os.Stat(path)
		return err == nil && time.Since(info.ModTime()) > staleAfter
	}
	unlock, ok := lockTemp(path)
	if ok {
		unlock()
	}
	return ok
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
