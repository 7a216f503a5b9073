package pairs

import (
	"math"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"gonum.org/v1/gonum/blas/blas32"
)

// Normalize returns x with each row scaled to length 1, so that the dot product
// of two rows is their cosine similarity. Zero rows stay zero. The scale of a
// row makes no difference, from float32's smallest number to its largest.
func Normalize(x blas32.General) blas32.General {
	out := dense.New(x.Rows, x.Cols)
	NormalizeTo(out, x)
	return out
}

// NormalizeTo is like [Normalize], but writes the result to out. out and x may
// be the same matrix.
func NormalizeTo(out, x blas32.General) {
	parallel.Blocks(x.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := out.Data[i*out.Stride : i*out.Stride+x.Cols]
			copy(to, x.Data[i*x.Stride:])
			normalizeRow(to)
		}
	})
}

func normalizeRow(r []float32) {
	var squares float64
	for _, v := range r {
		squares += float64(v) * float64(v)
	}
	if squares == 0 {
		return
	}
	length := math.Sqrt(squares)
	if length < 0x1p-100 || length > 0x1p100 { // 1/length may not be a normal float32
		unit := math.Ldexp(1, math.Ilogb(length))
		for k, v := range r {
			r[k] = float32(float64(v) / unit)
		}
		length /= unit
	}
	scale := float32(1 / length)
	for k := range r {
		r[k] *= scale
	}
}
