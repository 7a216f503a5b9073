package lab_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Below, up to the line of dashes, is the text of a cell of notebook 03.

// age is algorithm 1. After each epoch it shows the loss, the embedding and its pairs.
func age(g *graph.Graph, c encoder.Options, show func(epoch int, loss float64, z *mat.Dense, positive [][2]int)) {
	l, x := lab.LaplacianMatrix(g), lab.FeatureMatrix(g)
	for range c.Layers { // X̃ = HᵗX, H = I − k·L̃sym (equations 7 and 9)
		var lx mat.Dense
		lx.Mul(l, x)
		lx.Scale(c.K, &lx)
		x.Sub(x, &lx)
	}
	z, _ := unit(mat.DenseCopyOf(x)) // the first S is that of X̃ (equation 14)
	x = lab.WithOnes(x)              // times W with b as its last row, this is X̃W + b
	w, adam := lab.Start(g, c), lab.Adam(c.LearningRate)
	for update := range c.Epochs / c.UpdateEvery {
		pos, _ := c.Thresholds.At(update, c.Epochs/c.UpdateEvery) // equations 16 and 17
		selected, positive := z, mostSimilar(z, pos)              // equations 12 and 13
		for k := range c.UpdateEvery {
			epoch := update*c.UpdateEvery + k
			negative := agekit.Must(lab.DrawNegatives(g, c, selected, epoch))
			before, lowest, lengths := embed(x, w)
			loss, dz := crossEntropy(before, slices.Concat(positive, negative))
			for i, length := range lengths { // back through the scaling of each row
				g, row := dz.RawRowView(i), before.RawRowView(i)
				floats.AddScaled(g, -floats.Dot(g, row), row)
				floats.Scale(1/length, g)
				g[lowest[i]] -= floats.Sum(g)
			}
			var dw mat.Dense
			dw.Mul(x.T(), dz)
			adam(w, &dw)
			z, _, _ = embed(x, w)
			show(epoch+1, loss, z, positive)
		}
	}
}

// embed returns Z = X̃W + b (equation 11; the bias is the code's), with each row scaled
// to [0, 1] and to length 1, and what that takes to undo: the place of each row's minimum,
// and its length. (To divide by the range first would make no difference.)
func embed(x, w *mat.Dense) (z *mat.Dense, lowest []int, lengths []float64) {
	z = new(mat.Dense)
	z.Mul(x, w)
	for i := range z.RawMatrix().Rows {
		lowest = append(lowest, floats.MinIdx(z.RawRowView(i)))
		floats.AddConst(-floats.Min(z.RawRowView(i)), z.RawRowView(i))
	}
	z, lengths = unit(z)
	return z, lowest, lengths
}

// mostSimilar returns the share of all n² pairs that ranks first.
func mostSimilar(z *mat.Dense, share float64) (all [][2]int) {
	var s mat.Dense
	s.Mul(z, z.T())
	n := z.RawMatrix().Rows
	for k := range n * n {
		all = append(all, [2]int{k / n, k % n})
	}
	slices.SortStableFunc(all, func(p, q [2]int) int { return cmp.Compare(s.At(q[0], q[1]), s.At(p[0], p[1])) })
	return all[:int(math.RoundToEven(share*float64(n*n)))]
}

// crossEntropy returns the mean loss of pairs (equation 15) and its gradient by z. The
// first half of the pairs has the label 1, the other half 0.
func crossEntropy(z *mat.Dense, pairs [][2]int) (loss float64, dz *mat.Dense) {
	dz = mat.NewDense(z.RawMatrix().Rows, z.RawMatrix().Cols, nil)
	for k, p := range pairs {
		label, zi, zj := float64(1-2*k/len(pairs)), z.RawRowView(p[0]), z.RawRowView(p[1])
		s := floats.Dot(zi, zj)
		if s > 1e-7 && s < 1-1e-7 { // beyond, the logarithm is not finite
			slope := (s - label) / (s * (1 - s)) / float64(len(pairs))
			floats.AddScaled(dz.RawRowView(p[0]), slope, zj)
			floats.AddScaled(dz.RawRowView(p[1]), slope, zi)
		}
		s = min(max(s, 1e-7), 1-1e-7)
		loss -= (label*math.Log(s) + (1-label)*math.Log(1-s)) / float64(len(pairs))
	}
	return loss, dz
}

// unit scales the rows of z to length 1, and returns their lengths before.
func unit(z *mat.Dense) (*mat.Dense, []float64) {
	lengths := make([]float64, z.RawMatrix().Rows)
	for i := range lengths {
		lengths[i] = floats.Norm(z.RawRowView(i), 2)
		floats.Scale(1/lengths[i], z.RawRowView(i))
	}
	return z, lengths
}

// ----------------------------------------------------------------------------

// TestWrittenOut: AGE as it is written out above has the loss of each epoch, and the embedding
// of each epoch that package encoder lets watch, of a training by package encoder.
func TestWrittenOut(t *testing.T) {
	g := testutil.Value(agekit.Load("planted:n=60,classes=3,degree=6,homophily=0.85,f=40,words=8,topic=0.5,seed=1")).OrFatal(t)
	c := encoder.Options{}
	c.K, c.Layers = 2.0/3, 3
	c.Seed, c.Dims, c.Epochs, c.UpdateEvery, c.LearningRate, c.BatchSize = 1, 16, 40, 10, 0.01, encoder.AllPairs
	c.Thresholds = pairs.Thresholds{PosStart: 0.1, PosEnd: 0.05, NegStart: 0.3, NegEnd: 0.5}
	c.Ranking = pairs.Exact
	saved := map[int]*mat.Dense{}
	watched := c
	watched.Watch = func(epoch int, z blas32.General) {
		saved[epoch] = mat.NewDense(z.Rows, z.Cols, nil)
		saved[epoch].Apply(func(i, j int, _ float64) float64 { return float64(z.Data[i*z.Stride+j]) }, saved[epoch])
	}
	r := testutil.Value(encoder.Fit(t.Context(), g, watched)).OrFatal(t)
	compared := 0
	age(g, c, func(epoch int, loss float64, z *mat.Dense, _ [][2]int) {
		if want := r.Members[0].Loss[epoch-1]; math.Abs(loss-want) > 1e-5 {
			t.Errorf("epoch %d: loss %.7f, the package has %.7f", epoch, loss, want)
		}
		want, ok := saved[epoch]
		if !ok {
			return
		}
		compared++
		var difference mat.Dense
		difference.Sub(want, z)
		// The package trains with 32 bits. How its roundings grow over the steps depends
		// on the SIMD level: by the last epoch, 1.0e-5 to 1.5e-5 were seen.
		if relative := mat.Norm(&difference, 2) / mat.Norm(want, 2); relative > 5e-5 {
			t.Errorf("epoch %d: the embedding is %.2g of its length off the package's", epoch, relative)
		}
	})
	if compared != 4 {
		t.Errorf("%d embeddings compared", compared)
	}
}

// TestWrittenCell: a cell of notebook 03 has the code that is written out above, and a heading
// of the notebook says how many lines this code has. The notebook asks readers to put a line
// in the place of another one: each of three such mistakes leaves no variable unused, so it
// compiles.
func TestWrittenCell(t *testing.T) {
	source := testutil.Value(os.ReadFile("written_test.go")).OrFatal(t)
	_, text, _ := strings.Cut(string(source), "\n// age is algorithm 1")
	text, _, _ = strings.Cut("// age is algorithm 1"+text, "\n// ------")
	inNotebook03(t, text)

	lines := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			lines++
		}
	}
	heading := fmt.Sprintf("## AGE in %d lines\n", lines)
	markdown := testutil.NotebookCells(t, "../../notebooks/03_*.ipynb", "markdown")
	if !slices.ContainsFunc(markdown, func(cell string) bool { return strings.HasPrefix(cell, heading) }) {
		t.Errorf("notebook 03 has no heading %q", heading)
	}

	mistake := regexp.MustCompile("Put `([^`]+)` in the place of").FindStringSubmatch(strings.Join(markdown, "\n"))
	if mistake == nil {
		t.Fatal("notebook 03 puts nothing in the place of a line")
	}
	for _, line := range []string{"floats.AddScaled(g, -floats.Dot(g, row), row)", "floats.Scale(1/length, g)", "g[lowest[i]] -= floats.Sum(g)"} {
		if !strings.Contains(text, line) {
			t.Errorf("the cell has no line %q", line)
		}
		if unused := unusedVariables(t, strings.Replace(text, line, mistake[1], 1)); unused != nil {
			t.Errorf("without %q: %v", line, unused)
		}
	}
}

// unusedVariables returns the errors of Go's type checker about unused variables in a file with
// the given declarations.
func unusedVariables(t *testing.T, text string) (unused []error) {
	t.Helper()
	set := token.NewFileSet()
	file := testutil.Value(parser.ParseFile(set, "cell.go", "package main\n"+text, 0)).OrFatal(t)
	config := types.Config{Error: func(err error) {
		if strings.Contains(err.Error(), "declared and not used") {
			unused = append(unused, err)
		}
	}}
	_, _ = config.Check("main", set, []*ast.File{file}, nil) // its other errors are of names from packages
	return unused
}
