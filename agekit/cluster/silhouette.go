package cluster

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
)

// Silhouettes returns the silhouette of each row of x by cosine distance (Rousseeuw,
// Journal of Computational and Applied Mathematics 20, 1987):
//
//	s = (b − a) / max(a, b)
//
// where a is the mean of 1 − cosine between the row and the other rows of its cluster,
// and b the lowest such mean over the other clusters. It is near 1 for a row deep in
// its cluster, near 0 on the border of two clusters, and negative if another cluster is
// closer; 0 for a row that is alone in its cluster, and for all rows of a single
// cluster. The cosine of a zero row is 0.
//
// Labels may be any integers. It takes n·d·k multiplications and memory proportional to
// n·d. It returns an error if an entry of x is not a finite number or ctx is done, and
// panics unless there is one label per row.
func Silhouettes(ctx context.Context, x blas32.General, labels []int) (s []float64, err error) {
	defer prefix(&err, "silhouettes")
	if len(labels) != x.Rows {
		panic(fmt.Sprintf("cluster: %d labels for %d rows", len(labels), x.Rows))
	}
	m := linalg.From32(x)
	if err := linalg.CheckFinite(m); err != nil {
		return nil, err
	}
	member, counts := number(labels)
	inverse := make([]float64, x.Rows) // 1/length of each row; 0 for a zero row
	// sums has the sum of each cluster's rows, scaled to length 1: a row's product with such a sum is the
	// sum of its cosines with the cluster's rows.
	sums := linalg.NewMatrix[float64](len(counts), x.Cols)
	for i := range x.Rows {
		if squared := linalg.SumOfSquares(m.Row(i)); squared > 0 {
			inverse[i] = 1 / math.Sqrt(squared)
		}
		sum := sums.Row(member[i])
		for j, v := range m.Row(i) {
			sum[j] += inverse[i] * float64(v)
		}
	}
	s = make([]float64, x.Rows)
	const rowsPerCore = 64
	err = linalg.ParallelContext(ctx, x.Rows, rowsPerCore, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s[i] = silhouette(m.Row(i), inverse[i], sums, member[i], counts)
		}
	})
	return s, err
}

// silhouette returns the silhouette of one row of the cluster label. inverse is 1/length of the row, sums
// has the sum of each cluster's rows of length 1, and counts their numbers.
func silhouette(row []float32, inverse float64, sums linalg.Matrix[float64], label int, counts []int) float64 {
	if counts[label] == 1 || len(counts) == 1 {
		return 0
	}
	within := 0.0          // mean distance to the other rows of the cluster: a
	nearest := math.Inf(1) // lowest mean distance to the rows of another cluster: b
	for c, count := range counts {
		var cosines float64
		for j, v := range sums.Row(c) {
			cosines += v * float64(row[j])
		}
		cosines *= inverse
		if c != label {
			nearest = min(nearest, 1-cosines/float64(count))
			continue
		}
		if inverse > 0 {
			cosines-- // less the row's cosine with itself
		}
		within = 1 - cosines/float64(count-1)
	}
	const rounding = 1e-12 // all that is left if all rows point the same way
	if worst := max(within, nearest); worst > rounding {
		return (nearest - within) / worst
	}
	return 0
}
