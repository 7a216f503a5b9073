package method

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agekit/age/internal/testutil"
)

// TestSSGC compares the embedding with the formula of [ssgc] on dense powers of T in float64, to 1e-6 of the
// largest entry.
func TestSSGC(t *testing.T) {
	g := weightedTwelve(t)
	x, convolution := denseUnitX(g), denseConvolution(g.Adjacency) // X and T
	const layers, alpha = 5, 0.3
	want := mat.NewDense(x.RawMatrix().Rows, x.RawMatrix().Cols, nil)
	for k := 1; k <= layers; k++ {
		var power, smooth mat.Dense
		power.Pow(convolution, k)
		smooth.Mul(&power, x)
		smooth.Scale(1-alpha, &smooth)
		var input mat.Dense
		input.Scale(alpha, x)
		smooth.Add(&smooth, &input)
		smooth.Scale(1./layers, &smooth)
		want.Add(want, &smooth)
	}
	got := testutil.Value(asMethod(ssgc{Layers: layers, Alpha: alpha}).Fit(t.Context(), g, Options{})).OrFatal(t)
	wantMatrix(t, "X̃", got.Embedding, want, 1e-6)
}
