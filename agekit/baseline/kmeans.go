package baseline

import (
	"context"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
)

// KMeans clusters the features by k-means, with ten starts. The published reading
// is the protocol that gives the paper's rows of Cora and Citeseer, which nobody
// has described: words have the weights ln(n/df) (see wordWeights), rows have
// length 1, and there are two starts. Scores vary by about .05 with so few. The
// weights in Wiki's files are not known here, because each column is divided by
// its maximum when they are read.
//
// The embedding is the matrix that is clustered.
type KMeans struct {
	// Published selects the published reading.
	Published bool `json:"published,omitempty"`
}

// Name returns "K-means".
func (KMeans) Name() string { return "K-means" }

// Sees implements [Method].
func (KMeans) Sees() Parts { return Features }

// Gives implements [Method].
func (KMeans) Gives() Outputs { return Embedding | Clusters }

// Fit implements [Method].
func (m KMeans) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := checkFeatures(m, g); err != nil {
		return nil, err
	}
	x, opts := g.Features, cluster.KMeansOptions{}
	if m.Published {
		x, opts.Restarts = unitRows(wordWeights(x)), 2
	}
	points := x.ToDense()
	found, err := cluster.KMeans(ctx, points, o.Clusters, opts, o.random("k-means"))
	return &Output{Embedding: points, Clusters: found.Labels, Backend: backend.Native}, err
}
