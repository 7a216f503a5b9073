//go:build !unix

package limit

const nonBlocking = 0
