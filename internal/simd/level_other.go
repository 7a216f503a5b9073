//go:build !amd64 && !arm64

package simd

// detect returns no level: there is no assembly for this architecture.
func detect() []*kernels { return nil }
