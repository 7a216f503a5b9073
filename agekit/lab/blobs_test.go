package lab

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func TestBlobs(t *testing.T) {
	x, labels := Blobs(Blob{[]float64{3, 0}, 2, 4000}, Blob{[]float64{0, 5}, 0, 2})
	if x.Rows != 4002 || x.Cols != 2 || labels[3999] != 0 || labels[4001] != 1 || x.Data[8000] != 0 || x.Data[8003] != 5 {
		t.Errorf("%d×%d, labels end with %v, rows with %v", x.Rows, x.Cols, labels[3999:], x.Data[8000:])
	}
	var first []float64
	for i := range 4000 {
		first = append(first, float64(x.Data[2*i]))
	}
	mean, deviation := stat.MeanStdDev(first, nil)
	if math.Abs(mean-3) > 0.15 || math.Abs(deviation-2) > 0.1 { // about five standard errors
		t.Errorf("mean %v, deviation %v, want 3 and 2", mean, deviation)
	}
}
