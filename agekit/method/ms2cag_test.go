package method

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/mat"
)

// TestMS2CAG compares Ẑ with the formula on dense powers of P in float64, to 1e-6, and the embedding with
// the leading eigenvectors of the dense matrix B by gonum: they span the same space, to 1e-5
// ([wantLeading]). α is once below and once above 1.
func TestMS2CAG(t *testing.T) {
	g := weightedTwelve(t)
	for _, m := range []ms2cag{{Layers: 4, Alpha: 0.7, Gamma: 0.9}, {Layers: 6, Alpha: 1.3, Gamma: 1}} {
		loops, degrees := denseLoops(g.Adjacency)
		loops.Apply(func(i, _ int, v float64) float64 { return v / degrees[i] }, loops) // P
		x := denseUnitX(g)
		unitLength(x)
		z, total := mat.NewDense(12, 6, nil), 0.0
		for k := range m.Layers + 1 {
			var power, smooth mat.Dense
			power.Pow(loops, k)
			smooth.Mul(&power, x)
			smooth.Scale(math.Pow(m.Alpha, float64(k)), &smooth)
			z.Add(z, &smooth)
			total += math.Pow(m.Alpha, float64(k))
		}
		z.Scale(1/total, z)
		unitLength(z)
		got := testutil.Value(m.smooth(t.Context(), g)).OrFatal(t)
		wantMatrix(t, "Ẑ", got, z, 1e-6)

		var b mat.SymDense // ẐẐᵗ, and then B
		var omega mat.VecDense
		b.SymOuterK(1, z)
		omega.MulVec(&b, ones(12))
		b.SymRankOne(&b, -m.Gamma/mat.Sum(&omega), &omega)
		out := testutil.Value(asMethod(m).Fit(t.Context(), g, Options{Clusters: 3, Seed: 1})).OrFatal(t)
		wantLeading(t, linalg.Float64(out.Embedding), &b)
	}
}

// ones returns a vector of n ones.
func ones(n int) *mat.VecDense {
	v := mat.NewVecDense(n, nil)
	for i := range n {
		v.SetVec(i, 1)
	}
	return v
}

// wantLeading fails the test unless the k columns of u are an orthonormal basis of the space of the
// matrix's k eigenvectors with the largest absolute eigenvalues, by gonum: the cosines of the angles between
// the spaces are 1, to 1e-5. That the next eigenvalue is clearly smaller is a precondition.
func wantLeading(t *testing.T, u *mat.Dense, matrix mat.Symmetric) {
	t.Helper()
	var e mat.EigenSym
	if !e.Factorize(matrix, true) {
		t.Fatal("no eigenvectors")
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	values := e.Values(nil)
	n, k := u.Dims()
	order := make([]int, n) // of the eigenvalues, by their absolute values from the largest on
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(values[b]), math.Abs(values[a])) })
	if last, next := math.Abs(values[order[k-1]]), math.Abs(values[order[k]]); last < 1.1*next {
		t.Fatalf("eigenvalues %v and %v leave open which %d are leading", last, next, k)
	}
	want := mat.NewDense(n, k, nil)
	for c := range k {
		want.SetCol(c, mat.Col(nil, order[c], &vectors))
	}
	var cosines mat.Dense
	cosines.Mul(want.T(), u)
	var svd mat.SVD
	svd.Factorize(&cosines, mat.SVDNone)
	for _, c := range svd.Values(nil) {
		if math.Abs(c-1) > 1e-5 {
			t.Errorf("cosines %v, want 1", svd.Values(nil))
		}
	}
}
