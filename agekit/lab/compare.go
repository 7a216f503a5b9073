package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/reproduce"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/stat"
)

// ShuffleTest compares the scores of two methods over seeds (Fisher's permutation test):
// p is the share of all shuffles of the scores between the two in which the means are at
// least as far apart as they are, estimated from 100,000 shuffles, always the same ones.
func ShuffleTest(a, b []float64) float64 {
	const shuffles, rounding = 100_000, 1e-12
	all := slices.Concat(a, b)
	distance := func() float64 { return math.Abs(stat.Mean(all[:len(a)], nil) - stat.Mean(all[len(a):], nil)) }
	rnd := rng.New(1, rng.Only)
	measured, extreme := distance(), 0
	for range shuffles {
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if distance() >= measured-rounding {
			extreme++
		}
	}
	return float64(extreme) / shuffles
}

// nameOfRun names a run's method and, unless it is the paper's, its mode.
func nameOfRun(r reproduce.Run) string {
	switch r.Mode {
	case reproduce.Paper:
		return r.Method
	case reproduce.Published:
		return r.Method + ", published"
	}
	return fmt.Sprintf("%s, %s mode", r.Method, r.Mode)
}

// meanText is "mean ± deviation" over seeds, or one seed's score.
func meanText(values []float64) string {
	mean, deviation := stat.MeanStdDev(values, nil)
	text := strings.Replace(fmt.Sprintf("%.3f", mean), "-", "−", 1)
	if len(values) > 1 {
		text += fmt.Sprintf(" ± %.3f", deviation)
	}
	return text
}

// clusteringScores returns the stored scores of a clustering of a data set by a run's
// method and mode, and the score that the paper prints, NaN if it prints none.
func clusteringScores(dataset, score string, r reproduce.Run) (values []float64, printed float64, err error) {
	r.Task, r.Dataset = reproduce.Clustering, dataset
	printed, ok := reproduce.Printed(2, r.Method, dataset, score)
	if !ok {
		printed = math.NaN()
	}
	values, err = SeedScores(r, score)
	return values, printed, err
}

// ScoreStrips draws the stored scores of clusterings of a data set, one point per seed,
// with the values that the paper prints. Runs need only a method and a mode.
func ScoreStrips(dataset, score string, runs ...reproduce.Run) (*figure.Figure, error) {
	var strips []figure.Series
	var printed []float64
	for _, r := range runs {
		values, p, err := clusteringScores(dataset, score, r)
		if err != nil {
			return nil, err
		}
		strips, printed = append(strips, figure.Series{Name: nameOfRun(r), Y: values}), append(printed, p)
	}
	return figure.Strips(fmt.Sprintf("%s on %s, one point per seed", score, reproduce.DatasetTitle(dataset)), score, printed, strips...), nil
}

// ScoreTable returns a table of the same scores: mean and deviation over the seeds, with
// the value that the paper prints in parentheses. The highest mean of a score is bold, the
// second highest underlined.
func ScoreTable(dataset string, scores []string, runs ...reproduce.Run) (figure.Fragment, error) {
	var rows [][]string
	for _, r := range runs {
		row := []string{nameOfRun(r)}
		for _, score := range scores {
			values, printed, err := clusteringScores(dataset, score, r)
			if err != nil {
				return figure.Fragment{}, err
			}
			cell := meanText(values)
			if !math.IsNaN(printed) {
				cell += fmt.Sprintf(" (%.3f)", printed)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	columns := make([]int, len(scores))
	for k := range columns {
		columns[k] = k + 1
	}
	return figure.Table(append([]string{dataset}, scores...), rows, columns...), nil
}

// Differences returns a table of how far a method's mean score is above another's, the
// difference that the paper prints, and p of the [ShuffleTest], for each data set and score.
func Differences(datasets, scores []string, a, b reproduce.Run) (figure.Fragment, error) {
	var rows [][]string
	for _, dataset := range datasets {
		for _, score := range scores {
			scoresA, printedA, err := clusteringScores(dataset, score, a)
			if err != nil {
				return figure.Fragment{}, err
			}
			scoresB, printedB, err := clusteringScores(dataset, score, b)
			if err != nil {
				return figure.Fragment{}, err
			}
			difference := stat.Mean(scoresA, nil) - stat.Mean(scoresB, nil)
			rows = append(rows, []string{
				dataset, score, meanText(scoresA), meanText(scoresB),
				signed(difference), signed(printedA - printedB), share(ShuffleTest(scoresA, scoresB)),
			})
		}
	}
	return figure.Table([]string{"", "", nameOfRun(a), nameOfRun(b), "difference", "printed", "p"}, rows), nil
}

// signed formats a difference with its sign, or "–" if it is unknown.
func signed(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%+.3f", v), "-", "−", 1)
}

// share formats the share of shuffles. Very small ones are not known exactly.
func share(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// SeedScores returns a stored score ("ACC", "AUC") of a run for each of the seeds 1, 2, …,
// 10 that has a result, whatever the run's own seed.
func SeedScores(r reproduce.Run, score string) ([]float64, error) {
	results, err := Results()
	if err != nil {
		return nil, err
	}
	var values []float64
	for r.Seed = 1; r.Seed <= 10; r.Seed++ {
		if record, ok := results.Get(r); ok {
			values = append(values, record.Scores[score])
		}
	}
	if values == nil {
		r.Seed = 0
		return nil, fmt.Errorf("there are no stored results of %v", r)
	}
	return values, nil
}
