package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agekit/age/internal/readfile"
)

// ownerFile is the file in a scratch folder that its owner locks; the folder itself others may lock. Its
// content, [ownerMark], tells the folder from one of somebody else with such a name.
const ownerFile = ".owner"

// ownerMark returns the content of the ownerFile in the scratch folder dir. It has the folder's name, so
// that a copy of the folder has no mark.
func ownerMark(dir string) string { return "agekit's scratch folder " + filepath.Base(dir) + "\n" }

// young is the age below which a scratch folder may be one that is not locked yet.
const young = time.Minute

// ScratchFolder creates a folder among the system's temporary files, whose name begins with prefix. It
// returns the folder's path and a function that removes the folder. Before, it removes the folders
// with the same prefix that killed processes left: those that carry our mark, and belong to this user.
func ScratchFolder(prefix string) (dir string, remove func(), err error) {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.IsDir() || !strings.HasPrefix(e.Name(), prefix) || time.Since(info.ModTime()) < young {
			continue
		}
		folder := filepath.Join(os.TempDir(), e.Name())
		if !isOurs(info) || !isScratch(folder) {
			continue
		}
		if unlock, err := LockFile(filepath.Join(folder, ownerFile)); err == nil { // its owner is no more
			unlock() // Windows removes no file that is open
			removeScratch(folder)
		}
	}
	if dir, err = os.MkdirTemp("", prefix+"*"); err != nil {
		return "", nil, err
	}
	unlock := func() {}
	if err = os.WriteFile(filepath.Join(dir, ownerFile), []byte(ownerMark(dir)), 0o600); err == nil {
		unlock, err = LockFile(filepath.Join(dir, ownerFile))
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() {
		unlock()
		removeScratch(dir)
	}, nil
}

// isScratch reports whether dir is a folder that [ScratchFolder] created: whether this user's regular file
// in it has our mark.
func isScratch(dir string) bool {
	path := filepath.Join(dir, ownerFile)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || !isOurs(info) {
		return false
	}
	mark := ownerMark(dir)
	content, err := readfile.All(path, int64(len(mark)))
	return err == nil && string(content) == mark
}

// removeScratch removes a scratch folder. The mark goes last, so that the next call removes what one that is
// killed leaves.
func removeScratch(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() == ownerFile {
			continue
		}
		if os.RemoveAll(filepath.Join(dir, e.Name())) != nil {
			return
		}
	}
	os.RemoveAll(dir)
}
