package settings

import (
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/testutil"
)

// TestGiven: a setting that would be chosen from the graph makes AGE run with the settings that are
// given. On the paper's data sets AGE does so without one, but not for another method, with Auto, or
// for views that the paper does not have. own is the answer for the user's own graph, and paper that
// for Cora.
func TestGiven(t *testing.T) {
	for _, test := range []struct {
		what       string
		s          Settings
		own, paper bool
	}{
		{"nothing", Settings{}, false, true},
		{"layers", Settings{Filter: laplacian.Filter{Layers: laplacian.NoLayers}}, true, true},
		{"a threshold", Settings{Config: encoder.Config{Thresholds: pairs.Thresholds{PosEnd: 0.1}}}, true, true},
		{"best mode", Settings{Best: true}, true, true},
		{"dims, which are not chosen", Settings{Config: encoder.Config{Dims: 8, Seed: 3}}, false, true},
		{"the view of the features", Settings{View: views.Features}, false, false},
		{"the view of AGE", Settings{View: views.AGE}, false, true},
		{"auto", Settings{Auto: new(true)}, false, false},
		{"not auto", Settings{Auto: new(false)}, true, true},
		{"not auto, and the view of the features", Settings{Auto: new(false), View: views.Features}, false, false},
		{"another method", Settings{Method: "GAE", Config: encoder.Config{Epochs: 3}}, false, false},
	} {
		if own := test.s.Given(""); own != test.own {
			t.Errorf("%s: given %v, want %v", test.what, own, test.own)
		}
		if paper := test.s.Given("cora"); paper != test.paper {
			t.Errorf("%s: for Cora given %v, want %v", test.what, paper, test.paper)
		}
	}
}

// TestAGE: settings that are given count. In place of the others, a data set of the paper has the
// paper's (§4.3 and table 5), with all pairs ranked, and NoLayers becomes 0 layers. Best mode has what its help
// says.
func TestAGE(t *testing.T) {
	s := Settings{Config: encoder.Config{Epochs: 7}}
	o := s.AGE("citeseer")
	if o.Epochs != 7 {
		t.Errorf("%d epochs, want those that are given", o.Epochs)
	}
	if o.Layers != 3 || o.K != 2./3 || o.Thresholds.PosStart != 0.0015 || o.Dims != 500 {
		t.Errorf("Citeseer: %+v, want the paper's settings", o)
	}
	if o.Ranking != pairs.Exact {
		t.Errorf("Citeseer: ranking %v, want all pairs", o.Ranking)
	}

	s.Filter, s.Ranking = laplacian.Filter{Layers: laplacian.NoLayers}, pairs.Sampled
	o = s.AGE("citeseer")
	if o.Layers != 0 || o.Ranking != pairs.Sampled {
		t.Errorf("given: %d layers and ranking %v, want 0 and a sample", o.Layers, o.Ranking)
	}
	if o.K != 2./3 {
		t.Errorf("k is %v, want the paper's beside no layers", o.K)
	}

	s = Settings{Best: true}
	o = s.AGE("")
	if o.Layers != 4 { // half of eight
		t.Errorf("best mode: %d layers, want 4", o.Layers)
	}
	if o.Members != 3 || o.BatchSize != encoder.AllPairs || o.Ranking != pairs.Auto {
		t.Errorf("best mode: %+v, want three trainings of one step per epoch", o)
	}
}

// TestCheck: a value that is not valid, and settings that do not suit each other or the method, are
// errors that say which. Auto with epochs, and another method with the layers that it has, are not.
func TestCheck(t *testing.T) {
	testutil.NoError(t, (&Settings{Auto: new(true), Config: encoder.Config{Epochs: 3}}).Check())
	testutil.NoError(t, (&Settings{Method: "gae", Filter: laplacian.Filter{Layers: 2}, Config: encoder.Config{Epochs: 3}}).Check())
	for want, s := range map[string]Settings{
		"dims is -1: want 1 or more":                                 {Config: encoder.Config{Dims: -1}},
		"auto and layers: want one or the other":                     {Auto: new(true), Filter: laplacian.Filter{Layers: 2}},
		"best and batch_size: best mode takes one step":              {Best: true, Config: encoder.Config{BatchSize: 5}},
		"sample is AGE's: GAE has settings of its own":               {Method: "GAE", Config: encoder.Config{Sample: 5}},
		"layers is 0: want 1 or more":                                {Method: "GAE", Filter: laplacian.Filter{Layers: laplacian.NoLayers}},
		`view is "color": want features, edges, both, unlike or age`: {View: "color"},
	} {
		testutil.Fails(t, s.Check(), want)
	}
}
