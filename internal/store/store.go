package store

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/readfile"
)

// Store is a folder of results. Any number of goroutines and processes may use it.
type Store struct {
	// Logf, unless nil, receives what no caller has to act on: a damaged entry that
	// was dropped, or a result that could not be stored. Set it before sharing.
	Logf func(format string, args ...any)
	// Dir is the folder, which [Open] sets.
	Dir string

	unlock func() // holds the lock that keeps Prune away, as long as the store is in use
}

// Open opens the store in the folder dir, which it creates if necessary. If dir is "", the folder
// is $AGEKIT_STORE or, if that is not set, agekit/store in the user's cache directory. Open waits
// until no [Prune] is in progress there.
func Open(dir string) (*Store, error) {
	dir, err := Folder(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	unlock, err := atomicfile.ShareLock(dir)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", dir, err)
	}
	atomicfile.Clean(dir, "")
	return &Store{Dir: dir, unlock: unlock}, nil
}

// Folder returns the folder that [Open] opens for dir: dir itself, or the default if dir is "".
func Folder(dir string) (string, error) {
	if dir = cmp.Or(dir, os.Getenv("AGEKIT_STORE")); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("store: no folder given and AGEKIT_STORE not set: %w", err)
	}
	return filepath.Join(cache, "agekit", "store"), nil
}

// Cached returns the result stored under key, with hit true, or else what compute
// returns, which it stores for the next call unless compute fails. If the disk is full or
// the folder read-only, it tells Logf and returns the result anyway. A nil store keeps
// nothing. See [Put] for what T may be and what comes back.
func Cached[T any](s *Store, key Key, compute func() (T, error)) (value T, hit bool, err error) {
	if s == nil {
		value, err = compute()
		return value, false, err
	}
	if value, ok := Stored[T](s, key); ok {
		return value, true, nil
	}
	if value, err = compute(); err != nil {
		return value, false, err
	}
	if err := Put(s, key, value); err != nil {
		s.log("%v", err)
	}
	return value, false, nil
}

// Stored returns the value of type T stored under key, with ok false if there is none. It removes
// the file of a damaged value, tells Logf, and returns ok false. Reading a value is a use of it,
// which sets the time that [Prune] looks at.
func Stored[T any](s *Store, key Key) (value T, ok bool) {
	key = key.typed(reflect.TypeFor[T]())
	path := s.path(key)
	f, size, err := readfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return value, false
	}
	if err == nil {
		err = readEntry(f, size, key, &value)
		f.Close()
		if err != nil {
			os.Remove(path)
		}
	}
	if err != nil {
		s.log("store: %s is unusable and will be computed again: %v", path, err)
		return *new(T), false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now)
	return value, true
}

// Put stores value under key, completely or not at all, in place of an earlier value of
// the same type. The error names the file.
//
// T may consist of numbers, strings, slices, maps, pointers and structs. Of a struct, unexported
// fields and those that JSON leaves out are not stored. Or T has the methods of
// [encoding.BinaryMarshaler] and [encoding.BinaryUnmarshaler]. Complex numbers, functions and
// channels are an error, and a value in an interface comes back as its basic type. [Matrix] is the
// fast form of a blas32.General. A large T writes itself, without a copy in memory, if *T has
//
//	EncodeTo(w io.Writer) error
//	DecodeFrom(r io.Reader, size int64) error
//
// The reader r ends after size bytes. [Stored] calls DecodeFrom only for a file whose checksum
// matches, but somebody may have made such a file: DecodeFrom must allocate no more than size
// warrants.
func Put[T any](s *Store, key Key, value T) error {
	key = key.typed(reflect.TypeFor[T]())
	if err := atomicfile.Write(s.path(key), func(w io.Writer) error { return writeEntry(w, key, &value) }); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// Remove removes the value of type T stored under key, if there is one.
func Remove[T any](s *Store, key Key) error {
	if err := os.Remove(s.path(key.typed(reflect.TypeFor[T]()))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}

// path returns the path of the file for a key that [Key.typed] returned.
func (s *Store) path(key Key) string {
	return filepath.Join(s.Dir, key.String()+"."+slug(key.kind)+extension)
}

// log tells Logf, if there is one.
func (s *Store) log(format string, args ...any) {
	if s.Logf != nil {
		s.Logf(format, args...)
	}
}
