package encoder_test

import (
	"math"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"
)

// TestConfigErrors: each invalid setting, in options that are otherwise valid, is an error of both
// Plan and Fit.
func TestConfigErrors(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"members":       func(c *Config) { c.Members = -1 },
		"dims":          func(c *Config) { c.Dims = -1 },
		"epochs":        func(c *Config) { c.Epochs = -1 },
		"update_every":  func(c *Config) { c.UpdateEvery = -1 },
		"batch_size":    func(c *Config) { c.BatchSize = -2 },
		"learning_rate": func(c *Config) { c.LearningRate = math.NaN() },
		"clusters":      func(c *Config) { c.Clusters = 1 },
		"ranking":       func(c *Config) { c.Ranking = "random" },
		"loss":          func(c *Config) { c.Loss = "hinge" },
		"scaling":       func(c *Config) { c.Scaling = "symmetric" },
		"pos_start":     func(c *Config) { c.Thresholds.PosStart = 1.5 },
		"neg_end":       func(c *Config) { c.Thresholds.NegEnd = -0.1 },
		"cross":         func(c *Config) { c.Thresholds.PosStart = 0.2 },
		"no positive":   func(c *Config) { c.Thresholds.PosEnd = -0.1 },
		"no negative":   func(c *Config) { c.Thresholds.NegEnd = 1 },
	} {
		g, o := SmallGraph(t), Options{}.WithDefaults()
		testutil.Value(o.Plan(g)).OrFatal(t) // a precondition: valid before the change
		change(&o.Config)
		if _, err := o.Plan(g); err == nil {
			t.Errorf("%s: no error for %+v", name, o.Config)
		} else if _, err := Fit(t.Context(), g, o); err == nil {
			t.Errorf("%s: Fit accepts it", name)
		}
	}
}

// TestClustersErrors: without a judge, the number of clusters is required if the graph's classes
// are unknown. It may be at most half the graph's 400 nodes.
func TestClustersErrors(t *testing.T) {
	g := SmallGraph(t)
	g.Classes = 0
	for clusters, want := range map[int]string{0: "want 2 or more", 201: "want at most 200", 400: "want at most 200"} {
		c := Small()
		c.Clusters = clusters
		testutil.Value(Train(t.Context(), g, c, Options{})).Fails(t, want)
	}
}
