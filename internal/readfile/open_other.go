//go:build !unix

package readfile

// nonBlocking is no flag: the one for it is Unix's.
const nonBlocking = 0
