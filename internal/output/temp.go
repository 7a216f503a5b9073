package output

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Temporary names begin with a dot and end in tempSuffix.
const tempSuffix = ".tmp"

// tempName returns a new temporary name in dir that begins with prefix.
func tempName(dir, prefix string) string {
	return filepath.Join(dir, prefix+rand.Text()+tempSuffix)
}

// eachTemp calls remove for the folders (fs.ModeDir) or regular files (0) with temporary
// names in dir that begin with prefix. Leftovers only take up space, so errors are ignored.
func eachTemp(dir, prefix string, kind fs.FileMode, remove func(path string)) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), tempSuffix) && e.Type() == kind {
			remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Clean removes the temporary files in dir whose writers were killed.
func Clean(dir string) { clean(dir, ".") }

// clean removes those whose names begin with prefix.
func clean(dir, prefix string) { eachTemp(dir, prefix, 0, removeLeft) }

// cleanFolders removes the temporary folders in dir whose names begin with
// prefix. The caller holds the lock on dir, so nobody writes to them.
func cleanFolders(dir, prefix string) {
	eachTemp(dir, prefix, fs.ModeDir, func(path string) { os.RemoveAll(path) })
}

// staleAfter is the age of a temporary file that is left behind, where locks cannot tell.
const staleAfter = time.Hour

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
