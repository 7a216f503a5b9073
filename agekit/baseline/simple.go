package baseline

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
)

// Simple is what a simple method finds, to compare a result with.
type Simple struct {
	// Name is "k-means of the features", "k-means of the smoothed features" or
	// "Leiden", which uses the edges alone and finds the number of clusters itself.
	Name     string `json:"name"`
	Clusters int    `json:"clusters"`
	auto.Measures
	// ACC, NMI and ARI compare with the labels; nil without labels.
	ACC *float64 `json:"acc"`
	NMI *float64 `json:"nmi"`
	ARI *float64 `json:"ari"`
}

const (
	// simpleRestarts is the number of runs of k-means.
	simpleRestarts = 3
	// mostNumbers is the size of the largest matrix of features that is made for a comparison.
	mostNumbers = 100e6
)

// RunSimple runs simple methods on g, with k clusters and the filter of the result
// that they are beside. k-means is left out, and skipped says so, if the features as
// a dense matrix have more than 100 million numbers.
func RunSimple(ctx context.Context, g *graph.Graph, f laplacian.Filter, k int, seed uint64) (all []Simple, skipped string, err error) {
	add := func(name string, clusters []int) {
		distinct := map[int]bool{}
		for _, c := range clusters {
			distinct[c] = true
		}
		s := metric.Score(g, clusters)
		all = append(all, Simple{name, len(distinct), auto.Measure(g, clusters), s.ACC, s.NMI, s.ARI})
	}
	kMeans := func(name string, x blas32.General) error {
		found, err := cluster.KMeans(ctx, x, k, cluster.KMeansOptions{Restarts: simpleRestarts}, source(seed))
		if err == nil {
			add(name, found.Labels)
		}
		return err
	}
	if n, cols := g.Features.Dims(); float64(n)*float64(cols) <= mostNumbers {
		if err := kMeans("k-means of the features", g.Features.DividedBy(g.Features.Unit()).ToDense()); err != nil {
			return nil, "", err
		}
		in, err := encoder.Prepare(ctx, g, f)
		if err != nil {
			return nil, "", err
		}
		defer in.Close()
		if err := kMeans("k-means of the smoothed features", in.Smoothed); err != nil {
			return nil, "", err
		}
	} else {
		skipped = fmt.Sprintf("k-means is left out: %d nodes with %d features take too much memory for a comparison", n, cols)
	}
	if g.Edges() > 0 {
		out, err := Leiden{}.Fit(ctx, g, Options{Seed: seed})
		if err != nil {
			return nil, "", err
		}
		add("Leiden", out.Clusters)
	}
	return all, skipped, nil
}
