package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// planted is a graph of n nodes with sparse or dense features. Its n exceeds
// the number of columns in a block of similarities.
func planted(t testing.TB, n int, isDense bool) *graph.Graph {
	t.Helper()
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: n, Classes: 4, MeanDegree: 6, Features: 90, Words: 12, Topic: 0.4, Seed: 1})).OrFatal(t)
	if isDense {
		x := g.Features.ToDense()
		g.Features = graph.Features{Dense: &x}
	}
	return g
}

func randomMatrix(rows, cols int, size float32, rnd *rand.Rand) blas32.General {
	m := linalg.New(rows, cols)
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = (2*rnd.Float32() - 1) * size
		}
	}
	return m
}

// wantMatrix compares with a float64 matrix, relative to its largest entry.
func wantMatrix(t *testing.T, what string, got blas32.General, want mat.Matrix, tolerance float64) {
	t.Helper()
	var difference mat.Dense
	difference.Sub(linalg.Float64(got), want)
	if d, scale := maxAbs(&difference), maxAbs(want); !(d <= tolerance*scale) {
		t.Errorf("%s: off by %.3g of %.3g, tolerance %.2g", what, d, scale, tolerance)
	}
	for i := range got.Rows {
		for _, v := range got.Data[i*got.Stride+got.Cols : (i+1)*got.Stride] {
			if v != 0 {
				t.Fatalf("%s: padding of row %d is not zero", what, i)
			}
		}
	}
}

func maxAbs(m mat.Matrix) float64 { return max(mat.Max(m), -mat.Min(m)) }

// denseCrossEntropy is the loss of an adjacency and its gradient with respect to
// z. It forms the n×n matrix, in float64.
func denseCrossEntropy(a *graph.CSR, z *mat.Dense, p, c float64) (loss float64, gradient *mat.Dense) {
	n, d := z.Dims()
	var s mat.Dense
	s.Mul(z, z.T())
	derivative := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			x, y := s.At(i, j), 0.0
			if i == j || a.At(i, j) != 0 {
				y = 1
			}
			probability := 1 / (1 + math.Exp(-x))
			loss -= c * (p*y*math.Log(probability) + (1-y)*math.Log(1-probability))
			derivative.Set(i, j, c*((1-y)*probability-p*y*(1-probability)))
		}
	}
	gradient = mat.NewDense(n, d, nil)
	gradient.Mul(derivative, z) // the other factor contributes the same: the matrix is symmetric
	gradient.Scale(2, gradient)
	return loss, gradient
}

// denseAdjacencyLoss is GAE's loss as the authors wrote it: norm · mean of the
// weighted cross entropy over the n×n matrix.
func denseAdjacencyLoss(a *graph.CSR, z *mat.Dense) (loss float64, gradient *mat.Dense) {
	n, _ := z.Dims()
	total, edges := float64(n*n), float64(a.NNZ())
	weight, norm := (total-edges)/edges, total/((total-edges)*2)
	return denseCrossEntropy(a, z, weight, norm/total)
}

// TestAdjacencyAgainstDense: the blockwise loss and its gradient match the
// definition with an n×n matrix, for one tile of columns and for several, with
// GAE's weights and without any.
func TestAdjacencyAgainstDense(t *testing.T) {
	g := planted(t, 330, false)
	rnd := rand.New(rand.NewPCG(1, 1))
	weighted := newAdjacency(g.Adjacency, 0)
	plain := &adjacency{targets: withDiagonal(g.Adjacency), p: 1, c: 1.0 / (330 * 330)}
	for _, d := range []int{16, 70, 150} {
		z := randomMatrix(g.N(), d, 1, rnd)
		for _, loss := range []*adjacency{weighted, plain} {
			wantLoss, wantGradient := denseAdjacencyLoss(g.Adjacency, linalg.Float64(z))
			if loss == plain {
				wantLoss, wantGradient = denseCrossEntropy(g.Adjacency, linalg.Float64(z), 1, 1.0/(330*330))
			}
			gradient := linalg.New(g.N(), d)
			got := testutil.Value(loss.compute(t.Context(), z, gradient)).OrFatal(t)
			if math.Abs(got/wantLoss-1) > 1e-5 {
				t.Errorf("d = %d, p = %v: loss %v, want %v", d, loss.p, got, wantLoss)
			}
			wantMatrix(t, "gradient", gradient, wantGradient, 1e-5)
		}
	}
}

// TestSampledAdjacencyIsUnbiased: the mean of many sampled losses and
// gradients matches the exact one within the standard error.
func TestSampledAdjacencyIsUnbiased(t *testing.T) {
	g := planted(t, 200, false)
	rnd := rand.New(rand.NewPCG(1, 1))
	z := randomMatrix(g.N(), 16, 1, rnd)
	wantLoss, wantGradient := denseAdjacencyLoss(g.Adjacency, linalg.Float64(z))
	loss := newAdjacency(g.Adjacency, 50)
	const draws = 2000
	var mean, squares float64
	sum := mat.NewDense(g.N(), 16, nil)
	for range draws {
		gradient := linalg.New(g.N(), 16)
		loss.draw(rnd)
		l := testutil.Value(loss.compute(t.Context(), z, gradient)).OrFatal(t)
		mean += l / draws
		squares += l * l / draws
		sum.Add(sum, linalg.Float64(gradient))
	}
	spread := math.Sqrt(squares - mean*mean)
	if spread == 0 {
		t.Error("every draw has the same loss: nothing is sampled")
	}
	if d := math.Abs(mean - wantLoss); d > 4*spread/math.Sqrt(draws) {
		t.Errorf("mean loss %v, want %v ± %v", mean, wantLoss, spread/math.Sqrt(draws))
	}
	sum.Scale(1.0/draws, sum)
	sum.Sub(sum, wantGradient)
	if d, scale := maxAbs(sum), maxAbs(wantGradient); d > 0.05*scale {
		t.Errorf("mean gradient off by %v of %v", d, scale)
	}
}

// TestReconstructionAgainstDense: the loss and the gradients computed without
// ZUᵗ match those computed with it in float64.
func TestReconstructionAgainstDense(t *testing.T) {
	for _, isDense := range []bool{false, true} {
		g := planted(t, 150, isDense)
		rnd := rand.New(rand.NewPCG(1, 1))
		const dims = 150 // more than two tiles
		r := newReconstruction(newFeatures(g.Features), dims, rnd)
		z, gradient := randomMatrix(g.N(), dims, 1, rnd), linalg.New(g.N(), dims)
		got := testutil.Value(r.compute(t.Context(), z, gradient)).OrFatal(t)
		n, f := g.Features.Dims()
		scale := 1 / float64(n*f)
		z64, u64 := linalg.Float64(z), linalg.Float64(r.decoder.value)
		var residual, wantZ, wantU mat.Dense
		residual.Mul(z64, u64.T())
		residual.Sub(&residual, linalg.Float64(g.Features.ToDense()))
		want := scale * math.Pow(mat.Norm(&residual, 2), 2)
		if math.Abs(got/want-1) > 1e-5 {
			t.Errorf("loss %v, want %v", got, want)
		}
		wantZ.Mul(&residual, u64)
		wantZ.Scale(2*scale, &wantZ)
		wantMatrix(t, "gradient of Z", gradient, &wantZ, 1e-5)
		wantU.Mul(residual.T(), z64)
		wantU.Scale(2*scale, &wantU)
		wantMatrix(t, "gradient of U", r.decoder.gradient, &wantU, 1e-5)
	}
}

// TestGradients compares the gradients of all weights with finite differences
// of the loss along a random direction mixed with the gradient itself, for
// both losses, with and without a hidden layer, with sparse and dense
// features.
func TestGradients(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	for _, c := range []struct {
		name    string
		shapes  []layerShape
		isDense bool
	}{
		{"linear", []layerShape{{width: 20, filters: 3}}, false},
		{"linear, dense features", []layerShape{{width: 20, filters: 3}}, true},
		{"perceptron", []layerShape{{width: 24, filters: 2, relu: true}, {width: 7}}, false},
		{"GCN", []layerShape{{width: 70, filters: 1, relu: true}, {width: 9, filters: 1, relu: true}, {width: 5, filters: 1}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := planted(t, 150, c.isDense)
			n := newNetwork(g, laplacian.New(g.Adjacency).FilterMatrix(0.8), c.shapes, rnd)
			ra := newAdjacency(g.Adjacency, 0)
			for _, loss := range []objective{ra, newReconstruction(n.x, c.shapes[len(c.shapes)-1].width, rnd)} {
				checkGradients(t, n, loss, rnd)
			}
		})
	}
}

func checkGradients(t *testing.T, n *network, loss objective, rnd *rand.Rand) {
	t.Helper()
	value := func() float64 {
		z := n.forward()
		return testutil.Value(loss.compute(t.Context(), z, linalg.New(z.Rows, z.Cols))).OrFatal(t)
	}
	z := n.forward()
	gradient := linalg.New(z.Rows, z.Cols)
	testutil.Value(loss.compute(t.Context(), z, gradient)).OrFatal(t)
	n.backward(gradient)
	parameters := n.parameters()
	if r, ok := loss.(*reconstruction); ok {
		parameters = append(parameters, r.decoder)
	}
	gradients := make([]blas32.General, len(parameters))
	for k, p := range parameters {
		gradients[k] = clone(p.gradient) // later evaluations of the loss overwrite it
	}
	for k, p := range parameters {
		start, want := clone(p.value), gradients[k]
		length := float32(math.Sqrt(inner(want, want)))
		if length == 0 {
			t.Fatalf("parameter %d has no gradient", k)
		}
		random := randomMatrix(start.Rows, start.Cols, 1, rnd)
		size := float32(math.Sqrt(inner(random, random)))
		for i := range random.Data { // along the gradient, with a random component
			random.Data[i] = want.Data[i]/length + 0.5*random.Data[i]/size
		}
		const h = 0.005
		move := func(by float32) float64 {
			for i, v := range start.Data {
				p.value.Data[i] = v + by*random.Data[i]
			}
			return value()
		}
		slope := (move(h) - move(-h)) / (2 * h)
		copy(p.value.Data, start.Data)
		if expected := inner(want, random); math.Abs(slope/expected-1) > 0.01 {
			t.Errorf("parameter %d, %T: slope %v, gradient says %v", k, loss, slope, expected)
		}
	}
}

func clone(m blas32.General) blas32.General {
	m.Data = append([]float32(nil), m.Data...)
	return m
}
