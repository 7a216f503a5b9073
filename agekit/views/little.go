package views

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
)

const (
	// Data has groups if its modularity is larger than the mean m of draws of data without groups, by
	// more than nullDeviations standard deviations of the draws and by more than nullGain·(1 − m).
	nullDeviations, nullGain = 3, 0.05
	// nullDraws is the number of draws without groups. It is fewNullDraws for features of more than
	// manyNullNumbers numbers and for more than manyEdges edges, whose draws differ by less than
	// nullGain.
	nullDraws, fewNullDraws, manyNullNumbers, manyEdges = 20, 5, 50_000, 5000
	// Of features with more than mostNullRows rows, a sample of mostNullRows is compared. A graph with
	// more than mostRewired edges is not rewired, but compared with a formula for random graphs.
	mostNullRows, mostRewired = 1000, 50_000
	// nullColumns is the number of columns to which features are reduced before their nearest rows are
	// found, if they have more.
	nullColumns = 32
	// splitGap is the gap (unimodalGap), times the root of the number of rows, above which the rows
	// count as two groups. Uniform numbers are the single cloud with the largest gap: in 99.9 % of
	// 10,000 draws of 1,000 of them, it was at most 1.13.
	splitGap = 1.2
)

// Little reports whether a graph has little that clusters in the view could find: no more than data
// without groups. labels are the clusters of the nodes in the view, in the caller's order. They are
// needed only for [Edges], [Both] and [AGE] of a graph with more than 50,000 edges.
//
// Features have groups if the graph in which each row is joined to the 10 nearest has communities
// with a larger modularity than that of a single cloud: rows of a normal distribution with the
// same rank correlations, whose columns then get the values of the features (a
// Gaussian copula). They also have groups if the rows lie in two parts with a gap between them, along
// the line through the centers of two clusters (after the dip of Hartigan and Hartigan, Annals
// of Statistics 13, 1985). A table of one cloud has little, whether it is long, skewed or of
// few values.
//
// Edges have groups if their communities have a larger modularity than those of the graph that is
// rewired at random, where each node keeps its degree and, of two kinds of nodes, edges still
// join both (Maslov and Sneppen, Science 296, 2002). Of more than 50,000 edges, the
// modularity of labels is compared with the expected one of random graphs, 0.97⟨√d⟩/⟨d⟩ for
// degrees d (Reichardt and Bornholdt, Physica D 224, 2006), and 1/⟨d⟩² more, since communities
// of few edges have more.
//
// In [Features] and [Edges] there is little if the features, or the edges, have no groups. In [Both]
// and [AGE] there is little if neither have groups; features that were made from the edges, and edges
// that were made from the features, do not count. In [Unlike], Little is always false.
func (f *Finder) Little(ctx context.Context, view Name, labels []int) (bool, error) {
	if view == Unlike {
		return false, nil
	}
	if view != Edges && !f.source.Structural && graph.LargestFeature(f.g.Features) > 0 {
		little, err := computeOnce(&f.littleFeatures, func() (bool, error) { return f.isOneCloud(ctx) })
		if err != nil || !little || view == Features {
			return little, err
		}
	}
	if f.source.Nearest || f.g.Edges() == 0 {
		return true, nil
	}
	if f.g.Edges() > mostRewired {
		found := metric.Modularity(f.g.Adjacency, f.inFindersOrder(labels))
		return found <= randomModularity(f.g.Adjacency)+nullGain, nil
	}
	return computeOnce(&f.littleEdges, func() (bool, error) { return f.areEdgesRandom(ctx) })
}

// OnlyFeatures reports whether the features have groups and the edges have none. It is false without a
// look at graphs of more than 50,000 edges, and of two kinds of nodes, whose features tell only the
// kinds apart.
func (f *Finder) OnlyFeatures(ctx context.Context) (bool, error) {
	if f.g.Edges() > mostRewired || f.source.Kinds != nil {
		return false, nil
	}
	littleEdges, err := f.Little(ctx, Edges, nil)
	if err != nil || !littleEdges {
		return false, err
	}
	littleFeatures, err := f.Little(ctx, Features, nil)
	return !littleFeatures, err
}

// computeOnce returns the value in *stored. If that is nil, it calls compute and stores the result,
// unless compute fails.
func computeOnce(stored **bool, compute func() (bool, error)) (bool, error) {
	if *stored != nil {
		return **stored, nil
	}
	value, err := compute()
	if err == nil {
		*stored = &value
	}
	return value, err
}

// inFindersOrder takes clusters of the nodes in the caller's order and returns those of the nodes of f.g.
func (f *Finder) inFindersOrder(labels []int) []int {
	if f.order == nil {
		return labels
	}
	clusters := make([]int, len(labels))
	for i, node := range f.order {
		clusters[i] = labels[node]
	}
	return clusters
}

// exceedsNull reports whether a modularity is clearly larger than those of draws without groups, null.
func exceedsNull(modularity float64, null []float64) bool {
	mean, deviation := stat.MeanStdDev(null, nil)
	return modularity > mean+max(nullDeviations*deviation, nullGain*(1-mean))
}

// nullRandom returns the source of random numbers of a draw without groups, 1 to nullDraws, or 0 for
// the data itself.
func (f *Finder) nullRandom(draw int) *rand.Rand { return f.random(rng.ViewNull(draw)) }

// isOneCloud reports whether the features have no groups (see Little), but are a single cloud.
func (f *Finder) isOneCloud(ctx context.Context) (bool, error) {
	x, err := f.standardized(ctx)
	if err != nil {
		return false, err
	}
	if x.Rows < 3 {
		return true, nil
	}
	rnd := f.nullRandom(0)
	if x.Rows > mostNullRows {
		x = sampleRows(x, mostNullRows, rnd)
	}
	gap, err := gapBetweenTwo(ctx, x, rnd)
	if err != nil || gap*math.Sqrt(float64(x.Rows)) > splitGap {
		return false, err
	}
	modularity, err := nearestModularity(ctx, x, rnd)
	if err != nil {
		return false, err
	}
	cloud := newCloud(x, rnd)
	null, err := f.drawNull(ctx, x.Rows*x.Cols > manyNullNumbers, func(rnd *rand.Rand) (float64, error) {
		return nearestModularity(ctx, cloud.draw(rnd), rnd)
	})
	return !exceedsNull(modularity, null), err
}

// nearestModularity returns the modularity of Leiden's communities in the graph that joins each row of
// x to the nearest rows.
func nearestModularity(ctx context.Context, x blas32.General, rnd *rand.Rand) (float64, error) {
	few, err := ReduceColumns(ctx, graph.Features{Dense: &x}, nullColumns, rnd)
	if err != nil {
		return 0, err
	}
	a, err := graph.JoinNearest(ctx, *few.Dense, min(neighbors, few.Dense.Rows-1))
	if err != nil {
		return 0, err
	}
	communities, _, err := community.Leiden(ctx, a, community.LeidenOptions{}, rnd)
	if err != nil {
		return 0, err
	}
	return metric.Modularity(a, communities), nil
}

// areEdgesRandom reports whether the edges have no groups: whether their modularity is no larger than
// that of rewired edges, with the weights and without.
func (f *Finder) areEdgesRandom(ctx context.Context) (bool, error) {
	connected, _ := connectedPart(f.g.Adjacency)
	// Few heavy edges can outweigh the others, so edges may have groups only without their weights.
	unweighted := &graph.CSR{Rows: connected.Rows, Cols: connected.Cols, Indptr: connected.Indptr, Indices: connected.Indices}
	for _, a := range []*graph.CSR{connected, unweighted} {
		found, err := f.modularity(ctx, a, f.nullRandom(0))
		if err != nil {
			return false, err
		}
		null, err := f.drawNull(ctx, f.g.Edges() > manyEdges, func(rnd *rand.Rand) (float64, error) {
			rewired, err := rewire(a, rnd)
			if err != nil {
				return 0, err
			}
			return f.modularity(ctx, rewired, rnd)
		})
		if err != nil || exceedsNull(found, null) {
			return false, err
		}
		if a.Values == nil { // there are no weights, so the next graph is the same
			break
		}
	}
	return true, nil
}

// modularity returns the modularity of Leiden's communities of a, all of whose nodes have edges, at
// resolution 1. With two kinds of nodes, too, it is the ordinary modularity.
func (f *Finder) modularity(ctx context.Context, a *graph.CSR, rnd *rand.Rand) (float64, error) {
	const enough = 1 // any number of communities
	communities, err := f.findCommunities(ctx, a, nil, enough, rnd)
	if err != nil {
		return 0, err
	}
	return metric.Modularity(a, communities), nil
}

// drawNull calls draw for several draws of data without groups, in parallel, and returns the
// modularities that draw returns: nullDraws of them, or fewNullDraws if few is true.
func (f *Finder) drawNull(ctx context.Context, few bool, draw func(rnd *rand.Rand) (float64, error)) ([]float64, error) {
	count := nullDraws
	if few {
		count = fewNullDraws
	}
	values, errs := make([]float64, count), make([]error, count)
	const perCall = 1 // draw
	err := linalg.ParallelContext(ctx, count, perCall, func(i, _ int) { values[i], errs[i] = draw(f.nullRandom(i + 1)) })
	return values, cmp.Or(err, errors.Join(errs...))
}

// randomModularity returns the largest modularity that a random graph with the degrees of a has, about,
// by the formula of [Finder.Little].
func randomModularity(a *graph.CSR) float64 {
	roots, degrees := 0., 0. // sums of √d and of d over all nodes
	for i := range a.Rows {
		d := float64(a.Indptr[i+1] - a.Indptr[i])
		roots += math.Sqrt(d)
		degrees += d
	}
	inverseMean := float64(a.Rows) / degrees                  // 1/⟨d⟩
	return min(1, 0.97*roots/degrees+inverseMean*inverseMean) // 0.97⟨√d⟩/⟨d⟩ + 1/⟨d⟩²
}
