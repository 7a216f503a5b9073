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
	// A modularity is more than that of data without groups if it is larger than their mean by
	// nullDeviations of their deviations, and by nullGain of what is missing to 1.
	nullDeviations, nullGain = 3, 0.05
	// nullDraws is the number of draws without groups, and fewNullDraws of those of more than
	// manyNullNumbers or manyEdges, where they differ by less than nullGain.
	nullDraws, fewNullDraws, manyNullNumbers, manyEdges = 20, 5, 50_000, 5000
	// Of more rows than mostNullRows, a sample is compared, and more edges than mostRewired
	// are compared with what is expected of random ones.
	mostNullRows, mostRewired = 1000, 50_000
	// nullColumns is the number of columns to which more are reduced.
	nullColumns = 32
	// splitGap is the gap, times the root of the number of rows, above which two groups have one
	// between them. Of 10,000 draws of 1,000 uniform numbers, the shape of one cloud with the
	// largest, 99.9 % had at most 1.13.
	splitGap = 1.2
)

// Little reports whether a graph has little that clusters in a view could find: data without groups
// have as much. labels are these clusters, in the caller's order.
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
// There is little in [Features] and [Edges] by these, and in [Both] and [AGE] if there is in the
// features and in the edges, as far as the graph has them of its own. In [Unlike], there never is.
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

// OnlyFeatures reports whether the features have groups and the edges have none, as far as that is
// looked at: of more than 50,000 edges, and of two kinds of nodes, which features tell apart, it is
// not.
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

// computeOnce returns the value that is stored, if any, and otherwise stores what compute returns.
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

// exceedsNull reports whether a modularity is more than those of draws without groups.
func exceedsNull(modularity float64, null []float64) bool {
	mean, deviation := stat.MeanStdDev(null, nil)
	return modularity > mean+max(nullDeviations*deviation, nullGain*(1-mean))
}

// nullRandom returns the source of a draw.
func (f *Finder) nullRandom(draw int) *rand.Rand { return f.random(rng.ViewNull(draw)) }

// isOneCloud reports whether the features are a single cloud.
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

// nearestModularity returns the modularity of the communities of the nearest rows.
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

// areEdgesRandom reports whether the edges have no larger modularity than rewired ones.
func (f *Finder) areEdgesRandom(ctx context.Context) (bool, error) {
	a, _ := connectedPart(f.g.Adjacency)
	// Few heavy edges can outweigh the others, so edges may also have groups without their weights.
	unweighted := &graph.CSR{Rows: a.Rows, Cols: a.Cols, Indptr: a.Indptr, Indices: a.Indices}
	for _, a := range []*graph.CSR{a, unweighted} {
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
		if a.Values == nil { // the other would be the same
			break
		}
	}
	return true, nil
}

// modularity returns that of Leiden's communities, also of two kinds of nodes the ordinary one.
func (f *Finder) modularity(ctx context.Context, a *graph.CSR, rnd *rand.Rand) (float64, error) {
	communities, err := f.findCommunities(ctx, a, nil, 1, rnd)
	if err != nil {
		return 0, err
	}
	return metric.Modularity(a, communities), nil
}

// drawNull returns the values of draws of data without groups: of nullDraws, or of fewNullDraws where
// each takes long.
func (f *Finder) drawNull(ctx context.Context, few bool, draw func(rnd *rand.Rand) (float64, error)) ([]float64, error) {
	count := nullDraws
	if few {
		count = fewNullDraws
	}
	values, errs := make([]float64, count), make([]error, count)
	err := linalg.ParallelContext(ctx, count, 1, func(i, _ int) { values[i], errs[i] = draw(f.nullRandom(i + 1)) })
	return values, cmp.Or(err, errors.Join(errs...))
}

// randomModularity returns about the largest modularity of a random graph with the same degrees, by the
// formula of [Finder.Little].
func randomModularity(a *graph.CSR) float64 {
	roots, degrees := 0., 0.
	for i := range a.Rows {
		d := float64(a.Indptr[i+1] - a.Indptr[i])
		roots += math.Sqrt(d)
		degrees += d
	}
	inverseMean := float64(a.Rows) / degrees                  // 1/⟨d⟩
	return min(1, 0.97*roots/degrees+inverseMean*inverseMean) // 0.97⟨√d⟩/⟨d⟩ + 1/⟨d⟩²
}
