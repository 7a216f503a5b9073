package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteTree creates the folder path with what fill puts into the empty folder dir; path appears only
// when that is complete. WriteTree does nothing if path exists. Processes that create folders beside
// path take turns: before WriteTree waits for another, it calls waiting, unless that is nil.
func WriteTree(ctx context.Context, path string, waiting func(), fill func(dir string) error) error {
	parent := filepath.Dir(path)
	if err := os.MkdirAll(parent, permissions); err != nil {
		return err
	}
	unlock, err := wait(ctx, parent, waiting)
	if err != nil {
		return fmt.Errorf("%s: %w", parent, err)
	}
	defer unlock()
	cleanFolders(parent)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp := tempName(parent, filepath.Base(path))
	if err := os.Mkdir(temp, permissions); err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := fill(temp); err != nil {
		return err
	}
	if err := syncTree(temp); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncDir(parent)
}

// syncTree syncs the folder dir and all files and folders in it.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return syncDir(path)
		case !d.Type().IsRegular():
			return nil
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows syncs only what may be written
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
