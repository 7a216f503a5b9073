package lab

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// TestPurity compares with shares by hand, for five points on a line, at 0, 1, 2, 10 and 11, and
// for five rows with angles of 0, 5, 10, 80 and 85 degrees. (Point 1 is as far from 0 as from
// 2. In every case, these two give the same share.)
func TestPurity(t *testing.T) {
	points := blas32.General{Rows: 5, Cols: 2, Stride: 2, Data: []float32{0, 0, 1, 0, 2, 0, 10, 0, 11, 0}}
	for _, c := range []struct {
		labels []int
		k      int
		want   float64
	}{
		{[]int{0, 0, 0, 1, 1}, 1, 1},
		{[]int{0, 0, 0, 1, 1}, 2, 0.8}, // the second neighbor of 10 and of 11 is on the left
		{[]int{0, 0, 0, 0, 1}, 1, 0.6},
		{[]int{0, 1, 2, 3, 4}, 3, 0},
	} {
		if got := Purity(points, c.labels, c.k); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("labels %v, k = %d: %v, want %v", c.labels, c.k, got, c.want)
		}
	}
	// By angle, the length of a row plays no part: 0, 5, 10, 80 and 85 degrees.
	for i, degrees := range []float64{0, 5, 10, 80, 85} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		points.Data[2*i], points.Data[2*i+1] = float32(float64(i+1)*cos), float32(float64(i+1)*sin)
	}
	for k, want := range map[int]float64{1: 1, 2: 0.8, 4: 0.4} {
		if got := RowPurity(points, []int{0, 0, 0, 1, 1}, k); math.Abs(got-want) > 1e-12 {
			t.Errorf("rows, k = %d: %v, want %v", k, got, want)
		}
	}
}
