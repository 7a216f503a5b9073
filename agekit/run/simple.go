package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/units"
)

// Simple is what a simple method finds, to compare a result with.
type Simple struct {
	// Name is "k-means of the features", "k-means of the smoothed features" or
	// "Leiden", which uses the edges alone and finds the number of clusters itself.
	Name     string `json:"name"`
	Clusters int    `json:"clusters"`
	auto.Measures
	// ACC, NMI and ARI compare with the labels; nil without labels.
	ACC    *float64 `json:"acc"`
	NMI    *float64 `json:"nmi"`
	ARI    *float64 `json:"ari"`
	Labels []int    `json:"-"` // the cluster of each node
}

// leiden is the name of a simple method.
const leiden = "Leiden"

const (
	// simpleRestarts is the number of runs of k-means.
	simpleRestarts = 3
	// mostNumbers is the size of the largest matrix that k-means gets, and projected the
	// columns to which a larger one is projected: distances differ by about 1/√projected.
	mostNumbers = 20e6
	projected   = 256
)

// runSimple runs simple methods on g, with k clusters and the result's filter. k-means gets
// 256 random projections (Johnson and Lindenstrauss) of features that as a dense matrix
// have more than 20 million numbers.
func runSimple(ctx context.Context, g *graph.Graph, f laplacian.Filter, k int, seed uint64) ([]Simple, error) {
	var all []Simple
	add := func(name string, clusters []int) {
		distinct := map[int]bool{}
		for _, c := range clusters {
			distinct[c] = true
		}
		s := metric.Score(g, clusters)
		all = append(all, Simple{name, len(distinct), auto.Measure(g, clusters), s.ACC, s.NMI, s.ARI, clusters})
	}
	kMeans := func(name string, x blas32.General) error {
		found, err := cluster.KMeans(ctx, x, k, cluster.KMeansOptions{Restarts: simpleRestarts}, source(seed))
		if err == nil {
			add(name, found.Labels)
		}
		return err
	}
	small := *g // with the features that k-means gets
	small.Features = units.Normalized(g.Features)
	if n, cols := g.Features.Dims(); float64(n)*float64(cols) > mostNumbers {
		x := project(small.Features, seed)
		small.Features = graph.Features{Dense: &x}
	}
	if err := kMeans("k-means of the features", small.Features.ToDense()); err != nil {
		return nil, err
	}
	in, err := encoder.Prepare(ctx, &small, encoder.Options{Filter: f})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := kMeans("k-means of the smoothed features", in.Smoothed); err != nil {
		return nil, err
	}
	if g.Edges() > 0 {
		clusters, _, err := community.Leiden(ctx, g.Adjacency, community.LeidenOptions{}, source(seed))
		if err != nil {
			return nil, err
		}
		add(leiden, clusters)
	}
	return all, nil
}

// source returns a random source.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// project returns random projections of the features: normal numbers times each row.
func project(x graph.Features, seed uint64) blas32.General {
	n, f := x.Dims()
	rnd := source(seed)
	to := make([]float32, f*projected)
	for p := range to {
		to[p] = float32(rnd.NormFloat64()) / float32(math.Sqrt(projected))
	}
	out := dense.New(n, projected)
	parallel.Blocks(n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dense.Row(out, i)
			x.EachInRow(i, func(j int, v float32) {
				for c, r := range to[j*projected:][:projected] {
					row[c] += v * r
				}
			})
		}
	})
	return out
}

// compare runs simple methods beside the result and says what the comparison shows.
func (r *Run) compare(ctx context.Context, f laplacian.Filter, k int) error {
	all, err := runSimple(ctx, r.Data.Graph, f, k, r.Seed)
	if ctx.Err() != nil {
		return fmt.Errorf("stopped while comparing with simple methods; run the same command again: %w", err)
	}
	if err != nil {
		return fmt.Errorf("simple methods: %w", err)
	}
	r.Simple, r.Verdict = all, r.verdict(all, k)
	return nil
}

// verdict says what a comparison with simple methods shows, by the score without labels.
func (r *Run) verdict(all []Simple, k int) string {
	best := -1
	for i, s := range all {
		if s.Clusters == k && s.Name != leiden && (best < 0 || s.Score > all[best].Score) {
			best = i
		}
	}
	switch {
	case r.Training != nil && !r.Trained():
		return "Training did not help here: the smoothed features alone scored as well or better, and are the result."
	case best < 0:
		return ""
	}
	own, other := fmt.Sprintf("%s %.2f", r.Method, r.Measures.Score), fmt.Sprintf("%s %.2f", all[best].Name, all[best].Score)
	higher := r.Measures.Score >= all[best].Score
	switch {
	case r.Training == nil && higher:
		return fmt.Sprintf("%s scores higher than simple methods: %s, %s.", r.Method, own, other)
	case r.Training == nil:
		return fmt.Sprintf("A simple method scores higher: %s, %s.", other, own)
	case higher:
		return fmt.Sprintf("Training helped here: score %.2f, %s.", r.Measures.Score, other)
	case r.Tried == nil:
		return fmt.Sprintf("Training with these settings did not help here: %s, %s. The trained embedding is the result, since the settings were given.", other, own)
	}
	return fmt.Sprintf("A simple method scores higher: %s, %s. The trained embedding is the result: simple methods are compared, not chosen.", other, own)
}
