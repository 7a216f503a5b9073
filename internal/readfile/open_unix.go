//go:build unix

package readfile

import "syscall"

// nonBlocking keeps a pipe that replaces a file between two looks from blocking
// the program. It has no effect on regular files.
const nonBlocking = syscall.O_NONBLOCK
