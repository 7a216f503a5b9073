package baseline

import (
	"context"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
)

// KMeans clusters the raw features by k-means.
type KMeans struct{}

// Name returns "K-means".
func (KMeans) Name() string { return "K-means" }

// Sees implements [Method].
func (KMeans) Sees() Parts { return Features }

// Gives implements [Method].
func (KMeans) Gives() Outputs { return Embedding | Clusters }

// Fit implements [Method]. The embedding is X itself.
func (KMeans) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	x := g.Features.ToDense()
	found, err := cluster.KMeans(ctx, x, o.Clusters, cluster.KMeansOptions{}, o.random("k-means"))
	return &Output{Embedding: x, Clusters: found.Labels, Backend: backend.Native}, err
}
