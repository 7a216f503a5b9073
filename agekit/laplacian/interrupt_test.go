package laplacian

import (
	"context"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/internal/testutil"
)

// TestInterrupt: smoothing checks its context for each layer of each tile of
// 64 columns.
func TestInterrupt(t *testing.T) {
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 300, Features: 200, Seed: 1})).OrFatal(t)
	testutil.Interrupt(t, "smoothing", 4*5, func(ctx context.Context) error {
		_, err := Filter{K: 0.5, Layers: 5}.Smooth(ctx, New(g.Adjacency), g.Features)
		return err
	})
}
