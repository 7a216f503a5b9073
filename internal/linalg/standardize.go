package linalg

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"
)

// Standardize returns x with its columns from column `from` on standardized by the columns of unit: less
// the mean of unit's column, and divided by its standard deviation. Where all values of unit's column
// are the same, the column becomes 0.
func Standardize(x, unit blas32.General, from int) blas32.General {
	if from == x.Cols {
		return x
	}
	y := x
	y.Data = slices.Clone(x.Data)
	column := make([]float64, unit.Rows)
	for j := from; j < y.Cols; j++ {
		for i := range column {
			column[i] = float64(unit.Data[i*unit.Stride+j])
		}
		mean, deviation := stat.PopMeanStdDev(column, nil)
		const rounding = 1e-7 // of float32
		scale := 0.
		if deviation > rounding*math.Abs(mean) {
			scale = 1 / deviation
		}
		for i := range y.Rows {
			v := &y.Data[i*y.Stride+j]
			*v = float32((float64(*v) - mean) * scale)
		}
	}
	return y
}
