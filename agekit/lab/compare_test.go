package lab

import (
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/reproduce"
	"github.com/agekit/age/internal/testutil"
)

// TestShuffleTest compares with the shares among all ways to divide the scores, which for few
// scores are counted by hand. The estimate's standard error is 0.0016 at most, so it may be
// off by five of these. A second call gives the same p.
func TestShuffleTest(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{4, 5, 6}, 2. / 20}, // of the 20 ways, 1 2 3 and 4 5 6 for a are as far apart
		{[]float64{1, 2}, []float64{3, 4}, 2. / 6},
		{[]float64{1}, []float64{2, 3}, 2. / 3}, // 1 alone and 3 alone, of the three numbers
		{[]float64{1, 4}, []float64{2, 3}, 1},
		{[]float64{5, 5}, []float64{5, 5, 5}, 1},
	} {
		if got := ShuffleTest(c.a, c.b); math.Abs(got-c.want) > 0.008 {
			t.Errorf("%v against %v: p = %v, want %v", c.a, c.b, got, c.want)
		}
		if got, again := ShuffleTest(c.a, c.b), ShuffleTest(c.a, c.b); got != again {
			t.Errorf("%v, then %v", got, again)
		}
	}
}

// TestScoresShown: tables of stored scores have the means of the project's results, looked up
// in docs/reproduction, and the values that the paper prints (Cora, LS: ACC 0.638). A figure
// of them can be drawn. An unknown method is an error.
func TestScoresShown(t *testing.T) {
	mode := func(method string, m reproduce.Mode) reproduce.Run { return reproduce.Run{Method: method, Mode: m} }
	ls, best := mode("LS", reproduce.Paper), mode("AGE", reproduce.Best)
	table := must(ScoreTable("cora", []string{"ACC"}, ls, best)).Text
	if !strings.Contains(table, "0.638 ± 0.000 (0.638)") || !strings.Contains(table, "AGE, best mode") {
		t.Errorf("table\n%s", table)
	}
	if f := must(ScoreStrips("cora", "ACC", ls, best)); f.Show() != nil {
		t.Error(f.Show())
	}
	differences := must(Differences([]string{"cora"}, []string{"ACC", "NMI"}, mode("AGE", reproduce.Paper), mode("LS+RA", reproduce.Paper))).Text
	for _, part := range []string{"0.730 ± 0.004", "0.736 ± 0.007", "−0.006", "+0.026", "−0.001", "+0.027"} {
		if !strings.Contains(differences, part) {
			t.Errorf("no %q in\n%s", part, differences)
		}
	}
	unknown := mode("no such method", reproduce.Paper)
	testutil.Value(ScoreTable("cora", []string{"ACC"}, unknown)).Fails(t, "no stored results")
	testutil.Value(Differences([]string{"cora"}, []string{"ACC"}, ls, unknown)).Fails(t, "no stored results")
	testutil.Value(ScoreStrips("cora", "ACC", unknown)).Fails(t, "no stored results")
}

// TestSeedScores: a run with results for ten seeds has ten scores, the third of which is that of
// seed 3 in the results file. A data set without results is an error.
func TestSeedScores(t *testing.T) {
	r := reproduce.Run{Task: reproduce.Links, Dataset: "cora", Method: "AGE", Mode: reproduce.Paper}
	got, err := SeedScores(r, "AUC")
	if err != nil || len(got) != 10 {
		t.Fatalf("%d values, error %v", len(got), err)
	}
	r.Seed = 3
	if want, ok := must(Results()).Get(r); !ok || got[2] != want.Scores["AUC"] {
		t.Errorf("seed 3: %v, want %v", got[2], want.Scores)
	}
	if _, err := SeedScores(reproduce.Run{Task: reproduce.Links, Dataset: "none", Method: "AGE"}, "AUC"); err == nil {
		t.Error("no error for a data set without results")
	}
}
