package baseline

import (
	"context"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
)

// SpectralG clusters the graph, with its adjacency matrix as similarities.
type SpectralG struct{}

// Name returns "Spectral-G".
func (SpectralG) Name() string { return "Spectral-G" }

// Sees implements [Method].
func (SpectralG) Sees() Parts { return Edges }

// Gives implements [Method].
func (SpectralG) Gives() Outputs { return Clusters }

// Fit implements [Method].
func (SpectralG) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	found, err := cluster.Spectral(ctx, cluster.Sparse(g.Adjacency), o.Clusters, cluster.SpectralOptions{Scaling: o.Scaling}, o.random("spectral"))
	return &Output{Clusters: found.Labels, Backend: backend.Native}, err
}
