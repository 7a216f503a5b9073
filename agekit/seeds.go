package agekit

import (
	"fmt"
	"math"

	"github.com/agekit/age/agekit/experiment"
)

// SeedScores returns a stored score ("ACC", "AUC") of a run for each of the
// seeds 1, 2, …, 10 that has a result. The run's own seed does not matter.
func SeedScores(r experiment.Run, score string) ([]float64, error) {
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

// SignFlip is a fair test of paired differences, one per seed (Fisher's
// permutation test). If a change has no effect, each difference could as well
// have had the other sign. SignFlip returns p, the share of all 2ⁿ choices of
// signs for which the mean is at least as far from 0 as it is. It panics for
// more than 24 differences, for which it would take minutes.
func SignFlip(differences []float64) float64 {
	n := len(differences)
	if n > 24 {
		panic(fmt.Sprintf("agekit: %d differences: want at most 24", n))
	}
	sum := func(signs int) (s float64) {
		for i, d := range differences {
			if signs>>i&1 == 1 {
				d = -d
			}
			s += d
		}
		return math.Abs(s)
	}
	const rounding = 1e-12
	far, measured := 0, sum(0)
	for signs := range 1 << n {
		if sum(signs) >= measured-rounding {
			far++
		}
	}
	return float64(far) / float64(int(1)<<n)
}
