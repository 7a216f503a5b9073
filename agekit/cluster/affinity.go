package cluster

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Affinity is a symmetric n×n matrix S of similarities that is given only by its
// products. Its diagonal counts as zero.
type Affinity interface {
	// The operator multiplies n×b matrices, where b is a multiple of 8.
	linalg.Operator
	// Degrees returns the row sums dᵢ = Σ_{j≠i} Sᵢⱼ, exactly 0 for a row without any
	// similarity. If an entry is not a finite number, the error names its position.
	Degrees(ctx context.Context) ([]float64, error)
}

// Gram returns the affinity S = ZZᵀ without its diagonal. A product takes 2·n·d·b
// multiplications and memory proportional to (n+d)·b, since it never forms S. Gram
// keeps a reference to Z.
func Gram(z blas32.General) Affinity {
	m := linalg.From32(z)
	return gram{z: m, diagonal: squaredLengths(m)}
}

// Sparse returns the affinity S = A without its diagonal, for a symmetric sparse matrix such
// as a graph's adjacency matrix. It keeps a reference to A and panics if A is not square.
func Sparse(a *graph.CSR) Affinity {
	if a.Rows != a.Cols {
		panic(fmt.Sprintf("cluster: affinity of shape %d×%d: want a square matrix", a.Rows, a.Cols))
	}
	return sparse{a}
}

// gram is the affinity ZZᵀ.
type gram struct {
	z        linalg.Matrix[float32]
	diagonal []float64 // |zᵢ|², subtracted from the products
}

// product sets dst = ZZᵀx, diagonal included.
func (g gram) product(ctx context.Context, dst, x blas64.General) error {
	y, err := linalg.MulTrans(ctx, g.z, linalg.Matrix[float64](x))
	if err != nil {
		return err
	}
	return linalg.Mul(ctx, linalg.Matrix[float64](dst), g.z, y)
}

func (g gram) Dim() int { return g.z.Rows }

// Degrees returns the row sums of ZZᵀ without its diagonal.
func (g gram) Degrees(ctx context.Context) ([]float64, error) {
	// If the sum of squares is finite, so are the entries.
	if sum := floats.Sum(g.diagonal); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, linalg.CheckFinite(g.z)
	}
	degrees, err := rowSums(ctx, g.z.Rows, g.product)
	if err != nil {
		return nil, err
	}
	for i := range degrees {
		degrees[i] -= g.diagonal[i]
		// If a row is orthogonal to all others, only the sum's rounding error is left,
		// which is not an affinity.
		const rounding = 1e-12
		if math.Abs(degrees[i]) <= rounding*g.diagonal[i] {
			degrees[i] = 0
		}
	}
	return degrees, nil
}

// rowSums returns the row sums of an n×n matrix S: the product with a vector of ones. product sets dst =
// Sx; the ones are the first column of the narrowest x that it takes.
func rowSums(ctx context.Context, n int, product func(ctx context.Context, dst, x blas64.General) error) ([]float64, error) {
	ones, products := linalg.NewMatrix[float64](n, simd.PanelWidth), linalg.NewMatrix[float64](n, simd.PanelWidth)
	for i := range n {
		ones.Row(i)[0] = 1
	}
	if err := product(ctx, blas64.General(products), blas64.General(ones)); err != nil {
		return nil, err
	}
	sums := make([]float64, n)
	for i := range sums {
		sums[i] = products.Row(i)[0]
	}
	return sums, nil
}

// MulTo sets dst = ZZᵀx − diag(ZZᵀ)x.
func (g gram) MulTo(ctx context.Context, dst, x blas64.General) error {
	if err := g.product(ctx, dst, x); err != nil {
		return err
	}
	products, factors := linalg.Matrix[float64](dst), linalg.Matrix[float64](x)
	return linalg.ParallelContext(ctx, products.Rows, linalg.RowGrain(products.Rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			product := products.Row(i)
			for c, v := range factors.Row(i) {
				product[c] -= g.diagonal[i] * v
			}
		}
	})
}

// sparse is the affinity A.
type sparse struct{ a *graph.CSR }

func (s sparse) Dim() int { return s.a.Rows }

// Degrees returns the row sums of A without its diagonal.
func (s sparse) Degrees(context.Context) ([]float64, error) {
	degrees := make([]float64, s.a.Rows)
	for i := range degrees {
		for j, v := range s.a.Each(i) {
			if j != i {
				degrees[i] += float64(v)
			}
		}
	}
	return degrees, nil
}

// MulTo sets dst = Ax without A's diagonal.
func (s sparse) MulTo(ctx context.Context, dst, x blas64.General) error {
	products, factors := linalg.Matrix[float64](dst), linalg.Matrix[float64](x)
	return linalg.ParallelContext(ctx, products.Rows, linalg.RowGrain(products.Rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			product := products.Row(i)
			clear(product)
			for j, w := range s.a.Each(i) {
				if j == i {
					continue
				}
				for c, v := range factors.Row(j) {
					product[c] += float64(w) * v
				}
			}
		}
	})
}

// newGramPower returns the affinity Sᵢⱼ = max(zᵢ·zⱼ, 0)ᵖ for p > 0, without the
// diagonal. A power above 1 makes it sharper, so that distant rows count for less; a
// power below 1 makes it softer. If the entries of z are very small or large, a
// constant multiplies S, on which no clustering depends.
//
// For p = 1 and rows without negative numbers it is Gram. Otherwise every product
// recomputes the similarities in blocks, in float32, by n²·d/2 multiplications.
func newGramPower(z blas32.General, p float64) Affinity {
	if !(p > 0) {
		panic(fmt.Sprintf("cluster: power is %v: want a positive number", p))
	}
	z = inUnits(z)
	if p == 1 && !linalg.AnyNegative(z) {
		return Gram(z)
	}
	return gramPower{z: linalg.Padded(z), p: p, absolute: false}
}

// GramAbs returns the affinity Sᵢⱼ = |zᵢ·zⱼ|, without the diagonal. A product
// takes n²·d/2 multiplications.
func GramAbs(z blas32.General) Affinity {
	return gramPower{z: linalg.Padded(z), p: 1, absolute: true}
}

// gramPower is the affinity max(zᵢ·zⱼ, 0)ᵖ.
type gramPower struct {
	z        blas32.General // with zero padding
	p        float64
	absolute bool // |zᵢ·zⱼ|ᵖ, where similarities below 0 count
}

func (g gramPower) Dim() int { return g.z.Rows }

// Degrees returns the row sums of S, by a product with ones.
func (g gramPower) Degrees(ctx context.Context) ([]float64, error) {
	if err := linalg.CheckFinite(linalg.From32(g.z)); err != nil {
		return nil, err
	}
	return rowSums(ctx, g.z.Rows, g.MulTo)
}

// gramPower.MulTo computes powerRows×powerCols similarities at a time: their rows stay in the L2 cache.
const powerRows, powerCols = 64, 128

// MulTo sets dst = Sx. It computes the similarities of the upper triangle only, and uses each for both
// halves of the symmetric S.
func (g gramPower) MulTo(ctx context.Context, dst, x blas64.General) error {
	factors := linalg.Matrix[float64](x)
	n, b := g.z.Rows, factors.Cols
	grain := (linalg.RowGrain(n) + powerRows - 1) / powerRows * powerRows // whole bands of powerRows
	total, err := linalg.SumOfRanges(ctx, n, grain, n, b, func(sum linalg.Matrix[float64], lo, hi int) {
		buffer := make([]float32, powerRows*powerCols)
		for i := lo; i < hi; i += powerRows {
			count := min(powerRows, hi-i)
			// add adds to sum the products of x with a block of S: `count` rows from i on, and cols columns
			// from j on. It raises the similarities to S's entries in place.
			add := func(j, cols int, similarities []float32) bool {
				block := linalg.Matrix[float32]{Rows: count, Cols: cols, Data: similarities, Stride: cols}
				raise(similarities, g.p, g.absolute)
				if j == i { // the diagonal counts as 0
					for r := range count {
						block.Row(r)[r] = 0
					}
				} else {
					linalg.MulTransAdd(sum.Slice(j, j+cols, 0, b), block, factors.Slice(i, i+count, 0, b))
				}
				linalg.MulAdd(sum.Slice(i, i+count, 0, b), block, factors.Slice(j, j+cols, 0, b))
				return ctx.Err() == nil
			}
			// The block on the diagonal is square and contains both halves: it ends where the band does.
			upToBand := g.z
			upToBand.Rows = i + count
			linalg.GramBand(g.z, upToBand, i, i+count, i, count, buffer, add)
			linalg.GramBand(g.z, g.z, i, i+count, i+count, powerCols, buffer, add)
		}
	})
	if err != nil {
		return err
	}
	linalg.CopyRows(linalg.Matrix[float64](dst), total)
	return ctx.Err()
}

// raise replaces every number v of s with max(v, 0)ᵖ or, if absolute, with |v|ᵖ.
func raise(s []float32, p float64, absolute bool) {
	// Powers that are multiples of ½ are products of the number and its root.
	whole, half := int(p), p != math.Trunc(p)
	isMultiple := p == float64(whole) || p == float64(whole)+0.5
	for i, v := range s {
		if absolute {
			v = max(v, -v)
		}
		v = max(v, 0)
		if !isMultiple {
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

// checkDegrees returns an error that names a row whose degree has no finite square root: it is negative,
// infinite or NaN.
func checkDegrees(degrees []float64) error {
	for i, d := range degrees {
		if d < 0 {
			return fmt.Errorf("row %d: its affinities add up to %.4g, but spectral clustering needs sums that are not negative: use rows without negative entries, for example scaled to [0, 1]", i, d)
		}
		if math.IsNaN(d) || math.IsInf(d, 1) {
			return fmt.Errorf("row %d: its affinities add up to %v, want a finite sum", i, d)
		}
	}
	return nil
}

// squaredLengths returns the squared length of each row of m.
func squaredLengths[T float32 | float64](m linalg.Matrix[T]) []float64 {
	squared := make([]float64, m.Rows)
	linalg.Parallel(m.Rows, linalg.RowGrain(m.Rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			squared[i] = linalg.SumOfSquares(m.Row(i))
		}
	})
	return squared
}

// inUnits returns x or, if the squares of its entries' products could leave the range of float32, a
// copy divided by a power of two that makes the largest entry 1 to 2. If an entry is NaN or infinite,
// it may return x.
func inUnits(x blas32.General) blas32.General {
	largest := 0.0
	for i := range x.Rows {
		for _, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			largest = max(largest, math.Abs(float64(v)))
		}
	}
	const smallest, greatest = 0x1p-16, 0x1p16 // (v²)² is then in the range, with room for sums
	isSafe := largest >= smallest && largest <= greatest
	isFinite := largest <= math.MaxFloat32
	if largest == 0 || isSafe || !isFinite {
		return x
	}
	return *graph.DivideFeatures(graph.Features{Dense: &x}, math.Ldexp(1, math.Ilogb(largest))).Dense
}
