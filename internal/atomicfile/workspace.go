package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// workspaceFile is the file that tells a workspace from a folder of somebody else.
const workspaceFile = ".agekit-workspace"

// Workspace creates the folder path for files that are needed while something is computed,
// or takes up the one that an earlier call created. The error for a folder with files that
// are not ours says so.
func Workspace(path string) error {
	if err := CheckWorkspace(path); err != nil {
		return err
	}
	if err := os.MkdirAll(path, permissions); err != nil || isWorkspace(path) {
		return err
	}
	return errors.Join(newFile(filepath.Join(path, workspaceFile), Bytes(nil)), syncDir(path))
}

// RemoveWorkspace removes a folder that [Workspace] created, with all that is in it. The file by which
// a workspace is known goes last, so that a call which is killed can be made again. Another folder
// stays, without an error.
func RemoveWorkspace(path string) error {
	if !isWorkspace(path) {
		return nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == workspaceFile {
			continue
		}
		if err := os.RemoveAll(filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	return os.RemoveAll(path)
}

// isWorkspace reports whether path is a folder that [Workspace] created.
func isWorkspace(path string) bool {
	folder, err := os.Lstat(path)
	if err != nil || !folder.IsDir() {
		return false
	}
	info, err := os.Lstat(filepath.Join(path, workspaceFile))
	return err == nil && info.Mode()&fs.ModeType == 0
}
