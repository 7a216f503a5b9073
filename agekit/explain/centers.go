package explain

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/internal/linalg"
)

// Centers returns the center of each cluster of an embedding's rows, k×d ([Explanation.Centers]).
// clusters has the cluster of each row, and k is the largest cluster plus 1. It returns an error when
// ctx is done.
func Centers(ctx context.Context, z linalg.Rows, clusters []int) (blas32.General, error) {
	centers, err := clusterSums(ctx, z, clusters, slices.Max(clusters)+1)
	if err == nil {
		linalg.NormalizeTo(centers, centers)
	}
	return centers, err
}

// clusterSums scales the rows of z to length 1, and returns for each of the k clusters the sum of its rows:
// k×d.
func clusterSums(ctx context.Context, z linalg.Rows, clusters []int, k int) (blas32.General, error) {
	clusterOfRow := make([]float64, len(clusters)) // as float64, which a pass over rows needs
	for i, c := range clusters {
		clusterOfRow[i] = float64(c)
	}
	sums64, err := z.Sum(ctx, linalg.Pass{Kind: linalg.Sums, Unit: true, Groups: k, Of: clusterOfRow})
	if err != nil {
		return blas32.General{}, err
	}
	d := sums64.Cols
	sums := blas32.General{Rows: k, Cols: d, Stride: d, Data: make([]float32, k*d)}
	toFloat32(sums, sums64)
	return sums, nil
}

// toFloat32 sets dst to the first columns of m in float32.
func toFloat32(dst blas32.General, m linalg.Matrix[float64]) {
	for i := range m.Rows {
		for j, v := range m.Row(i)[:dst.Cols] {
			dst.Data[i*dst.Stride+j] = float32(v)
		}
	}
}

// Assign returns three values for each row of an embedding: its cluster, which is the one whose center
// has the highest cosine with the row; the second-best cluster, −1 if there is only one; and the confidence
// of the cluster ([Explanation.Confidence]). They depend only on the row and the centers, so a node that was
// not in the training gets the same values whatever other rows there are. Assign panics if z and centers have
// different numbers of columns.
func Assign(z, centers blas32.General) (clusters, second []int, confidence []float64) {
	clusters = make([]int, z.Rows)
	second = make([]int, z.Rows)
	confidence = make([]float64, z.Rows)
	// The context is never done, so there is no error.
	_ = eachCosines(context.Background(), linalg.InMemory(z), centers, func(i int, row []float32) {
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
		confidence[i] = simplifiedSilhouette(row, clusters[i])
	})
	return clusters, second, confidence
}

// cosinePass returns the pass over rows that computes the cosines of each row with the centers.
func cosinePass(centers blas32.General) linalg.Pass {
	columns := linalg.NewMatrix[float64](centers.Cols, linalg.WholePanels(centers.Rows))
	for c := range centers.Rows {
		for j, v := range centers.Data[c*centers.Stride:][:centers.Cols] {
			columns.Row(j)[c] = float64(v)
		}
	}
	return linalg.Pass{Kind: linalg.Product, Unit: true, Matrix: columns}
}

// eachCosines calls use for each row i of z with the cosines of the row with the centers. The calls come from
// several goroutines, and use must not keep the slice cosines.
func eachCosines(ctx context.Context, z linalg.Rows, centers blas32.General, use func(i int, cosines []float32)) error {
	return z.Each(ctx, cosinePass(centers), func(first int, computed linalg.Matrix[float64]) {
		row := make([]float32, centers.Rows)
		for i := range computed.Rows {
			for c := range row {
				row[c] = float32(computed.Row(i)[c])
			}
			use(first+i, row)
		}
	})
}

// simplifiedSilhouette returns the confidence ([Explanation.Confidence]) of a row's cluster, from the row's
// cosines with all centers. It is 1 if there is only one cluster.
func simplifiedSilhouette(cosines []float32, cluster int) float64 {
	if len(cosines) == 1 {
		return 1
	}
	const rounding = 1e-6 // smaller distances are 0 but for float32's rounding
	within, nearest := 0., math.Inf(1)
	for c, v := range cosines {
		distance := max(0, 1-float64(v))
		if c == cluster {
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
