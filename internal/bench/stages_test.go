package bench

import (
	"context"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/eigen"
	"github.com/agekit/age/agekit/laplacian"
)

// TestStageCounts holds the formulas against operations counted one by one in
// plain loops over a small graph.
func TestStageCounts(t *testing.T) {
	const n, f, d, layers = 60, 40, 5, 3
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: n, Classes: 3, Features: f, Words: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	x := g.Features.Sparse.Dense()
	h := laplacian.New(g.Adjacency).FilterMatrix(2.0 / 3)
	filter := func(src []float32, cols int) (dst []float32, count int) {
		dst = make([]float32, n*cols)
		for i := range n {
			columns, values := h.Row(i)
			for p, j := range columns {
				for c, v := range src[int(j)*cols:][:cols] {
					if v != 0 {
						dst[i*cols+c] += values[p] * v
						count++
					}
				}
			}
		}
		return dst, count
	}
	var want []int
	smoothed := x.Data
	for range layers {
		var count int
		smoothed, count = filter(smoothed, f)
		want = append(want, count)
	}
	work, rows := smoothingCounts(g, layers)
	entries := make([]int, n)
	for i, v := range smoothed {
		if v != 0 {
			entries[i/f]++
		}
	}
	for l := range layers {
		if work[l] != want[l] {
			t.Errorf("layer %d: %d multiply-adds, counted %d", l, work[l], want[l])
		}
	}
	for i := range n {
		if rows[i] != entries[i] {
			t.Errorf("row %d of X̃: %d entries, counted %d", i, rows[i], entries[i])
		}
	}

	counted := map[string]int{"smooth": want[0] + want[1] + want[2]}
	for i := range n {
		for range i + 1 { // pairs
			counted["select"] += d
		}
		for j := range d { // the lower triangle of ZᵀZ, then uᵢGuᵢᵀ by the same triangle
			counted["choose"] += 2 * (j + 1) * 2 // float64
		}
	}
	const pairs, blocks, steps = 7, 4, 11
	first := make([]float32, n*d) // XW: no zeros
	for i := range first {
		first[i] = 1
	}
	within := g.Features.NNZ() * d
	for range layers {
		var count int
		first, count = filter(first, d)
		within += count
	}
	encode, batch := 0, 0 // X̃W, of all nodes and of a third of them
	for i, count := range entries {
		encode += count * d
		if i%3 == 0 {
			batch += count
		}
	}
	counted["embed"] = min(within, encode)
	counted["train step"] = 2*min(within, batch*d) + pairs*3*d // a dot product and two rows of the gradient
	for range n * d {
		counted["cluster"] += 2 * (2 + blocks*(8+8)) // Zᵀx and Zy in float64, for the degrees and the blocks
	}
	for range steps {
		counted["λmax"] += 2 * (g.Adjacency.NNZ() + 7*n)
	}
	s := sizes{n: n, m: g.Edges(), f: f, d: d, t: layers, x: g.Features.NNZ(), layers: work, rows: rows, steps: steps,
		anchors: n, pairs: pairs, batch: batch, products: blocks}
	for _, c := range s.counts() {
		if int(c.multiplyAdds) != counted[c.name] {
			t.Errorf("%s: %v multiply-adds, counted %d", c.name, c.multiplyAdds, counted[c.name])
		}
		if c.bytes <= 0 {
			t.Errorf("%s: %v bytes", c.name, c.bytes)
		}
	}
}

// countedOperator counts the products with vectors.
type countedOperator struct {
	*laplacian.Operator
	products int
}

func (o *countedOperator) MulTo(ctx context.Context, dst, x blas64.General) error {
	o.products++
	return o.Operator.MulTo(ctx, dst, x)
}

// TestStepsAndBlocks: what the formulas take from the libraries is what these
// do.
func TestStepsAndBlocks(t *testing.T) {
	g, err := dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 300, Classes: 3, Features: 40, Words: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	op := &countedOperator{Operator: laplacian.New(g.Adjacency)}
	l, err := eigen.Largest(t.Context(), op, rand.New(rand.NewPCG(0, 0)))
	if err != nil || l.Steps != op.products {
		t.Errorf("%d steps, counted %d products, error %v", l.Steps, op.products, err)
	}
	z := g.Features.ToDense()
	a := &countedAffinity{Affinity: cluster.Gram(z)}
	if _, err := cluster.Spectral(t.Context(), a, 3, cluster.SpectralOptions{}, rand.New(rand.NewPCG(1, 2))); err != nil || a.blocks < 3 {
		t.Errorf("%d blocks, error %v", a.blocks, err)
	}
}
