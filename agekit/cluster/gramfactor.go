package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/rows"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// manyRows is the number of rows above which the products of the Davies–Bouldin index
// are float32: it averages over so many rows that at least six digits are correct.
const manyRows = 1000

// DaviesBouldinRows is [DaviesBouldinGram] for rows that are computed when they are asked
// for, in five passes, with float32 products for any number of rows. Memory is O(n·k + d²)
// for k clusters.
func DaviesBouldinRows(ctx context.Context, z rows.Source, labels []int) (index float64, err error) {
	defer prefix(&err, "Davies–Bouldin index")
	n, d := z.Dims()
	member, counts, err := clustersOf(labels, n)
	if err != nil {
		return 0, err
	}
	means, err := meansOf(ctx, z, member, counts)
	if err != nil {
		return 0, err
	}
	if err := dense.CheckFinite(means); err != nil { // only if an entry of z is not
		return 0, cmp.Or(finiteRows(ctx, z), err)
	}
	squaredLengths, err := factorLengths(ctx, z)
	if err != nil {
		return 0, err
	}
	squared := make([]float64, n)
	err = rows.Pass(ctx, z, func(at int, block blas32.General) {
		difference := dense.NewMatrix[float32](block.Rows, d)
		subtract(difference, dense.From32(block), means, member[at:])
		squaredLengths(difference, squared[at:at+block.Rows])
	})
	if err != nil {
		return 0, err
	}
	at, err := imageOf(ctx, z, means)
	if err != nil {
		return 0, err
	}
	return meanOfWorst(spreads(squared, member, counts), at), nil
}

// finiteRows returns an error that names the first number of z that is not finite.
func finiteRows(ctx context.Context, z rows.Source) (found error) {
	err := rows.Ordered(ctx, z, func(at int, block blas32.General) {
		for i := range block.Rows {
			for j, v := range dense.From32(block).Row(i) {
				if v-v != 0 && found == nil {
					found = fmt.Errorf("row %d, column %d: value %v, want a finite number", at+i, j, v)
				}
			}
		}
	})
	return cmp.Or(found, err)
}

// meansOf is clusterMeans, with the same sums in the same order.
func meansOf(ctx context.Context, z rows.Source, member, counts []int) (dense.Matrix[float64], error) {
	if m, ok := z.(rows.InMemory); ok {
		return clusterMeans(dense.From32(blas32.General(m)), member, counts), nil
	}
	_, d := z.Dims()
	means := dense.NewMatrix[float64](len(counts), d)
	err := rows.Ordered(ctx, z, func(at int, block blas32.General) {
		for i := range block.Rows {
			mean := means.Row(member[at+i])
			for j, v := range block.Data[i*block.Stride:][:d] {
				mean[j] += float64(v)
			}
		}
	})
	for c, n := range counts {
		for j := range means.Row(c) {
			means.Row(c)[j] /= float64(n)
		}
	}
	return means, err
}

// imageOf is imageUnder.
func imageOf(ctx context.Context, z rows.Source, means dense.Matrix[float64]) (dense.Matrix[float64], error) {
	if m, ok := z.(rows.InMemory); ok {
		return imageUnder(ctx, dense.From32(blas32.General(m)), means)
	}
	n, _ := z.Dims()
	return productOf(ctx, z, transposed(means, dense.WholePanels(means.Rows)), n)
}

// productOf returns the n rows of z·x.
func productOf(ctx context.Context, z rows.Source, x dense.Matrix[float64], n int) (dense.Matrix[float64], error) {
	y := dense.NewMatrix[float64](n, x.Cols)
	return y, rows.Pass(ctx, z, func(at int, block blas32.General) {
		dense.MulAdd(y.Slice(at, at+block.Rows, 0, y.Cols), dense.From32(block), x)
	})
}

// factorLengths returns the measure |uᵢZᵀ|² as |uᵢL|² with ZᵀZ = LLᵀ. The products are
// float32, but the result is a sum of squares: no large terms cancel.
func factorLengths(ctx context.Context, z rows.Source) (measure[float32], error) {
	g, err := gram32(ctx, z)
	if err != nil {
		return nil, err
	}
	l := choleskyTiles(g)
	return func(difference dense.Matrix[float32], squared []float64) {
		rows := newTiled(difference)
		products := make([]float32, difference.Rows*simd.TileWidth)
		for c, tile := range l {
			// L is lower triangular: the tile's columns are zero above row from.
			from := c * simd.TileWidth
			simd.DenseTile(products, simd.TileWidth, rows.Data[from:], rows.Stride, difference.Cols-from, tile, simd.TileWidth, 0, difference.Rows)
			for i := range squared {
				p := products[i*simd.TileWidth:][:simd.TileWidth]
				squared[i] += float64(simd.Dot(p, p))
			}
		}
	}, nil
}

// newTiled copies a block of rows, padded with zeros to whole tiles of columns.
func newTiled(m dense.Matrix[float32]) dense.Matrix[float32] {
	t := dense.NewMatrix[float32](m.Rows, simd.Tiles(m.Cols)*simd.TileWidth)
	t.Cols = m.Cols
	dense.CopyRows(t, m)
	return t
}

// gram32 returns the lower triangle of ZᵀZ from float32 products of the centered rows,
// because their mean m is large compared with their differences: ZᵀZ = (Z−1m)ᵀ(Z−1m) +
// nmᵀm.
func gram32(ctx context.Context, z rows.Source) (dense.Matrix[float64], error) {
	n, d := z.Dims()
	means, err := meansOf(ctx, z, make([]int, n), []int{n})
	if err != nil {
		return means, err
	}
	mean := means.Row(0)
	g, err := gramOf(ctx, z, func(_ int, row []float32) {
		for j, v := range row {
			row[j] = float32(float64(v) - mean[j])
		}
	})
	for j := range d {
		for c := range j + 1 {
			g.Row(j)[c] += float64(n) * mean[j] * mean[c]
		}
	}
	return g, err
}

// gramOf returns the lower triangle of the sum of yᵢᵀyᵢ, where change makes a copy of row i
// of z into yᵢ. Sums over 256 rows are float32, and sums of these float64: the rounding
// error does not grow with n.
func gramOf(ctx context.Context, z rows.Source, change func(i int, row []float32)) (dense.Matrix[float64], error) {
	const strip = rows.BlockRows
	n, d := z.Dims()
	return dense.SumOfRanges(ctx, n, rows.WholeBlocks(dense.Grain(n)), d, d, func(sum dense.Matrix[float64], lo, hi int) {
		columns, product := make([]float32, d*strip), make([]float32, d*simd.TileWidth)
		rows.Each(z, lo, hi, func(at int, block blas32.General) {
			rows := newTiled(dense.From32(block))
			for i := range rows.Rows {
				change(at+i, rows.Row(i))
				for j, v := range rows.Row(i) {
					columns[j*strip+i] = v
				}
			}
			for from := 0; from < d; from += simd.TileWidth {
				simd.DenseTile(product, simd.TileWidth, columns[from*strip:], strip, rows.Rows, rows.Data[from:], rows.Stride, 0, d-from)
				width := min(simd.TileWidth, d-from)
				for j := from; j < d; j++ {
					to := sum.Row(j)[from : from+width]
					for c, v := range product[(j-from)*simd.TileWidth:][:width] {
						to[c] += float64(v)
					}
				}
			}
		})
	})
}

// choleskyTiles factors a positive semidefinite matrix into LLᵀ. It reads and
// overwrites the lower triangle and returns L in tiles of columns: tile c holds
// columns 64c to 64c+63 from row 64c on. A pivot that is zero up to rounding, as in
// every embedding with a column of zeros, gives a column of zeros; LAPACK's Dpotrf
// fails there, and adds in another order, which changes the index's last digits.
func choleskyTiles(g dense.Matrix[float64]) [][]float32 {
	d, largest := g.Rows, 0.0
	for j := range d {
		largest = max(largest, g.Row(j)[j])
	}
	const strip = 32 // columns whose diagonal block one core factors before all cores do the rest
	scales := make([]float64, d)
	fill := func(i, j int) {
		g.Row(i)[j] = (g.Row(i)[j] - floats.Dot(g.Row(j)[:j], g.Row(i)[:j])) * scales[j]
	}
	for from := 0; from < d; from += strip {
		to := min(d, from+strip)
		for j := from; j < to; j++ {
			for c := from; c < j; c++ {
				fill(j, c)
			}
			pivot := g.Row(j)[j]
			for _, v := range g.Row(j)[:j] {
				pivot -= v * v
			}
			if pivot > 1e-10*largest {
				scales[j] = 1 / math.Sqrt(pivot)
			}
			g.Row(j)[j] = pivot * scales[j]
		}
		parallel.Blocks(d-to, 32, func(lo, hi int) {
			for i := to + lo; i < to+hi; i++ {
				for j := from; j < to; j++ {
					fill(i, j)
				}
			}
		})
	}
	tiles := make([][]float32, simd.Tiles(d))
	for c := range tiles {
		from := c * simd.TileWidth
		tiles[c] = make([]float32, (d-from)*simd.TileWidth)
		for i := from; i < d; i++ {
			for j := from; j <= min(i, from+simd.TileWidth-1); j++ {
				tiles[c][(i-from)*simd.TileWidth+j-from] = float32(g.Row(i)[j])
			}
		}
	}
	return tiles
}
