package linalg

// This part has what several packages do with the rows of a float32 matrix,
// the points that they compare by inner product or cosine.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"
)

// Normalize returns x with each row scaled to length 1, so that the dot product of two
// rows is their cosine similarity. Zero rows stay zero. The scale of a row makes no
// difference, over all of float32's range.
func Normalize(x blas32.General) blas32.General {
	out := New(x.Rows, x.Cols)
	NormalizeTo(out, x)
	return out
}

// NormalizeTo writes the rows of x, scaled as by [Normalize], to out, which may be x itself.
func NormalizeTo(out, x blas32.General) {
	Parallel(x.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := out.Data[i*out.Stride : i*out.Stride+x.Cols]
			copy(row, x.Data[i*x.Stride:])
			normalizeRow(row)
		}
	})
}

// normalizeRow scales the row r in place to length 1, unless it is zero.
func normalizeRow(r []float32) {
	squares := SumOfSquares(r)
	if squares == 0 {
		return
	}
	length := math.Sqrt(squares)
	if length < 0x1p-100 || length > 0x1p100 { // 1/length may not be a normal float32
		unit := math.Ldexp(1, math.Ilogb(length)) // a power of two, by which the division is exact
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

// SumOfSquares returns the sum of the squares of x.
func SumOfSquares[T float32 | float64](x []T) float64 {
	s := 0.0
	for _, v := range x {
		s += float64(v) * float64(v)
	}
	return s
}

// Shifted returns rows whose inner products are (1 + zᵢ·zⱼ)/2: z/√2 and a column of 1/√2. For rows of
// length 1, these products are in [0, 1] and in the order of the cosines. Spectral clustering needs
// similarities that are not negative.
func Shifted(z blas32.General) blas32.General {
	out := blas32.General{Rows: z.Rows, Cols: z.Cols + 1, Stride: z.Cols + 1, Data: make([]float32, z.Rows*(z.Cols+1))}
	for i := range z.Rows {
		row := out.Data[i*out.Stride:][:out.Cols]
		for j, v := range z.Data[i*z.Stride:][:z.Cols] {
			row[j] = v * math.Sqrt2 / 2
		}
		row[z.Cols] = math.Sqrt2 / 2
	}
	return out
}

// NonNegative returns z itself if it has no negative entry, since then no inner product of its rows is
// negative, and otherwise [Shifted].
func NonNegative(z blas32.General) blas32.General {
	if AnyNegative(z) {
		return Shifted(z)
	}
	return z
}

// AnyNegative reports whether z has a negative entry.
func AnyNegative(z blas32.General) bool {
	for i := range z.Rows {
		for _, v := range z.Data[i*z.Stride:][:z.Cols] {
			if v < 0 {
				return true
			}
		}
	}
	return false
}

// SideBySide returns [Z₁ Z₂ … Z_R]/√R for R embeddings of the same n nodes; Z₁ itself for one. The inner
// products of its rows are the means of those of the embeddings.
func SideBySide(embeddings ...blas32.General) blas32.General {
	if len(embeddings) == 1 {
		return embeddings[0]
	}
	n, cols := 0, 0
	for r, z := range embeddings {
		if r > 0 && z.Rows != n {
			panic(fmt.Sprintf("rows: embeddings of %d and %d nodes side by side", n, z.Rows))
		}
		n, cols = z.Rows, cols+z.Cols
	}
	all := blas32.General{Rows: n, Cols: cols, Stride: cols, Data: make([]float32, n*cols)}
	Parallel(n, 256, func(lo, hi int) { sideBySide(all, embeddings, lo, hi) })
	return all
}

// sideBySide sets rows [lo, hi) of all, the result of [SideBySide].
func sideBySide(all blas32.General, embeddings []blas32.General, lo, hi int) {
	scale := float32(1 / math.Sqrt(float64(len(embeddings))))
	for i := lo; i < hi; i++ {
		dst := all.Data[i*all.Stride:][:all.Cols]
		for _, z := range embeddings {
			for c, v := range z.Data[i*z.Stride : i*z.Stride+z.Cols] {
				dst[c] = scale * v
			}
			dst = dst[z.Cols:]
		}
	}
}
