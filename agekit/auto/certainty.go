package auto

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/metric"
)

// rivalAgreement is the adjusted Rand index below which two results are different ones.
const rivalAgreement = 0.5

// The odds that the ACC of clusters is at most .03 below the best of what was tried are
// exp(oddsConstant + oddsAgreement·agreement), a logistic regression on the graphs of
// testdata/calibration.json (TestCalibration).
const oddsConstant, oddsAgreement = -1.18, 4.35

// probability returns the probability that has these odds.
func probability(agreement float64) float64 {
	return 1 / (1 + math.Exp(-(oddsConstant + oddsAgreement*agreement)))
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
	c.Probability = probability(c.Agreement)
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
