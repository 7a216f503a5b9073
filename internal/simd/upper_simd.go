//go:build goexperiment.simd && amd64

package simd

import "simd/archsimd"

// ZeroUpper sets the upper halves of the vector registers to 0, as the kernels do at their end. A loop over
// math.Exp calls it every hundred calls or so. In a program built with GOEXPERIMENT=simd, Go's runtime
// restores the whole registers whenever it interrupts a goroutine, after ten milliseconds. Then an Intel
// processor takes up to 150 times as long for math.Exp, which mixes SSE and AVX instructions, until
// something sets the upper halves to 0 (measured on Emerald Rapids with Go 1.26.8).
func ZeroUpper() {
	if len(available) > 0 { // with AVX
		archsimd.ClearAVXUpperBits()
	}
}
