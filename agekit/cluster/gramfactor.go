package cluster

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/floats"
)

// manyRows is the number of rows above which the products of the Davies–Bouldin index
// are float32: it averages over so many rows that at least six digits are correct.
const manyRows = 1000

// DaviesBouldinRows is [DaviesBouldinGram] for rows that may be computed when they are asked for. It
// passes over them four times, with float32 products for any number of rows. Memory is O(n + d²).
func DaviesBouldinRows(ctx context.Context, z linalg.Rows, labels []int) (index float64, err error) {
	defer prefix(&err, "Davies–Bouldin index")
	n, _ := z.Dims()
	member, counts, err := clustersOf(labels, n)
	if err != nil {
		return 0, err
	}
	means, err := meansOf(ctx, z, member, counts)
	if err != nil {
		return 0, err
	}
	if err := linalg.CheckFinite(means); err != nil { // then an entry of z is not finite, or a sum overflows
		return 0, cmp.Or(finiteRows(ctx, z), fmt.Errorf("means of the clusters: %w", err))
	}
	g, err := gram32(ctx, z)
	if err != nil {
		return 0, err
	}
	// For a difference u, |uZᵀ|² = u·ZᵀZ·uᵀ = |uL|² with ZᵀZ = LLᵀ.
	l := cholesky(g)
	squared, err := linalg.PassColumn(ctx, z, linalg.Pass{Kind: linalg.Lengths, Matrix: means, Factor: l, Of: groupsOf(member)})
	if err != nil {
		return 0, err
	}
	meansImage, err := imageOf(ctx, z, means, l)
	if err != nil {
		return 0, err
	}
	return meanOfWorst(spreads(squared, member, counts), meansImage), nil
}

// groupsOf returns each row's cluster as a float64, which [linalg.Pass] takes.
func groupsOf(member []int) []float64 {
	groups := make([]float64, len(member))
	for i, c := range member {
		groups[i] = float64(c)
	}
	return groups
}

// finiteRows returns an error if a number of z is not finite. The error names the first such number, or
// only its row if z is not in memory.
func finiteRows(ctx context.Context, z linalg.Rows) error {
	if m, ok := linalg.MatrixOf(z); ok {
		return linalg.CheckFinite(linalg.From32(m))
	}
	n, d := z.Dims()
	// The products with a matrix of zeros: 0 times a number is NaN if that is not finite.
	var lock sync.Mutex
	firstBad := n // the first row with such a number
	err := z.Each(ctx, linalg.Pass{Kind: linalg.Product, Matrix: linalg.NewMatrix[float64](d, linalg.WholePanels(1))}, func(lo int, zeros linalg.Matrix[float64]) {
		for i := range zeros.Rows {
			if zeros.Row(i)[0] != 0 {
				lock.Lock()
				firstBad = min(firstBad, lo+i)
				lock.Unlock()
				return
			}
		}
	})
	if err == nil && firstBad < n {
		err = fmt.Errorf("row %d has a number that is not finite", firstBad)
	}
	return err
}

// meansOf is [clusterMeans] for rows that may be computed when they are asked for.
func meansOf(ctx context.Context, z linalg.Rows, member, counts []int) (linalg.Matrix[float64], error) {
	if m, ok := linalg.MatrixOf(z); ok {
		return clusterMeans(linalg.From32(m), member, counts), nil
	}
	means, err := z.Sum(ctx, linalg.Pass{Kind: linalg.Sums, Groups: len(counts), Of: groupsOf(member)})
	if err != nil {
		return means, err
	}
	for c, n := range counts {
		for j := range means.Row(c) {
			means.Row(c)[j] /= float64(n)
		}
	}
	return means, nil
}

// imageOf returns a matrix whose columns have the distances of the clusters' means of the rows of ZZᵀ. If z
// is in memory, these are the means themselves ([imageUnder]). Otherwise they are the columns of
// Lᵀ·meansᵀ, d×k, which need no pass: with ZᵀZ = LLᵀ, |(a − b)Zᵀ| = |(a − b)L| for any two means.
func imageOf(ctx context.Context, z linalg.Rows, means, l linalg.Matrix[float64]) (linalg.Matrix[float64], error) {
	if m, ok := linalg.MatrixOf(z); ok {
		return imageUnder(ctx, linalg.From32(m), means)
	}
	image := linalg.NewMatrix[float64](l.Rows, means.Rows)
	for i := range l.Rows {
		for j, v := range l.Row(i)[:i+1] { // L is a lower triangle
			row := image.Row(j)
			for c := range means.Rows {
				row[c] += v * means.Row(c)[i]
			}
		}
	}
	return image, nil
}

// gram32 returns the lower triangle of ZᵀZ, from float32 products. It multiplies the rows less their mean
// m, and adds n·mᵀm in float64: ZᵀZ = (Z−1m)ᵀ(Z−1m) + n·mᵀm. The rows' mean is large compared with
// their differences, so that float32 products of the rows themselves would lose digits.
func gram32(ctx context.Context, z linalg.Rows) (linalg.Matrix[float64], error) {
	n, d := z.Dims()
	oneCluster := make([]int, n) // all rows are in cluster 0
	means, err := meansOf(ctx, z, oneCluster, []int{n})
	if err != nil {
		return means, err
	}
	mean := means.Row(0)
	g, err := z.Sum(ctx, linalg.Pass{Kind: linalg.PassGram, Matrix: means})
	if err != nil {
		return g, err
	}
	for j := range d {
		for c := range j + 1 {
			g.Row(j)[c] += float64(n) * mean[j] * mean[c]
		}
	}
	return g, nil
}

// cholesky factors the positive semidefinite matrix g into LLᵀ and returns g, whose lower triangle it has
// overwritten with L; the rest of g is not used. A pivot that is zero up to rounding, as of an
// embedding with a column of zeros, gives a column of zeros. LAPACK's Dpotrf would fail there, and
// adds in another order, which would change the index's last digits.
func cholesky(g linalg.Matrix[float64]) linalg.Matrix[float64] {
	d, largest := g.Rows, 0.0
	for j := range d {
		largest = max(largest, g.Row(j)[j])
	}
	const strip = 32             // columns whose diagonal block one core factors before all cores do the rest
	scales := make([]float64, d) // 1/Lⱼⱼ, or 0 for a column of zeros
	const rounding = 1e-10       // of a pivot, relative to the largest entry of the diagonal
	// fill computes the entry of L in row i and column j < i from those before it in both rows.
	fill := func(i, j int) {
		g.Row(i)[j] = (g.Row(i)[j] - floats.Dot(g.Row(j)[:j], g.Row(i)[:j])) * scales[j]
	}
	for from := 0; from < d; from += strip {
		end := min(d, from+strip)
		for j := from; j < end; j++ {
			for c := from; c < j; c++ {
				fill(j, c)
			}
			pivot := g.Row(j)[j]
			for _, v := range g.Row(j)[:j] {
				pivot -= v * v
			}
			if pivot > rounding*largest {
				scales[j] = 1 / math.Sqrt(pivot)
			}
			g.Row(j)[j] = pivot * scales[j]
		}
		linalg.Parallel(d-end, strip, func(lo, hi int) {
			for i := end + lo; i < end+hi; i++ {
				for j := from; j < end; j++ {
					fill(i, j)
				}
			}
		})
	}
	return g
}
