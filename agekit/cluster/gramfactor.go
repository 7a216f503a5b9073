package cluster

import (
	"context"
	"math"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/floats"
)

// manyRows is the number of rows above which the products of the Davies–Bouldin index
// are float32: it averages over so many rows that at least six digits are correct.
const manyRows = 1000

// factorLengths returns the measure |uᵢZᵀ|² as |uᵢL|² with ZᵀZ = LLᵀ. The products are
// float32, but the result is a sum of squares: no large terms cancel.
func factorLengths(ctx context.Context, z dense.Matrix[float32]) (measure[float32], error) {
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
// nmᵀm. Sums over 256 rows are float32, and sums of these float64: the rounding error
// does not grow with n.
func gram32(ctx context.Context, z dense.Matrix[float32]) (dense.Matrix[float64], error) {
	const strip = 256
	d, grain := z.Cols, (dense.Grain(z.Rows)+strip-1)/strip*strip
	mean := clusterMeans(z, make([]int, z.Rows), []int{z.Rows}).Row(0)
	g, err := dense.SumOfRanges(ctx, z.Rows, grain, d, d, func(sum dense.Matrix[float64], lo, hi int) {
		columns, product := make([]float32, d*strip), make([]float32, d*simd.TileWidth)
		for r := lo; r < hi; r += strip {
			rows := newTiled(z.Slice(r, min(hi, r+strip), 0, d))
			for i := range rows.Rows {
				row := rows.Row(i)
				for j, v := range row {
					row[j] = float32(float64(v) - mean[j])
					columns[j*strip+i] = row[j]
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
		}
	})
	for j := range d {
		for c := range j + 1 {
			g.Row(j)[c] += float64(z.Rows) * mean[j] * mean[c]
		}
	}
	return g, err
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
