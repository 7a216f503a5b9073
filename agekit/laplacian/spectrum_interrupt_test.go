package laplacian

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/internal/testutil"
)

// TestSpectrumInterrupt checks that λmax, all eigenvalues and the density stop when their context is
// done, and that they ask it at least as often as the number in each call says: for each product with
// the operator and, for all eigenvalues, also for each reflection ([testutil.Interrupt]).
func TestSpectrumInterrupt(t *testing.T) {
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 200, Seed: 1})).OrFatal(t)
	op := New(g.Adjacency)
	testutil.Interrupt(t, "λmax", 16, func(ctx context.Context) error {
		_, err := LambdaMax(ctx, op)
		return err
	})
	testutil.Interrupt(t, "eigenvalues", 2*200-10, func(ctx context.Context) error {
		_, err := Eigenvalues(ctx, op)
		return err
	})
	testutil.Interrupt(t, "density", 4*30, func(ctx context.Context) error {
		_, err := estimateDensity(ctx, op, 4, 30, rand.New(rand.NewPCG(0, 0)))
		return err
	})
}
