package cluster

import (
	"math"

	"gonum.org/v1/gonum/blas/blas32"
)

// Shifted returns rows whose inner products are (1 + zᵢ·zⱼ)/2: z/√2 with a further
// column of 1/√2. For rows of length 1, these similarities are in [0, 1], in the
// same order as the cosines, as spectral clustering needs them.
func Shifted(z blas32.General) blas32.General {
	out := blas32.General{Rows: z.Rows, Cols: z.Cols + 1, Stride: z.Cols + 1, Data: make([]float32, z.Rows*(z.Cols+1))}
	for i := range z.Rows {
		to := out.Data[i*out.Stride:][:out.Cols]
		for j, v := range z.Data[i*z.Stride:][:z.Cols] {
			to[j] = v * math.Sqrt2 / 2
		}
		to[z.Cols] = math.Sqrt2 / 2
	}
	return out
}

// NonNegative returns z itself if it has no negative entry, so that no similarity
// is negative, and [Shifted] otherwise.
func NonNegative(z blas32.General) blas32.General {
	for i := range z.Rows {
		for _, v := range z.Data[i*z.Stride:][:z.Cols] {
			if v < 0 {
				return Shifted(z)
			}
		}
	}
	return z
}
