package lab

import (
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// Blob is a round group of points with normally distributed coordinates.
type Blob struct {
	Center []float64
	Width  float64 // the standard deviation of each coordinate
	Points int     // how many
}

// Blobs returns random points of the blobs, one per row, and the index of each point's blob.
// The same blobs always give the same points. All centers must have the same length.
func Blobs(blobs ...Blob) (x blas32.General, labels []int) {
	rnd := rng.New(1, rng.Only)
	d := len(blobs[0].Center)
	x = blas32.General{Cols: d, Stride: d}
	for b, blob := range blobs {
		for range blob.Points {
			for _, c := range blob.Center {
				x.Data = append(x.Data, float32(c+blob.Width*rnd.NormFloat64()))
			}
			labels = append(labels, b)
			x.Rows++
		}
	}
	return x, labels
}
