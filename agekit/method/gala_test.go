package method

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/mat"
)

// TestGALAGradients compares the gradients of all weights with finite differences of the loss, without
// and with the loss of the edges, which a split adds. Tripled weights make the gradients large beside the
// loss, and with seed 1 no ReLU changes sign between the two points of a difference.
func TestGALAGradients(t *testing.T) {
	g := twelve(t)
	m := filled(gala{Hidden: 4, Dims: 3})
	for _, split := range []*graph.Split{nil, {}} {
		tr := trainerFor(t, asMethod(m), g)
		tr.o.Seed, tr.o.Split = 1, split
		_, update := m.model(tr, g)
		for k, w := range tr.weights {
			if isBias := w.Rows == 1; isBias { // they begin as 0
				for j := range w.Cols {
					w.Data[j] = 0.1 * float32(j+1+k)
				}
			}
			addScaled(w, w, 2) // three times w
		}
		wantGradients(t, update)
	}
}

// TestGALAAgainstDense compares the embedding and the loss, without that of the edges, with the formulas
// of [gala] on n×n matrices in float64, to 1e-5.
func TestGALAAgainstDense(t *testing.T) {
	const n = 150
	g := planted(t, n)
	m := filled(gala{Hidden: 20, Dims: 8})
	tr := trainerFor(t, asMethod(m), g)
	embedding, update := m.model(tr, g)
	for k, w := range tr.weights {
		if isBias := w.Rows == 1; isBias { // they begin as 0
			for j := range w.Cols {
				w.Data[j] = 0.01 * float32(j%7-3+k)
			}
		}
	}
	z := testutil.Value(tr.evaluate(embedding)).OrFatal(t)
	loss := testutil.Value(update.differentiate(t.Context())).OrFatal(t)

	smooth, sharpen := denseFilters(g.Adjacency)
	// layer returns the output of layer k, counted from 0, for the input y. Weights and biases alternate.
	layer := func(filter, y *mat.Dense, k int, relu bool) *mat.Dense {
		var out mat.Dense
		out.Product(filter, y, linalg.Float64(tr.weights[2*k]))
		bias := tr.weights[2*k+1]
		out.Apply(func(_, j int, v float64) float64 {
			if v += float64(bias.Data[j]); relu {
				v = max(v, 0)
			}
			return v
		}, &out)
		return &out
	}
	x := linalg.Float64(g.Features.ToDense())
	wantZ := layer(smooth, layer(smooth, x, 0, true), 1, false)
	difference := layer(sharpen, layer(sharpen, wantZ, 2, true), 3, false)
	difference.Sub(difference, x)
	wantMatrix(t, "embedding", z, wantZ, 1e-5)
	if want := math.Pow(mat.Norm(difference, 2), 2) / (2 * n); math.Abs(loss/want-1) > 1e-5 {
		t.Errorf("loss %v, want %v", loss, want)
	}
}

// denseFilters returns GALA's Ŝ and T̂ from their definitions, with the mean weight of an edge in place of 1.
func denseFilters(adjacency *graph.CSR) (smooth, sharpen *mat.Dense) {
	// filter returns D^-½(self·I + sign·A)D^-½ with the degrees D, to which self is added.
	filter := func(self, sign float64) *mat.Dense {
		m := linalg.Float64(adjacency.Dense())
		n, _ := m.Dims()
		scale := make([]float64, n)
		for i := range scale {
			scale[i] = 1 / math.Sqrt(mat.Sum(m.RowView(i))+self)
		}
		m.Apply(func(i, j int, a float64) float64 {
			v := sign * a
			if i == j {
				v += self
			}
			return scale[i] * v * scale[j]
		}, m)
		return m
	}
	mean := adjacency.MeanWeight()
	return filter(mean, 1), filter(2*mean, -1)
}

// TestGALAFilters checks two properties of the smoothing and the sharpening filter, to 1e-6. On a ring,
// whose eigenvectors are waves of the frequencies θ = 2πk/n, they multiply a wave by (1+2cosθ)/3, which
// falls from 1, and (1−cosθ)/2, which rises to 1. On a graph with weights, they are I minus the normalized
// Laplacian of A + w̄I and of the signed graph 2w̄I − A, whose eigenvalues are within 0 and 2.
func TestGALAFilters(t *testing.T) {
	const n = 16
	var u, v []int32
	for i := range int32(n) {
		u, v = append(u, i), append(v, (i+1)%n)
	}
	ring := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	for name, c := range map[string]struct {
		filter   *graph.CSR
		response func(cos float64) float64
	}{
		"smoothing":  {laplacian.New(ring).FilterMatrix(1), func(cos float64) float64 { return (1 + 2*cos) / 3 }},
		"sharpening": {sharpening(ring), func(cos float64) float64 { return (1 - cos) / 2 }},
	} {
		filter := linalg.Float64(c.filter.Dense())
		for k := range n/2 + 1 { // the others are the same waves
			theta := 2 * math.Pi * float64(k) / n
			wave := mat.NewVecDense(n, nil)
			for i := range n {
				wave.SetVec(i, math.Cos(theta*float64(i)))
			}
			var got, want mat.VecDense
			got.MulVec(filter, wave)
			want.ScaleVec(c.response(math.Cos(theta)), wave)
			if !mat.EqualApprox(&got, &want, 1e-6) {
				t.Errorf("%s: frequency %d of %d: response %v, want %v", name, k, n, got.AtVec(0), want.AtVec(0))
			}
		}
	}

	weights := make([]float32, 12) // 1, 2, 3 and 4 in turn
	for k := range weights {
		weights[k] = float32(k%4 + 1)
	}
	weighted := testutil.Value(graph.Adjacency(9, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2}, []int32{1, 2, 3, 4, 5, 6, 7, 8, 0, 4, 5, 7}, weights)).OrFatal(t)
	const mean = 2.5 // of the weights, by hand
	a := linalg.Float64(weighted.Dense())
	for name, c := range map[string]struct {
		filter     *graph.CSR
		self, sign float64
	}{"smoothing": {laplacian.New(weighted).FilterMatrix(1), mean, 1}, "sharpening": {sharpening(weighted), 2 * mean, -1}} {
		// The Laplacian of M = self·I + sign·A is S^-½(S − M)S^-½, where S are the row sums of the
		// absolute values, D + self·I. So S − M is D − A or D + A.
		l := mat.NewSymDense(9, nil)
		for i := range 9 {
			for j := range i + 1 {
				v := -c.sign * a.At(i, j)
				if i == j {
					v += mat.Sum(a.RowView(i))
				}
				l.SetSym(i, j, v/math.Sqrt((mat.Sum(a.RowView(i))+c.self)*(mat.Sum(a.RowView(j))+c.self)))
			}
		}
		wantMatrix(t, name, c.filter.Dense(), oneMinus(l), 1e-6)
		var eigen mat.EigenSym
		if !eigen.Factorize(l, false) {
			t.Fatal("no eigenvalues")
		}
		values := eigen.Values(nil)
		if values[0] < -1e-12 || values[8] > 2+1e-12 {
			t.Errorf("%s: eigenvalues of the Laplacian from %v to %v, want 0 to 2", name, values[0], values[8])
		}
	}
}

// oneMinus returns I − M.
func oneMinus(m mat.Symmetric) *mat.Dense {
	var d mat.Dense
	d.Apply(func(i, j int, v float64) float64 {
		if i == j {
			return 1 - v
		}
		return -v
	}, m)
	return &d
}

// TestGALAPlainGo: a training on features whose rows are no whole tiles reads nothing beyond their
// matrices: plain Go, which checks bounds where assembly does not, would panic.
func TestGALAPlainGo(t *testing.T) {
	defer simd.SetLevel(simd.Level())
	testutil.NoError(t, simd.SetLevel("go"))
	if _, err := asMethod(gala{Epochs: 1, Hidden: 4, Dims: 3}).Fit(t.Context(), testutil.NinetyGraph(t), Options{Seed: 1}); err != nil {
		t.Error(err)
	}
}
