package pairs

import (
	"testing"

	"github.com/agekit/age/agekit/laplacian"

	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// paperThresholds and paperLayers are the paper's settings (Table 5), and k is
// 2/3 (§4.3).
var (
	paperThresholds = map[string]Thresholds{
		"cora":     {0.0110, 0.0010, 0.1, 0.5},
		"citeseer": {0.0015, 0.0010, 0.1, 0.5},
		"wiki":     {0.0011, 0.0010, 0.1, 0.5},
	}
	paperLayers = map[string]int{"cora": 8, "citeseer": 3, "wiki": 1}
)

// smoothed returns a data set's features with the paper's filter.
func smoothed(t *testing.T, name string) blas32.General {
	t.Helper()
	g := testutil.LoadGraph(t, name)
	x := testutil.Value(laplacian.Filter{K: 2.0 / 3, Layers: paperLayers[name]}.Smooth(t.Context(), laplacian.New(g.Adjacency), g.Features)).OrFatal(t)
	return x
}
