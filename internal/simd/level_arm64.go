package simd

// detect needs no test: every 64-bit ARM processor that Go runs on has NEON.
func detect() []*kernels { return []*kernels{&neonKernels} }

var neonKernels = kernels{
	level: "neon",
	dot:   dotNEON, dots4: dots4NEON,
	gram:          []rowKernel[gramKernel]{{3, gram3x4NEON}, {1, gram1x4NEON}},
	csrRows:       csrRowsNEON,
	dense:         []rowKernel[denseKernel]{{4, dense4NEON}, {1, dense1NEON}},
	widen:         widenNEON,
	mulPanel:      []rowKernel[panelKernel]{{4, mulPanelNEON}},
	mulTransPanel: []rowKernel[panelKernel]{{4, mulTransPanelNEON}},
	vectorKernels: vectorKernels{
		axpy: axpyNEON, combine: combineNEON, shiftScale: shiftScaleNEON, sum: sumNEON,
		minimum: minimumNEON, bins: binsNEON, adam: adamNEON, logistic: logisticNEON,
	},
}
