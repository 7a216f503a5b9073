package encoder

import (
	"fmt"
	"math"
	"strings"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
)

// Loss says what the similarity s of a pair means to the cross entropy.
type Loss int

const (
	// Probability takes s itself as the probability that the pair is
	// positive, as in the paper's equation 12.
	Probability Loss = iota
	// Logits takes s as a logit, as the paper's published code does.
	Logits
)

func (l Loss) String() string {
	if l == Logits {
		return "logits"
	}
	return "probability"
}

// ParseLoss is the inverse of String. An empty name means Probability.
func ParseLoss(name string) (Loss, error) {
	switch name {
	case "", "probability":
		return Probability, nil
	case "logits":
		return Logits, nil
	}
	return 0, fmt.Errorf("loss %q: want probability or logits", name)
}

// MarshalText and UnmarshalText let a loss stand in JSON by its name.
func (l Loss) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a loss's name.
func (l *Loss) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLoss(string(text))
	return err
}

// Config are the settings of a training run. The zero value of a field means
// its default, which is the paper's value where the paper has one.
type Config struct {
	// K of the filter H = I − k·L̃sym: 0 means 1/λmax.
	K float64 `json:"k"`
	// Layers is t, how often H is applied (paper, table 6). Default 8;
	// −1 means none.
	Layers int `json:"layers"`
	// Dims is the width of the embedding. Default 500 (§4.3).
	Dims int `json:"dims"`
	// Epochs is the number of passes over the positive pairs. Default 400
	// (§4.3); negative is an error.
	Epochs int `json:"epochs"`
	// UpdateEvery is the number of epochs between two selections of pairs;
	// at each the embedding is saved and clustered. Default 10 (§4.3).
	UpdateEvery int `json:"update_every"`
	// BatchSize is the number of positive pairs of a step, which takes as
	// many negative ones. Default 10,000 (published code); AllPairs for one
	// step an epoch.
	BatchSize int `json:"batch_size"`
	// LearningRate of Adam. Default 0.001 (§4.3).
	LearningRate float64 `json:"learning_rate"`
	// Thresholds between which pairs are positive, unused or negative.
	// The zero value means Cora's (table 6).
	Thresholds Thresholds `json:"thresholds"`
	// Mode says which pairs a selection ranks. Default Auto.
	Mode Mode `json:"mode"`
	// FixedPairs trains on the first selection, that of the smoothed
	// features, to the end: "+Encoder" in the paper's ablation (§5.4).
	// Embeddings are saved and clustered every UpdateEvery epochs all the
	// same. Default false.
	FixedPairs bool `json:"fixed_pairs,omitempty"`
	// Anchors is the number of nodes whose pairs a selection in Sampled mode
	// ranks; at most n are taken. The thresholds' standard errors fall as
	// 1/√Anchors. Default 1,024.
	Anchors int `json:"anchors"`
	// EpochPairs is the largest number of positive pairs of an epoch in
	// Sampled mode. Default 50,000, which is what an epoch has on Cora on
	// average.
	EpochPairs int `json:"epoch_pairs"`
	// Loss is Probability by default.
	Loss Loss `json:"loss"`
	// Clusters is the number of clusters of the saved embeddings. It has
	// no default here: the graph's number of classes is the usual choice.
	Clusters int `json:"clusters"`
	// Choose replaces clustering and the Davies–Bouldin index as what the
	// epoch is chosen by. Nil: it does not.
	Choose *Chooser `json:"choose,omitempty"`
	// Scaling of the spectral embedding. Default random walk.
	Scaling cluster.Scaling `json:"scaling"`
	// Seed of the initial weights, the negatives and the k-means starts.
	Seed uint64 `json:"seed"`
}

// AllPairs is the BatchSize with which the whole training set is one batch, as
// the paper's algorithm 1 reads.
const AllPairs = -1

// PaperConfig returns the paper's settings for one of its data sets (§4.3 and
// table 6): k = 2/3 and the data set's t and thresholds. Any other name gets
// Cora's.
func PaperConfig(dataset string) Config {
	c := Config{K: 2.0 / 3, Layers: 8, Thresholds: Thresholds{0.0110, 0.0010, 0.1, 0.5}}
	switch {
	case dataset == "citeseer":
		c.Layers, c.Thresholds = 3, Thresholds{0.0015, 0.0010, 0.1, 0.5}
	case dataset == "wiki":
		c.Layers, c.Thresholds = 1, Thresholds{0.0011, 0.0010, 0.1, 0.5}
	case strings.HasPrefix(dataset, "pubmed"):
		c.Layers, c.Thresholds = 35, Thresholds{0.0013, 0.0010, 0.7, 0.8}
	}
	return c.withDefaults()
}

// withDefaults fills in the zero fields that have a default.
func (c Config) withDefaults() Config {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	set(&c.Layers, 8)
	set(&c.Dims, 500)
	set(&c.Epochs, 400)
	set(&c.UpdateEvery, 10)
	set(&c.BatchSize, 10000)
	set(&c.Anchors, 1024)
	set(&c.EpochPairs, 50000)
	if c.LearningRate == 0 {
		c.LearningRate = 0.001
	}
	if c.Thresholds == (Thresholds{}) {
		c.Thresholds = Thresholds{0.0110, 0.0010, 0.1, 0.5}
	}
	return c
}

// forGraph fills in the defaults, and the mode that a graph of g's size gets.
func (c Config) forGraph(g *graph.Graph) Config {
	c = c.withDefaults()
	c.Mode = c.Mode.For(g.N())
	return c
}

// epochPairs returns how many of the given number of positive pairs an epoch
// trains on.
func (c Config) epochPairs(positives int) int {
	if c.Mode == Sampled {
		return min(positives, c.EpochPairs)
	}
	return positives
}

// batchSize returns the number of positive pairs of a step in an epoch of the
// given number, which is not 0.
func (c Config) batchSize(positives int) int {
	if c.BatchSize == AllPairs {
		return positives
	}
	return min(c.BatchSize, positives)
}

// filter returns the smoothing filter, once k is known.
func (c Config) filter(k float64) laplacian.Filter {
	return laplacian.Filter{K: k, Layers: max(0, c.Layers)}
}

// Validate reports the first setting with which no training is possible, by
// its name.
func (c Config) Validate() error {
	c = c.withDefaults()
	switch {
	case c.K < 0 || math.IsNaN(c.K) || math.IsInf(c.K, 0):
		return fmt.Errorf("k is %v: want a positive number, or 0 for 1/λmax", c.K)
	case c.Layers < -1:
		return fmt.Errorf("layers is %d: want 1 or more, or -1 for no smoothing", c.Layers)
	case c.Dims < 1:
		return fmt.Errorf("dims is %d: want 1 or more", c.Dims)
	case c.Epochs < 1:
		return fmt.Errorf("epochs is %d: want 1 or more", c.Epochs)
	case c.UpdateEvery < 1:
		return fmt.Errorf("update_every is %d: want 1 or more", c.UpdateEvery)
	case c.BatchSize < 1 && c.BatchSize != AllPairs:
		return fmt.Errorf("batch_size is %d: want 1 or more, or %d for all pairs in one step", c.BatchSize, AllPairs)
	case c.Mode < Auto || c.Mode > Sampled:
		return fmt.Errorf("mode is %v: want auto, exact or sampled", c.Mode)
	case c.Anchors < 2:
		return fmt.Errorf("anchors is %d: want 2 or more", c.Anchors)
	case c.EpochPairs < 1:
		return fmt.Errorf("epoch_pairs is %d: want 1 or more", c.EpochPairs)
	case !(c.LearningRate > 0) || math.IsInf(c.LearningRate, 1):
		return fmt.Errorf("learning_rate is %v: want a positive number", c.LearningRate)
	case c.Choose == nil && c.Clusters < 2:
		return fmt.Errorf("clusters is %d: want 2 or more", c.Clusters)
	}
	return c.Thresholds.Validate()
}
