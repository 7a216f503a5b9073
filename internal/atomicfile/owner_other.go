//go:build !unix

package atomicfile

import "io/fs"

// nonBlocking is no flag: the one for it is Unix's.
const nonBlocking = 0

// isOurs reports true: on Windows each user has temporary files of their own.
func isOurs(fs.FileInfo) bool { return true }
