package tsne

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestTSNEInterrupt requires a check of the context in each iteration and in the
// steps before them.
func TestTSNEInterrupt(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	x := newGeneral(300, 12)
	for i := range x.Data {
		x.Data[i] = rnd.Float32()
	}
	testutil.Interrupt(t, "t-SNE", 40, func(ctx context.Context) error {
		_, err := Map(ctx, x, Options{Iterations: 40}, rand.New(rand.NewPCG(1, 1)))
		return err
	})
}
