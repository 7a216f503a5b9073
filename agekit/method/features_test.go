package method

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// TestWeighting compares tfidf, its rows at length 1, and those of smoothTFIDF, with the values of a small
// table by hand, for the table as a dense and as a sparse matrix. Of four nodes, two have the first feature,
// one has the second, and all have the third.
func TestWeighting(t *testing.T) {
	oneOfTwo, oneOfFour := math.Log(2), math.Log(4) // the weights of the first and of the second feature
	table := blas32.General{Rows: 4, Cols: 3, Stride: 3, Data: []float32{
		2, 0, 1,
		2, 4, 1,
		0, 0, 2,
		0, 0, 4,
	}}
	sparse := graph.Features{Sparse: graph.FromEntries(4, 3, nonZeros(graph.Features{Dense: &table}))}
	for _, x := range []graph.Features{{Dense: &table}, sparse} {
		weighted := tfidf(x)
		wantMatrix(t, "weights", weighted.ToDense(), mat.NewDense(4, 3, []float64{
			oneOfTwo, 0, 0,
			oneOfTwo, oneOfFour, 0,
			0, 0, 0,
			0, 0, 0,
		}), 1e-6)
		length := math.Hypot(oneOfTwo, oneOfFour) // of the second row
		wantMatrix(t, "unit rows", unitNorms(weighted, 2).ToDense(), mat.NewDense(4, 3, []float64{
			1, 0, 0,
			oneOfTwo / length, oneOfFour / length, 0,
			0, 0, 0,
			0, 0, 0,
		}), 1e-6)
		first, second, third := 2*(math.Log(5./3)+1), 4*(math.Log(5./2)+1), 1. // of the second row
		long, short := math.Hypot(math.Hypot(first, second), third), math.Hypot(first, third)
		wantMatrix(t, "smooth, unit rows", unitNorms(smoothTFIDF(x), 2).ToDense(), mat.NewDense(4, 3, []float64{
			first / short, 0, third / short,
			first / long, second / long, third / long,
			0, 0, 1,
			0, 0, 1,
		}), 1e-6)
	}
}

// TestWordWeights: features whose values other than 0 are all the same get the weights ln(n/df), by hand, and
// features with several values stay as they are.
func TestWordWeights(t *testing.T) {
	words := blas32.General{Rows: 4, Cols: 2, Stride: 2, Data: []float32{3, 0, 3, 3, 0, 0, 0, 0}}
	weighted := wordWeights(graph.Features{Dense: &words})
	wantMatrix(t, "words", weighted.ToDense(), mat.NewDense(4, 2, []float64{math.Log(2), 0, math.Log(2), math.Log(4), 0, 0, 0, 0}), 1e-6)
	scores := blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: []float32{3, 0, 2, 3}}
	wantMatrix(t, "weights", wordWeights(graph.Features{Dense: &scores}).ToDense(), mat.NewDense(2, 2, []float64{3, 0, 2, 3}), 0)
}
