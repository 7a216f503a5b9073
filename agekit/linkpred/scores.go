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

// Decode returns the probability of an edge between two nodes under the
// inner-product decoder, σ(zᵢ·zⱼ) (paper, §5.2).
func Decode(z blas32.General, p Pair) float64 {
	return 1 / (1 + math.Exp(-InnerProduct(z, p)))
}

// Score ranks pairs by the inner-product decoder on the embedding z, n×d. It
// ranks by zᵢ·zⱼ itself: σ is increasing, so AUC and AP do not change, but σ
// rounds to 1 for large inner products, which would create ties.
//
// The error names the first pair whose score is not a number.
func Score(z blas32.General, pairs Pairs) (Scores, error) {
	return ScoreBy(func(p Pair) float64 { return InnerProduct(z, p) }, pairs)
}

// ScoreBy ranks pairs by any score; higher means a more likely edge.
func ScoreBy(score func(Pair) float64, pairs Pairs) (Scores, error) {
	var edge []bool
	var scores []float64
	add := func(list []Pair, isEdge bool) error {
		for _, p := range list {
			s := score(p)
			if math.IsNaN(s) {
				return fmt.Errorf("the score of nodes %d and %d is not a number", p.I, p.J)
			}
			edge, scores = append(edge, isEdge), append(scores, s)
		}
		return nil
	}
	if err := add(pairs.Edges, true); err != nil {
		return Scores{}, err
	}
	if err := add(pairs.NonEdges, false); err != nil {
		return Scores{}, err
	}
	return Scores{AUC: metric.AUC(edge, scores), AP: metric.AveragePrecision(edge, scores)}, nil
}

// InnerProduct returns zᵢ·zⱼ, summed in float64.
func InnerProduct(z blas32.General, p Pair) float64 {
	a := z.Data[int(p.I)*z.Stride:][:z.Cols]
	b := z.Data[int(p.J)*z.Stride:][:z.Cols]
	var s float64
	for k, v := range a {
		s += float64(v) * float64(b[k])
	}
	return s
}
