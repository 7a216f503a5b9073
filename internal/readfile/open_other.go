//go:build !unix

package readfile

const nonBlocking = 0
