package agekit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/figure"
	"gonum.org/v1/gonum/stat"
)

// shuffleTest compares the scores of two methods over seeds (Fisher's
// permutation test). If the methods did not differ, any of the scores could as
// well have been the other method's. It returns p, the share of all shuffles of
// the scores between the two in which the means are at least as far apart as they
// are; it is estimated from 100,000 shuffles, always the same ones.
func shuffleTest(a, b []float64) float64 {
	const shuffles, rounding = 100_000, 1e-12
	all := append(append([]float64{}, a...), b...)
	apart := func() float64 { return math.Abs(stat.Mean(all[:len(a)], nil) - stat.Mean(all[len(a):], nil)) }
	rnd := rand.New(rand.NewPCG(1, 0))
	measured, far := apart(), 0
	for range shuffles {
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if apart() >= measured-rounding {
			far++
		}
	}
	return float64(far) / shuffles
}

// Compared is a method in one mode, such as AGE in paper mode.
type Compared struct {
	Method string
	Mode   experiment.Mode
}

func (c Compared) String() string {
	switch c.Mode {
	case experiment.Paper:
		return c.Method
	case experiment.Published:
		return c.Method + ", published"
	}
	return fmt.Sprintf("%s, %s mode", c.Method, c.Mode)
}

// Run is the clustering that is compared, without a seed.
func (c Compared) Run(dataset string) experiment.Run {
	return experiment.Run{Task: experiment.Clustering, Dataset: dataset, Method: c.Method, Mode: c.Mode}
}

// ScoreStrips draws the stored scores of clusterings of a data set, one point
// per seed, with the values that the paper prints.
func ScoreStrips(dataset, score string, methods ...Compared) (*figure.Figure, error) {
	var strips []figure.Series
	var printed []float64
	for _, m := range methods {
		values, err := SeedScores(m.Run(dataset), score)
		if err != nil {
			return nil, err
		}
		value, ok := experiment.Printed(m.Run(dataset), score)
		if !ok {
			value = math.NaN()
		}
		strips, printed = append(strips, figure.Series{Name: m.String(), Y: values}), append(printed, value)
	}
	return figure.Strips(fmt.Sprintf("%s on %s, one point per seed", score, dataset), score, printed, strips...), nil
}

// ScoreTable returns a table of stored scores of clusterings of a data set: mean
// and deviation over the seeds, with the value that the paper prints in
// parentheses.
func ScoreTable(dataset string, scores []string, methods ...Compared) (figure.Fragment, error) {
	var rows [][]string
	for _, m := range methods {
		row := []string{m.String()}
		for _, score := range scores {
			values, err := SeedScores(m.Run(dataset), score)
			if err != nil {
				return figure.Fragment{}, err
			}
			mean, deviation := stat.MeanStdDev(values, nil)
			cell := fmt.Sprintf("%.3f", mean)
			if len(values) > 1 {
				cell += fmt.Sprintf(" ± %.3f", deviation)
			}
			cell = strings.Replace(cell, "-", "−", 1)
			if printed, ok := experiment.Printed(m.Run(dataset), score); ok {
				cell += fmt.Sprintf(" (%.3f)", printed)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return figure.Table(append([]string{dataset}, scores...), rows), nil
}

// Differences returns a table of how far the mean score of a method is above
// that of another, the difference that the paper prints, and p of the
// [shuffleTest], for each data set and score.
func Differences(datasets, scores []string, a, b Compared) (figure.Fragment, error) {
	var rows [][]string
	for _, dataset := range datasets {
		for _, score := range scores {
			ofA, err := SeedScores(a.Run(dataset), score)
			if err != nil {
				return figure.Fragment{}, err
			}
			ofB, err := SeedScores(b.Run(dataset), score)
			if err != nil {
				return figure.Fragment{}, err
			}
			meanA, deviationA := stat.MeanStdDev(ofA, nil)
			meanB, deviationB := stat.MeanStdDev(ofB, nil)
			printed := "–"
			if printedA, ok := experiment.Printed(a.Run(dataset), score); ok {
				if printedB, ok := experiment.Printed(b.Run(dataset), score); ok {
					printed = signed(printedA - printedB)
				}
			}
			rows = append(rows, []string{dataset, score, fmt.Sprintf("%.3f ± %.3f", meanA, deviationA),
				fmt.Sprintf("%.3f ± %.3f", meanB, deviationB), signed(meanA - meanB), printed, share(shuffleTest(ofA, ofB))})
		}
	}
	return figure.Table([]string{"", "", a.String(), b.String(), "difference", "printed", "p"}, rows), nil
}

// signed formats a difference with its sign.
func signed(v float64) string { return strings.Replace(fmt.Sprintf("%+.3f", v), "-", "−", 1) }

// share formats the share of shuffles, of which very small ones are not known
// exactly.
func share(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}
