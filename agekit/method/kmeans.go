package method

import (
	"context"

	"github.com/agekit/age/agekit/graph"
)

// kMeans clusters the features by k-means (MacQueen, Berkeley Symposium on Mathematical
// Statistics and Probability, 1967), with ten starts. Nobody has described the paper's
// own protocol. Published mode gives its rows of Cora and Citeseer: words have the
// weights ln(n/df) ([wordWeights]), rows have length 1, and there are two starts, which
// makes scores vary by about .05. Wiki's weights are lost here, because reading its
// files divides each column by its maximum.
//
// The embedding is the matrix that is clustered.
type kMeans struct {
	Published bool `json:"published,omitempty"` // published mode
}

// fit returns the features as the embedding, and the clusters of their rows.
func (m kMeans) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	x, starts := g.Features, 0 // 0: the default, ten
	if m.Published {
		x, starts = unitNorms(wordWeights(x), 2), 2
	}
	points := x.ToDense()
	clusters, err := o.kMeans(ctx, points, starts)
	return &Output{Embedding: points, Clusters: clusters}, err
}
