package tsne

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestVersion: other results have another version.
func TestVersion(t *testing.T) {
	x := testutil.NinetyGraph(t).Features.ToDense()
	testutil.CheckVersion(t, Version, func() []any {
		y := testutil.Value(Map(t.Context(), x, Options{Perplexity: 10, Iterations: 300}, rand.New(rand.NewPCG(0, 0)))).OrFatal(t)
		return []any{y}
	})
}
