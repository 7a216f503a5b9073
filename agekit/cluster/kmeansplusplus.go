package cluster

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/agekit/age/internal/parallel"
)

// start chooses the first centres by greedy k-means++: each is the best of
// 2+⌊ln k⌋ rows drawn with probabilities in proportion to the squared
// distance to the nearest centre so far.
func (l *lloyd[T]) start(ctx context.Context, rnd *rand.Rand) error {
	n := l.x.rows
	trials := min(n, 2+int(math.Log(float64(l.k))))
	nearest := make([]float64, n)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	cumulative := make([]float64, n)
	candidates := []int{rnd.IntN(n)}
	for c := range l.k {
		if c > 0 {
			candidates = draw(cumulative, trials, rnd)
		}
		distances, err := l.distancesTo(ctx, candidates)
		if err != nil {
			return err
		}
		best := bestCandidate(distances, nearest, len(candidates))
		total := 0.0
		for i := range n {
			nearest[i] = min(nearest[i], distances.row(i)[best])
			total += nearest[i]
			cumulative[i] = total
		}
		row := make([]float64, l.x.cols)
		for j, v := range l.x.row(candidates[best]) {
			row[j] = float64(v)
		}
		l.setCenter(c, row)
	}
	return nil
}

// draw returns rows with probabilities in proportion to the steps of the
// cumulative weights, or all alike if the weights are zero.
func draw(cumulative []float64, count int, rnd *rand.Rand) []int {
	n := len(cumulative)
	total := cumulative[n-1]
	rows := make([]int, count)
	for t := range rows {
		if total == 0 {
			rows[t] = rnd.IntN(n)
			continue
		}
		at := rnd.Float64() * total
		rows[t] = min(n-1, sort.Search(n, func(i int) bool { return cumulative[i] > at }))
	}
	return rows
}

// distancesTo returns the squared distances of all rows to the given ones, a
// column each.
func (l *lloyd[T]) distancesTo(ctx context.Context, rows []int) (matrix[float64], error) {
	points := newMatrix(l.x.cols, padded(len(rows)))
	for c, r := range rows {
		for j, v := range l.x.row(r) {
			points.row(j)[c] = float64(v)
		}
	}
	distances := newMatrix(l.x.rows, points.cols)
	if err := mul(ctx, distances, l.x, points); err != nil {
		return distances, err
	}
	err := parallel.BlocksContext(ctx, l.x.rows, rowGrain(l.x.rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			d := distances.row(i)
			for c, r := range rows {
				d[c] = max(0, l.norms[i]+l.norms[r]-2*d[c])
			}
		}
	})
	return distances, err
}

// bestCandidate returns the column of distances that would leave the lowest
// sum of distances to the nearest centre.
func bestCandidate(distances matrix[float64], nearest []float64, candidates int) int {
	sums := make([]float64, candidates)
	for i, d := range nearest {
		for c, v := range distances.row(i)[:candidates] {
			sums[c] += min(d, v)
		}
	}
	best := 0
	for c, s := range sums {
		if s < sums[best] {
			best = c
		}
	}
	return best
}
