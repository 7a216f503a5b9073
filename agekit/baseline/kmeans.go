package baseline

import (
	"context"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
)

// KMeans clusters the features by k-means: as they are, or, in the published
// reading, with the weights of words that give the paper's row (see wordWeights),
// in rows of length 1. The embedding is the matrix that is clustered.
type KMeans struct {
	// Published selects the published reading.
	Published bool `json:"published"`
}

// Name returns "K-means".
func (KMeans) Name() string { return "K-means" }

// Sees implements [Method].
func (KMeans) Sees() Parts { return Features }

// Gives implements [Method].
func (KMeans) Gives() Outputs { return Embedding | Clusters }

// Fit implements [Method].
func (m KMeans) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	x := g.Features
	if m.Published {
		x = unitRows(wordWeights(x))
	}
	points := x.ToDense()
	found, err := cluster.KMeans(ctx, points, o.Clusters, cluster.KMeansOptions{}, o.random("k-means"))
	return &Output{Embedding: points, Clusters: found.Labels, Backend: backend.Native}, err
}
