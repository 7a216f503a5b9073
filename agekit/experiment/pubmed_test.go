package experiment

import (
	"path/filepath"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestPubmedClaims: what docs/reproduction.md says of the paper's claims holds for the stored
// means in fair mode.
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
	for _, ahead := range []string{"LS", "AGC", "AGE", "DeepWalk", "TADW"} {
		if gala, other := mean("GALA", "NMI", 0), mean(ahead, "NMI", 0); gala >= other {
			t.Errorf("GALA has NMI %.3f, and %s %.3f", gala, ahead, other)
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
