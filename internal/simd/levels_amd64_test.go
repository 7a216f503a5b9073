//go:build goexperiment.simd && amd64

package simd

import "testing"

// atEveryLevel runs a test with each of the forms that this processor has, not
// only with the fastest.
func atEveryLevel(t *testing.T, test func(t *testing.T)) {
	avx512, avx2 := hasAVX512, hasAVX2
	defer func() { hasAVX512, hasAVX2 = avx512, avx2 }()
	for {
		t.Run(chooseLevel(), test)
		switch {
		case hasAVX512:
			hasAVX512 = false
		case hasAVX2:
			hasAVX2 = false
		default:
			return
		}
	}
}
