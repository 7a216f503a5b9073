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

// planted returns a random graph of so many nodes in four classes, whose edges and 90 sparse features
// both tell something about them.
func planted(t testing.TB, nodes int) *graph.Graph {
	t.Helper()
	return testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: nodes, Classes: 4, MeanDegree: 6, Features: 90, Words: 12, Topic: 0.4, Seed: 1})).OrFatal(t)
}

// plantedForm is planted with its features as a sparse or as a dense matrix.
func plantedForm(t testing.TB, nodes int, isDense bool) *graph.Graph {
	t.Helper()
	g := planted(t, nodes)
	if isDense {
		x := g.Features.ToDense()
		g.Features = graph.Features{Dense: &x}
	}
	return g
}

// randomMatrix returns a matrix of numbers drawn uniformly from −size to size.
func randomMatrix(rows, cols int, size float32, rnd *rand.Rand) blas32.General {
	m := linalg.New(rows, cols)
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = (2*rnd.Float32() - 1) * size
		}
	}
	return m
}

// wantMatrix fails the test unless got is want, to tolerance times the largest entry of want, and the
// padding of got's rows is 0. what names the matrix in messages.
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

// maxAbs returns the largest absolute value of an entry.
func maxAbs(m mat.Matrix) float64 { return max(mat.Max(m), -mat.Min(m)) }

// denseCrossEntropy returns the loss of [adjacency] with the weights p and c, for the adjacency matrix a,
// and its gradient with respect to z, by the definition: with n×n matrices, in float64.
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
			derivative.Set(i, j, c*((1-y)*probability-p*y*(1-probability))) // with respect to x
		}
	}
	gradient = mat.NewDense(n, d, nil)
	gradient.Mul(derivative, z)
	gradient.Scale(2, gradient) // z is on both sides of zzᵗ, and the derivative is symmetric
	return loss, gradient
}

// denseAdjacencyLoss returns GAE's loss and its gradient as the authors' code has it: norm · the mean
// of the weighted cross entropy over the n×n matrix.
func denseAdjacencyLoss(a *graph.CSR, z *mat.Dense) (loss float64, gradient *mat.Dense) {
	n, _ := z.Dims()
	total, edges := float64(n*n), float64(a.NNZ())
	weight, norm := (total-edges)/edges, total/((total-edges)*2)
	return denseCrossEntropy(a, z, weight, norm/total)
}

// TestAdjacencyAgainstDense compares the blockwise loss and its gradient, to 1e-5, with the definition
// in float64, which forms n×n matrices: for embeddings of one tile of columns and of several, with
// GAE's weights and without any.
func TestAdjacencyAgainstDense(t *testing.T) {
	const n = 330 // more rows than a block of similarities has columns, and no multiple of bandRows
	g := planted(t, n)
	rnd := rand.New(rand.NewPCG(1, 1))
	weighted := newAdjacency(g.Adjacency, 0)
	plain := &adjacency{targets: withDiagonal(g.Adjacency), p: 1, c: 1.0 / (n * n)}
	for _, d := range []int{16, 70, 150} {
		z := randomMatrix(n, d, 1, rnd)
		for _, loss := range []*adjacency{weighted, plain} {
			wantLoss, wantGradient := denseAdjacencyLoss(g.Adjacency, linalg.Float64(z))
			if loss == plain {
				wantLoss, wantGradient = denseCrossEntropy(g.Adjacency, linalg.Float64(z), plain.p, plain.c)
			}
			gradient := linalg.New(n, d)
			got := testutil.Value(loss.compute(t.Context(), z, gradient)).OrFatal(t)
			if math.Abs(got/wantLoss-1) > 1e-5 {
				t.Errorf("d = %d, p = %v: loss %v, want %v", d, loss.p, got, wantLoss)
			}
			wantMatrix(t, "gradient", gradient, wantGradient, 1e-5)
		}
	}
}

// TestSampledAdjacencyIsUnbiased: the mean of 2,000 losses with a sample of 50 of 200 nodes is the
// exact loss ([denseAdjacencyLoss]) within four standard errors, and the mean of their gradients is
// the exact one to 5 % of its largest entry.
func TestSampledAdjacencyIsUnbiased(t *testing.T) {
	const n, d, sample, draws = 200, 16, 50, 2000
	g := planted(t, n)
	rnd := rand.New(rand.NewPCG(1, 1))
	z := randomMatrix(n, d, 1, rnd)
	wantLoss, wantGradient := denseAdjacencyLoss(g.Adjacency, linalg.Float64(z))
	loss := newAdjacency(g.Adjacency, sample)
	var mean, squares float64 // of the losses: the mean, and the mean of the squares
	sum := mat.NewDense(n, d, nil)
	for range draws {
		gradient := linalg.New(n, d)
		loss.draw(rnd)
		l := testutil.Value(loss.compute(t.Context(), z, gradient)).OrFatal(t)
		mean += l / draws
		squares += l * l / draws
		sum.Add(sum, linalg.Float64(gradient))
	}
	deviation := math.Sqrt(squares - mean*mean)
	if deviation == 0 {
		t.Error("every draw has the same loss: nothing is sampled")
	}
	standardError := deviation / math.Sqrt(draws)
	if difference := math.Abs(mean - wantLoss); difference > 4*standardError {
		t.Errorf("mean loss %v, want %v ± %v", mean, wantLoss, standardError)
	}
	sum.Scale(1.0/draws, sum)
	sum.Sub(sum, wantGradient)
	if worst, largest := maxAbs(sum), maxAbs(wantGradient); worst > 0.05*largest {
		t.Errorf("mean gradient off by %v of %v", worst, largest)
	}
}

// TestReconstructionAgainstDense compares the loss and the gradients with respect to Z and U, which are
// computed without ZUᵗ, to 1e-5, with the definition in float64, which forms it: for sparse and dense
// features.
func TestReconstructionAgainstDense(t *testing.T) {
	for _, isDense := range []bool{false, true} {
		g := plantedForm(t, 150, isDense)
		rnd := rand.New(rand.NewPCG(1, 1))
		const dims = 150 // more than two tiles of columns
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

// TestGradients compares the gradients of all parameters of networks with finite differences of the
// loss (see [checkGradients]): for the adjacency's loss and the reconstruction's, with and without
// hidden layers, with sparse and dense features.
func TestGradients(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	for _, c := range []struct {
		name    string
		shapes  []layerShape
		isDense bool
	}{
		{name: "linear", shapes: []layerShape{{width: 20, filters: 3}}},
		{name: "linear, dense features", shapes: []layerShape{{width: 20, filters: 3}}, isDense: true},
		{name: "perceptron", shapes: []layerShape{{width: 24, filters: 2, relu: true}, {width: 7}}},
		{name: "GCN", shapes: []layerShape{{width: 70, filters: 1, relu: true}, {width: 9, filters: 1, relu: true}, {width: 5, filters: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := plantedForm(t, 150, c.isDense)
			n := newNetwork(g, laplacian.New(g.Adjacency).FilterMatrix(0.8), c.shapes, rnd)
			dims := c.shapes[len(c.shapes)-1].width // of the embedding
			for _, loss := range []objective{newAdjacency(g.Adjacency, 0), newReconstruction(n.x, dims, rnd)} {
				checkGradients(t, n, loss, rnd)
			}
		})
	}
}

// checkGradients fails the test unless, for each parameter of the network and the loss, the central
// difference of the loss along a direction is the gradient's, to 1 %. The direction is that of the
// gradient plus half of a random one, so that the slope is well above the rounding of a float32 loss.
func checkGradients(t *testing.T, n *network, loss objective, rnd *rand.Rand) {
	t.Helper()
	// value returns the loss with the present parameters.
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
		direction := randomMatrix(start.Rows, start.Cols, 1, rnd)
		size := float32(math.Sqrt(inner(direction, direction)))
		for i := range direction.Data {
			direction.Data[i] = want.Data[i]/length + 0.5*direction.Data[i]/size
		}
		const h = 0.005
		// lossAt returns the loss with the parameter moved along the direction.
		lossAt := func(distance float32) float64 {
			for i, v := range start.Data {
				p.value.Data[i] = v + distance*direction.Data[i]
			}
			return value()
		}
		slope := (lossAt(h) - lossAt(-h)) / (2 * h)
		copy(p.value.Data, start.Data)
		if expected := inner(want, direction); math.Abs(slope/expected-1) > 0.01 {
			t.Errorf("parameter %d, %T: slope %v, gradient says %v", k, loss, slope, expected)
		}
	}
}

// clone returns a copy of m.
func clone(m blas32.General) blas32.General {
	m.Data = append([]float32(nil), m.Data...)
	return m
}
