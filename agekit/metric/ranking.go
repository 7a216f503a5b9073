package metric

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
)

// AUC returns the area under the ROC curve of ranking by decreasing score: the
// probability that a positive is ranked before a negative, where a tie counts as half.
// positive says which pairs are positives, and score has their scores. AUC is NaN unless there are
// positives and negatives. It panics if the lengths differ or a score is NaN.
func AUC(positive []bool, score []float64) float64 {
	tpr, fpr, positives, negatives := roc(positive, score)
	if positives == 0 || negatives == 0 {
		return math.NaN()
	}
	return integrate.Trapezoidal(fpr, tpr)
}

// AveragePrecision returns AP, the mean precision over the positives,
//
//	AP = Σₖ (Rₖ − Rₖ₋₁)·Pₖ,
//
// where Pₖ and Rₖ are precision and recall at the k-th highest distinct score: pairs with
// the same score enter together, without interpolation. AP is NaN if there are no
// positives (scikit-learn returns 0). It panics if the lengths differ or a score is NaN.
func AveragePrecision(positive []bool, score []float64) float64 {
	tpr, fpr, positives, negatives := roc(positive, score)
	switch {
	case positives == 0:
		return math.NaN()
	case negatives == 0:
		return 1
	}
	ap := 0.0
	for k := 1; k < len(tpr); k++ { // a step of the curve for each distinct score; tpr is the recall
		truePositives, falsePositives := tpr[k]*positives, fpr[k]*negatives
		ap += (tpr[k] - tpr[k-1]) * truePositives / (truePositives + falsePositives)
	}
	return ap
}

// roc returns the ROC curve as the true positive rates tpr and the false positive rates fpr, from (0, 0) to
// (1, 1), one point for each distinct score, and the numbers of positives and negatives.
func roc(positive []bool, score []float64) (tpr, fpr []float64, positives, negatives float64) {
	if len(positive) != len(score) {
		panic(fmt.Sprintf("metric: %d labels for %d scores", len(positive), len(score)))
	}
	positive, score = slices.Clone(positive), slices.Clone(score)
	for i, s := range score {
		if math.IsNaN(s) {
			panic(fmt.Sprintf("metric: score %d is NaN", i))
		}
		if positive[i] {
			positives++
		} else {
			negatives++
		}
	}
	stat.SortWeightedLabeled(score, positive, nil)
	tpr, fpr, _ = stat.ROC(nil, score, positive, nil)
	return tpr, fpr, positives, negatives
}
