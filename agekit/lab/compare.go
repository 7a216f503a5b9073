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

// ShuffleTest returns p of Fisher's permutation test for the scores a and b of two methods,
// one per seed: the share of all ways to divide the scores between the two methods in which
// the means are at least as far apart as those of a and b. The share is estimated from
// 100,000 random shuffles, which are always the same.
func ShuffleTest(a, b []float64) float64 {
	const shuffles = 100_000
	const rounding = 1e-12 // the mean of the same scores in another order may differ by less
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

// nameOfRun returns the name of a run's method and, unless the mode is the paper's, of its mode.
func nameOfRun(r reproduce.Run) string {
	switch r.Mode {
	case reproduce.Paper:
		return r.Method
	case reproduce.Published:
		return r.Method + ", published"
	}
	return fmt.Sprintf("%s, %s mode", r.Method, r.Mode)
}

// meanText returns "mean ± standard deviation" of the values, or the value if there is one.
func meanText(values []float64) string {
	mean, deviation := stat.MeanStdDev(values, nil)
	text := strings.Replace(fmt.Sprintf("%.3f", mean), "-", "−", 1)
	if len(values) > 1 {
		text += fmt.Sprintf(" ± %.3f", deviation)
	}
	return text
}

// clusteringScores returns the stored values of a score such as "ACC" for the clusterings of a
// data set by the method and mode of r, one per seed. printed is the value in the paper's
// table 2, or NaN if the table has none.
func clusteringScores(dataset, score string, r reproduce.Run) (values []float64, printed float64, err error) {
	r.Task, r.Dataset = reproduce.Clustering, dataset
	const table = 2 // of the paper: node clustering
	printed, ok := reproduce.Printed(table, r.Method, dataset, score)
	if !ok {
		printed = math.NaN()
	}
	values, err = SeedScores(r, score)
	return values, printed, err
}

// ScoreStrips draws the stored values of a score for clusterings of a data set: a column for
// each run, one point per seed, with a line at the value that the paper prints. Of the runs,
// only the method and the mode are used.
func ScoreStrips(dataset, score string, runs ...reproduce.Run) (*figure.Figure, error) {
	var strips []figure.Series
	var printed []float64
	for _, r := range runs {
		values, inPaper, err := clusteringScores(dataset, score, r)
		if err != nil {
			return nil, err
		}
		strips, printed = append(strips, figure.Series{Name: nameOfRun(r), Y: values}), append(printed, inPaper)
	}
	return figure.Strips(fmt.Sprintf("%s on %s, one point per seed", score, reproduce.DatasetTitle(dataset)), score, printed, strips...), nil
}

// ScoreTable returns a table of stored scores for clusterings of a data set, with a row for
// each run and a column for each score: mean and deviation over the seeds, and the value
// that the paper prints in parentheses. The highest mean of a score is bold, the second
// highest underlined. Of the runs, only the method and the mode are used.
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
	ranked := make([]int, len(scores))
	for k := range ranked {
		ranked[k] = k + 1 // column 0 has the names
	}
	return figure.Table(append([]string{dataset}, scores...), rows, ranked...), nil
}

// Differences returns a table with a row for each data set and score: the mean scores of the
// methods of runs a and b, how far that of a is above that of b, the same difference of the
// values that the paper prints, and p of the [ShuffleTest].
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

// signed returns a difference as text with its sign and three decimals, or "–" for NaN.
func signed(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%+.3f", v), "-", "−", 1)
}

// share returns the share p of shuffles as text with three decimals. Shares below 0.001 are
// only said to be so: the 100,000 shuffles do not show them exactly.
func share(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// SeedScores returns the stored values of a score ("ACC", "AUC") of the run r with the seeds
// 1 to 10 instead of its own, without the seeds that have no stored result. If no seed has
// one, it returns an error.
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
