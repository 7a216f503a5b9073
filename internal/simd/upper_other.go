//go:build !goexperiment.simd || !amd64

package simd

// ZeroUpper does nothing: Go's runtime leaves the upper halves of the vector registers alone.
func ZeroUpper() {}
