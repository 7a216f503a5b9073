package exercise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// perNode returns an answer to exercise 3.1, which f makes from the number of nodes n and the
// shares r_pos at the start and at the end of the schedule.
func perNode(f func(n, start, end float64) float64) func(*graph.Graph) any {
	return func(g *graph.Graph) any {
		t := agekit.Settings(g).Thresholds
		return f(float64(g.N()), t.PosStart, t.PosEnd)
	}
}

// ofShares returns an answer to exercise 3.2, which f makes from the shares without smoothing and
// those with the paper's smoothing.
func ofShares(f func(raw, smoothed classShares) []float64) func(*graph.Graph) any {
	return func(g *graph.Graph) any { return f(trainedShares(g, 0), trainedShares(g, agekit.Settings(g).Layers)) }
}

// trainedOnce has, by a graph's name and number of layers, a function that computes the shares in
// its first call.
var trainedOnce sync.Map

// trainedShares returns what [shares] returns, computed once for each graph and number of layers.
func trainedShares(g *graph.Graph, layers int) classShares {
	f, _ := trainedOnce.LoadOrStore(fmt.Sprint(g.Name, layers), sync.OnceValue(func() classShares { return shares(g, layers) }))
	return f.(func() classShares)()
}

// labelPairs is a right answer to exercise 3.3. Other than the check, which sorts all pairs, it
// counts for each pair how many pairs are more similar.
func labelPairs(s *mat.SymDense, rPos, rNeg int) [][]int {
	n := s.SymmetricDim()
	labels := make([][]int, n)
	for i := range n {
		for j := range n {
			rank := 1
			for a := range n {
				for b := range n {
					if s.At(a, b) > s.At(i, j) {
						rank++
					}
				}
			}
			label := -1
			if rank <= rPos {
				label = 1
			} else if rank > rNeg {
				label = 0
			}
			labels[i] = append(labels[i], label)
		}
	}
	return labels
}

// TestWorseStart computes the numbers in the sentence that the solution of exercise 3.2 says about
// Cora: the shares of positive pairs with the same class, the share of nodes that still have a
// pair, the shares if every node keeps as many pairs, and the median similarity, before and
// after the training, of the pairs that are wrong in the first selection.
func TestWorseStart(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	c := agekit.Settings(g)
	c.Seed, c.Epochs, c.Dims, c.LearningRate, c.Layers = 1, 40, 64, 0.003, 0
	x := testutil.Value(agekit.Smooth(g, c.K, 0)).OrFatal(t)
	z := testutil.Value(agekit.Train(g, c)).OrFatal(t).Embedding
	first := testutil.Value(agekit.Select(x, c.Thresholds.PosStart, c.Thresholds.NegStart)).OrFatal(t)
	last := testutil.Value(agekit.Select(z, c.Thresholds.PosStart, c.Thresholds.NegStart)).OrFatal(t)
	median := func(z blas32.General) float64 {
		row := func(i int32) blas32.Vector { return blas32.Vector{N: z.Cols, Inc: 1, Data: z.Data[int(i)*z.Stride:]} }
		var similarities []float64
		for k, i := range first.I {
			if j := first.J[k]; g.Labels[i] != g.Labels[j] {
				similarities = append(similarities, float64(blas32.Dot(row(i), row(j))/blas32.Nrm2(row(i))/blas32.Nrm2(row(j))))
			}
		}
		slices.Sort(similarities)
		return similarities[len(similarities)/2]
	}
	taught := map[int32]bool{} // nodes that still have a positive pair with another node
	for k, i := range last.I {
		if i != last.J[k] {
			taught[i] = true
		}
	}
	right := trainedShares(g, 0).others
	const perNode = 29 // positive pairs of a node in the first selection: r_pos·n − 1
	smooth := testutil.Value(agekit.Smooth(g, c.K, agekit.Settings(g).Layers)).OrFatal(t)
	smoothed, _ := sameClass(g, testutil.Value(agekit.Select(smooth, c.Thresholds.PosStart, c.Thresholds.NegStart)).OrFatal(t))
	if math.Abs(right[1]-smoothed) > 0.02 {
		t.Errorf("share %v after training, and %v with smoothing before it", right[1], smoothed)
	}
	want := fmt.Sprintf("On Cora, %.2f of the positive pairs are right at the start and %.2f after training, about where the smoothed features begin. Half of this rise is a choice of nodes: after training, %.2f of the nodes still have a pair. If every node keeps as many, the share goes from %.2f to %.2f. And the encoder confirms its mistakes, too: the median similarity of the first wrong pairs goes from %.2f to %.2f.",
		right[0], right[1], float64(len(taught))/float64(g.N()), lab.RowPurity(x, g.Labels, perNode), lab.RowPurity(z, g.Labels, perNode), median(x), median(z))
	text := strings.Join(testutil.NotebookCells(t, "../../../solutions/03_*.ipynb", "markdown"), "\n")
	if !strings.Contains(text, want) {
		t.Errorf("the solution of exercise 3.2 does not say %q", want)
	}
}

var trainingAnswers = []answers{
	{
		id:    "3.1",
		right: perNode(func(n, start, _ float64) float64 { return start*n - 1 }),
		wrong: []mistake{
			{perNode(func(n, start, _ float64) float64 { return start * n }), "pair with itself"},
			{perNode(func(n, start, _ float64) float64 { return (start*n - 1) / 2 }), "both (i, j) and (j, i)"},
			{perNode(func(n, start, _ float64) float64 { return start * (n - 1) / 2 }), "This takes n²/2 pairs"},
			{perNode(func(n, start, _ float64) float64 { return 100 * start * n }), "percent"},
			{perNode(func(n, start, _ float64) float64 { return start * n * n }), "whole graph"},
			{perNode(func(n, _, _ float64) float64 { return 0.9 * n }), "negative"},
			{perNode(func(n, _, end float64) float64 { return end*n - 1 }), "at the end"},
			{constant(1e9), "Begin with"},
			{constant("28"), "of type string"},
		},
	},
	{
		id:    "3.2",
		right: func(g *graph.Graph) any { raw := trainedShares(g, 0); return raw.others[:] },
		wrong: []mistake{
			{ofShares(func(_, smoothed classShares) []float64 { return smoothed.others[:] }), "still smooths"},
			{ofShares(func(raw, _ classShares) []float64 { return []float64{raw.others[1], raw.others[0]} }), "wrong order"},
			{ofShares(func(raw, _ classShares) []float64 { return raw.all[:] }), "with themselves"},
			{ofShares(func(raw, _ classShares) []float64 { return []float64{raw.others[0], 0.5} }), "first share is right"},
			{ofShares(func(raw, _ classShares) []float64 { return []float64{100 * raw.others[0], 100 * raw.others[1]} }), "percentages"},
			{ofShares(func(raw, smoothed classShares) []float64 {
				return []float64{smoothed.others[0], raw.others[1]}
			}), "another c.Layers"},
			{constant([]float64{0.5}), "Wanted are two"},
			{constant([]float64{0.01, 0.02}), "Divide the second"},
		},
	},
	{
		id:    "3.3",
		right: constant(labelPairs),
		wrong: []mistake{
			{constant(func(*mat.SymDense, int, int) [][]int { return nil }), "There is no answer yet."},
			{constant(func(s *mat.SymDense, rPos, rNeg int) [][]int {
				return ranked(s, rPos, rNeg, func(i, j int) bool { return true }, cmp.Compare[float64])
			}), "Rank 1 is the most similar"},
			{constant(func(s *mat.SymDense, rPos, rNeg int) [][]int {
				return ranked(s, rPos, rNeg, func(i, j int) bool { return i != j }, downward)
			}), "with themselves are not ranked"},
			{constant(func(s *mat.SymDense, rPos, rNeg int) [][]int {
				labels := ranked(s, rPos, rNeg, func(i, j int) bool { return i <= j }, downward)
				for i := range labels {
					for j := range i {
						labels[i][j] = labels[j][i]
					}
				}
				return labels
			}), "takes one rank"},
			{constant(func(s *mat.SymDense, rPos, _ int) [][]int { return labelPairs(s, rPos, rPos) }), "unused"},
			{constant(func(s *mat.SymDense, rPos, rNeg int) [][]int {
				labels := labelPairs(s, rPos, rNeg)
				for _, row := range labels {
					for j, label := range row {
						row[j] = []int{0, -1, 1}[label+1]
					}
				}
				return labels
			}), "changed places"},
			{constant(func(s *mat.SymDense, rPos, rNeg int) [][]int {
				return ranked(s, rPos-1, rNeg-1, func(i, j int) bool { return true }, downward)
			}), "off by one"},
			{constant(func(s *mat.SymDense, rPos, rNeg int) [][]int { return labelPairs(s, rPos+1, rNeg+1) }), "ranks count from 0"},
			{constant(func(s *mat.SymDense, rPos, rNeg int) [][]int {
				n := s.SymmetricDim()
				var labels [][]int
				for i := range n {
					labels = append(labels, ranked(s, rPos/n, rNeg/n, func(a, _ int) bool { return a == i }, downward)[i])
				}
				return labels
			}), "by itself"},
			{constant(func(*mat.SymDense, int, int) [][]int { return [][]int{{1}} }), "not 3 rows"},
			{constant(func(s *mat.SymDense, _, _ int) [][]int { return [][]int{{int(s.At(9, 9))}} }), "panics"},
			{constant(func(s *mat.SymDense, rPos, rNeg int) [][]int {
				labels := slices.Clone(labelPairs(s, rPos, rNeg))
				labels[0][1] = 7
				return labels
			}), "the pair (0, 1)"},
		},
	},
}

// downward compares two similarities so that the larger comes first.
func downward(a, b float64) int { return cmp.Compare(b, a) }

// TestTrainingSolutions: the solutions say that r_pos·n is 2.7 on Cora at the end of the schedule,
// and so it is by the paper's settings.
func TestTrainingSolutions(t *testing.T) {
	g := testutil.Value(agekit.Load("cora")).OrFatal(t)
	text := strings.Join(testutil.NotebookCells(t, "../../../solutions/*.ipynb", "markdown"), "\n")
	if claim := "on Cora $r_{pos}\\,n$ is then 2.7, and 1.7 pairs remain"; !strings.Contains(text, claim) {
		t.Errorf("the solutions do not say %q", claim)
	}
	if end := agekit.Settings(g).Thresholds.PosEnd * float64(g.N()); math.Abs(end-2.7) > 0.05 {
		t.Errorf("r_pos·n is %v at the end, want 2.7", end)
	}
}
