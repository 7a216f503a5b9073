package method

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// TestProximity compares the proximity with (B + B²)/2 of dense float64 matrices at the entries of the
// pattern, to 1e-6.
func TestProximity(t *testing.T) {
	pattern := withDiagonal(planted(t, 150).Adjacency)
	got := testutil.Value(proximity(t.Context(), pattern)).OrFatal(t)
	b := linalg.Float64(pattern.Dense())
	n := pattern.Rows
	mask := mat.DenseCopyOf(b) // the pattern: 1 at its entries
	for i := range n {
		row := b.RawRowView(i)
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		for j := range row {
			row[j] /= sum
		}
	}
	for j := range n {
		sum := mat.Sum(b.ColView(j))
		for i := range n {
			b.Set(i, j, b.At(i, j)/sum)
		}
	}
	var want mat.Dense
	want.Pow(b, 2)
	want.Add(&want, b)
	want.Scale(0.5, &want)
	want.MulElem(&want, mask)
	wantMatrix(t, "proximity", got.Dense(), &want, 1e-6)
}

// TestAttention compares a layer with the formulas of [daegc] on n×n matrices in float64, to 1e-5. The
// scores reach the hundreds, where float32 exponentials overflow.
func TestAttention(t *testing.T) {
	g := twelve(t)
	tr := trainerFor(t, asMethod(daegc{}), g)
	pattern := withDiagonal(g.Adjacency)
	near := testutil.Value(proximity(t.Context(), pattern)).OrFatal(t)
	rnd := rand.New(rand.NewPCG(3, 3))
	m := tr.sparse(near)
	const n, inputs, outputs = 12, 6, 4
	a := attention{ // large weights make large scores
		weights:  tr.weight(randomMatrix(inputs, outputs, 1, rnd)),
		self:     tr.weight(randomMatrix(outputs, 1, 1000, rnd)),
		neighbor: tr.weight(randomMatrix(outputs, 1, 1000, rnd)),
	}
	y := randomMatrix(n, inputs, 1, rnd)
	got := testutil.Value(tr.evaluate(func(v *nodes) *Node { return a.layer(v, m, v.input(0)) }, y)).OrFatal(t)

	weight := func(w weight) *mat.Dense { return linalg.Float64(tr.weights[w]) }
	var h, self, neighbor mat.Dense
	h.Mul(linalg.Float64(y), weight(a.weights))
	self.Mul(&h, weight(a.self))
	neighbor.Mul(&h, weight(a.neighbor))
	want := mat.NewDense(n, outputs, nil)
	highest := 0.0 // of all scores
	for i := range n {
		scores, top := make([]float64, n), math.Inf(-1) // of node i, and the highest among neighbors
		for j := range scores {
			e := float64(near.At(i, j)) * (self.At(i, 0) + neighbor.At(j, 0))
			if e < 0 {
				e *= 0.2 // LeakyReLU
			}
			scores[j] = e
			if pattern.At(i, j) != 0 {
				top = max(top, e)
			}
		}
		highest = max(highest, top)
		sum := 0.0
		for j, e := range scores {
			if pattern.At(i, j) != 0 {
				sum += math.Exp(e - top)
			}
		}
		for c := range outputs {
			average := 0.0
			for j, e := range scores {
				if pattern.At(i, j) != 0 {
					average += math.Exp(e-top) / sum * h.At(j, c)
				}
			}
			if average < 0 {
				average = math.Expm1(average) // ELU
			}
			want.Set(i, c, average)
		}
	}
	if highest < 100 { // a precondition
		t.Errorf("highest score %v, want one whose exponential overflows", highest)
	}
	wantMatrix(t, "layer", got, want, 1e-5)
}

// TestDAEGCGradients compares the gradients of the pretraining with finite differences of its loss. That
// of the self-training is in TestSelfTraining: finite differences would also change P, which is held
// constant.
func TestDAEGCGradients(t *testing.T) {
	g := twelve(t)
	m := filled(daegc{Hidden: 5, Dims: 3})
	near := testutil.Value(proximity(t.Context(), withDiagonal(g.Adjacency))).OrFatal(t)
	d := m.model(trainerFor(t, asMethod(m), g), g, near)
	wantGradients(t, d.pretraining)
}

// TestSelfTraining compares Q, KL(P‖Q)/n and its gradients with the formulas of [daegc] in float64, to
// 1e-6 and 1e-4. The gradients by formula are 2/n Σₖ (pᵢₖ−qᵢₖ)(zᵢ−μₖ)/(1+‖zᵢ−μₖ‖²) for node i, and the
// same with the other sign, summed over the nodes, for center k (Xie, Girshick and Farhadi, ICML 2016).
func TestSelfTraining(t *testing.T) {
	const n, k, d = 40, 5, 7
	rnd := rand.New(rand.NewPCG(4, 4))
	z, centers := randomMatrix(n, d, 1, rnd), randomMatrix(k, d, 1, rnd)
	tr := trainerFor(t, asMethod(daegc{}), twelve(t))
	out, err := tr.call(tr.program(func(v *nodes) []*Node {
		q := assignments(v.input(0), v.input(1))
		l := selfTraining(q)
		return append([]*Node{l, q}, Gradient(l, v.input(0), v.input(1))...)
	}), z, centers)
	testutil.NoError(t, err)
	var got [3]blas32.General // Q, and the gradients of Z and of the centers
	for i := range got {
		if got[i], err = received(out[1+i]); err != nil {
			t.Fatal(err)
		}
	}

	z64, c64 := linalg.Float64(z), linalg.Float64(centers)
	near, q, p := mat.NewDense(n, k, nil), mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
	difference := func(i, c, j int) float64 { return z64.At(i, j) - c64.At(c, j) } // zᵢ − μ꜀, entry j
	// normalize divides each row by its sum.
	normalize := func(m *mat.Dense) {
		for i := range n {
			row := m.RawRowView(i)
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			for c := range row {
				row[c] /= sum
			}
		}
	}
	for i := range n {
		for c := range k {
			square := 0.0
			for j := range d {
				square += difference(i, c, j) * difference(i, c, j)
			}
			near.Set(i, c, 1/(1+square)) // q before it is normalized
		}
	}
	q.Copy(near)
	normalize(q)
	for c := range k {
		for i := range n {
			p.Set(i, c, q.At(i, c)*q.At(i, c)/mat.Sum(q.ColView(c)))
		}
	}
	normalize(p)
	want := 0.0
	ofNodes, ofCenters := mat.NewDense(n, d, nil), mat.NewDense(k, d, nil)
	for i := range n {
		for c := range k {
			want += p.At(i, c) * math.Log(p.At(i, c)/q.At(i, c)) / n
			for j := range d {
				g := 2.0 / n * (p.At(i, c) - q.At(i, c)) * difference(i, c, j) * near.At(i, c)
				ofNodes.Set(i, j, ofNodes.At(i, j)+g)
				ofCenters.Set(c, j, ofCenters.At(c, j)-g)
			}
		}
	}
	if value := float64(tensors.ToScalar[float32](out[0])); !scalar.EqualWithinRel(value, want, 1e-4) {
		t.Errorf("KL(P‖Q)/n is %v, want %v", value, want)
	}
	wantMatrix(t, "Q", got[0], q, 1e-6)
	wantMatrix(t, "gradient of Z", got[1], ofNodes, 1e-4)
	wantMatrix(t, "gradient of the centers", got[2], ofCenters, 1e-4)
}

// TestDAEGCCenters: findCenters sets the centers to those of k-means with 20 starts on the embedding.
// Then the clusters, of each node's largest q, are those of k-means. A step of the clustering moves the
// centers, and one of the pretraining does not.
func TestDAEGCCenters(t *testing.T) {
	g := planted(t, 300)
	tr := trainerFor(t, asMethod(daegc{}), g)
	tr.o.Clusters = 4
	near := testutil.Value(proximity(t.Context(), withDiagonal(g.Adjacency))).OrFatal(t)
	d := filled(daegc{}).model(tr, g, near)
	testutil.NoError(t, d.findCenters(t.Context()))
	z := testutil.Value(tr.evaluate(d.embedding)).OrFatal(t)
	want := testutil.Value(cluster.KMeans(t.Context(), z, 4, cluster.KMeansOptions{Restarts: 20}, tr.o.random("k-means"))).OrFatal(t)
	got := testutil.Value(d.clusters()).OrFatal(t)
	if !slices.Equal(got, want.Labels) {
		t.Error("clusters differ from those of k-means")
	}
	centers := tr.weights[d.centers]
	wantMatrix(t, "centers", centers, linalg.Float64(want.Centers), 0)
	before := slices.Clone(centers.Data)
	testutil.Value(d.pretraining.take(t.Context())).OrFatal(t)
	if !slices.Equal(centers.Data, before) {
		t.Error("the pretraining moves the centers")
	}
	testutil.Value(d.clustering.take(t.Context())).OrFatal(t)
	if slices.Equal(centers.Data, before) {
		t.Error("the clustering does not move the centers")
	}
}
