package auto

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
)

// mixedRows is the number of rows that are combined into one row of the null model.
const mixedRows = 50

// hasNullModel reports whether candidates are compared with a null model: if x has columns
// of numbers, since words that occur independently predict nothing of each other, and the
// dense matrix is small or x is one itself.
func hasNullModel(x graph.Features, stats columnStats) bool {
	n, f := x.Dims()
	return slices.Contains(stats.isWord, false) && (x.Dense != nil || float64(n)*float64(f) <= mostNumbers)
}

// nullModel returns features without clusters that are otherwise like x. Columns of numbers
// are normal, with the same means and covariances: each row is a random combination of
// others, less their mean. In each group of the other columns, the rows are shuffled.
//
// If numbers vary together, along a line, say, clusters of some predict others even without
// any clusters in the data (Liu, Hayes, Nobel and Marron, Journal of the American
// Statistical Association 103, 2008).
func nullModel(ctx context.Context, x graph.Features, stats columnStats, group []int, rnd *rand.Rand) (graph.Features, error) {
	n, f := x.Dims()
	mean := columnMeans(x)
	add := func(dst []float32, weight float32, row int) {
		if x.Dense != nil {
			blas32.Axpy(weight, vector32(x.Dense.Data[row*x.Dense.Stride:][:f]), vector32(dst))
			return
		}
		x.EachInRow(row, func(j int, v float32) { dst[j] += weight * v })
	}
	out := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return x, err
		}
		row := out.Data[i*f:][:f]
		meanWeight := float32(1)
		for range mixedRows {
			weight := float32(rnd.NormFloat64() / math.Sqrt(mixedRows))
			add(row, weight, rnd.IntN(n))
			meanWeight -= weight
		}
		blas32.Axpy(meanWeight, vector32(mean), vector32(row))
		for j, isWord := range stats.isWord {
			if isWord {
				row[j] = 0
			}
		}
	}
	order := rnd.Perm(n)
	shift := make([]int, f) // one for each group
	for j := range shift {
		shift[j] = rnd.IntN(n)
	}
	for i, from := range order {
		x.EachInRow(from, func(j int, v float32) {
			if stats.isWord[j] {
				to := order[(i+shift[group[j]])%n]
				out.Data[to*f+j] = v
			}
		})
	}
	return graph.Features{Dense: &out}, nil
}

func columnMeans(x graph.Features) []float32 {
	n, f := x.Dims()
	sum := make([]float64, f)
	for i := range n {
		x.EachInRow(i, func(j int, v float32) { sum[j] += float64(v) })
	}
	mean := make([]float32, f)
	for j, v := range sum {
		mean[j] = float32(v / float64(n))
	}
	return mean
}

func vector32(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Inc: 1, Data: x} }

// nullGraph returns g with the features of the null model, and, if its edges join the nodes of
// the nearest features, with the edges that join those of the null model (nearest).
func nullGraph(ctx context.Context, g *graph.Graph, stats columnStats, rnd *rand.Rand) (null *graph.Graph, nearest bool, err error) {
	neighbors, err := nearestNeighbors(ctx, g)
	if err != nil || neighbors == 0 && !hasNullModel(g.Features, stats) {
		return nil, false, err
	}
	changed := *g
	group, _ := groupColumns(g)
	if changed.Features, err = nullModel(ctx, g.Features, stats, group, rnd); err == nil && neighbors > 0 {
		changed.Adjacency, err = joinNearest(ctx, changed.Features, neighbors)
	}
	return &changed, neighbors > 0, err
}

// compareNullModel sets each trial's gains under the null model, if there is one, in some
// folds: that of the features, and that of edges that were made from these.
func (s *search) compareNullModel(ctx context.Context, folds int) error {
	g, nearest, err := nullGraph(ctx, s.g, s.judge.columns, rand.New(rand.NewPCG(searchSeed, 1)))
	if g == nil || err != nil {
		return err
	}
	judge := *s.judge
	judge.g = g
	null := &search{g: g, o: s.o, r: &Result{}, k: s.k, judge: &judge, divisions: s.divisions}
	if nearest { // other edges
		null.divisions = nil
	}
	for _, t := range s.trials {
		null.trials = append(null.trials, &Trial{Candidate: t.Candidate})
	}
	for i := range folds {
		stepDone := s.forecast.begin(s.plan().fold(candidatesOf(null.trials)))
		if err := null.evaluateFold(ctx, i, null.trials); err != nil {
			return err
		}
		stepDone()
	}
	var features, edges []float64
	for i, t := range null.trials {
		t.measure(folds)
		s.trials[i].nullFeatures = max(0, t.Features)
		features = append(features, t.Features)
		edges = append(edges, t.Edges)
	}
	slices.Sort(features)
	slices.Sort(edges)
	upper := 3 * len(edges) / 4
	for i, t := range null.trials {
		if nearest { // the null model can be cut in many ways, some with a lower gain
			s.trials[i].nullFeatures = max(0, t.Features, features[upper])
			s.trials[i].nullEdges = max(0, t.Edges, edges[upper])
		}
	}
	s.seconds.Filter += null.seconds.Filter
	s.seconds.Cluster += null.seconds.Cluster
	return nil
}
