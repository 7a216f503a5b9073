package lab

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
)

// Purity returns, as a mean over all points of a map (n×2), the share of a point's k nearest
// other points that have the point's label. It panics unless 1 ≤ k < n.
func Purity(points blas32.General, labels []int, k int) float64 {
	return purity(points.Rows, labels, k, func(int, int) func(i, j int) float32 { // the same for all points
		return func(i, j int) float32 {
			dx := points.Data[j*points.Stride] - points.Data[i*points.Stride]
			dy := points.Data[j*points.Stride+1] - points.Data[i*points.Stride+1]
			return dx*dx + dy*dy
		}
	})
}

// RowPurity is [Purity] of what a map is drawn from: it returns, as a mean over all rows of x,
// the share of the k other rows with the highest cosine to a row that have the row's label.
func RowPurity(x blas32.General, labels []int, k int) float64 {
	z := linalg.Normalize(x)
	n := z.Rows
	return purity(n, labels, k, func(lo, hi int) func(i, j int) float32 {
		similarities := make([]float32, (hi-lo)*n)
		linalg.GramBand(z, z, lo, hi, 0, n, similarities, func(int, int, []float32) bool { return true })
		return func(i, j int) float32 { return -similarities[(i-lo)*n+j] }
	})
}

// purity returns, as a mean over n points, the share of a point's k nearest other points that
// have the point's label. Of points at equal distance, those with the lowest numbers count.
// distances(lo, hi) returns a function of the distance from point i, where lo ≤ i < hi, to any
// point j. Only the order of distances matters, so they may be squares or negative cosines.
func purity(n int, labels []int, k int, distances func(lo, hi int) func(i, j int) float32) float64 {
	if k < 1 || k >= n {
		panic(fmt.Sprintf("lab: the %d nearest of %d points: want 1 to %d", k, n, n-1))
	}
	type neighbor struct {
		distance float32
		label    int
	}
	var same atomic.Int64
	linalg.Parallel(n, 64, func(lo, hi int) {
		distance := distances(lo, hi)
		nearest := make([]neighbor, 0, k+1) // of point i so far, sorted by distance; k and a new one
		for i := lo; i < hi; i++ {
			nearest = nearest[:0]
			for j := range n {
				if j == i {
					continue
				}
				d := distance(i, j)
				if len(nearest) == k && d >= nearest[k-1].distance {
					continue
				}
				place, found := slices.BinarySearchFunc(nearest, d, func(n neighbor, d float32) int { return cmp.Compare(n.distance, d) })
				for found && place < len(nearest) && nearest[place].distance == d {
					place++
				}
				nearest = slices.Insert(nearest, place, neighbor{d, labels[j]})
				nearest = nearest[:min(k, len(nearest))]
			}
			for _, neighbor := range nearest {
				if neighbor.label == labels[i] {
					same.Add(1)
				}
			}
		}
	})
	return float64(same.Load()) / float64(n*k)
}
