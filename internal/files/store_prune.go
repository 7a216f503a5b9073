package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// StoreEntry is what a store knows of an entry without reading it.
type StoreEntry struct {
	Kind string    `json:"kind"` // as given to [NewKey], in letters and digits
	Size int64     `json:"bytes"`
	Used time.Time `json:"used"` // when it was last written or read
	Path string    `json:"path"`
}

// extension ends the names of entries; the kind is before it, after a dot.
const extension = ".entry"

// slug returns a kind in the form that is part of a file's name.
func slug(kind string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, kind)
}

// StoreEntries lists the entries in a store's folder, the one used last first. A folder that
// does not exist has none.
func StoreEntries(dir string) ([]StoreEntry, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: %w", err)
	}
	var all []StoreEntry
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), extension)
		if !ok || !f.Type().IsRegular() {
			continue
		}
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		_, kind, _ := strings.Cut(name, ".")
		all = append(all, StoreEntry{strings.ReplaceAll(kind, "-", " "), info.Size(), info.ModTime(), filepath.Join(dir, f.Name())})
	}
	slices.SortFunc(all, func(a, b StoreEntry) int { return b.Used.Compare(a.Used) })
	return all, nil
}

// ErrStoreInUse says that another process uses a store.
var ErrStoreInUse = errors.New("a run is using the store")

// PruneStore removes the entries in a store's folder that were last used before a time, and
// returns them. It removes nothing and returns [ErrStoreInUse] while any process has the store
// open: an entry of a run in progress may be as old as the run.
func PruneStore(dir string, before time.Time) ([]StoreEntry, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unlock, err := LockFile(dir)
	if errors.Is(err, ErrBusy) {
		err = ErrStoreInUse
	}
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", dir, err)
	}
	defer unlock()
	clean(dir, "")
	all, err := StoreEntries(dir)
	if err != nil {
		return nil, err
	}
	var removed []StoreEntry
	for _, e := range all {
		if !e.Used.Before(before) {
			continue
		}
		if err := os.Remove(e.Path); err != nil {
			return removed, fmt.Errorf("store: %w", err)
		}
		removed = append(removed, e)
	}
	return removed, nil
}
