package auto

import (
	"math"
	"testing"
)

// trialOf returns a trial without training whose two folds have the same clusters.
func trialOf(score float64, clusters ...int) *Trial {
	fold := foldScore{clusters: clusters}
	return &Trial{Candidate: Candidate{Data: edgesAlone}, Score: score, Stability: 1, foldScores: []foldScore{fold, fold}}
}

// TestRival: the other result is the one that scores most of those with other clusters; and
// the agreement is the mean of the adjusted Rand indices.
func TestRival(t *testing.T) {
	chosen := trialOf(1, 0, 0, 0, 1, 1, 1)
	renamed := trialOf(0.95, 1, 1, 1, 0, 0, 0) // an index of 1
	mixed := trialOf(0.85, 0, 1, 0, 1, 0, 1)   // −1/9
	crossed := trialOf(0.9, 0, 1, 0, 0, 1, 0)  // −1/5, by hand as mixed
	all := []*Trial{mixed, renamed, chosen, crossed}
	c := choice{SearchReport: SearchReport{Chosen: 2}}
	c.compare(all, all)
	if want := (1 - 1./9 + foldAgreement(chosen, crossed)) / 3; math.Abs(c.Agreement-want) > 1e-12 || c.Rival == nil || c.Rival.Trial != 3 {
		t.Errorf("agreement %v, want %v; rival %+v, want trial 3", c.Agreement, want, c.Rival)
	}
	alone := choice{SearchReport: SearchReport{Chosen: 0}}
	alone.compare([]*Trial{chosen, renamed}, []*Trial{chosen, renamed})
	if alone.Agreement != 1 || alone.Rival != nil || alone.Probability <= c.Probability {
		t.Errorf("with the same clusters twice: agreement %v, rival %+v, probability %v", alone.Agreement, alone.Rival, alone.Probability)
	}
	only := choice{}
	only.compare([]*Trial{chosen}, []*Trial{chosen})
	if only.Agreement != 1 || only.Rival != nil {
		t.Errorf("with no other: %+v", only)
	}
}

// calibrationFile has of each graph, real or generated, what the search says and how far the
// ACC of its result is below that of the best that was tried without training.
const calibrationFile = "testdata/calibration.json"

type calibration struct {
	Graph     string  `json:"graph"`
	Kind      string  `json:"kind"`
	Agreement float64 `json:"agreement"`
	Stability float64 `json:"stability"`
	Loss      float64 `json:"loss"`
}
