package settings

import (
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/testutil"
)

// TestGiven: a setting that would be chosen makes AGE run as it is given; the paper's data sets have
// the paper's settings, but for views without them.
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
		if other, paper := test.s.Given(""), test.s.Given("cora"); other != test.own || paper != test.paper {
			t.Errorf("%s: given %v, and for Cora %v, want %v and %v", test.what, other, paper, test.own, test.paper)
		}
	}
}

// TestAGE: settings that are not given are the paper's for its data sets, all of whose pairs are
// ranked, and no layers are none.
func TestAGE(t *testing.T) {
	s := Settings{Config: encoder.Config{Epochs: 7}}
	if o := s.AGE("citeseer"); o.Layers != 3 || o.K != 2./3 || o.Thresholds.PosStart != 0.0015 || o.Epochs != 7 || o.Dims != 500 || o.Ranking != pairs.Exact {
		t.Errorf("Citeseer: %+v", o)
	}
	s.Filter, s.Ranking = laplacian.Filter{Layers: laplacian.NoLayers}, pairs.Sampled
	if o := s.AGE("citeseer"); o.Layers != 0 || o.K != 2./3 || o.Ranking != pairs.Sampled {
		t.Errorf("no layers: %+v", o)
	}
	s = Settings{Best: true}
	if o := s.AGE(""); o.Layers != 4 || o.Members != 3 || o.BatchSize != encoder.AllPairs || o.Ranking != pairs.Auto {
		t.Errorf("best mode: %+v", o)
	}
}

// TestCheck: settings that do not suit each other are errors.
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
