package baseline

import (
	"context"

	"github.com/agekit/age/agekit/graph"
)

// kMeans clusters the features by k-means (MacQueen, Berkeley Symposium on
// Mathematical Statistics and Probability, 1967), with ten starts. Published mode
// is the protocol that gives the paper's rows of Cora and Citeseer, which nobody
// has described: words have the weights ln(n/df) (see wordWeights), rows have
// length 1, and there are two starts. Scores vary by about .05 with so few. The
// weights in Wiki's files are not known here, because each column is divided by
// its maximum when they are read.
//
// The embedding is the matrix that is clustered.
type kMeans struct {
	Published bool `json:"published,omitempty"` // published mode
}

func (m kMeans) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	x, starts := g.Features, 0
	if m.Published {
		x, starts = unitNorms(wordWeights(x), 2), 2
	}
	points := x.ToDense()
	clusters, err := o.kMeans(ctx, points, starts)
	return &Output{Embedding: points, Clusters: clusters}, err
}
