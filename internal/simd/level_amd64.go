package simd

import "golang.org/x/sys/cpu"

// detect returns the levels that this processor has, fastest first.
func detect() (levels []*kernels) {
	avx2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA
	if avx2 && cpu.X86.HasAVX512 {
		levels = append(levels, &avx512Kernels)
	}
	if avx2 {
		levels = append(levels, &avx2Kernels)
	}
	return levels
}

var avx2Kernels = kernels{
	level: "avx2",
	dot:   dotAVX2, dots4: dots4AVX2,
	gram:          []rowKernel[gramKernel]{{3, gram3x4AVX2}, {1, gram1x4AVX2}},
	csrRows:       csrRowsAVX2,
	csrNarrow:     csrNarrowAVX2,
	dense:         []rowKernel[denseKernel]{{3, dense3AVX2}, {1, dense1AVX2}},
	widen:         widenAVX2,
	mulPanel:      []rowKernel[panelKernel]{{4, mulPanelAVX2}},
	mulTransPanel: []rowKernel[panelKernel]{{4, mulTransPanelAVX2}},
	vectorKernels: avx2Vectors,
}

var avx512Kernels = kernels{
	level: "avx512",
	dot:   dotAVX512, dots4: dots4AVX512,
	gram:          []rowKernel[gramKernel]{{4, gram4x4AVX512}, {1, gram1x4AVX512}},
	csrRows:       csrRowsAVX512,
	csrNarrow:     csrNarrowAVX512,
	dense:         []rowKernel[denseKernel]{{4, dense4AVX512}, {1, dense1AVX512}},
	widen:         widenAVX2,
	mulPanel:      []rowKernel[panelKernel]{{8, mulPanelAVX512}, {4, mulPanelAVX2}},
	mulTransPanel: []rowKernel[panelKernel]{{8, mulTransPanelAVX512}, {4, mulTransPanelAVX2}},
	vectorKernels: avx2Vectors,
}

// avx2Vectors serve AVX-512 too: memory bounds them.
var avx2Vectors = vectorKernels{
	axpy: axpyAVX2, combine: combineAVX2, shiftScale: shiftScaleAVX2, sum: sumAVX2,
	minimum: minimumAVX2, bins: binsAVX2, adam: adamAVX2, logistic: logisticAVX2,
}
