package metric_test

import (
	"math"
	"testing"

	"github.com/agekit/age/agekit/metric"
	"pgregory.net/rapid"
)

// TestRankingAgainstScikitLearn compares AUC and AP with scikit-learn's roc_auc_score and
// average_precision_score for 18 rankings ([golden]), to 1e-9.
func TestRankingAgainstScikitLearn(t *testing.T) {
	for _, c := range readGolden(t).Ranking {
		positive := make([]bool, len(c.Label))
		for i, l := range c.Label {
			positive[i] = l == 1
		}
		wantNear(t, "AUC", metric.AUC(positive, c.Score), c.AUC, 1e-9)
		wantNear(t, "AP", metric.AveragePrecision(positive, c.Score), c.AP, 1e-9)
	}
}

// TestRankingByDefinition compares the scores of random rankings with many ties with their definitions,
// to 1e-12: AUC with the share of pairs of a positive and a negative that are in order, ties as half,
// and AP with the mean of the precisions at every positive.
func TestRankingByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		positive := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "positive")
		score := make([]float64, n)
		for i := range score {
			score[i] = float64(rapid.IntRange(-4, 4).Draw(t, "score")) / 3
		}
		positive[0], positive[1] = true, false // at least one of each

		var wins, pairs, precision, positives float64
		for i := range score {
			if !positive[i] {
				continue
			}
			positives++
			var above, positivesAbove float64
			for j := range score {
				if score[j] >= score[i] {
					above++
					if positive[j] {
						positivesAbove++
					}
				}
				if !positive[j] {
					pairs++
					if score[i] > score[j] {
						wins++
					} else if score[i] == score[j] {
						wins += 0.5
					}
				}
			}
			precision += positivesAbove / above
		}
		if got, want := metric.AUC(positive, score), wins/pairs; math.Abs(got-want) > 1e-12 {
			t.Fatalf("AUC %v, want %v", got, want)
		}
		if got, want := metric.AveragePrecision(positive, score), precision/positives; math.Abs(got-want) > 1e-12 {
			t.Fatalf("AP %v, want %v", got, want)
		}
	})
}

// TestRankingOfOneKind checks the scores without positives or without negatives: they are NaN, except
// for the AP of positives alone, which is 1. A NaN score is a panic.
func TestRankingOfOneKind(t *testing.T) {
	scores := []float64{1, 2, 2}
	all, none := []bool{true, true, true}, []bool{false, false, false}
	for name, got := range map[string]float64{
		"AUC of positives": metric.AUC(all, scores), "AUC of negatives": metric.AUC(none, scores),
		"AUC of nothing": metric.AUC(nil, nil), "AP of negatives": metric.AveragePrecision(none, scores),
		"AP of nothing": metric.AveragePrecision(nil, nil),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s = %v, want NaN", name, got)
		}
	}
	wantNear(t, "AP of positives", metric.AveragePrecision(all, scores), 1, 0)
	defer func() {
		if recover() == nil {
			t.Error("no panic for a NaN score")
		}
	}()
	metric.AUC([]bool{true, false}, []float64{1, math.NaN()})
}
