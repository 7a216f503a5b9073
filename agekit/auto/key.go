package auto

import (
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/files"
)

// Version is the version of the rule that chooses the number of clusters, the settings and
// the clusters. It grows when the same graph and options give another result, so that what
// earlier versions chose is not used.
const Version = 16

// numbersKey identifies the scores of the numbers of clusters.
func (s *search) numbersKey() files.Key {
	return files.NewKey("numbers of clusters", Version, s.g, s.o.Clusters)
}

// choiceKey identifies the choice of the settings: it depends on the number of clusters and
// on the options of the encoder that the search does not replace.
func (s *search) choiceKey() files.Key {
	o := s.o.Encoder.WithDefaults()
	// The search tries several filters and thresholds, and its trainings have their own
	// length, seed and way to choose the epoch.
	o.Filter, o.Thresholds = laplacian.Filter{}, pairs.Thresholds{}
	o.Epochs, o.UpdateEvery, o.Seed, o.Judge = 0, 0, 0, nil
	// They train one encoder of all nodes with one step in each epoch.
	o.Sample, o.Members, o.BatchSize = encoder.AllNodes, 1, encoder.AllPairs
	o.Clusters = s.k
	return files.NewKey("settings", Version, s.g, o)
}
