package baseline

import (
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/rows"
)

// SpectralF clusters the cosine similarities of the raw features.
type SpectralF struct{}

// Name returns "Spectral-F".
func (SpectralF) Name() string { return "Spectral-F" }

// Sees implements [Method].
func (SpectralF) Sees() Parts { return Features }

// Gives implements [Method].
func (SpectralF) Gives() Outputs { return Embedding | Clusters }

// Fit implements [Method]. The embedding is X with rows of length 1.
func (m SpectralF) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := checkFeatures(m, g); err != nil {
		return nil, err
	}
	return clusterGram(ctx, rows.Normalize(g.Features.ToDense()), o)
}
