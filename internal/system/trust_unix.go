//go:build unix

package system

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links a path may lead through, as on Linux.
const maxLinks = 40

// check is [CheckTrusted] for the user and the primary group with these numbers.
func check(path string, user, group int) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	// The folders that hold a link decide where it leads, so each is followed here.
	for range maxLinks {
		next, err := walk(path, user, group)
		if err != nil || next == "" {
			return err
		}
		path = next
	}
	return fmt.Errorf("%s: want at most %d symbolic links", path, maxLinks)
}

// walk examines each folder on the way to path, from the root on, and path itself. At a symbolic link it stops
// and returns the path that leads on from there: the link's target and what follows the link in path.
// Without a link, next is "".
func walk(path string, user, group int) (next string, err error) {
	place, rest := "/", strings.Split(strings.Trim(path, "/"), "/")
	for {
		info, err := os.Lstat(place)
		if err != nil {
			return "", err
		}
		if err := examine(place, info, len(rest) > 0, user, group); err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(place)
			if err != nil {
				return "", err
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(place), target)
			}
			return filepath.Join(append([]string{target}, rest...)...), nil
		}
		if len(rest) == 0 {
			return "", nil
		}
		place, rest = filepath.Join(place, rest[0]), rest[1:]
	}
}

// examine returns an error if the file, link or folder at path belongs to another user than user or root, or
// if others can write to it. above says that it is on the way to what is checked.
func examine(path string, info fs.FileInfo, above bool, user, group int) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New(path + ": its owner is unknown")
	}
	if owner := int(stat.Uid); owner != user && owner != 0 {
		return fmt.Errorf("%s belongs to user %d: want user %d or root", path, owner, user)
	}
	mode := info.Mode()
	if mode&fs.ModeSymlink != 0 {
		return nil // a link's mode means nothing
	}
	switch sticky := above && mode&fs.ModeSticky != 0; {
	case mode.Perm()&0o002 != 0 && !sticky:
		return fmt.Errorf("%s can be written by everybody (mode %04o): want mode %04o", path, mode.Perm(), mode.Perm()&^0o022)
	case mode.Perm()&0o020 != 0 && int(stat.Gid) != group && !sticky:
		return fmt.Errorf("%s can be written by group %d (mode %04o): want mode %04o", path, stat.Gid, mode.Perm(), mode.Perm()&^0o022)
	}
	return nil
}

// sameOwner is [SameOwner].
func sameOwner(a, b string) bool {
	var stats [2]syscall.Stat_t
	return syscall.Stat(a, &stats[0]) == nil && syscall.Stat(b, &stats[1]) == nil && stats[0].Uid == stats[1].Uid
}
