package auto

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
)

// mixedRows is how many rows are mixed into one of a cloud.
const mixedRows = 50

// hasNullModel reports whether a cloud is made of x: if it has columns of numbers, since words
// that occur independently tell nothing about each other, and the dense matrix is small or
// x is one itself.
func hasNullModel(x graph.Features, c columnStats) bool {
	n, f := x.Dims()
	return slices.Contains(c.isWord, false) && (x.Dense != nil || float64(n)*float64(f) <= mostNumbers)
}

// nullModel returns features without clusters that are otherwise like x. Columns of numbers are
// normal, with the same means and covariances: each row is a random combination of others,
// less their mean. Each group of the other columns has its rows shuffled.
//
// Numbers that vary together, along a line, say, let clusters of some tell about others
// even if there is only one nullModel (Liu, Hayes, Nobel and Marron, Journal of the American
// Statistical Association 103, 2008).
func nullModel(ctx context.Context, x graph.Features, c columnStats, group []int, rnd *rand.Rand) (graph.Features, error) {
	n, f := x.Dims()
	sum := make([]float64, f)
	for i := range n {
		x.EachInRow(i, func(j int, v float32) { sum[j] += float64(v) })
	}
	mean := make([]float32, f)
	for j, v := range sum {
		mean[j] = float32(v / float64(n))
	}
	add := func(row []float32, weight float32, i int) {
		if x.Dense != nil {
			blas32.Axpy(weight, vector32(x.Dense.Data[i*x.Dense.Stride:][:f]), vector32(row))
			return
		}
		x.EachInRow(i, func(j int, v float32) { row[j] += weight * v })
	}
	out := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return x, err
		}
		row, left := out.Data[i*f:][:f], float32(1)
		for range mixedRows {
			weight := float32(rnd.NormFloat64() / math.Sqrt(mixedRows))
			add(row, weight, rnd.IntN(n))
			left -= weight
		}
		blas32.Axpy(left, vector32(mean), vector32(row))
		for j, occurs := range c.isWord {
			if occurs {
				row[j] = 0
			}
		}
	}
	order, shift := rnd.Perm(n), make([]int, f) // one shift for each group
	for j := range shift {
		shift[j] = rnd.IntN(n)
	}
	for i, from := range order {
		x.EachInRow(from, func(j int, v float32) {
			if c.isWord[j] {
				out.Data[order[(i+shift[group[j]])%n]*f+j] = v
			}
		})
	}
	return graph.Features{Dense: &out}, nil
}

func vector32(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Inc: 1, Data: x} }

// compareNullModel finds what clusters of a cloud, if there is one, found in the way of each trial,
// tell about its held-out columns, in some folds.
func (s *search) compareNullModel(ctx context.Context, folds int) error {
	if !hasNullModel(s.g.Features, s.judge.columns) {
		return nil
	}
	g := *s.g
	var err error
	if g.Features, err = nullModel(ctx, s.g.Features, s.judge.columns, s.divisions[0].group, rand.New(rand.NewPCG(searchSeed, 1))); err != nil {
		return err
	}
	judge := *s.judge
	judge.g = &g
	other := &search{g: &g, o: s.o, r: &Result{}, k: s.k, judge: &judge, divisions: s.divisions}
	for _, t := range s.trials {
		other.trials = append(other.trials, &Trial{Candidate: t.Candidate})
	}
	for i := range folds {
		over := s.forecast.begin(s.plan().fold(candidatesOf(other.trials)))
		if err := other.evaluateFold(ctx, i, other.trials); err != nil {
			return err
		}
		over()
	}
	for i, t := range other.trials {
		t.measure(folds)
		s.trials[i].nullFeatures = max(0, t.Features)
	}
	s.seconds.Filter += other.seconds.Filter
	s.seconds.Cluster += other.seconds.Cluster
	return nil
}
