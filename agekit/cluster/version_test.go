package cluster

import (
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestVersion checks that [Version] is raised when a clustering of a fixed graph changes: the results must be
// those recorded for this version ([testutil.CheckVersion]).
func TestVersion(t *testing.T) {
	x := testutil.NinetyGraph(t).Features.ToDense()
	testutil.CheckVersion(t, Version, func() (all []any) {
		for _, scaling := range []Scaling{RandomWalk, Degree, NJW} {
			r := testutil.Value(Spectral(t.Context(), Gram(x), 3, SpectralOptions{Scaling: scaling}, rand.New(rand.NewPCG(0, 0)))).OrFatal(t)
			all = append(all, r.Labels)
		}
		r := testutil.Value(KMeans(t.Context(), x, 3, KMeansOptions{}, rand.New(rand.NewPCG(0, 0)))).OrFatal(t)
		return append(all, r.Labels, r.Centers)
	})
}
