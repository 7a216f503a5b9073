package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/readfile"
)

// Entry describes a file of a store, as far as that is known without reading its value.
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

// entryName matches the name of an entry: its key and its kind.
var entryName = regexp.MustCompile(`^([0-9a-f]{64})\.([A-Za-z0-9-]*)` + regexp.QuoteMeta(extension) + `$`)

// Entries lists the entries in a store's folder, the one used last first. A folder that
// does not exist has none. An entry is known by its name and by the end of its file, which has the key of
// its name: others are the names of the files that end as an entry does and are none, in alphabetical
// order. They are somebody else's, or damaged.
func Entries(dir string) (all []Entry, others []string, err error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("store: %w", err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), extension) {
			continue
		}
		path := filepath.Join(dir, f.Name())
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, nil, fmt.Errorf("store: %w", err)
		}
		name := entryName.FindStringSubmatch(f.Name())
		if name == nil || !info.Mode().IsRegular() || !holdsKey(path, name[1]) {
			others = append(others, f.Name())
			continue
		}
		all = append(all, Entry{strings.ReplaceAll(name[2], "-", " "), info.Size(), info.ModTime(), path})
	}
	slices.SortFunc(all, func(a, b Entry) int { return b.Used.Compare(a.Used) })
	return all, others, nil
}

// holdsKey reports whether the file at path ends as an entry does, and says that it holds a key. The value
// is not read.
func holdsKey(path, key string) bool {
	file, size, err := readfile.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	footer, err := atomicfile.ReadFooter(file, size)
	return err == nil && string(footer.About) == strconv.Quote(key)
}

// ErrInUse says that another process uses a store.
var ErrInUse = errors.New("a run is using the store")

// Prune removes the entries in a store's folder that were last used before a time, and
// returns them, and the names of the files that it left because they are no entries (see [Entries]).
// It removes nothing and returns [ErrInUse] while any process has the store
// open: an entry of a run in progress may be as old as the run.
func Prune(dir string, before time.Time) (removed []Entry, others []string, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	unlock, err := atomicfile.LockFile(dir)
	if errors.Is(err, atomicfile.ErrBusy) {
		err = ErrInUse
	}
	if err != nil {
		return nil, nil, fmt.Errorf("store: %s: %w", dir, err)
	}
	defer unlock()
	atomicfile.Clean(dir, "") // all leftovers of writers that were killed
	all, others, err := Entries(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range all {
		if !e.Used.Before(before) {
			continue
		}
		if err := os.Remove(e.Path); err != nil {
			return removed, others, fmt.Errorf("store: %w", err)
		}
		removed = append(removed, e)
	}
	return removed, others, nil
}
