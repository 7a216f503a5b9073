package explain

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/rows"
)

// Centers returns the centers of the clusters 0 to k−1 of an embedding's rows, k×d:
// the mean of a cluster's rows after each is scaled to length 1, itself scaled to
// length 1. k is the largest cluster plus 1.
func Centers(z blas32.General, clusters []int) blas32.General {
	centers := clusterSums(rows.Normalize(z), clusters, slices.Max(clusters)+1)
	rows.NormalizeTo(centers, centers)
	return centers
}

// clusterSums returns the sum of each cluster's rows.
func clusterSums(unit blas32.General, clusters []int, k int) blas32.General {
	d := unit.Cols
	sums := blas32.General{Rows: k, Cols: d, Stride: d, Data: make([]float32, k*d)}
	for i, own := range clusters {
		to := sums.Data[own*d:][:d]
		for j, v := range unit.Data[i*unit.Stride:][:d] {
			to[j] += v
		}
	}
	return sums
}

// Assign returns the cluster of each row of an embedding, the one whose center has
// the highest cosine, the second-best one, −1 if there is one cluster only, and how sure
// the first is, as [Explanation.Confidence]. All depend on the row and the centers alone,
// so that nodes that were not in the training get the same values in any company. It
// panics if the columns differ.
func Assign(z, centers blas32.General) (clusters, second []int, confidence []float64) {
	// The context is never done, so there is no error.
	cosines, _ := cosinesTo(context.Background(), rows.Normalize(z), centers)
	clusters, second, confidence = make([]int, z.Rows), make([]int, z.Rows), make([]float64, z.Rows)
	for i := range clusters {
		row := cosines.Data[i*cosines.Stride:][:cosines.Cols]
		for c, v := range row {
			if v > row[clusters[i]] {
				clusters[i] = c
			}
		}
		second[i] = -1
		for c, v := range row {
			if c != clusters[i] && (second[i] < 0 || v > row[second[i]]) {
				second[i] = c
			}
		}
		confidence[i] = sure(row, clusters[i])
	}
	return clusters, second, confidence
}

// cosinesTo returns the cosine of each row with each center, n×k.
func cosinesTo(ctx context.Context, unit, centers blas32.General) (blas32.General, error) {
	n, k := unit.Rows, centers.Rows
	cosines := blas32.General{Rows: n, Cols: k, Stride: k, Data: make([]float32, n*k)}
	err := parallel.BlocksContext(ctx, n, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := blas32.Vector{N: unit.Cols, Inc: 1, Data: unit.Data[i*unit.Stride:]}
			for c := range k {
				cosines.Data[i*k+c] = blas32.Dot(row, blas32.Vector{N: centers.Cols, Inc: 1, Data: centers.Data[c*centers.Stride:]})
			}
		}
	})
	return cosines, err
}

// sure returns the confidence of a row in cluster own, given its cosines with all
// centers.
func sure(cosines []float32, own int) float64 {
	if len(cosines) == 1 {
		return 1
	}
	const rounding = 1e-6
	within, nearest := 0., math.Inf(1)
	for c, v := range cosines {
		distance := max(0, 1-float64(v))
		if c == own {
			within = distance
		} else {
			nearest = min(nearest, distance)
		}
	}
	if worst := max(within, nearest); worst > rounding {
		return (nearest - within) / worst
	}
	return 0
}
