package pairs

import (
	"testing"

	"github.com/agekit/age/agekit/laplacian"

	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// paperThresholds and paperLayers are the paper's settings for each data set (Table 5): r_pos and r_neg,
// and the number of filter layers. The filter's k is 2/3 (§4.3).
var (
	paperThresholds = map[string]Thresholds{
		"cora":     {PosStart: 0.0110, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5},
		"citeseer": {PosStart: 0.0015, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5},
		"wiki":     {PosStart: 0.0011, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5},
	}
	paperLayers = map[string]int{"cora": 8, "citeseer": 3, "wiki": 1}
)

// smoothed returns a data set's features with the paper's filter.
func smoothed(t *testing.T, name string) blas32.General {
	t.Helper()
	g := testutil.LoadGraph(t, name)
	return testutil.Value(laplacian.Filter{K: 2.0 / 3, Layers: paperLayers[name]}.Smooth(t.Context(), laplacian.New(g.Adjacency), g.Features)).OrFatal(t)
}
