package views

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
)

const (
	// resamples is the number of resamples of a graph; it is fewResamples for more than manyNodes nodes,
	// and 0 for more than mostResampled.
	resamples, fewResamples, manyNodes = 5, 2, 20_000
	mostResampled                      = 100_000
	// resampledShare is the share of the edges in a resample.
	resampledShare = 0.8
)

// Stability returns the mean adjusted Rand index of labels, the k clusters of a view in the caller's
// order, with the clusters that the view finds in resamples. For [Edges], a resample has four fifths of
// the edges, and nodes without any are not compared. For [Features] and [Both], a resample has half the
// nodes, and all nodes are assigned to the centers that are found there. The stability says how much
// depends on chance in the data, and not whether the clusters are those that someone looks for. It
// is nil for [Unlike] and [AGE], which have no resamples, and for more than 100,000 nodes.
func (f *Finder) Stability(ctx context.Context, view Name, labels []int, k int) (*float64, error) {
	if view == Unlike || view == AGE || f.g.N() > mostResampled {
		return nil, nil
	}
	clusters := f.inFindersOrder(labels)
	count := resamples
	if f.g.N() > manyNodes {
		count = fewResamples
	}
	clusterResample := f.clusterThinned
	if view != Edges {
		clusterResample = f.clusterHalf
	}
	mean := 0.
	for draw := range count {
		found, nodes, err := clusterResample(ctx, view, k, draw)
		if err != nil {
			return nil, err
		}
		var ofGraph, ofResample []int // the clusters of the nodes that are compared
		for _, i := range nodes {
			ofGraph = append(ofGraph, clusters[i])
			ofResample = append(ofResample, found[i])
		}
		mean += metric.ARI(ofGraph, ofResample) / float64(count)
	}
	return &mean, nil
}

// clusterHalf finds k centers in a random half of the nodes, that of the given draw, in the view
// Features or Both. It returns the cluster of each node of f.g, that of the nearest center, and the
// nodes to compare: all.
func (f *Finder) clusterHalf(ctx context.Context, view Name, k, draw int) (clusters, nodes []int, err error) {
	rows := f.standardized
	if view == Both {
		rows = f.smoothedFeatures
	}
	x, err := rows(ctx)
	if err != nil {
		return nil, nil, err
	}
	rnd := f.random(rng.ViewResample(draw))
	half := rnd.Perm(x.Rows)[:max(k, x.Rows/2)] // k-means needs k rows or more
	slices.Sort(half)
	found, err := cluster.KMeans(ctx, chosenRows(x, half), k, cluster.KMeansOptions{Restarts: fewRuns}, rnd)
	if err != nil {
		return nil, nil, err
	}
	clusters, err = nearestCenters(ctx, x, found.Centers)
	nodes = make([]int, x.Rows)
	for i := range nodes {
		nodes[i] = i
	}
	return clusters, nodes, err
}

// nearestCenters returns the number of the center that is nearest to each row of x, the first of several.
func nearestCenters(ctx context.Context, x, centers blas32.General) ([]int, error) {
	nearest := make([]int, x.Rows)
	err := linalg.ParallelContext(ctx, x.Rows, linalg.RowGrain(x.Rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			least := linalg.SquaredDistance(x, i, centers, 0)
			for c := 1; c < centers.Rows; c++ {
				if d := linalg.SquaredDistance(x, i, centers, c); d < least {
					least = d
					nearest[i] = c
				}
			}
		}
	})
	return nearest, err
}

// clusterThinned draws about four fifths of the edges, those of the given draw, and finds k clusters of
// the nodes by them. It returns the cluster of each node of f.g, and the nodes to compare: those that
// have any of these edges. The view, always Edges, makes no difference.
func (f *Finder) clusterThinned(ctx context.Context, _ Name, k, draw int) (clusters, nodes []int, err error) {
	rnd := f.random(rng.ViewResample(draw))
	a := f.g.Adjacency
	var u, v []int32
	var w []float32
	for i := range a.Rows {
		for j, weight := range a.Each(i) {
			if j > i && rnd.Float64() < resampledShare {
				u, v, w = append(u, int32(i)), append(v, int32(j)), append(w, weight)
			}
		}
	}
	if len(u) == 0 {
		return make([]int, a.Rows), nil, nil
	}
	thinned, err := graph.Adjacency(a.Rows, u, v, w)
	if err != nil {
		return nil, nil, err
	}
	for i := range thinned.Rows {
		if thinned.Indptr[i+1] > thinned.Indptr[i] {
			nodes = append(nodes, i)
		}
	}
	clusters, err = f.edges(ctx, thinned, k, rnd)
	return clusters, nodes, err
}
