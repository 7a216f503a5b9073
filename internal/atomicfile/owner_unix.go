//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"
)

// nonBlocking keeps a pipe that somebody put in place of a lock from blocking the program. It has no effect
// on files and folders.
const nonBlocking = syscall.O_NONBLOCK

// isOurs reports whether this user owns the file or folder that info describes.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
