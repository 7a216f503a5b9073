package cluster

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/rows"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// newGramPower returns the affinity Sᵢⱼ = max(zᵢ·zⱼ, 0)ᵖ for p > 0, without the
// diagonal. A power above 1 makes it sharper, so that distant rows count for less; a
// power below 1 makes it softer. If the entries of z are very small or large, S is
// multiplied by a constant, on which no clustering depends.
//
// For p = 1 and rows without negative numbers it is Gram. Otherwise every product
// recomputes the similarities in blocks, in float32, by n²·d/2 multiplications. The
// result does not depend on the number of cores.
func newGramPower(z blas32.General, p float64) Affinity {
	if !(p > 0) {
		panic(fmt.Sprintf("cluster: power is %v: want a positive number", p))
	}
	z = inUnits(z)
	if p == 1 && !rows.AnyNegative(z) {
		return Gram(z)
	}
	return gramPower{dense.Padded(z), p, false}
}

// GramAbs returns the affinity Sᵢⱼ = |zᵢ·zⱼ|, without the diagonal. A product
// takes n²·d/2 multiplications.
func GramAbs(z blas32.General) Affinity { return gramPower{dense.Padded(z), 1, true} }

type gramPower struct {
	z        blas32.General // with zero padding
	p        float64
	absolute bool // |zᵢ·zⱼ|ᵖ, where similarities below 0 count
}

func (g gramPower) Dim() int { return g.z.Rows }

func (g gramPower) Degrees(ctx context.Context) ([]float64, error) {
	if err := checkFinite(dense.From32(g.z)); err != nil {
		return nil, err
	}
	degrees, err := rowSums(ctx, g.z.Rows, g.MulTo)
	if err != nil {
		return nil, err
	}
	return degrees, checkDegrees(degrees)
}

// powerRows×powerCols similarities are computed at a time, so that their rows
// stay in the L2 cache.
const powerRows, powerCols = 64, 128

// MulTo uses each similarity of the upper triangle for both halves. Each range of
// rows has its own sum, and the sums are added in order, so that the result does not
// depend on the number of cores.
func (g gramPower) MulTo(ctx context.Context, dst, x blas64.General) error {
	y, v := dense.Matrix[float64](dst), dense.Matrix[float64](x)
	z, grain := g.z, (dense.Grain(g.z.Rows)+powerRows-1)/powerRows*powerRows
	parts := make([]dense.Matrix[float64], (z.Rows+grain-1)/grain)
	err := parallel.BlocksContext(ctx, z.Rows, grain, func(lo, hi int) {
		sum := dense.NewMatrix[float64](z.Rows, v.Cols)
		buffer := make([]float32, powerRows*powerCols)
		for i := lo; i < hi; i += powerRows {
			count := min(powerRows, hi-i)
			add := func(j, cols int, products []float32) bool {
				s := dense.Matrix[float32]{Rows: count, Cols: cols, Data: products, Stride: cols}
				raise(products, g.p, g.absolute)
				if j == i {
					for r := range count {
						s.Row(r)[r] = 0
					}
				} else {
					dense.MulTransAdd(sum.Slice(j, j+cols, 0, v.Cols), s, v.Slice(i, i+count, 0, v.Cols))
				}
				dense.MulAdd(sum.Slice(i, i+count, 0, v.Cols), s, v.Slice(j, j+cols, 0, v.Cols))
				return ctx.Err() == nil
			}
			// The block on the diagonal is square and contains both halves.
			diagonal := z
			diagonal.Rows = i + count
			dense.GramBand(z, diagonal, i, i+count, i, count, buffer, add)
			dense.GramBand(z, z, i, i+count, i+count, powerCols, buffer, add)
		}
		parts[lo/grain] = sum
	})
	if err != nil {
		return err
	}
	if len(parts) > 0 {
		dense.CopyRows(y, dense.SumInOrder(parts))
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
