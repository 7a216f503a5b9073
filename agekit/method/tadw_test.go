package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// denseWalk returns M = (P + P²)/2 of [tadw] as a dense float64 matrix. A node without neighbors has a row
// of zeros.
func denseWalk(a *graph.CSR) *mat.Dense {
	p := linalg.Float64(a.Dense())
	for i := range a.Rows {
		if sum := floats.Sum(p.RawRowView(i)); sum > 0 {
			floats.Scale(1/sum, p.RawRowView(i))
		}
	}
	var m mat.Dense
	m.Mul(p, p)
	m.Add(&m, p)
	m.Scale(0.5, &m)
	return &m
}

// wantNear fails the test unless got is want, to tolerance times the largest entry of want. what names the
// matrix in messages.
func wantNear(t *testing.T, what string, got, want mat.Matrix, tolerance float64) {
	t.Helper()
	var difference mat.Dense
	difference.Sub(got, want)
	if d, scale := maxAbs(&difference), maxAbs(want); !(d <= tolerance*scale) {
		t.Errorf("%s: off by %.3g of %.3g, tolerance %.2g", what, d, scale, tolerance)
	}
}

// TestWalkTwice compares MY with the product with the dense M ([denseWalk]), to 1e-12, on a weighted graph
// whose node 4 has no neighbors.
func TestWalkTwice(t *testing.T) {
	a := testutil.Value(graph.Adjacency(6, []int32{0, 0, 0, 1, 3}, []int32{1, 2, 3, 2, 5}, []float32{1, 2.5, 4, 0.5, 3})).OrFatal(t)
	y := linalg.Float64(randomMatrix(6, 3, 1, rand.New(rand.NewPCG(1, 1))))
	got := testutil.Value(walkTwice(t.Context(), a, y)).OrFatal(t)
	var want mat.Dense
	want.Mul(denseWalk(a), y)
	wantNear(t, "MY", got, &want, 1e-12)
}

// TestLeftSingular compares the singular values, to 1e-7 of the largest, and UΣ²Uᵗ, which does not depend
// on the signs of the vectors, to 1e-6, with those of gonum's decomposition: for matrices that are tall
// and wide, for all vectors, and for a matrix of rank 20, of which 20 vectors are left of 50.
func TestLeftSingular(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	const rows, cols, rank = 150, 90, 20
	var product mat.Dense
	product.Mul(linalg.Float64(randomMatrix(rows, rank, 1, rnd)), linalg.Float64(randomMatrix(rank, cols, 1, rnd)))
	low := linalg.New(rows, cols) // the product, rounded to float32
	for i := range rows {
		for j := range cols {
			low.Data[i*low.Stride+j] = float32(product.At(i, j))
		}
	}
	for _, c := range []struct {
		name string
		x    *graph.CSR
		k    int // vectors to find
		want int // vectors with singular values that are not too small
	}{
		{name: "tall", x: graph.FromDense(randomMatrix(300, 220, 1, rnd)), k: 15, want: 15},
		{name: "wide", x: graph.FromDense(randomMatrix(220, 300, 1, rnd)), k: 15, want: 15},
		{name: "all", x: graph.FromDense(randomMatrix(40, 30, 1, rnd)), k: 30, want: 30},
		{name: "low rank", x: graph.FromDense(low), k: 50, want: rank},
	} {
		u, lengths, err := leftSingular(t.Context(), c.x, c.k, rnd)
		testutil.NoError(t, err)
		if len(lengths) != c.want {
			t.Fatalf("%s: %d singular values, want %d", c.name, len(lengths), c.want)
		}
		var svd mat.SVD
		svd.Factorize(linalg.Float64(c.x.Dense()), mat.SVDThin)
		values := svd.Values(nil)
		var left mat.Dense // gonum's U
		svd.UTo(&left)
		for k, got := range lengths {
			if math.Abs(got-values[k]) > 1e-7*values[0] {
				t.Errorf("%s: singular value %d is %v, want %v", c.name, k, got, values[k])
			}
		}
		wantNear(t, c.name, scaledOuter(u, lengths, 2), scaledOuter(left.Slice(0, c.x.Rows, 0, c.want), values[:c.want], 2), 1e-6)
	}
}

// scaledOuter returns U·diag(d)ᵖ·Uᵗ.
func scaledOuter(u mat.Matrix, d []float64, p float64) *mat.Dense {
	powers := make([]float64, len(d))
	for k, v := range d {
		powers[k] = math.Pow(v, p)
	}
	var out mat.Dense
	out.Product(u, mat.NewDiagDense(len(d), powers), u.T())
	return &out
}

// TestTADWSolutions checks each solution for W and for H, in six iterations, with the objective
// |M − WᵗHT|² + λ/2·(|W|² + |H|²) on dense matrices: its gradient with respect to the one that was solved for
// vanishes, to 1e-7 of its largest term, and its value falls each time. The objective that is reported is
// the same but for a constant.
func TestTADWSolutions(t *testing.T) {
	g := planted(t, 120)
	rnd := rand.New(rand.NewPCG(3, 3))
	const text, dims = 40, 12 // rows of T, and of W and H
	u, _, err := leftSingular(t.Context(), g.Features.Sparse, text, rnd)
	testutil.NoError(t, err)
	q := testutil.Value(walkTwice(t.Context(), g.Adjacency, u)).OrFatal(t)
	qq := testutil.Value(innerProducts(t.Context(), q)).OrFatal(t)
	const lambda = 0.2
	m, f := denseWalk(g.Adjacency), newFactors(qq, dims, lambda, rnd)
	// state returns W, HT, M − WᵗHT and the objective.
	state := func() (w, ht, rest *mat.Dense, objective float64) {
		w, ht, rest = new(mat.Dense), new(mat.Dense), new(mat.Dense)
		w.Mul(f.x, q.T())
		ht.Mul(f.h, u.T())
		rest.Mul(w.T(), ht)
		rest.Sub(m, rest)
		return w, ht, rest, dot(rest, rest) + lambda/2*(dot(w, w)+dot(f.h, f.h))
	}
	// wantZero fails the test unless −2·term + λ·factor, half of which is a gradient, is 0.
	wantZero := func(what string, term mat.Dense, factor *mat.Dense) {
		t.Helper()
		var want mat.Dense
		want.Scale(lambda/2, factor)
		wantNear(t, what, &term, &want, 1e-7)
	}
	last, constant := math.Inf(1), math.NaN() // the objective before, and what the one reported lacks
	for k := range 6 {
		testutil.NoError(t, f.solveW())
		w, ht, rest, objective := state()
		var term mat.Dense
		term.Mul(ht, rest.T())
		wantZero("equations of W", term, w)
		if objective >= last {
			t.Errorf("iteration %d: objective %v after %v", k, objective, last)
		}
		last = objective
		testutil.NoError(t, f.solveH())
		w, _, rest, objective = state()
		term.Reset()
		term.Product(w, rest, u)
		wantZero("equations of H", term, f.h)
		if objective >= last {
			t.Errorf("iteration %d: objective %v after %v", k, objective, last)
		}
		last = objective
		if k == 0 {
			constant = objective - f.objective()
		}
		if math.Abs(objective-f.objective()-constant) > 1e-9*objective {
			t.Errorf("iteration %d: objective %v is reported as %v, and the constant was %v", k, objective, f.objective(), constant)
		}
	}
}

// TestTADWLimit compares the inner products of the rows of each half of the embedding after 500 iterations
// with those at the minimum of the objective, to 1e-3, in both modes. If Q = USVᵗ, the minimum has
// WᵗW = U(S−λ/2)₊Uᵗ and HᵗH = V(S−λ/2)₊Vᵗ (Srebro and others 2004; Cai and others 2010). The test
// computes it from dense matrices by gonum's decompositions.
func TestTADWLimit(t *testing.T) {
	g := planted(t, 120)
	for _, m := range []tadw{{}, {Published: true}} {
		const text = 30
		m.Iterations, m.Text, m.Dims, m.Lambda = 500, text, 30, 0.6
		out := testutil.Value(asMethod(m).Fit(t.Context(), g, Options{Clusters: 4, Seed: 1})).OrFatal(t)
		z := linalg.Float64(out.Embedding)
		x := linalg.Float64(g.Features.ToDense())
		n, words := x.Dims()
		if m.Published { // words get the weights ln(n/df)
			for j := range words {
				df := mat.Sum(x.ColView(j))
				for i := range n {
					x.Set(i, j, x.At(i, j)*math.Log(float64(n)/df))
				}
			}
		}
		// The text is the leading singular vectors U of X, and Q = MU.
		var xSVD, qSVD mat.SVD
		xSVD.Factorize(x, mat.SVDThin)
		var xLeft, q, qLeft, qRight mat.Dense
		xSVD.UTo(&xLeft)
		u, lengths := xLeft.Slice(0, n, 0, text), xSVD.Values(nil)[:text]
		q.Mul(denseWalk(g.Adjacency), u)
		qSVD.Factorize(&q, mat.SVDThin)
		qSVD.UTo(&qLeft)
		qSVD.VTo(&qRight)
		shrunk, positive := qSVD.Values(nil), 0 // (S−λ/2)₊
		for k, s := range shrunk {
			shrunk[k] = max(0, s-m.Lambda/2)
			if shrunk[k] > 0 {
				positive++
			}
		}
		if positive < 3 || positive == text { // a precondition
			t.Errorf("%d of %d singular values are kept: want some, and not all", positive, text)
		}
		// The first half of the embedding is Wᵗ, and the second, UΣHᵗ.
		first := scaledOuter(&qLeft, shrunk, 1)
		var scaled, second mat.Dense
		scaled.Mul(u, mat.NewDiagDense(text, lengths))
		second.Product(&scaled, scaledOuter(&qRight, shrunk, 1), scaled.T())
		for column, want := range map[int]*mat.Dense{0: first, m.Dims: &second} { // by the half's first column
			if !m.Published { // rows have length 1
				cosines(want)
			}
			var got mat.Dense
			half := z.Slice(0, n, column, column+m.Dims)
			got.Mul(half, half.T())
			wantNear(t, "inner products", &got, want, 1e-3)
		}
	}
}

// cosines replaces the inner products of all pairs of rows of a matrix with the rows' cosines.
func cosines(products *mat.Dense) {
	n, _ := products.Dims()
	lengths := make([]float64, n)
	for i := range lengths {
		lengths[i] = math.Sqrt(products.At(i, i))
	}
	products.Apply(func(i, j int, v float64) float64 { return v / (lengths[i] * lengths[j]) }, products)
}
