package cluster

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// GramPower returns the affinity whose entries are powers of similarities,
// Sᵢⱼ = max(zᵢ·zⱼ, 0)ᵖ for p > 0, without the diagonal. A power above 1 makes
// it sharper, so that distant rows count for less; a power below 1 makes it
// softer.
//
// If the entries of z are very small or large, S is multiplied by a constant, on
// which no clustering depends, to keep it in the range of float32.
//
// For p = 1 and rows without negative numbers it is Gram. In all other cases a
// product takes n²·d/2 multiplications: every product recomputes the
// similarities in blocks, in float32. The result does not depend on the number
// of cores.
func GramPower(z blas32.General, p float64) Affinity {
	if !(p > 0) {
		panic(fmt.Sprintf("cluster: power is %v: want a positive number", p))
	}
	z = inUnits(z)
	rows, least := withPadding(z), float32(0)
	for _, v := range rows.data {
		least = min(least, v)
	}
	if p == 1 && least == 0 {
		return Gram(z)
	}
	return gramPower{rows, p, false}
}

// GramAbs returns the affinity Sᵢⱼ = |zᵢ·zⱼ|, without the diagonal. Its products
// take as many multiplications as those of [GramPower].
func GramAbs(z blas32.General) Affinity { return gramPower{withPadding(z), 1, true} }

type gramPower struct {
	z        matrix[float32] // with zero padding
	p        float64
	absolute bool // |zᵢ·zⱼ|ᵖ, where similarities below 0 count
}

// withPadding copies the rows of z, with zero padding.
func withPadding(z blas32.General) matrix[float32] {
	rows := matrix[float32]{z.Rows, simd.Padded(z.Cols), simd.Padded(z.Cols), nil}
	rows.data = make([]float32, rows.rows*rows.stride)
	for i := range z.Rows {
		copy(rows.row(i), z.Data[i*z.Stride:i*z.Stride+z.Cols])
	}
	return rows
}

func (g gramPower) Dim() int { return g.z.rows }

func (g gramPower) Degrees(ctx context.Context) ([]float64, error) {
	if err := checkFinite(g.z); err != nil {
		return nil, err
	}
	ones, sums := newMatrix(g.z.rows, lanes), newMatrix(g.z.rows, lanes)
	for i := range ones.rows {
		ones.row(i)[0] = 1
	}
	if err := g.MulTo(ctx, to64(sums), to64(ones)); err != nil {
		return nil, err
	}
	degrees := make([]float64, g.z.rows)
	for i := range degrees {
		degrees[i] = sums.row(i)[0]
	}
	return degrees, checkDegrees(degrees)
}

// powerRows×powerCols similarities are computed at a time, so that their rows
// stay in the L2 cache.
const powerRows, powerCols = 64, 128

// MulTo computes the similarities of the upper triangle and uses each for both
// halves. Each range of rows has its own sum, and the sums are added in order,
// so that the result does not depend on the number of cores.
func (g gramPower) MulTo(ctx context.Context, dst, x blas64.General) error {
	y, v := from64(dst), from64(x)
	z := blas32.General{Rows: g.z.rows, Cols: g.z.cols, Stride: g.z.stride, Data: g.z.data}
	grain := (rowGrain(z.Rows) + powerRows - 1) / powerRows * powerRows
	parts := make([]matrix[float64], (z.Rows+grain-1)/grain)
	err := parallel.BlocksContext(ctx, z.Rows, grain, func(lo, hi int) {
		sum := newMatrix(z.Rows, v.cols)
		buffer := make([]float32, powerRows*powerCols)
		for i := lo; i < hi; i += powerRows {
			rows := min(powerRows, hi-i)
			add := func(j, cols int, products []float32) bool {
				s := matrix[float32]{rows, cols, cols, products}
				raise(products, g.p, g.absolute)
				if j == i {
					for r := range rows {
						s.row(r)[r] = 0
					}
				} else {
					mulTransAdd(sum.slice(j, j+cols, 0, v.cols), s, v.slice(i, i+rows, 0, v.cols))
				}
				mulAdd(sum.slice(i, i+rows, 0, v.cols), s, v.slice(j, j+cols, 0, v.cols))
				return ctx.Err() == nil
			}
			// The block on the diagonal is square and contains both halves.
			diagonal := z
			diagonal.Rows = i + rows
			dense.GramBand(z, diagonal, i, i+rows, i, rows, buffer, add)
			dense.GramBand(z, z, i, i+rows, i+rows, powerCols, buffer, add)
		}
		parts[lo/grain] = sum
	})
	if err != nil {
		return err
	}
	if len(parts) > 0 {
		copyRows(y, sumInOrder(parts))
	}
	return ctx.Err()
}

// raise replaces every number with its power, and negative numbers with 0 or, if
// absolute, with the power of their absolute value.
func raise(s []float32, p float64, absolute bool) {
	whole, half := int(p), p != math.Trunc(p)
	multiples := p == float64(whole) || p == float64(whole)+0.5
	for i, v := range s {
		if absolute {
			v = max(v, -v)
		}
		v = max(v, 0)
		if !multiples {
			s[i] = float32(math.Pow(float64(v), p))
			continue
		}
		power := float32(1)
		if half {
			power = float32(math.Sqrt(float64(v)))
		}
		for range whole {
			power *= v
		}
		s[i] = power
	}
}
