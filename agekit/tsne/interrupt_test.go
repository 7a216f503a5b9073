package tsne

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestTSNEInterrupt checks that Map stops when its context is done, and that it asks the context at
// least once in each iteration ([testutil.Interrupt]).
func TestTSNEInterrupt(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	x := newGeneral(300, 12)
	for i := range x.Data {
		x.Data[i] = rnd.Float32()
	}
	const iterations = 40
	testutil.Interrupt(t, "t-SNE", iterations, func(ctx context.Context) error {
		_, err := Map(ctx, x, Options{Iterations: iterations}, rand.New(rand.NewPCG(1, 1)))
		return err
	})
}
