package auto

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/internal/testutil"
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

// calibrationFile has of each graph, real or generated, where something was found: how much what
// scores alike agrees, and how far the ACC of the result is below the best that was tried
// without training.
const calibrationFile = "testdata/calibration.json"

type calibration struct {
	Graph     string  `json:"graph"`
	Kind      string  `json:"kind"`
	Agreement float64 `json:"agreement"`
	Loss      float64 `json:"loss"`
}

// right reports whether the result is within .03 of the best.
func (c calibration) right() bool { return c.Loss <= 0.03 }

// fitOdds fits the constant and the factor of the agreement by Newton's method.
func fitOdds(all []calibration) (constant, factor float64) {
	for range 50 {
		var gradient [2]float64
		var hessian [3]float64
		for _, c := range all {
			p := 1 / (1 + math.Exp(-(constant + factor*c.Agreement)))
			off := -p
			if c.right() {
				off++
			}
			gradient[0] += off
			gradient[1] += off * c.Agreement
			w := p * (1 - p)
			hessian[0] += w
			hessian[1] += w * c.Agreement
			hessian[2] += w * c.Agreement * c.Agreement
		}
		determinant := hessian[0]*hessian[2] - hessian[1]*hessian[1]
		constant += (hessian[2]*gradient[0] - hessian[1]*gradient[1]) / determinant
		factor += (hessian[0]*gradient[1] - hessian[1]*gradient[0]) / determinant
	}
	return constant, factor
}

// TestCalibration: the probability is that of a logistic regression on all graphs; fitted
// without a kind of graphs, it holds for that kind; and of those that are said to be sure, 95 %
// are right. With AGEKIT_CALIBRATION=write, it draws docs/calibration.svg.
func TestCalibration(t *testing.T) {
	var all []calibration
	testutil.NoError(t, json.Unmarshal(testutil.Value(os.ReadFile(calibrationFile)).OrFatal(t), &all))
	constant, factor := fitOdds(all)
	if math.Abs(constant-oddsConstant) > 0.05 || math.Abs(factor-oddsAgreement) > 0.05 {
		t.Errorf("the odds are exp(%.2f + %.2f·agreement), the program has %v and %v", constant, factor, oddsConstant, oddsAgreement)
	}
	kinds := map[string]bool{}
	for _, c := range all {
		kinds[c.Kind] = true
	}
	// What is said of each graph by the others than those of its kind, and what came true.
	bins := make([]struct{ said, right, count float64 }, 4)
	edges := []float64{0.6, 0.8, 0.92, 1}
	for kind := range kinds {
		others := slices.DeleteFunc(slices.Clone(all), func(c calibration) bool { return c.Kind == kind })
		constant, factor := fitOdds(others)
		for _, c := range all {
			if c.Kind != kind {
				continue
			}
			said := 1 / (1 + math.Exp(-(constant + factor*c.Agreement)))
			bin := &bins[sort.SearchFloat64s(edges, said)]
			bin.said += said
			bin.count++
			if c.right() {
				bin.right++
			}
		}
	}
	var said, right []float64
	for i, bin := range bins {
		t.Logf("said up to %.1f: %.0f graphs, %.2f in the mean; right %.2f", edges[i], bin.count, bin.said/bin.count, bin.right/bin.count)
		said = append(said, 100*bin.said/bin.count)
		right = append(right, 100*bin.right/bin.count)
		// Two standard deviations of a share of so many.
		if p := bin.said / bin.count; math.Abs(bin.right/bin.count-p) > 2*math.Sqrt(p*(1-p)/bin.count) {
			t.Errorf("of %.0f graphs, %.0f are right, where %.1f are expected", bin.count, bin.right, bin.said)
		}
	}
	if sure := bins[3]; sure.right < 0.95*sure.count || sure.count < 20 {
		t.Errorf("of %.0f graphs with a probability above .92, %.0f are right", sure.count, sure.right)
	}
	// docs/choosing-settings.md has the shares above and below an agreement of .78.
	var above, below struct{ right, count float64 }
	for _, c := range all {
		group := &below
		if c.Agreement > 0.78 {
			group = &above
		}
		group.count++
		if c.right() {
			group.right++
		}
	}
	page := string(testutil.Value(os.ReadFile("../../docs/choosing-settings.md")).OrFatal(t))
	want := fmt.Sprintf("On %d graphs with known classes, generated and real, in which something was found, the result was within .03 ACC of the best that was tried for %.0f %% of the graphs with an index above .78, and for %.0f %% of the others.",
		len(all), 100*above.right/above.count, 100*below.right/below.count)
	if !strings.Contains(page, want) {
		t.Errorf("docs/choosing-settings.md lacks %q", want)
	}
	if os.Getenv("AGEKIT_CALIBRATION") == "write" {
		f := figure.Lines("Chance of being within .03 ACC of the best", "said, of graphs of other kinds (%)", "came true (%)",
			figure.Series{Name: "as it should be", X: []float64{0, 100}, Y: []float64{0, 100}}, figure.Series{Name: fmt.Sprintf("%d graphs, in four groups", len(all)), X: said, Y: right})
		testutil.NoError(t, f.Save("../../docs/calibration.svg"))
	}
}

// TestRivalDiffers: a rival whose clusters of the whole graph are those of the result, as where a
// training lost to this very candidate, is none.
func TestRivalDiffers(t *testing.T) {
	g := nested(t)
	s := &search{g: g, k: 3, r: &Result{}, o: Options{Clusters: Exactly(3), Seed: 1, Encoder: encoder.Options{}.WithDefaults()}}
	leidenTrial := Trial{Candidate: Candidate{Data: edgesAlone, Clustering: leiden}, Score: 1, Folds: 1}
	smoothed := Trial{Candidate: Candidate{Data: smoothedFeatures, Layers: 1, Clustering: byCosine}, Score: 0.9, Folds: 1}
	c := choice{SearchReport: SearchReport{Trials: []Trial{leidenTrial, smoothed}, Trained: -1, FeatureShare: 1, EdgeShare: 1, Rival: &Rival{Trial: 0}}}
	c.Voters, c.Layers = []Candidate{leidenTrial.Candidate}, 1
	testutil.NoError(t, s.finish(t.Context(), &c))
	if s.r.Rival != nil {
		t.Errorf("the rival is the result: %+v", s.r.Rival.Trial)
	}
}
