package agekit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var notices02 = []notice{
	{"02", "On Cora, 3 of the 94 edges join opposite signs in eigenvector 2, and 6 in eigenvector 3, but 76 in the last one.", func(t *testing.T) {
		c, values, u := coraCorner(t)
		for vector, want := range map[int]int{1: 0, 2: 3, 3: 6, 60: 76} {
			flips := 0
			for _, e := range Draw(c).Edges {
				if u.At(e[0], vector-1)*u.At(e[1], vector-1) < 0 {
					flips++
				}
			}
			if flips != want || c.Edges() != 94 {
				t.Errorf("eigenvector %d (λ = %v) flips at %d of %d edges, want %d of 94", vector, values[vector-1], flips, c.Edges(), want)
			}
		}
	}},
	{"02", "The largest class of the corner, *Neural Networks*, has 90 % of its energy below $\\lambda = 0.4$, where noise has 22 %.", func(t *testing.T) {
		c, values, u := coraCorner(t)
		rounds(t, "Neural Networks", 100*energyBelow(c, "Neural Networks", values, u), 90, 0)
		noise := 0
		for _, v := range values {
			if v < 0.4 {
				noise++
			}
		}
		rounds(t, "noise", 100*float64(noise)/60, 22, 0)
	}},
	{"02", "On Cora, the classes rise above the noise at the left.", func(t *testing.T) {
		c, values, u := coraCorner(t)
		for _, name := range []string{"Neural Networks", "Probabilistic Methods", "Theory"} {
			below(t, "noise against "+name, 0.22, energyBelow(c, name, values, u))
		}
	}},
	{"02", "*Theory* has 62 % there.", func(t *testing.T) {
		c, values, u := coraCorner(t)
		rounds(t, "Theory", 100*energyBelow(c, "Theory", values, u), 62, 0)
	}},
	{"02", "1, 4/3 and 3/2 for the pair, the square and the cube.", func(t *testing.T) {
		cube := [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}
		near(t, "pair", highest(t, LaplacianOf(2, cube[:1], 1)), 1, 1e-12)
		near(t, "square", highest(t, LaplacianOf(4, cube[:4], 1)), 4./3, 1e-12)
		near(t, "cube", highest(t, LaplacianOf(8, cube, 1)), 3./2, 1e-12)
	}},
	{"02", "On Cora, the corner has 1.91 without them, so it is not bipartite, and 1.41 with them.", func(t *testing.T) {
		c, _, _ := coraCorner(t)
		rounds(t, "without loops", highest(t, LaplacianOf(60, Draw(c).Edges, 0)), 1.91, 2)
		rounds(t, "with loops", highest(t, LaplacianOf(60, Draw(c).Edges, 1)), 1.41, 2)
	}},
	{"02", "With $\\lambda_{max} = 2$ that would be ½; with about 3/2, as on Cora, Citeseer and Wiki, it is the paper's 2/3", func(t *testing.T) {
		for _, d := range []string{"cora", "citeseer", "wiki"} {
			near(t, "λmax of "+d, record(t, experiment.Run{Task: experiment.Spectrum, Dataset: d}).Scores["lambda_max"], 1.5, 0.11)
		}
	}},
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
	{"02", "On Cora, components and twins explain 92 % of the eigenvalues in the four peaks.", func(t *testing.T) {
		rounds(t, "share explained", 100*float64(78+73+26+118)/(78+76+27+139), 92, 0)
	}},
	{"02", "(One layer with $k = 1$ removes the whole peak at 1: it gives linked twins the same features.)", func(t *testing.T) {
		g := cora()
		x := must(Smooth(g, 1, 1))
		for _, c := range laplacian.Twins(g.Adjacency) {
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
	{"02", "On Cora, 27 % of the eigenvalues lie above 1, where its amplitude rises. After one layer, 48 % of the amplitude is left at $\\lambda_{max}$, after four layers 5 %.", func(t *testing.T) {
		values := eigenvalues(t)
		above := count(values, func(v float64) bool { return v > 1+1e-9 })
		rounds(t, "above 1", 100*float64(above)/float64(len(values)), 27, 0)
		left := slices.Max(values) - 1
		rounds(t, "one layer", 100*left, 48, 0)
		rounds(t, "four layers", 100*math.Pow(left, 4), 5, 0)
	}},
	{"02", "On Cora, the two columns differ by at most 1 %", func(t *testing.T) {
		for _, k := range []float64{0.5, 1 / must(LambdaMax(cora())), 1} {
			measured := filteredNoise(cora(), k, 8)
			for _, layers := range []int{1, 2, 4, 8} {
				near(t, fmt.Sprintf("measured over predicted, k = %.3f, t = %d", k, layers),
					measured[layers]/expectedQuotient(eigenvalues(t), k, layers), 1, 0.01)
			}
		}
	}},
	{"02", "With 1.6 to 2 times as many layers, $k = 1/\\lambda_{max}$ smooths as much as $k = 1$.", func(t *testing.T) {
		for _, layers := range []int{1, 2, 4, 8} {
			more := layers
			for expectedQuotient(eigenvalues(t), 1/must(LambdaMax(cora())), more) > expectedQuotient(eigenvalues(t), 1, layers) {
				more++
			}
			near(t, fmt.Sprintf("times as many as %d", layers), float64(more)/float64(layers), 1.8, 0.2)
		}
	}},
	{"02", "On Pubmed, 46 % of the nodes are leaves, and leaves of the same node put a third of all eigenvalues at ½.", func(t *testing.T) {
		g := testutil.LoadGraph(t, "pubmed")
		leaves, half := 0, 0
		for i := range g.N() {
			of := 0
			neighbors, _ := g.Adjacency.Row(i)
			for _, j := range neighbors {
				if g.Degree(int(j)) == 1 {
					of++
				}
			}
			leaves, half = leaves+of, half+max(0, of-1)
		}
		rounds(t, "leaves in percent", 100*float64(leaves)/float64(g.N()), 46, 0)
		near(t, "eigenvalues at ½", float64(half)/float64(g.N()), 1./3, 0.02)
	}},
	{"02", "on Cora, $k = 1$ gives smoother noise than $1/\\lambda_{max}$, for every number of layers.", func(t *testing.T) {
		for _, layers := range []int{1, 2, 4, 8} {
			below(t, fmt.Sprintf("k = 1 with %d layers", layers), expectedQuotient(eigenvalues(t), 1, layers),
				expectedQuotient(eigenvalues(t), 1/must(LambdaMax(cora())), layers))
		}
	}},
}

// coraCorner returns what the notebook draws of Cora, with the eigenvalues and
// eigenvectors.
func coraCorner(t *testing.T) (*graph.Graph, []float64, *mat.Dense) {
	t.Helper()
	c, _ := Corner(cora(), 60)
	var e mat.EigenSym
	if !e.Factorize(LaplacianMatrix(c), true) {
		t.Fatal("no eigenvalues")
	}
	var u mat.Dense
	e.VectorsTo(&u)
	return c, e.Values(nil), &u
}

// energyBelow returns the share of a class's energy below λ = 0.4.
func energyBelow(g *graph.Graph, name string, values []float64, u *mat.Dense) float64 {
	x := mat.NewVecDense(g.N(), class(g, slices.Index(g.ClassNames, name)))
	low := 0.0
	for i, v := range values {
		if v < 0.4 {
			p := mat.Dot(u.ColView(i), x)
			low += p * p
		}
	}
	return low / mat.Dot(x, x)
}

// expectedQuotient returns the expected Rayleigh quotient of filtered noise.
func expectedQuotient(values []float64, k float64, layers int) float64 {
	above, all := 0.0, 0.0
	for _, lambda := range values {
		energy := math.Pow(1-k*lambda, 2*float64(layers))
		above, all = above+lambda*energy, all+energy
	}
	return above / all
}

// filteredNoise returns the Rayleigh quotient of 256 noise signals after each layer,
// as the notebook measures it.
func filteredNoise(g *graph.Graph, k float64, layers int) []float64 {
	l, rnd := Laplacian(g), rand.New(rand.NewPCG(1, 0))
	above, all := make([]float64, layers+1), make([]float64, layers+1)
	x, lx := mat.NewVecDense(g.N(), nil), mat.NewVecDense(g.N(), nil)
	for range 256 {
		for i := range g.N() {
			x.SetVec(i, rnd.NormFloat64())
		}
		for t := range layers + 1 {
			l.MulVecTo(lx, false, x)
			above[t] += mat.Dot(x, lx)
			all[t] += mat.Dot(x, x)
			x.AddScaledVec(x, -k, lx)
		}
	}
	floats.Div(above, all)
	return above
}
