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

// DaviesBouldinRows is [DaviesBouldinGram] for rows that are computed when they are asked
// for, in four passes, with float32 products for any number of rows. Memory is O(n + d²).
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
	if err := linalg.CheckFinite(means); err != nil { // only if an entry of z is not
		return 0, cmp.Or(finiteRows(ctx, z), fmt.Errorf("means of the clusters: %w", err))
	}
	g, err := gram32(ctx, z)
	if err != nil {
		return 0, err
	}
	// |uZᵀ|² = |uL|² with ZᵀZ = LLᵀ.
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

// groupsOf returns each row's cluster as [linalg.Pass] takes it.
func groupsOf(member []int) []float64 {
	groups := make([]float64, len(member))
	for i, c := range member {
		groups[i] = float64(c)
	}
	return groups
}

// finiteRows returns an error that names the first number of z that is not finite, or its
// row alone if z is not in memory.
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

// meansOf is clusterMeans for rows that may be computed when they are asked for.
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

// imageOf is imageUnder for rows in memory. For others it returns columns with the same
// distances, since |(a − b)Zᵀ| = |(a − b)L|: those of Lᵀ·meansᵀ, d×k, without a pass.
func imageOf(ctx context.Context, z linalg.Rows, means, l linalg.Matrix[float64]) (linalg.Matrix[float64], error) {
	if m, ok := linalg.MatrixOf(z); ok {
		return imageUnder(ctx, linalg.From32(m), means)
	}
	image := linalg.NewMatrix[float64](l.Rows, means.Rows)
	for i := range l.Rows {
		for j, v := range l.Row(i)[:i+1] {
			row := image.Row(j)
			for c := range means.Rows {
				row[c] += v * means.Row(c)[i]
			}
		}
	}
	return image, nil
}

// gram32 returns the lower triangle of ZᵀZ from float32 products of the centered rows,
// because their mean m is large compared with their differences: ZᵀZ = (Z−1m)ᵀ(Z−1m) +
// nmᵀm.
func gram32(ctx context.Context, z linalg.Rows) (linalg.Matrix[float64], error) {
	n, d := z.Dims()
	means, err := meansOf(ctx, z, make([]int, n), []int{n})
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

// cholesky factors a positive semidefinite matrix into LLᵀ. It overwrites the lower
// triangle with L. A pivot that is zero up to rounding, as in every embedding with a column
// of zeros, gives a column of zeros; LAPACK's Dpotrf fails there, and adds in another
// order, which changes the index's last digits.
func cholesky(g linalg.Matrix[float64]) linalg.Matrix[float64] {
	d, largest := g.Rows, 0.0
	for j := range d {
		largest = max(largest, g.Row(j)[j])
	}
	const strip = 32 // columns whose diagonal block one core factors before all cores do the rest
	scales := make([]float64, d)
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
			if pivot > 1e-10*largest {
				scales[j] = 1 / math.Sqrt(pivot)
			}
			g.Row(j)[j] = pivot * scales[j]
		}
		linalg.Parallel(d-end, 32, func(lo, hi int) {
			for i := end + lo; i < end+hi; i++ {
				for j := from; j < end; j++ {
					fill(i, j)
				}
			}
		})
	}
	return g
}
