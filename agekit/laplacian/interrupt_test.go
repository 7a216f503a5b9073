package laplacian

import (
	"context"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/internal/testutil"
)

// TestInterrupt checks that smoothing stops when its context is done, and that it asks the context for
// each layer of each tile of 64 columns ([testutil.Interrupt]).
func TestInterrupt(t *testing.T) {
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 300, Features: 200, Seed: 1})).OrFatal(t)
	const layers, tiles = 5, 4 // 200 columns
	testutil.Interrupt(t, "smoothing", tiles*layers, func(ctx context.Context) error {
		_, err := Filter{K: 0.5, Layers: layers}.Smooth(ctx, New(g.Adjacency), g.Features)
		return err
	})
}
