package system

// This part decides whether other users could have written what is about to run.

import "os"

// CheckTrusted returns an error unless the file or folder at path, and every folder and
// symbolic link on the way to it, belongs to this user or to root and can be
// written by nobody else. A folder on the way may be writable by all if it is
// sticky, as /tmp is, and by the group if that is the user's own primary group. Where
// files have no owner and mode, as on Windows, the path only has to exist.
func CheckTrusted(path string) error { return check(path, os.Getuid(), os.Getgid()) }

// SameOwner reports whether two files or folders belong to the same user. Where
// files have no owner, they do.
func SameOwner(a, b string) bool { return sameOwner(a, b) }
