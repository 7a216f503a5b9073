package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agekit/age/internal/atomicfile"
)

// Entry describes a file of a store, as far as that is known without reading it.
type Entry struct {
	Kind string    `json:"kind"` // as given to [NewKey], in letters and digits
	Size int64     `json:"bytes"`
	Used time.Time `json:"used"` // when it was last written or read
	Path string    `json:"path"`
}

// extension ends the names of entries; the kind is before it, after a dot.
const extension = ".entry"

// slug returns the kind of a key as it stands in a file's name: each rune that is not a letter or
// digit of ASCII becomes a dash.
func slug(kind string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, kind)
}

// Entries lists the entries in a store's folder, the one used last first. A folder that
// does not exist has none.
func Entries(dir string) ([]Entry, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("store: %w", err)
	}
	var all []Entry
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
		_, kind, _ := strings.Cut(name, ".") // after the key
		all = append(all, Entry{strings.ReplaceAll(kind, "-", " "), info.Size(), info.ModTime(), filepath.Join(dir, f.Name())})
	}
	slices.SortFunc(all, func(a, b Entry) int { return b.Used.Compare(a.Used) })
	return all, nil
}

// ErrInUse says that another process uses a store.
var ErrInUse = errors.New("a run is using the store")

// Prune removes the entries in a store's folder that were last used before a time, and
// returns them. It removes nothing and returns [ErrInUse] while any process has the store
// open: an entry of a run in progress may be as old as the run.
func Prune(dir string, before time.Time) ([]Entry, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	unlock, err := atomicfile.LockFile(dir)
	if errors.Is(err, atomicfile.ErrBusy) {
		err = ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", dir, err)
	}
	defer unlock()
	atomicfile.Clean(dir, "") // all leftovers of writers that were killed
	all, err := Entries(dir)
	if err != nil {
		return nil, err
	}
	var removed []Entry
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
