package reproduce

import (
	"cmp"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
)

// ageSettings returns the settings of AGE, or of a step of its ablation, in a run's mode.
func (r Run) ageSettings() method.Settings {
	c, _ := encoder.PaperOptions(r.Dataset)
	c.Scaling, c.Seed = r.Mode.scaling(), r.Seed
	switch {
	case r.Mode == Best && r.Task != Links:
		c = c.Best()
		if r.Quick {
			c.Members = 2
		}
	case r.Mode == Code:
		c.Loss = encoder.Logits
	}
	c.Thresholds = cmp.Or(r.Thresholds, c.Thresholds)
	c.Epochs = r.epochs(c.Epochs)
	s := method.Settings{Filter: r.filter(c.Filter), Config: c.Config}
	if r.Task == Links {
		r.forLinks(&s)
	}
	return s
}

// forLinks changes s, the settings for clustering, to those for link prediction. In paper mode they are the
// same (§5.2), in code mode Wiki's, the defaults of the published link_pred.py. In best mode there are
// several filters to choose from, and fewer epochs.
func (r Run) forLinks(s *method.Settings) {
	switch {
	case r.Mode == Code:
		wiki, _ := encoder.PaperOptions("wiki")
		s.Filter.Layers, s.Config.Thresholds = wiki.Layers, wiki.Thresholds
	case r.Mode == Best && !r.Quick:
		// Predicting edges needs less smoothing than clustering and little training:
		// on Cora and Citeseer the validation score peaks within the first 20 epochs
		// and falls from then on.
		k := s.Filter.K
		s.Fields = map[string]any{"filters": []laplacian.Filter{{K: k, Layers: 1}, {K: k, Layers: 2}, {K: k, Layers: 3}}}
		s.Config.Epochs, s.Config.UpdateEvery = 30, 3
	}
}

// scaling returns the mode's scaling of spectral embeddings.
func (m Mode) scaling() cluster.Scaling {
	if m == Code {
		return cluster.Degree
	}
	return cluster.RandomWalk
}

// filter returns the run's filter. Where the run's K or Layers is 0, it is that of f.
func (r Run) filter(f laplacian.Filter) laplacian.Filter {
	return laplacian.Filter{K: cmp.Or(r.K, f.K), Layers: cmp.Or(r.Layers, f.Layers)}
}
