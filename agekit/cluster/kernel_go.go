//go:build !(goexperiment.simd && amd64)

package cluster

func mulPanel[T float32 | float64](dst matrix[float64], a matrix[T], x matrix[float64]) {
	mulPanelGo(dst, a, x)
}

func mulTransPanel[T float32 | float64](dst matrix[float64], a matrix[T], x matrix[float64]) {
	mulTransPanelGo(dst, a, x)
}
