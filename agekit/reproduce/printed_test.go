package reproduce

import (
	"math"
	"testing"
)

// TestPrintedFigures checks the transcribed numbers against the paper's other
// statements about them: its text gives AGE's lead over GALA in percent
// (§5.1), and table 4 repeats three rows of table 2.
func TestPrintedFigures(t *testing.T) {
	printed := func(table int, method, dataset, score string) float64 {
		t.Helper()
		v, ok := Printed(table, method, dataset, score)
		if !ok {
			t.Fatalf("table %d has no %s of %s on %s", table, score, method, dataset)
		}
		return v
	}
	for number, table := range printedTables {
		for method, row := range table.rows {
			if len(row) != len(table.datasets)*len(table.scores) {
				t.Errorf("table %d: %d values for %q", number, len(row), method)
			}
		}
	}
	for d, leads := range map[string][]float64{"cora": {2.95, 5.20, 6.20}, "wiki": {12.29, 18.45, 13.11}} {
		for i, score := range clusteringScores {
			if lead := 100 * (printed(2, "AGE", d, score)/printed(2, "GALA", d, score) - 1); math.Abs(lead-leads[i]) > 0.006 {
				t.Errorf("%s on %s: %.3f %% above GALA, the text says %v", score, d, lead, leads[i])
			}
		}
	}
	for _, m := range []string{"Spectral-F", "LS", "AGE"} {
		for _, score := range clusteringScores {
			if a, b := printed(4, m, "cora", score), printed(2, m, "cora", score); a != b {
				t.Errorf("%s of %s: %v in table 4, %v in table 2", score, m, a, b)
			}
		}
	}
	// In table 2, bold marks AGE as the highest everywhere except in Pubmed's NMI.
	for m := range printedTables[2].rows {
		for _, d := range paperDatasets {
			for _, score := range clusteringScores {
				if v := printed(2, m, d, score); v > printed(2, "AGE", d, score) && !(m == "GALA" && d == "pubmed" && score == "NMI") {
					t.Errorf("%s of %s on %s is %v, above AGE's", score, m, d, v)
				}
			}
		}
	}
	if _, ok := Printed(2, "LS", "gostd", "ACC"); ok {
		t.Error("a value for a data set that the paper does not have")
	}
}
