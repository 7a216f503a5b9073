package metric_test

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestLinks compares the scores of a small ranking with values worked out by hand. Edges have the inner
// products 3 and 1, and non-edges 2 and 0: three of the four pairs of an edge and a non-edge are in order
// (AUC), and the precision is 1 at the first edge and 2/3 at the second (AP). NaN is an error that names
// the pair.
func TestLinks(t *testing.T) {
	// The third number of each row is padding, which must not be read.
	z := blas32.General{Rows: 5, Cols: 2, Stride: 3, Data: []float32{
		1, 0, 9,
		3, 1, 9,
		1, 7, 9,
		2, 5, 9,
		0, 2, 9,
	}}
	ranked := graph.Pairs{Edges: []graph.Pair{{I: 0, J: 1}, {I: 0, J: 2}}, NonEdges: []graph.Pair{{I: 0, J: 3}, {I: 0, J: 4}}}
	s := testutil.Value(metric.Links(z, ranked)).OrFatal(t)
	wantNear(t, "AUC", s.AUC, 3./4, 1e-12)
	wantNear(t, "AP", s.AP, (1+2./3)/2, 1e-12)
	z.Data[0] = float32(math.NaN())
	testutil.Value(metric.Links(z, ranked)).Fails(t, "nodes 0 and 1")
}
