package paper

import (
	"math"
	"testing"
)

// TestPrintedFigures checks the transcribed numbers against the paper's other
// statements about them: its text gives AGE's lead over GALA in percent
// (§5.1), and table 5 repeats three rows of table 3.
func TestPrintedFigures(t *testing.T) {
	age, gala := clustering["AGE"], clustering["GALA"]
	for d, leads := range map[string][]float64{"cora": {2.95, 5.20, 6.20}, "wiki": {12.29, 18.45, 13.11}} {
		for i, score := range scores {
			if lead := 100 * (age[d][score]/gala[d][score] - 1); math.Abs(lead-leads[i]) > 0.006 {
				t.Errorf("%s on %s: %.3f %% above GALA, the text says %v", score, d, lead, leads[i])
			}
		}
	}
	for _, m := range []string{"Spectral-F", "LS", "AGE"} {
		for _, score := range scores {
			if a, b := ablation[m]["cora"][score], clustering[m]["cora"][score]; a != b {
				t.Errorf("%s of %s: %v in table 5, %v in table 3", score, m, a, b)
			}
		}
	}
	// In table 3, bold marks AGE as the highest everywhere except in Pubmed's NMI.
	for m, row := range clustering {
		for _, d := range datasets {
			for _, score := range scores {
				if row[d][score] > age[d][score] && !(m == "GALA" && d == "pubmed" && score == "NMI") {
					t.Errorf("%s of %s on %s is %v, above AGE's", score, m, d, row[d][score])
				}
			}
		}
	}
}
