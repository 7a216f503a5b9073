package lab

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestBlobs: the points of a large blob have its center and width as their mean and deviation,
// and those of a blob without width lie in its center.
func TestBlobs(t *testing.T) {
	const many = 4000
	x, labels := Blobs(Blob{Center: []float64{3, 0}, Width: 2, Points: many}, Blob{Center: []float64{0, 5}, Width: 0, Points: 2})
	if x.Rows != many+2 || x.Cols != 2 {
		t.Fatalf("%d×%d points, want %d×2", x.Rows, x.Cols, many+2)
	}
	if labels[many-1] != 0 || labels[many+1] != 1 {
		t.Errorf("labels end with %v", labels[many-1:])
	}
	if last := x.Data[2*many:]; !slices.Equal(last, []float32{0, 5, 0, 5}) {
		t.Errorf("the points without width are %v", last)
	}
	var first []float64 // coordinates of the large blob
	for i := range many {
		first = append(first, float64(x.Data[2*i]))
	}
	mean, deviation := stat.MeanStdDev(first, nil)
	if math.Abs(mean-3) > 0.15 || math.Abs(deviation-2) > 0.1 { // about five standard errors
		t.Errorf("mean %v, deviation %v, want 3 and 2", mean, deviation)
	}
}
