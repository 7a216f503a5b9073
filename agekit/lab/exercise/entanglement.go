package exercise

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/agekit/reproduce"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// entanglement are the exercises of notebook 8.
var entanglement = []exercise{
	{"8.1", answering("a percentage, such as 12", checkWeights),
		"Nearly all weights are in the first matrix, which both have. So if a deep GAE does worse, it is not because it has several times as many numbers to train. It has four times as many matrices, one after the other, which may be what is hard to train."},
	{"8.2", answering("two numbers, []float64{mean difference, standard error}", checkOneLayer),
		"With one layer, GAE is linear and has one matrix, so there is nothing left to entangle: it is the same kind of encoder as AGE's. Only a mean difference of several standard errors would say that one of the two is better, and a standard error of three seeds is itself rough."},
	{"8.3", answering("a function that returns Z", checkForward),
		"All filters come first, and none of them has a weight. That is why SᵗX can be computed once, before the training, instead of in every step."},
}

// checkWeights checks by how many percent the eight layers of GAE have more weights than the two
// matrices of LS+RA, with hidden layers of 64 numbers and embeddings of 16.
func checkWeights(g *graph.Graph, answer float64) string {
	const hidden, dims = 64, 16
	_, f := g.Features.Dims()
	shallow := float64(f*hidden + hidden*dims)
	extra := 6.0 * hidden * hidden // the matrices between the first and the last of eight
	want := 100 * extra / shallow
	return firstOf([]finding{
		{closeTo(answer, want, 0.03), ""},
		{answer == 300 || answer == 400, "That compares the numbers of matrices, eight and two. They are not of the same size: the first has a row for each feature."},
		{closeTo(answer, 100+want, 0.01), "That is how large GAE is, as a percentage of LS+RA. The question is how many more weights it has."},
		{closeTo(answer, extra, 0.001), "That is the number of additional weights. What percentage of LS+RA's weights is it?"},
		{closeTo(answer, 1+want/100, 0.01), "That is the ratio of the two numbers. How many percent more is it?"},
		{closeTo(answer, want/100, 0.03), "That is a share. Multiply it by 100 for a percentage."},
		{closeTo(answer, 100*7*hidden*hidden/shallow, 0.03), "That counts seven square matrices. Eight layers have eight matrices: the first takes the features to 64 numbers and the last takes 64 to 16. How many are between them?"},
		{closeTo(answer, 100*8*hidden*hidden/shallow, 0.03), "That counts eight square matrices on top of what LS+RA has. But the first and the last matrix have the same size in both: only those between them are extra."},
		{closeTo(answer, 100*extra/(shallow+extra), 0.03), "That is the part of GAE's weights that LS+RA does not have. Divide by LS+RA's number of weights instead."},
		{answer > want, fmt.Sprintf("Too much. Write down the size of each matrix: %s has %d features, so how large is the first one?", g.Name, f)},
		{true, "Too little. Both have a first and a last matrix of the same size. GAE has one more matrix of 64×64 for each layer between them."},
	})
}

// quickSeeds returns the NMI of short runs of GAE with a number of layers, one for each of the
// seeds 11, 12 and 13 of exercise 8.2.
func quickSeeds(g *graph.Graph, layers int) (nmi []float64) {
	for seed := range uint64(3) {
		nmi = append(nmi, must(lab.Reproduce(reproduce.Run{
			Task: reproduce.Clustering, Dataset: g.Name, Method: "GAE-64", Mode: reproduce.Paper, Layers: layers, Seed: 11 + seed, Quick: true,
		})).Scores["NMI"])
	}
	return nmi
}

// isPrinted reports whether an answer equals a score as far as a cell prints its digits.
func isPrinted(answer, score float64) bool { return math.Abs(answer-score) <= 0.002 }

// checkOneLayer checks the mean difference in NMI of GAE with one layer and with two, over three
// seeds, and the standard error of this mean.
func checkOneLayer(g *graph.Graph, answer []float64) string {
	if len(answer) != 2 {
		return fmt.Sprintf("There are %d numbers. Wanted are two: the mean difference and its standard error.", len(answer))
	}
	oneLayer, twoLayers := quickSeeds(g, 1), quickSeeds(g, 2)
	differences := floats.SubTo(make([]float64, len(oneLayer)), oneLayer, twoLayers)
	mean, deviation := stat.MeanStdDev(differences, nil)
	n := float64(len(oneLayer))
	unpaired := math.Sqrt((stat.Variance(oneLayer, nil) + stat.Variance(twoLayers, nil)) / n)
	is := func(k int, value float64) bool { return math.Abs(answer[k]-value) <= 0.0006 } // three digits
	return firstOf([]finding{
		{is(0, mean) && is(1, deviation/math.Sqrt(n)), ""},
		{is(0, 100*mean), "These are hundredths of NMI. NMI goes from 0 to 1."},
		{is(0, -mean), "The sign is wrong: take NMI with one layer minus NMI with two."},
		{is(0, differences[0]), "That is the difference of seed 11 alone. Take the mean over the seeds 11, 12 and 13."},
		{is(0, stat.Mean(oneLayer, nil)) || is(0, stat.Mean(twoLayers, nil)), "That is a mean NMI. Subtract seed by seed, one layer minus two, and take the mean of the differences."},
		{!is(0, mean), fmt.Sprintf("The mean of the three differences is not %.4g. Run one and two layers with the seeds 11, 12 and 13, and leave the rest of the run as it is.", answer[0])},
		{is(1, deviation), "The mean is right. The second number is the deviation of the differences; the standard error of their mean is smaller, by the root of their number."},
		{is(1, unpaired), "The mean is right. The second number is the standard error of two separate means. The same seed begins both runs, so start from the differences."},
		{true, "The mean is right, its standard error is not: the deviation of the three differences, divided by the root of 3."},
	})
}

// checkForward compares the embeddings that a student's function returns with those of LS+RA,
// Z = φ(SᵗXW₁)W₂, and with those of typical mistakes.
func checkForward(g *graph.Graph, answer func(s, x, w1, w2 *mat.Dense, t int) *mat.Dense) string {
	rnd := rng.New(2, rng.Only)
	w1, w2 := random(4, 5, rnd), random(5, 2, rnd)
	embed := func(s, x *mat.Dense, t int) *mat.Dense { return answer(s, x, w1, w2, t) }
	return onSmallFilters(g, embed, func(got, s, x *mat.Dense, t int) string {
		is := func(want *mat.Dense) bool { return mat.EqualApprox(got, want, 1e-9) }
		smoothed := func(layers int) *mat.Dense {
			y := mat.DenseCopyOf(x)
			for range layers {
				y = times(s, y)
			}
			return y
		}
		xw := times(smoothed(t), w1)
		want := times(relu(xw), w2)
		return firstOf([]finding{
			{is(want), ""},
			{is(relu(xw)) || is(xw), "The second matrix is missing: φ(SᵗXW₁) is the hidden layer, and W₂ makes the embedding of it."},
			{is(times(xw, w2)), "There is no ReLU between W₁ and W₂. Without it, the two matrices are one: W₁W₂."},
			{is(relu(want)), "There is a second ReLU, after W₂. An embedding without negative entries could not tell two opposite directions apart."},
			{is(times(relu(times(smoothed(1), w1)), w2)), fmt.Sprintf("The filter is applied once. With t = %d it is applied %d times.", t, t)},
			{is(times(relu(times(smoothed(t-1), w1)), w2)) || is(times(relu(times(smoothed(t+1), w1)), w2)), fmt.Sprintf("The filter is applied once too often or too rarely: with t = %d, there are %d factors S before X.", t, t)},
			{is(times(s, times(relu(times(times(s, x), w1)), w2))) || is(times(s, want)), "There is a filter after the weights. That is GAE's order: in LS+RA, all filters come before the first matrix."},
			{is(times(times(relu(smoothed(t)), w1), w2)), "The ReLU comes before W₁. It belongs after it."},
			{true, fmt.Sprintf("With t = %d, the result is not φ(SᵗXW₁)W₂. Write one line per product, and compare the sizes.", t)},
		})
	})
}

// onSmallFilters tries a student's function on two filters S, that of three nodes in a row and
// that of a corner of g, each with random features X of four columns and several depths. It
// returns a message about the first thing that is wrong: there is no result, an argument has
// changed, or what compare says of the result got. It returns "" if all is right.
func onSmallFilters(g *graph.Graph, try func(s, x *mat.Dense, depth int) *mat.Dense, compare func(got, s, x *mat.Dense, depth int) string) string {
	corner, _ := lab.Corner(g, 30)
	for _, s := range []*mat.Dense{mat.NewDense(3, 3, []float64{0.5, 0.5, 0, 0.5, 0.25, 0.25, 0, 0.25, 0.75}), smoothingMatrix(corner)} {
		n, _ := s.Dims()
		x := random(n, 4, rng.New(1, rng.Only))
		for _, depth := range []int{3, 1, 2} {
			filter, features := mat.DenseCopyOf(s), mat.DenseCopyOf(x)
			got := try(filter, features, depth)
			switch {
			case got == nil || got.IsEmpty():
				return "There is no answer yet: the function returns no matrix."
			case !mat.Equal(features, x):
				return "The function changes X. A second call then gets another result: work on a copy."
			case !mat.Equal(filter, s):
				return "The function changes S. A second call then gets another result: keep powers of S in a matrix of their own."
			}
			if wrong := compare(got, s, x, depth); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

// smoothingMatrix returns S = I − L̃sym of a small graph.
func smoothingMatrix(g *graph.Graph) *mat.Dense {
	s := mat.DenseCopyOf(lab.LaplacianMatrix(g))
	s.Scale(-1, s)
	for i := range g.N() {
		s.Set(i, i, s.At(i, i)+1)
	}
	return s
}

// random returns a matrix of normally distributed numbers.
func random(rows, columns int, rnd *rand.Rand) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rnd.NormFloat64() }, m)
	return m
}

// times returns the product ab.
func times(a, b *mat.Dense) *mat.Dense {
	var product mat.Dense
	product.Mul(a, b)
	return &product
}

// relu returns m with 0 instead of negative entries.
func relu(m *mat.Dense) *mat.Dense {
	var positive mat.Dense
	positive.Apply(func(_, _ int, v float64) float64 { return max(v, 0) }, m)
	return &positive
}
