package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// TestMGAEAgainstMasks compares the first layer's weights and the embedding of all layers with those of the
// definition: normal equations whose terms are summed over all 2⁶ sets of erased features, each with its
// probability, in float64. They agree to 1e-4 of the largest entry, because the products are float32.
func TestMGAEAgainstMasks(t *testing.T) {
	g := weightedTwelve(t)
	m := filled(mgae{Corruption: 0.3, Ridge: 0.01})
	x, convolution := denseUnitX(g), denseConvolution(g.Adjacency)
	n, f := x.Dims()
	smooth := func(x mat.Matrix) *mat.Dense { // Â[X 1]
		constant, s := mat.NewDense(n, f+1, nil), new(mat.Dense)
		constant.Copy(x)
		for i := range n {
			constant.Set(i, f, 1)
		}
		s.Mul(convolution, constant)
		return s
	}
	// layer returns W and the output SW for the input X.
	layer := func(x *mat.Dense) (weights, output *mat.Dense) {
		// The expectations of ŜᵗŜ and ŜᵗX, where Ŝ is that of the corrupted features.
		moments, targets := mat.NewDense(f+1, f+1, nil), mat.NewDense(f+1, f, nil)
		for mask := range 1 << f {
			probability, corrupted := 1.0, mat.DenseCopyOf(x)
			for j := range f {
				if isErased := mask>>j&1 == 1; isErased {
					probability *= m.Corruption
					corrupted.Slice(0, n, j, j+1).(*mat.Dense).Zero()
				} else {
					probability *= 1 - m.Corruption
				}
			}
			s := smooth(corrupted)
			var gram, target mat.Dense
			gram.Mul(s.T(), s)
			gram.Scale(probability, &gram)
			moments.Add(moments, &gram)
			target.Mul(s.T(), x)
			target.Scale(probability, &target)
			targets.Add(targets, &target)
		}
		for j := range f { // the ridge leaves the constant's weights alone
			moments.Set(j, j, moments.At(j, j)+m.Ridge)
		}
		weights, output = new(mat.Dense), new(mat.Dense)
		testutil.NoError(t, weights.Solve(moments, targets))
		output.Mul(smooth(x), weights)
		return weights, output
	}
	want, z := layer(x)
	input := testutil.Value(denseFeatures(g.Features, 1)).OrFatal(t)
	withConstant, s := linalg.New(n, f+1), linalg.New(n, f+1) // [X 1] and S
	for i := range n {
		copy(linalg.Row(withConstant, i), linalg.Row(input, i))
		withConstant.Data[i*withConstant.Stride+f] = 1
	}
	mulSparse(s, laplacian.New(g.Adjacency).FilterMatrix(1), withConstant)
	got := testutil.Value(m.weights(t.Context(), s, input)).OrFatal(t)
	wantMatrix(t, "W", got, want, 1e-4)

	for range m.Layers - 1 {
		_, z = layer(z)
	}
	out := testutil.Value(asMethod(m).Fit(t.Context(), g, Options{})).OrFatal(t)
	wantMatrix(t, "Z", out.Embedding, z, 1e-4)
}

// TestAbsoluteGram compares products with |ZZᵗ| with those of the dense matrix, to 1e-6 of the largest
// entry, and the five leading eigenvectors of its square with gonum's eigenvectors of the dense matrix for
// the largest absolute eigenvalues ([wantLeading]). The rows of Z are directions all around a half circle:
// so these eigenvalues are (2/π)n, twice (2/3π)n and twice −(2/15π)n, of both signs.
func TestAbsoluteGram(t *testing.T) {
	const n, k = 200, 5
	z := linalg.New(n, 2)
	for i := range n {
		angle := math.Pi * float64(i) / n
		z.Data[i*z.Stride], z.Data[i*z.Stride+1] = float32(math.Cos(angle)), float32(math.Sin(angle))
	}
	s := mat.NewSymDense(n, nil) // |ZZᵗ|
	s.SymOuterK(1, linalg.Float64(z))
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, math.Abs(s.At(i, j)))
		}
	}
	operator := gramOperator(cluster.GramAbs(z), z)
	const columns = 8 // an affinity multiplies with a multiple of 8
	x, y := blas64.General(newSystem(n, columns)), blas64.General(newSystem(n, columns))
	for p := range x.Data {
		x.Data[p] = math.Sin(float64(p)) // any numbers
	}
	testutil.NoError(t, operator.MulTo(t.Context(), y, x))
	var want mat.Dense
	want.Mul(s, float64s(x))
	var difference mat.Dense
	difference.Sub(float64s(y), &want)
	if worst := maxAbs(&difference); !(worst <= 1e-6*maxAbs(&want)) {
		t.Errorf("products off by %.3g of %.3g", worst, maxAbs(&want))
	}

	_, u, err := linalg.LeadingEigenvectors(t.Context(), squareOperator(operator), k, linalg.LeadingOptions{}, rand.New(rand.NewPCG(1, 1)))
	testutil.NoError(t, err)
	wantLeading(t, float64s(u), s)
}

// float64s returns m as gonum's dense matrix.
func float64s(m blas64.General) *mat.Dense {
	d := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		d.SetRow(i, m.Data[i*m.Stride:][:m.Cols])
	}
	return d
}
