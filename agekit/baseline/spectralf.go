package baseline

import (
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
)

// spectralF clusters the cosine similarities of the raw features by spectral
// clustering (Ng, Jordan and Weiss, NIPS 2001).
type spectralF struct{}

// fit returns X with rows of length 1 as the embedding.
func (m spectralF) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	return clusterGram(ctx, linalg.Normalize(g.Features.ToDense()), o)
}
