package agekit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/spectrum"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"
)

var notices02 = []notice{
	{"02", "on Cora the largest eigenvalue is 1.48.", func(t *testing.T) {
		rounds(t, "λmax", slices.Max(eigenvalues(t)), 1.48, 2)
	}},
	{"02", "Four of the bars on Cora stand out from their neighbors: those that hold 0, ½, 2/3 and 1.", func(t *testing.T) {
		counts := figure.BinValues(eigenvalues(t), 40, 0, 2).Counts
		var peaks []int
		counts = append([]float64{0}, counts...) // nothing to the left of 0
		for i, c := range counts[1:30] {
			if c > 1.2*max(counts[i], counts[i+2]) {
				peaks = append(peaks, i)
			}
		}
		if !slices.Equal(peaks, []int{0, 10, 13, 20}) {
			t.Errorf("bars %v stand out of %v", peaks, counts[1:])
		}
	}},
	{"02", "73 of the 76 eigenvalues at ½ come from leaves, such as papers that cite the same single paper, and 26 of the 27 at 2/3 from papers with the same two neighbors. 118 of the 139 eigenvalues at 1 come from linked twins, and 57 of these 118 from isolated pairs", func(t *testing.T) {
		table := Peaks(cora(), eigenvalues(t)).Text
		for _, row := range []string{`(?m)^0 +78 +78 +conn`, `(?m)^0\.5 +76 +73 +leaves`, `(?m)^0\.6667 +27 +26 +twins of degree 2`, `(?m)^1 +139 +118 +linked`, `(?m)^ +57 +of these, isolated pairs`} {
			if !regexp.MustCompile(row).MatchString(table) {
				t.Errorf("no row %q in\n%s", row, table)
			}
		}
	}},
	{"02", "On Cora, components and twins explain nearly all of the four peaks.", func(t *testing.T) {
		below(t, "share not explained", 1-float64(78+73+26+118)/(78+76+27+139), 0.1)
	}},
	{"02", "(One layer with $k = 1$ removes the whole peak at 1: it gives linked twins the same features.)", func(t *testing.T) {
		g := cora()
		x := must(Smooth(g, 1, 1))
		for _, c := range spectrum.Twins(g.Adjacency) {
			if !c.Adjacent {
				continue
			}
			for _, node := range c.Nodes[1:] {
				a, b := int(c.Nodes[0])*x.Stride, int(node)*x.Stride
				if !slices.Equal(x.Data[a:a+x.Cols], x.Data[b:b+x.Cols]) {
					t.Errorf("nodes %d and %d are linked twins with different features", c.Nodes[0], node)
				}
			}
		}
	}},
	{"02", "On Cora, the two columns differ by at most 1 %", func(t *testing.T) {
		g, l, values := cora(), Laplacian(cora()), eigenvalues(t)
		noise := blas32.General{Rows: g.N(), Cols: 256, Stride: 256, Data: make([]float32, g.N()*256)}
		rnd := rand.New(rand.NewPCG(1, 0))
		for i := range noise.Data {
			noise.Data[i] = float32(rnd.NormFloat64())
		}
		for _, k := range []float64{0.5, 1 / must(LambdaMax(g)), 1} {
			for _, layers := range []int{1, 2, 4, 8} {
				above, all := 0.0, 0.0
				for _, lambda := range values {
					power := math.Pow(1-k*lambda, 2*float64(layers))
					above, all = above+lambda*power, all+power
				}
				filtered := must(laplacian.Filter{K: k, Layers: layers}.Smooth(t.Context(), l, graph.Features{Dense: &noise}))
				energies := make([]float64, filtered.Cols)
				for i := range filtered.Rows {
					for j, v := range filtered.Data[i*filtered.Stride:][:filtered.Cols] {
						energies[j] += float64(v) * float64(v)
					}
				}
				measured := stat.Mean(l.RayleighQuotients(filtered), energies)
				near(t, fmt.Sprintf("measured over predicted, k = %.3f, t = %d", k, layers), measured/(above/all), 1, 0.01)
			}
		}
	}},
}
