package agekit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agekit/age/agekit/experiment"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestSignFlip works small cases out by hand, and compares a larger one with
// Student's paired test, which is close to it for normal differences.
func TestSignFlip(t *testing.T) {
	for _, test := range []struct {
		differences []float64
		want        float64
	}{
		{[]float64{1, 1, 1}, 2. / 8},
		{[]float64{1, -1}, 1},
		{[]float64{3, 1, -1}, 6. / 8}, // |3 ± 1 ± 1| is 3 or more for three of four choices
		{[]float64{0, 0}, 1},
		{[]float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}, 2. / 1024},
	} {
		if got := SignFlip(test.differences); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("p of %v is %v, want %v", test.differences, got, test.want)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 0))
	differences := make([]float64, 16)
	for i := range differences {
		differences[i] = rnd.NormFloat64() + 0.4
	}
	mean, deviation := stat.MeanStdDev(differences, nil)
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 15}
	want := 2 * student.CDF(-math.Abs(mean)/(deviation/4))
	if got := SignFlip(differences); math.Abs(got-want) > 0.02 {
		t.Errorf("p is %v, Student's is %v", got, want)
	}
}

// TestSeedScores compares with the results file and the printed standard
// deviation.
func TestSeedScores(t *testing.T) {
	t.Setenv("AGEKIT_RESULTS", resultsFile)
	r := experiment.Run{Task: experiment.Links, Dataset: "cora", Method: "AGE", Mode: experiment.Paper}
	got, err := SeedScores(r, "AUC")
	if err != nil || len(got) != 10 {
		t.Fatalf("%d values, error %v", len(got), err)
	}
	r.Seed = 3
	if want := record(t, r).Scores["AUC"]; got[2] != want {
		t.Errorf("seed 3: %v, want %v", got[2], want)
	}
	if _, err := SeedScores(experiment.Run{Task: experiment.Links, Dataset: "none", Method: "AGE"}, "AUC"); err == nil {
		t.Error("no error for a data set without results")
	}
}
