package metric_test

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestLinks checks a small ranking worked out by hand: edges with similarities
// 3 and 1 and non-edges with 2 and 0 have AUC 3/4 and AP (1 + 2/3)/2.
func TestLinks(t *testing.T) {
	z := blas32.General{Rows: 5, Cols: 2, Stride: 3, Data: []float32{
		1, 0, 9,
		3, 1, 9,
		1, 7, 9,
		2, 5, 9,
		0, 2, 9,
	}}
	ranked := graph.Pairs{Edges: []graph.Pair{{I: 0, J: 1}, {I: 0, J: 2}}, NonEdges: []graph.Pair{{I: 0, J: 3}, {I: 0, J: 4}}}
	s := testutil.Value(metric.Links(z, ranked)).OrFatal(t)
	if math.Abs(s.AUC-0.75) > 1e-12 || math.Abs(s.AP-5.0/6) > 1e-12 {
		t.Errorf("scores %+v", s)
	}
	z.Data[0] = float32(math.NaN())
	testutil.Value(metric.Links(z, ranked)).Fails(t, "nodes 0 and 1")
}
