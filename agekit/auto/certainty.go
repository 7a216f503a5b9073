package auto

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/metric"
)

// rivalAgreement is the adjusted Rand index below which two results are different ones.
const rivalAgreement = 0.5

// The probability is the logistic function of a sum of these, times the agreement and the
// stability: docs/log/choosing-settings.md has the graphs to which they are fitted, and
// TestCalibration fits them again.
const certaintyConstant, certaintyAgreement, certaintyStability = -4, 4, 3

// calibrated returns the probability that the ACC of clusters is at most .03 below the best of
// what was tried.
func calibrated(agreement, stability float64) float64 {
	return 1 / (1 + math.Exp(-(certaintyConstant + certaintyAgreement*agreement + certaintyStability*stability)))
}

// compare sets the Agreement of the chosen trial with the other good ones, the Probability that
// follows, and the Rival.
func (c *choice) compare(trials, good []*Trial) {
	chosen := trials[c.Chosen]
	var agreements []float64
	for _, other := range good {
		if other == chosen {
			continue
		}
		agreement := foldAgreement(chosen, other)
		agreements = append(agreements, agreement)
		if agreement >= rivalAgreement || other.trained() {
			continue
		}
		if c.Rival == nil || other.Score > trials[c.Rival.Trial].Score {
			c.Rival = &Rival{Trial: slices.Index(trials, other)}
		}
	}
	c.Agreement = 1
	if agreements != nil {
		c.Agreement = stat.Mean(agreements, nil)
	}
	c.Probability = calibrated(c.Agreement, chosen.Stability)
}

// foldAgreement returns the mean adjusted Rand index of two trials' clusters of the same folds.
func foldAgreement(t, u *Trial) float64 {
	sum := 0.
	for i, score := range t.foldScores {
		if other := u.foldScores[i].clusters; score.clusters != nil && other != nil {
			sum += metric.ARI(score.clusters, other)
		}
	}
	return sum / float64(len(t.foldScores))
}
