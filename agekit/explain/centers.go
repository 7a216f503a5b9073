package explain

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/rows"
)

// Centers returns the centers of the clusters 0 to k−1 of an embedding's rows, k×d:
// the mean of a cluster's rows after each is scaled to length 1, itself scaled to
// length 1. k is the largest cluster plus 1.
func Centers(z blas32.General, clusters []int) blas32.General {
	// The context is never done, so there is no error.
	centers, _ := CentersOfRows(context.Background(), rows.InMemory(z), clusters)
	return centers
}

// CentersOfRows is [Centers] for rows that are computed when they are asked for. It returns
// an error when ctx is done.
func CentersOfRows(ctx context.Context, z rows.Source, clusters []int) (blas32.General, error) {
	centers, err := clusterSums(ctx, rows.Unit(z), clusters, slices.Max(clusters)+1)
	rows.NormalizeTo(centers, centers)
	return centers, err
}

// clusterSums returns the sum of each cluster's rows.
func clusterSums(ctx context.Context, unit rows.Source, clusters []int, k int) (blas32.General, error) {
	_, d := unit.Dims()
	sums := blas32.General{Rows: k, Cols: d, Stride: d, Data: make([]float32, k*d)}
	return sums, rows.Ordered(ctx, unit, func(at int, block blas32.General) {
		for i := range block.Rows {
			to := sums.Data[clusters[at+i]*d:][:d]
			for j, v := range block.Data[i*block.Stride:][:d] {
				to[j] += v
			}
		}
	})
}

// Assign returns the cluster of each row of an embedding, the one whose center has
// the highest cosine, the second-best one, −1 if there is one cluster only, and how sure
// the first is, as [Explanation.Confidence]. All depend on the row and the centers alone,
// so that nodes that were not in the training get the same values in any company. It
// panics if the columns differ.
func Assign(z, centers blas32.General) (clusters, second []int, confidence []float64) {
	// The context is never done, so there is no error.
	cosines, _ := cosinesTo(context.Background(), rows.Unit(rows.InMemory(z)), centers)
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
func cosinesTo(ctx context.Context, unit rows.Source, centers blas32.General) (blas32.General, error) {
	n, _ := unit.Dims()
	k := centers.Rows
	cosines := blas32.General{Rows: n, Cols: k, Stride: k, Data: make([]float32, n*k)}
	return cosines, rows.Pass(ctx, unit, func(at int, block blas32.General) {
		for i := range block.Rows {
			row := blas32.Vector{N: block.Cols, Inc: 1, Data: block.Data[i*block.Stride:]}
			for c := range k {
				cosines.Data[(at+i)*k+c] = blas32.Dot(row, blas32.Vector{N: centers.Cols, Inc: 1, Data: centers.Data[c*centers.Stride:]})
			}
		}
	})
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
