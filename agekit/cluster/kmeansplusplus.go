package cluster

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/agekit/age/internal/dense"
	"gonum.org/v1/gonum/floats"
)

// startDraws holds the random numbers of one start: the row of the first center
// and, for each further center, the positions of its candidates in the
// cumulative weights, 0 to 1.
type startDraws struct {
	first      int
	candidates [][]float64
}

// drawStart draws 2+⌊ln k⌋ candidates per center from n rows.
func drawStart(n, k int, rnd *rand.Rand) startDraws {
	draws := startDraws{first: rnd.IntN(n), candidates: make([][]float64, k-1)}
	for c := range draws.candidates {
		at := make([]float64, min(n, 2+int(math.Log(float64(k)))))
		for t := range at {
			at[t] = rnd.Float64()
		}
		draws.candidates[c] = at
	}
	return draws
}

// start chooses the initial centers by greedy k-means++: each is the best of
// several rows drawn with probability proportional to the squared distance to
// the nearest center so far.
func (l *lloyd[T]) start(ctx context.Context, draws startDraws) error {
	n := l.x.Rows
	nearest := make([]float64, n)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	cumulative := make([]float64, n)
	candidates := []int{draws.first}
	var distances dense.Matrix[float64]
	for c := range l.k {
		if c > 0 {
			candidates = rowsAt(cumulative, draws.candidates[c-1])
		}
		if width := dense.WholePanels(len(candidates)); distances.Cols != width {
			distances = dense.NewMatrix[float64](n, width)
		}
		if err := l.distancesTo(ctx, candidates, distances); err != nil {
			return err
		}
		best := bestCandidate(distances, nearest, len(candidates))
		total := 0.0
		for i := range n {
			nearest[i] = min(nearest[i], distances.Row(i)[best])
			total += nearest[i]
			cumulative[i] = total
		}
		row := make([]float64, l.x.Cols)
		for j, v := range l.x.Row(candidates[best]) {
			row[j] = float64(v)
		}
		l.setCenter(c, row)
	}
	return nil
}

// rowsAt returns the rows at the given shares, 0 to 1, of the cumulative
// weights. If all weights are zero, every row has equal weight.
func rowsAt(cumulative, shares []float64) []int {
	n := len(cumulative)
	total := cumulative[n-1]
	rows := make([]int, len(shares))
	for t, share := range shares {
		if total == 0 {
			rows[t] = int(share * float64(n))
			continue
		}
		at := share * total
		rows[t] = min(n-1, sort.Search(n, func(i int) bool { return cumulative[i] > at }))
	}
	return rows
}

// distancesTo sets the first columns of distances to the squared distances of
// all rows to the given rows.
func (l *lloyd[T]) distancesTo(ctx context.Context, rows []int, distances dense.Matrix[float64]) error {
	points, norms := dense.NewMatrix[float64](l.x.Cols, distances.Cols), make([]float64, len(rows))
	for c, r := range rows {
		norms[c] = l.norms[r]
		for j, v := range l.x.Row(r) {
			points.Row(j)[c] = float64(v)
		}
	}
	return l.eachPart(ctx, func(_ *clusterSums, lo, hi int) {
		part := distances.Slice(lo, hi, 0, distances.Cols)
		clear(part.Data)
		dense.MulAdd(part, l.x.Slice(lo, hi, 0, l.x.Cols), points)
		for i := lo; i < hi; i++ {
			norm, d := l.norms[i], distances.Row(i)[:len(norms)]
			for c, other := range norms {
				d[c] = max(0, norm+other-2*d[c])
			}
		}
	})
}

// bestCandidate returns the column of the candidate that, as the next center,
// gives the lowest sum of squared distances to the nearest center.
func bestCandidate(distances dense.Matrix[float64], nearest []float64, candidates int) int {
	sums := make([]float64, candidates)
	for i, d := range nearest {
		for c, v := range distances.Row(i)[:candidates] {
			sums[c] += min(d, v)
		}
	}
	return floats.MinIdx(sums)
}
