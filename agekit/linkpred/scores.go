package linkpred

import (
	"fmt"
	"math"

	"github.com/agekit/age/agekit/metric"
	"gonum.org/v1/gonum/blas/blas32"
)

// Scores measure how well edges are separated from non-edges, from 0 to 1.
type Scores struct {
	AUC float64 `json:"auc"` // area under the ROC curve
	AP  float64 `json:"ap"`  // average precision
}

// mean returns (AUC + AP)/2.
func (s Scores) mean() float64 { return (s.AUC + s.AP) / 2 }

// Score ranks pairs by a score; higher means a more likely edge. The error names the
// first pair whose score is not a number.
//
// The paper's decoder is [InnerProduct].
func Score(score func(Pair) float64, pairs Pairs) (Scores, error) {
	var edge []bool
	var scores []float64
	for _, list := range [][]Pair{pairs.Edges, pairs.NonEdges} {
		for _, p := range list {
			s := score(p)
			if math.IsNaN(s) {
				return Scores{}, fmt.Errorf("the score of nodes %d and %d is not a number", p.I, p.J)
			}
			edge, scores = append(edge, len(edge) < len(pairs.Edges)), append(scores, s)
		}
	}
	return Scores{AUC: metric.AUC(edge, scores), AP: metric.AveragePrecision(edge, scores)}, nil
}

// InnerProduct returns the score of the inner-product decoder (paper, §5.2) for an
// embedding, n×d: zᵢ·zⱼ, summed in float64. The probability of an edge is σ(zᵢ·zⱼ).
// σ is increasing, so that AUC and AP do not change, but it rounds to 1 for large
// inner products, which would create ties.
func InnerProduct(z blas32.General) func(Pair) float64 {
	return func(p Pair) (s float64) {
		b := z.Data[int(p.J)*z.Stride:][:z.Cols]
		for k, v := range z.Data[int(p.I)*z.Stride:][:z.Cols] {
			s += float64(v) * float64(b[k])
		}
		return s
	}
}
