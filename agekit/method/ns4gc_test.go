package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// TestNS4GCGradients compares the gradients of all weights with finite differences of the loss, for two
// views that are drawn once: for networks of two layers and of one.
func TestNS4GCGradients(t *testing.T) {
	g := twelve(t)
	for _, widths := range [][]int{{5, 3}, {4}} {
		m := ns4gc{Widths: widths, Neighbors: 0.7, Others: 3}.withDefaults("")
		c := m.model(trainerFor(t, asMethod(m), g), g)
		enlarge(c.t)
		wantGradients(t, c.update, c.draw(rand.New(rand.NewPCG(1, 1)))...)
	}
}

// TestSimilaritiesAgainstDense compares the blockwise loss and its gradient with the formula of [ns4gc] on
// n×n matrices in float64, to 1e-5: for embeddings of one tile of columns and of several. The rows do not
// have length 1, which makes no difference to the formula.
func TestSimilaritiesAgainstDense(t *testing.T) {
	g := planted(t, 330)
	n, rnd := g.N(), rand.New(rand.NewPCG(1, 1))
	m := ns4gc{Neighbors: 2, Others: 3, Threshold: 0.4, Temperature: 0.2}
	// Pairs are of a node with itself, of neighbors, or of others; each kind's mean term has a weight.
	const self, neighbors, others = 0, 1, 2
	weights := [3]float64{1, m.Neighbors, m.Others}
	kindOf := func(i, j int) int {
		switch {
		case i == j:
			return self
		case g.Adjacency.At(i, j) != 0:
			return neighbors
		}
		return others
	}
	for _, d := range []int{16, 70} {
		z := randomMatrix(2*n, d, 0.5, rnd)
		first, second := linalg.Float64(linalg.RowRange(z, 0, n)), linalg.Float64(linalg.RowRange(z, n, n))
		var similarities mat.Dense
		similarities.Mul(first, second.T())
		var sums, counts [3]float64            // of each kind's terms
		derivatives := mat.NewDense(n, n, nil) // of the terms, and then of the loss, by similarity
		for i := range n {
			for j := range n {
				kind, s := kindOf(i, j), similarities.At(i, j)
				term, derivative := -s, -1.0 // of pairs that are pulled together
				if kind == others {
					term = 1 / (1 + math.Exp(-(s-m.Threshold)/m.Temperature))
					derivative = term * (1 - term) / m.Temperature
				}
				sums[kind] += term
				counts[kind]++
				derivatives.Set(i, j, derivative)
			}
		}
		want := 0.0
		for kind, weight := range weights {
			want += weight * sums[kind] / counts[kind]
		}
		derivatives.Apply(func(i, j int, v float64) float64 {
			kind := kindOf(i, j)
			return v * weights[kind] / counts[kind]
		}, derivatives)
		wantGradient := mat.NewDense(2*n, d, nil)
		wantGradient.Slice(0, n, 0, d).(*mat.Dense).Mul(derivatives, second)
		wantGradient.Slice(n, 2*n, 0, d).(*mat.Dense).Mul(derivatives.T(), first)

		loss := newSimilarities(g.Adjacency, m)
		gradient := linalg.New(2*n, d)
		got := testutil.Value(loss.compute(t.Context(), z, gradient)).OrFatal(t)
		if !scalar.EqualWithinRel(got, want, 1e-5) {
			t.Errorf("d = %d: loss %v, want %v", d, got, want)
		}
		wantMatrix(t, "gradient", gradient, wantGradient, 1e-5)
	}
}

// TestDroppedFilter, with a probability of 0.3: the values that are not 0 are those of D^-½(A′+I)D^-½ by
// the formula on dense float64 matrices, to 1e-6, where A′ are the edges that have them. No loop is
// dropped. The numbers of entries left, and of those whose other direction is dropped, are within four
// standard deviations of what independent drops give. With a probability of 0, the filter is that of
// the whole graph. The graph is once without and once with weights.
func TestDroppedFilter(t *testing.T) {
	binary := planted(t, 300).Adjacency
	weighted := *binary
	weighted.Values = make([]float32, binary.NNZ())
	for i := range binary.Rows {
		columns, _ := binary.Row(i)
		for k, j := range columns {
			weighted.Values[binary.Indptr[i]+k] = 1 + float32(i*int(j)%7)/4
		}
	}
	for name, a := range map[string]*graph.CSR{"binary": binary, "weighted": &weighted} {
		const drop = 0.3
		loops, n := withLoops(a), a.Rows
		filter := *loops
		filter.Values = droppedFilter(loops, drop, rand.New(rand.NewPCG(1, 1)))
		kept, lone := mat.NewDense(n, n, nil), 0 // A′ + I, and its entries without their transposes
		for i := range n {
			for j := range n {
				switch {
				case i == j:
					kept.Set(i, i, a.MeanWeight())
				case filter.At(i, j) != 0:
					kept.Set(i, j, float64(a.At(i, j)))
					if filter.At(j, i) == 0 {
						lone++
					}
				}
			}
		}
		want := mat.DenseCopyOf(kept)
		want.Apply(func(i, j int, v float64) float64 {
			return v / math.Sqrt(mat.Sum(kept.ColView(i))*mat.Sum(kept.ColView(j)))
		}, want)
		wantMatrix(t, name, linalg.Padded(filter.Dense()), want, 1e-6)
		entries, remaining := float64(a.NNZ()), 0 // of A, and of A′ + I
		for _, v := range filter.Values {
			if v != 0 {
				remaining++
			}
		}
		// wantShare compares got with the number of entries of A that have a probability p.
		wantShare := func(what string, got int, p float64) {
			deviation := math.Sqrt(p * (1 - p) * entries)
			if math.Abs(float64(got)-p*entries) > 4*deviation {
				t.Errorf("%s: %d %s of %v, want about %v", name, got, what, entries, p*entries)
			}
		}
		wantShare("entries left", remaining-n, 1-drop)
		wantShare("entries without their transposes", lone, (1-drop)*drop)
		filter.Values = droppedFilter(loops, 0, rand.New(rand.NewPCG(1, 1)))
		wantMatrix(t, name+", all edges", linalg.Padded(filter.Dense()), linalg.Float64(laplacian.New(a).FilterMatrix(1).Dense()), 1e-6)
	}
}
