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
	// resamples is the number of resamples of a graph, and fewResamples of one of more than
	// manyNodes; of more than mostResampled, there are none.
	resamples, fewResamples, manyNodes = 5, 2, 20_000
	mostResampled                      = 100_000
	// resampledShare is the share of the edges in a resample.
	resampledShare = 0.8
)

// Stability returns the mean adjusted Rand index of the clusters of a view with those that it finds in
// resamples: of half the nodes, by whose centers all are assigned, or of four fifths of the edges, by the
// nodes that have some. It says how much chance there is in the data, and not whether the
// clusters are those that someone looks for. It is nil for [Unlike] and [AGE], which have no
// resamples, and for more than 100,000 nodes.
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
		var ofGraph, ofResample []int
		for _, i := range nodes {
			ofGraph = append(ofGraph, clusters[i])
			ofResample = append(ofResample, found[i])
		}
		mean += metric.ARI(ofGraph, ofResample) / float64(count)
	}
	return &mean, nil
}

// clusterHalf finds centers in a random half of the nodes, and returns the cluster of each node, by the
// nearest center, and all nodes.
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
	chosen := rnd.Perm(x.Rows)
	half := chosen[:max(k, x.Rows/2)]
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

// nearestCenters returns the center nearest to each row.
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

// clusterThinned draws four fifths of the edges, and returns the clusters of their graph and the nodes
// that have any of these edges.
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
