package laplacian

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestVersion checks that [SpectrumVersion] is raised when the eigenvalues or the density of a fixed
// graph change: they must be those recorded for this version ([testutil.CheckVersion]).
func TestVersion(t *testing.T) {
	l := New(testutil.NinetyGraph(t).Adjacency)
	testutil.CheckVersion(t, SpectrumVersion, func() []any {
		values := testutil.Value(Eigenvalues(t.Context(), l)).OrFatal(t)
		density := testutil.Value(EstimateDensity(t.Context(), l, rand.New(rand.NewPCG(0, 0)))).OrFatal(t)
		all := []any{values}
		for _, r := range density.Rules {
			all = append(all, r.Nodes, r.Weights)
		}
		return all
	})
}
