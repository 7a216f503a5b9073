package tsne

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/keytest"
)

// TestTSNEVersion: other results have another version.
func TestTSNEVersion(t *testing.T) {
	x := keytest.Graph(t).Features.ToDense()
	keytest.Version(t, Version, func() []any {
		y, err := Embed(t.Context(), x, Options{Perplexity: 10, Iterations: 300}, rand.New(rand.NewPCG(0, 0)))
		if err != nil {
			t.Fatal(err)
		}
		return []any{y}
	})
}
