package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/agekit/age/internal/readfile"
	"github.com/gofrs/flock"
)

// ErrBusy means that another process holds the lock.
var ErrBusy = errors.New("another run is writing there")

// locksTemp says whether temporary files are locked while they are written. On
// Windows, a lock would keep their own writer from writing.
const locksTemp = runtime.GOOS != "windows"

// pollEvery is how often a lock that another process holds is tried.
const pollEvery = 50 * time.Millisecond

// LockFile locks an existing file, which is appended to rather than replaced, or a
// folder, or returns [ErrBusy]. Unix can lock folders and files themselves; Windows
// locks a file NAME.lock. Anything else, such as a pipe, is an error. File systems without
// locks count as locked: there, nothing tells concurrent runs apart.
func LockFile(path string) (unlock func(), err error) {
	return lock(path, (*flock.Flock).TryLock)
}

// patience is how long ShareLock waits.
const patience = 10 * time.Second

// ShareLock locks a file or a folder as [LockFile] does, but for use beside others that share
// it. It waits for one that has it alone, ten seconds at most. The lock ends when unlock is
// called or can no longer be.
func ShareLock(path string) (unlock func(), err error) {
	for start := time.Now(); ; time.Sleep(pollEvery) {
		unlock, err = lock(path, (*flock.Flock).TryRLock)
		if !errors.Is(err, ErrBusy) || time.Since(start) > patience {
			return unlock, err
		}
	}
}

// lock locks the file or folder at path by try, a method of flock that does not wait. It returns
// [ErrBusy] if another process has the lock.
func lock(path string, try func(*flock.Flock) (bool, error)) (unlock func(), err error) {
	info, err := os.Stat(path)
	if err == nil {
		err = lockable(path, info)
	}
	if err != nil {
		return nil, err
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY|nonBlocking)) // a pipe may replace the file by now
	if runtime.GOOS == "windows" {
		if info.IsDir() {
			path = filepath.Join(path, ".agekit")
		}
		path += ".lock"
		if info, err := os.Lstat(path); err == nil {
			if err := lockable(path, info); err != nil {
				return nil, err
			}
		}
		l = flock.New(path)
	}
	locked, err := try(l)
	switch {
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK):
		return func() {}, nil
	case err != nil:
		return nil, err
	case !locked:
		_ = l.Close()
		return nil, ErrBusy
	}
	return func() {
		_ = l.Unlock() // the system does it when the process ends
		if runtime.GOOS == "windows" {
			_ = os.Remove(l.Path()) // fails if another process waits for it
		}
	}, nil
}

// lockable returns an error, which names path, unless info is that of a regular file or a folder.
func lockable(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return fmt.Errorf("%s is %s: want a regular file or a folder", path, readfile.Kind(info.Mode()))
}

// lockTemp locks a temporary file. The error is ErrBusy if another process holds its lock,
// and fs.ErrNotExist if one has removed it.
func lockTemp(path string) (unlock func(), err error) {
	if !locksTemp {
		return func() {}, nil
	}
	if unlock, err = LockFile(path); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err != nil { // another process removed it before it was locked
		unlock()
		return nil, err
	}
	return unlock, nil
}

// wait locks path as [LockFile] does, but waits until the lock is free or ctx is done. If it has to
// wait, it calls waiting once, unless that is nil.
func wait(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	for {
		unlock, err := LockFile(path)
		if !errors.Is(err, ErrBusy) {
			return unlock, err
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}
