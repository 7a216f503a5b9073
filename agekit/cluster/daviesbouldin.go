package cluster

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
)

// negligible is the distance up to which clusters count as points and centers as
// identical, relative to the largest spread or coordinate of a center. scikit-learn
// uses it as an absolute distance, so that its index of data in small units is 0.
const negligible = 1e-8

// DaviesBouldin returns the Davies–Bouldin index of the rows of x with the given labels
// (Davies and Bouldin, PAMI 1(2), 1979), the mean over clusters a of
//
//	max over b ≠ a of (σ_a + σ_b) / |c_a − c_b|
//
// where c is a cluster's mean and σ the mean distance of its rows to c. Lower is
// better; the index is 0 if all σ or all distances between means vanish. Labels may be
// any integers. The scale of x makes no difference.
//
// It returns an error if there are fewer than 2 clusters or at least as many clusters
// as rows, if an entry of x is not a finite number, or if ctx is done. It panics unless
// there is one label per row.
func DaviesBouldin(ctx context.Context, x blas32.General, labels []int) (float64, error) {
	return daviesBouldin(ctx, linalg.From32(inUnits(x)), labels, false)
}

// DaviesBouldinGram returns the Davies–Bouldin index of the rows of the n×n matrix ZZᵀ,
// by which the paper's code chooses an epoch, without forming that matrix:
//
//	|(zᵢ − c)Zᵀ|² = (zᵢ − c)·G·(zᵢ − c)ᵀ  with G = ZᵀZ
//
// It takes n·d·min(n, d) multiplications and memory proportional to n+d. Above 1,000
// rows the products are float32, which leaves at least six correct digits. Labels and
// errors are as in [DaviesBouldin].
func DaviesBouldinGram(ctx context.Context, z blas32.General, labels []int) (float64, error) {
	z = inUnits(z)
	if z.Rows > manyRows && z.Rows > z.Cols {
		return DaviesBouldinRows(ctx, linalg.InMemory(z), labels)
	}
	return daviesBouldin(ctx, linalg.From32(z), labels, true)
}

// daviesBouldin returns the Davies–Bouldin index of the rows of X or, if gram, of XXᵀ. Both need the
// squared lengths of the rows' differences from their clusters' means, and the means, as columns of places.
// With gram, a length is that of the difference times Xᵀ, and places are the means of the rows of XXᵀ.
func daviesBouldin[T float32 | float64](ctx context.Context, x linalg.Matrix[T], labels []int, gram bool) (index float64, err error) {
	defer prefix(&err, "Davies–Bouldin index")
	member, counts, err := clustersOf(labels, x.Rows)
	if err != nil {
		return 0, err
	}
	means := clusterMeans(x, member, counts)
	if linalg.CheckFinite(means) != nil { // then an entry of x is not finite: name it
		return 0, linalg.CheckFinite(x)
	}
	squared := make([]float64, x.Rows)
	squaredOf := rowLengths[T] // the function that computes squared lengths
	places := transposed(means, linalg.WholePanels(means.Rows))
	if gram {
		if squaredOf, err = gramLengths(ctx, x); err != nil {
			return 0, err
		}
		if places, err = imageUnder(ctx, x, means); err != nil {
			return 0, err
		}
	}
	const rowsPerCore = 256
	err = linalg.ParallelContext(ctx, x.Rows, rowsPerCore, func(lo, hi int) {
		difference := linalg.NewMatrix[T](hi-lo, x.Cols)
		subtract(difference, x.Slice(lo, hi, 0, x.Cols), means, member[lo:])
		squaredOf(difference, squared[lo:hi])
	})
	if err != nil {
		return 0, err
	}
	return meanOfWorst(spreads(squared, member, counts), places), nil
}

// clustersOf returns the cluster of each of n rows, numbered from 0, and each cluster's number of rows, for
// any integers as labels. It returns an error if there are fewer than 2 clusters or n or more, for
// which the index is not defined.
func clustersOf(labels []int, n int) (member, counts []int, err error) {
	if len(labels) != n {
		panic(fmt.Sprintf("cluster: %d labels for %d rows", len(labels), n))
	}
	member, counts = number(labels)
	if k := len(counts); k < 2 || k >= n {
		return nil, nil, fmt.Errorf("%d clusters of %d rows, want 2 to %d", k, n, n-1)
	}
	return member, counts, nil
}

// subtract sets each row of difference to that of x less the mean of its cluster, a row of means; member
// has the row's cluster.
func subtract[T float32 | float64](difference, x linalg.Matrix[T], means linalg.Matrix[float64], member []int) {
	for i := range x.Rows {
		mean, row := means.Row(member[i]), difference.Row(i)
		for j, v := range x.Row(i) {
			row[j] = T(float64(v) - mean[j])
		}
	}
}

// spreads returns σ of each cluster, the mean distance of its rows to its mean. squared has each row's
// squared distance, member its cluster, and counts the clusters' numbers of rows.
func spreads(squared []float64, member, counts []int) []float64 {
	spread := make([]float64, len(counts))
	for i, d := range squared {
		spread[member[i]] += math.Sqrt(max(0, d)) / float64(counts[member[i]])
	}
	return spread
}

// meanOfWorst returns the Davies–Bouldin index, given each cluster's spread σ and its center, a column of
// places: the mean over clusters a of the largest (σ_a + σ_b)/|c_a − c_b|. It returns 0 if all spreads
// or all distances are 0 up to rounding ([negligible]).
func meanOfWorst(spread []float64, places linalg.Matrix[float64]) float64 {
	k := len(spread)
	apart := squaredDistances(places, k)
	sum := 0.0      // of each cluster's worst ratio
	widest := 0.0   // largest spread
	farthest := 0.0 // largest distance of two centers
	largest := 0.0  // largest coordinate of a center, without its sign
	for i := range places.Rows {
		largest = max(largest, floats.Norm(places.Row(i)[:k], math.Inf(1)))
	}
	for a := range k {
		worst := 0.0
		for b := range k {
			d := math.Sqrt(apart.Row(max(a, b))[min(a, b)])
			if d > 0 {
				worst = max(worst, (spread[a]+spread[b])/d)
			}
			farthest = max(farthest, d)
		}
		widest = max(widest, spread[a])
		sum += worst
	}
	if least := negligible * max(widest, largest); widest <= least || farthest <= least {
		return 0
	}
	return sum / float64(k)
}

// squaredDistances returns the k×k matrix of the squared distances between the first k columns of m,
// whose entries on and above the diagonal are 0.
func squaredDistances(m linalg.Matrix[float64], k int) linalg.Matrix[float64] {
	d := linalg.NewMatrix[float64](k, k)
	for i := range m.Rows {
		row := m.Row(i)[:k]
		for a, v := range row {
			squares := d.Row(a)[:a]
			for b, w := range row[:a] {
				squares[b] += (v - w) * (v - w)
			}
		}
	}
	return d
}

// number returns the labels renumbered 0, 1, … in the order of their first appearance, and how often
// each appears.
func number(labels []int) (member, counts []int) {
	numbers := make(map[int]int)
	member = make([]int, len(labels))
	for i, label := range labels {
		c, ok := numbers[label]
		if !ok {
			c = len(counts)
			numbers[label] = c
			counts = append(counts, 0)
		}
		member[i] = c
		counts[c]++
	}
	return member, counts
}

// clusterMeans returns the means of the clusters' rows, one row per cluster, given each row's cluster
// and the clusters' numbers of rows.
func clusterMeans[T float32 | float64](x linalg.Matrix[T], member, counts []int) linalg.Matrix[float64] {
	means := linalg.NewMatrix[float64](len(counts), x.Cols)
	const columnsPerCore = 64
	linalg.Parallel(x.Cols, columnsPerCore, func(lo, hi int) {
		for i, c := range member {
			mean := means.Row(c)[lo:hi]
			for j, v := range x.Row(i)[lo:hi] {
				mean[j] += float64(v)
			}
		}
		for c, n := range counts {
			mean := means.Row(c)[lo:hi]
			for j := range mean {
				mean[j] /= float64(n)
			}
		}
	})
	return means
}

// transposed returns mᵀ in float64, with zeros in the columns beyond m's rows up to width.
func transposed[T float32 | float64](m linalg.Matrix[T], width int) linalg.Matrix[float64] {
	t := linalg.NewMatrix[float64](m.Cols, width)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Row(j)[i] = float64(v)
		}
	}
	return t
}

// rowLengths sets squared[i] to the squared length of row i of difference.
func rowLengths[T float32 | float64](difference linalg.Matrix[T], squared []float64) {
	for i := range squared {
		squared[i] = linalg.SumOfSquares(difference.Row(i))
	}
}

// imageUnder returns Z·meansᵀ, where means are those of the clusters' rows of Z: its columns are the
// means of the clusters' rows of ZZᵀ. Columns of zeros follow, up to a whole panel.
func imageUnder[T float32 | float64](ctx context.Context, z linalg.Matrix[T], means linalg.Matrix[float64]) (linalg.Matrix[float64], error) {
	k := linalg.WholePanels(means.Rows)
	places := linalg.NewMatrix[float64](z.Rows, k)
	return places, linalg.Mul(ctx, places, z, transposed(means, k))
}

// gramLengths returns a function that sets squared[i], which must be 0 before, to |uᵢZᵀ|² for the rows uᵢ
// of difference, U. If n < d, that function computes U·Zᵀ and adds up the squares of each row.
// Otherwise it computes uᵢ·G·uᵢᵀ with the d×d matrix G = ZᵀZ, from U·G. As G is symmetric, G's upper
// triangle with half of the diagonal gives half of the result, for half of the multiplications. Either
// product is computed one strip of columns at a time; gramLengths prepares the factors of all strips.
func gramLengths[T float32 | float64](ctx context.Context, z linalg.Matrix[T]) (func(difference linalg.Matrix[T], squared []float64), error) {
	const strip = 4 * simd.PanelWidth // columns
	n, d := z.Rows, z.Cols
	var factors []linalg.Matrix[float64]
	for from := 0; from < min(n, d); from += strip {
		if n < d {
			factors = append(factors, transposed(z.Slice(from, min(n, from+strip), 0, d), strip))
			continue
		}
		end := min(d, from+strip)
		triangle, err := gramStrip(ctx, z, from, end, strip)
		if err != nil {
			return nil, err
		}
		for j := from; j < end; j++ {
			row := triangle.Row(j)
			clear(row[:j-from]) // below the diagonal
			row[j-from] /= 2
		}
		factors = append(factors, triangle)
	}
	return func(difference linalg.Matrix[T], squared []float64) {
		products := linalg.NewMatrix[float64](difference.Rows, strip)
		for f, factor := range factors {
			clear(products.Data)
			linalg.MulAdd(products, difference.Slice(0, difference.Rows, 0, factor.Rows), factor)
			for i := range squared {
				if n < d {
					squared[i] += linalg.SumOfSquares(products.Row(i))
					continue
				}
				s := 0.0
				for c, v := range difference.Row(i)[f*strip : factor.Rows] {
					s += products.Row(i)[c] * float64(v)
				}
				squared[i] += 2 * s
			}
		}
	}, nil
}

// gramStrip returns the rows below end of the columns from `from` to end−1 of ZᵀZ, with columns of zeros
// that make count columns.
func gramStrip[T float32 | float64](ctx context.Context, z linalg.Matrix[T], from, end, count int) (linalg.Matrix[float64], error) {
	return linalg.SumOfRanges(ctx, z.Rows, linalg.RowGrain(z.Rows), end, count, func(sum linalg.Matrix[float64], lo, hi int) {
		linalg.MulTransAdd(sum, z.Slice(lo, hi, 0, end), columns(z.Slice(lo, hi, 0, z.Cols), from, count))
	})
}

// columns returns a copy of count columns of m from the given one on, with zeros beyond the last.
func columns[T float32 | float64](m linalg.Matrix[T], from, count int) linalg.Matrix[float64] {
	c := linalg.NewMatrix[float64](m.Rows, count)
	for i := range m.Rows {
		for j, v := range m.Row(i)[from:min(m.Cols, from+count)] {
			c.Row(i)[j] = float64(v)
		}
	}
	return c
}
