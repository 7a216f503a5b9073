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

// TestNS4GCGradients compares with finite differences, for two layers and one.
func TestNS4GCGradients(t *testing.T) {
	g := twelve(t)
	for _, widths := range [][]int{{5, 3}, {4}} {
		m := ns4gc{Widths: widths, Neighbors: 0.7, Others: 3}.withDefaults("")
		c := m.model(trainerFor(t, asMethod(m), g), g)
		enlarge(c.t)
		wantGradients(t, c.update, c.draw(rand.New(rand.NewPCG(1, 1)))...)
	}
}

// TestSimilaritiesAgainstDense: the blockwise loss and its gradient match the
// definition with an n×n matrix, for one tile of columns and for several, to 1e-5.
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
		var sums, counts [3]float64 // of each kind's terms
		derivatives := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				kind, s := kindOf(i, j), similarities.At(i, j)
				term, derivative := -s, -1.0
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

// TestDroppedFilter: with the entries that are not 0, the filter is the dense
// normalization of the graph that has only these. Each direction of an edge is
// dropped on its own with the given probability, and no loop is. Without dropped
// edges the filter is that of the whole graph.
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
		loops, n := withLoops(a), a.Rows
		filter := *loops
		filter.Values = droppedFilter(loops, 0.3, rand.New(rand.NewPCG(1, 1)))
		kept, lone := mat.NewDense(n, n, nil), 0
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
		edges, remaining := float64(a.NNZ()), 0
		for _, v := range filter.Values {
			if v != 0 {
				remaining++
			}
		}
		within := func(what string, got int, p float64) {
			if d := math.Abs(float64(got) - p*edges); d > 4*math.Sqrt(p*(1-p)*edges) {
				t.Errorf("%s: %d %s of %v, want about %v", name, got, what, edges, p*edges)
			}
		}
		within("entries left", remaining-n, 0.7)
		within("entries without their transposes", lone, 0.7*0.3)
		filter.Values = droppedFilter(loops, 0, rand.New(rand.NewPCG(1, 1)))
		wantMatrix(t, name+", all edges", linalg.Padded(filter.Dense()), linalg.Float64(laplacian.New(a).FilterMatrix(1).Dense()), 1e-6)
	}
}
