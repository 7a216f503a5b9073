package atomicfile

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// temporary matches the names of temporary files and folders, which hold what they will
// become and what rand.Text returns. Nobody else's files are called so, and nothing else is
// ever removed.
var temporary = regexp.MustCompile(`^\.agekit-(.*)\.[A-Z2-7]{26}\.tmp$`)

// tempName returns a new temporary name in dir for what will be called name.
func tempName(dir, name string) string {
	return filepath.Join(dir, ".agekit-"+name+"."+rand.Text()+".tmp")
}

// eachTemp calls remove with the paths of what in dir has a temporary name for name, or for any name if
// that is empty, and is of that kind: fs.ModeDir for folders, 0 for regular files. Leftovers only
// take up space, so errors are ignored.
func eachTemp(dir, name string, kind fs.FileMode, remove func(path string)) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		match := temporary.FindStringSubmatch(e.Name())
		if match != nil && (name == "" || name == match[1]) && e.Type() == kind {
			remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Clean removes the temporary files in dir whose writers were killed: those for name, or those for all
// names if name is empty.
func Clean(dir, name string) { eachTemp(dir, name, 0, removeAbandoned) }

// cleanFolders removes the temporary folders in dir. The caller holds the lock on dir, so
// nobody writes to them.
func cleanFolders(dir string) {
	eachTemp(dir, "", fs.ModeDir, func(path string) { os.RemoveAll(path) })
}

// staleAfter is the age of a temporary file that is left behind, where locks cannot tell.
const staleAfter = time.Hour

// removeAbandoned removes a temporary file if it was left behind by a killed process.
func removeAbandoned(path string) {
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
