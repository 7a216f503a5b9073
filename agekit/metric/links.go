package metric

import (
	"fmt"
	"math"

	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// LinkScores measure how well edges are separated from non-edges, from 0 to 1.
type LinkScores struct {
	AUC float64 `json:"auc"` // area under the ROC curve
	AP  float64 `json:"ap"`  // average precision
}

// Links returns the scores of ranking the pairs p by the inner products of their rows of z, n×d, as the
// paper's decoder does (§5.2). The decoder's probability of an edge is σ(zᵢ·zⱼ). Links leaves out σ: it is
// increasing, so that AUC and AP do not change, but it rounds to 1 for large inner products, which
// would create ties.
//
// The error names the first pair whose inner product is not a number.
func Links(z blas32.General, p graph.Pairs) (LinkScores, error) {
	var edge []bool
	var scores []float64
	for _, list := range [][]graph.Pair{p.Edges, p.NonEdges} {
		for _, pair := range list {
			s := InnerProduct(z, pair.I, pair.J)
			if math.IsNaN(s) {
				return LinkScores{}, fmt.Errorf("the score of nodes %d and %d is not a number", pair.I, pair.J)
			}
			edge = append(edge, len(edge) < len(p.Edges)) // the edges come first
			scores = append(scores, s)
		}
	}
	return LinkScores{AUC: AUC(edge, scores), AP: AveragePrecision(edge, scores)}, nil
}

// InnerProduct returns zᵢ·zⱼ of rows of z, summed in float64.
func InnerProduct(z blas32.General, i, j int32) (s float64) {
	b := z.Data[int(j)*z.Stride:][:z.Cols]
	for k, v := range z.Data[int(i)*z.Stride:][:z.Cols] {
		s += float64(v) * float64(b[k])
	}
	return s
}
