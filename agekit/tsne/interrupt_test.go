package tsne

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestTSNEInterrupt: Map stops with context.Canceled whenever its context is done, and checks the
// context at least once in each iteration.
func TestTSNEInterrupt(t *testing.T) {
	const nodes, features = 300, 12
	const iterations = 40
	rnd := rand.New(rand.NewPCG(1, 1))
	x := newGeneral(nodes, features)
	for i := range x.Data {
		x.Data[i] = rnd.Float32()
	}
	testutil.Interrupt(t, "t-SNE", iterations, func(ctx context.Context) error {
		_, err := Map(ctx, x, Options{Iterations: iterations}, rand.New(rand.NewPCG(1, 1)))
		return err
	})
}
