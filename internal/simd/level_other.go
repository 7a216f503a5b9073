//go:build !amd64

package simd

func detect() []*kernels { return nil }
