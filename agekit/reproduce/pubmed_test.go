package reproduce

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/stat"
)

// TestPubmedClaims: what docs/reproduction.md says of the paper's claims holds for the stored
// means in fair mode, and over k in best mode.
func TestPubmedClaims(t *testing.T) {
	results := testutil.Value(Open(filepath.Join(stored, "results.jsonl"), false)).OrFatal(t)
	mean := func(method, score string, layers int) float64 {
		sum, seeds := 0., 0
		for seed := range uint64(10) {
			if record, ok := results.Get(Run{Task: Clustering, Dataset: "pubmed", Method: method, Mode: Paper, Layers: layers, Seed: seed + 1}); ok {
				sum += record.Scores[score]
				seeds++
			}
		}
		if seeds == 0 {
			t.Fatalf("no results of %s", method)
		}
		return sum / float64(seeds)
	}
	for _, rebuilding := range []string{"LS+RX", "LS+RA", "GAE", "VGAE", "ARGA", "ARVGA", "MGAE", "DAEGC", "GALA"} {
		if below, smoothed := mean(rebuilding, "ACC", 0), mean("LS", "ACC", 0); below >= smoothed {
			t.Errorf("%s has ACC %.3f, and LS %.3f", rebuilding, below, smoothed)
		}
	}
	for _, ahead := range []string{"LS", "LS+RA", "AGC", "AGE", "DeepWalk", "TADW"} {
		if gala, other := mean("GALA", "NMI", 0), mean(ahead, "NMI", 0); gala >= other {
			t.Errorf("GALA has NMI %.3f, and %s %.3f", gala, ahead, other)
		}
	}
	for _, score := range []string{"ACC", "NMI", "ARI"} {
		var ages []float64
		for seed := range uint64(3) {
			record, ok := results.Get(Run{Task: Clustering, Dataset: "pubmed", Method: "AGE", Mode: Paper, Seed: seed + 1})
			if !ok {
				t.Fatalf("no result of AGE with seed %d", seed+1)
			}
			ages = append(ages, record.Scores[score])
		}
		printed, _ := Printed(2, "AGE", "pubmed", score)
		allowed := 1. // deviations
		if score == "NMI" {
			allowed = 2
		}
		if m, deviation := stat.MeanStdDev(ages, nil); math.Abs(m-printed) > allowed*deviation+0.0005 {
			t.Errorf("AGE has %s %.4f ± %.4f, and %.3f is printed", score, m, deviation, printed)
		}
	}
	for _, k := range ksShown(Selection{}) {
		record, ok := results.Get(Run{Task: Clustering, Dataset: "pubmed", Method: "AGE", Mode: Best, K: k, Seed: 1})
		if !ok {
			t.Fatalf("no result with k = %v", k)
		}
		acc := record.Scores["ACC"]
		if high := acc > 0.7085 && acc < 0.7125; high != (record.Scores["k"] >= 0.6) {
			t.Errorf("k = %.3f: ACC %.4f", record.Scores["k"], acc)
		}
	}
	for layers := 1; layers <= 8; layers++ {
		entangled, separate := mean("GAE-64", "NMI", layers), mean("LS+RA-64", "NMI", layers)
		if entangled >= separate {
			t.Errorf("%d layers: GAE-64 has NMI %.3f, and LS+RA-64 %.3f", layers, entangled, separate)
		}
		if falls := separate < 0.24; falls != (layers >= 7) {
			t.Errorf("%d layers: LS+RA-64 has NMI %.3f", layers, separate)
		}
	}
}
