package encoder

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/option"
	"github.com/agekit/age/internal/rng"
)

// Config holds the settings, besides the filter, that a training's result depends on and
// records. A zero field means its default: the paper's value for Cora, if it gives one.
type Config struct {
	// Dims is d, the width of the embedding. Default 500 (§4.3).
	Dims int `json:"dims"`
	// Epochs is the number of passes over the positive pairs. Default 400 (§4.3).
	Epochs int `json:"epochs"`
	// UpdateEvery is the number of epochs between two selections of pairs, with AllPairs
	// more if an epoch cannot have all pairs. At each selection, the embedding is saved and
	// scored. Default 10 (§4.3).
	UpdateEvery int `json:"update_every"`
	// BatchSize is the number of positive pairs per step, which also takes as many
	// negative ones. Default 10,000 (published code); AllPairs for one step per epoch.
	BatchSize int `json:"batch_size"`
	// LearningRate is Adam's learning rate. Default 0.001 (§4.3).
	LearningRate float64 `json:"learning_rate"`
	// Thresholds decide which pairs are positive, negative or unused. Default: Cora's
	// (table 5).
	Thresholds pairs.Thresholds `json:"thresholds"`
	// Ranking says which pairs a selection ranks. Default pairs.Auto: all, if that is
	// predicted to cost at most a fifth more than a sample of them.
	Ranking pairs.Ranking `json:"ranking"`
	// FixedPairs keeps the first selection, by the smoothed features, for the whole
	// training: "+Encoder" in the paper's ablation (§5.4). Embeddings are still saved
	// and scored every UpdateEvery epochs. Default false.
	FixedPairs bool `json:"fixed_pairs,omitempty"`
	// Anchors is the number of nodes whose pairs a selection ranks with pairs.Sampled,
	// at most n. The thresholds' standard errors decrease as 1/√Anchors. Default 1,024.
	Anchors int `json:"anchors"`
	// EpochPairs is the maximum number of positive pairs per epoch with pairs.Sampled.
	// Default 50,000, about as many as on Cora.
	EpochPairs int `json:"epoch_pairs"`
	// Sample is the number of nodes, drawn at random, that the training selects pairs of
	// and chooses the epoch by; all nodes are then embedded and clustered once. Their features
	// are smoothed over the whole graph. AllNodes means the whole graph. Default: 50,000 to
	// 100,000, as many as make the updates cost half as much as the steps (84,000 with 128
	// features), or the whole graph if it has no more or pairs.Exact is set. With
	// Options.Judge it is always the whole graph.
	Sample int `json:"sample,omitempty"`
	// Loss is the training loss. Default Probability.
	Loss Loss `json:"loss"`
	// Clusters is the number of clusters of the saved embeddings, not used with
	// Options.Judge. Default: the graph's number of classes; if that is unknown, it
	// must be set.
	Clusters int `json:"clusters"`
	// Scaling of the spectral embedding. Default cluster.RandomWalk.
	Scaling cluster.Scaling `json:"scaling"`
	// Members is the number of encoders, trained from different initial weights, whose
	// embeddings are concatenated and clustered together. Default 1.
	Members int `json:"members"`
	// Seed determines the initial weights, the negatives and the k-means starts.
	Seed uint64 `json:"seed"`
}

// AllPairs as BatchSize makes all training pairs one batch, as in the paper's algorithm 1, so
// that the number of steps is that of the epochs on every graph. Of more than 100,000 positive
// pairs, epochs take as many in turn, and a selection lasts UpdateEvery rounds, but at most an
// eighth of the training. If Epochs and UpdateEvery have their defaults, there are then two
// selections, each with as many steps as ten epochs in batches of 10,000, but at most 400.
// [Prepare] scales features that are too small for so few steps.
const AllPairs = -1

const (
	// The defaults of the published code.
	defaultEpochs, defaultUpdateEvery, defaultBatchSize = 400, 10, 10_000
	// mostPairs is the number of positive pairs that one step of AllPairs takes at most. The
	// paper's graphs but Pubmed have fewer.
	mostPairs = 100_000
	// leastUpdates is the number of selections below which rounds do not decide.
	leastUpdates = 8
)

// withDefaults fills in the zero fields that have a default.
func (c Config) withDefaults() Config {
	c.Dims, c.Epochs, c.UpdateEvery = cmp.Or(c.Dims, 500), cmp.Or(c.Epochs, defaultEpochs), cmp.Or(c.UpdateEvery, defaultUpdateEvery)
	c.BatchSize, c.Anchors, c.EpochPairs = cmp.Or(c.BatchSize, defaultBatchSize), cmp.Or(c.Anchors, 1024), cmp.Or(c.EpochPairs, 50000)
	c.LearningRate, c.Members = cmp.Or(c.LearningRate, 0.001), cmp.Or(c.Members, 1)
	c.Ranking, c.Loss, c.Scaling = cmp.Or(c.Ranking, pairs.Auto), cmp.Or(c.Loss, Probability), cmp.Or(c.Scaling, cluster.RandomWalk)
	c.Thresholds = cmp.Or(c.Thresholds, pairs.Thresholds{PosStart: 0.0110, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5})
	return c
}

// members returns the settings of each member, which is trained separately.
func (c Config) members() []Config {
	all := make([]Config, c.Members)
	for k := range all {
		all[k] = c
		all[k].Members, all[k].Seed = 1, rng.Member(c.Seed, k)
	}
	return all
}

// epochPairs returns how many of the selected positive pairs an epoch trains on.
func (c Config) epochPairs(positives int) int {
	switch {
	case c.Ranking == pairs.Sampled:
		return min(positives, c.EpochPairs)
	case c.BatchSize == AllPairs:
		return min(positives, mostPairs)
	}
	return positives
}

// updateEvery returns the number of epochs between two selections among n nodes: with an exact
// ranking UpdateEvery rounds through the first one's positive pairs, within AllPairs' limits.
func (c Config) updateEvery(n int) int {
	if c.Ranking == pairs.Sampled {
		return c.UpdateEvery
	}
	positives, _ := pairs.Counts(n, c.Thresholds.PosStart, c.Thresholds.NegStart)
	rounds := (positives + c.epochPairs(positives) - 1) / max(1, c.epochPairs(positives))
	return max(c.UpdateEvery, min(c.UpdateEvery*rounds, c.Epochs/leastUpdates))
}

// batchSize returns the number of positive pairs per step, given the epoch's, above 0.
func (c Config) batchSize(positives int) int {
	if c.BatchSize == AllPairs {
		return positives
	}
	return min(c.BatchSize, positives)
}

// most is the largest value of an integer setting: the products of two settings and of
// a setting with a time in nanoseconds stay far below 2⁶³.
const most = 1 << 30

// check returns an error that names the first invalid setting, with defaults filled in.
func (c Config) check() error {
	switch rate := float32(c.LearningRate); { // Adam computes with float32
	case c.BatchSize < 1 && c.BatchSize != AllPairs:
		return option.Errorf("%s is %d: want 1 or more, or %d for all pairs in one step", option.Name("batch_size"), c.BatchSize, AllPairs)
	case !(rate > 0) || math.IsInf(float64(rate), 1):
		return option.Errorf("%s is %v: want a positive number, from 1e-45 to 3e38", option.Name("learning_rate"), c.LearningRate)
	case c.Clusters < 0 || c.Clusters == 1:
		return option.Errorf("%s is %d: want 2 or more", option.Name("clusters"), c.Clusters)
	case !slices.Contains([]pairs.Ranking{pairs.Auto, pairs.Exact, pairs.Sampled}, c.Ranking):
		return option.Errorf("%s is %q: want auto, exact or sampled", option.Name("ranking"), c.Ranking)
	case !slices.Contains([]Loss{Probability, Logits}, c.Loss):
		return option.Errorf("%s is %q: want probability or logits", option.Name("loss"), c.Loss)
	case !slices.Contains([]cluster.Scaling{cluster.RandomWalk, cluster.Degree, cluster.NJW}, c.Scaling):
		return option.Errorf("%s is %q: want randomwalk, degree or njw", option.Name("scaling"), c.Scaling)
	}
	for _, s := range []struct {
		name         option.Name
		value, least int
	}{
		{"dims", c.Dims, 1}, {"epochs", c.Epochs, 1}, {"update_every", c.UpdateEvery, 1}, {"batch_size", c.BatchSize, AllPairs},
		{"anchors", c.Anchors, 2}, {"sample", c.Sample, AllNodes}, {"epoch_pairs", c.EpochPairs, 1}, {"clusters", c.Clusters, 0}, {"members", c.Members, 1},
	} {
		if s.value < s.least {
			return option.Errorf("%s is %d: want %d or more", s.name, s.value, s.least)
		}
		if s.value > most {
			return option.Errorf("%s is %d: want at most %d", s.name, s.value, most)
		}
	}
	return c.Thresholds.Validate()
}

// random returns the source of a part of the training, for an epoch or a selection. Each draws from
// a stream of its own, so that a resumed run needs no generator's state.
func (c Config) random(part rng.TrainingPart, index int) *rand.Rand {
	return rng.Training(c.Seed, part, index)
}
