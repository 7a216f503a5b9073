//go:build !amd64 && !arm64

package simd

func detect() []*kernels { return nil }
