package encoder

import (
	"math/rand/v2"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/setting"
)

// Config holds the settings, besides the filter, that a training's result depends on and
// records. A zero field means its default: the paper's value for Cora, if it gives one.
type Config struct {
	// Dims is d, the width of the embedding. Default 500 (§4.3).
	Dims int `json:"dims" group:"training" more:"" zero:"500" range:"1.." of:"AGE" help:"Width of the embedding."`
	// Epochs is the number of passes over the positive pairs. Default 400 (§4.3).
	Epochs int `json:"epochs" group:"training" more:"" zero:"400" range:"1.." chosen:"" help:"Passes over the positive pairs. Other methods have defaults of their own."`
	// UpdateEvery is the number of epochs between two selections of pairs, with AllPairs
	// more if an epoch cannot have all pairs. At each selection, the embedding is saved and
	// scored. Default 10 (§4.3).
	UpdateEvery int `json:"update_every" name:"update" group:"training" more:"" zero:"10" range:"1.." chosen:"" of:"AGE" help:"Epochs between pair selections."`
	// BatchSize is the number of positive pairs per step, which also takes as many
	// negative ones. Default 10,000 (published code); AllPairs for one step per epoch.
	BatchSize int `json:"batch_size" name:"batch" group:"training" more:"" zero:"10000" words:"all=-1,auto=0" range:"1.." want:"1 or more, all or auto" chosen:"" of:"AGE" placeholder:"N|all" help:"Positive pairs per step, with an equal number of negatives; all for one step per epoch."`
	// LearningRate is Adam's learning rate. Default 0.001 (§4.3).
	LearningRate float64 `json:"learning_rate" group:"training" more:"" zero:"0.001" range:"1e-45..3e38" want:"a positive number, from 1e-45 to 3e38" of:"AGE" help:"Adam's learning rate."`
	// Thresholds decide which pairs are positive, negative or unused. Default: Cora's
	// (table 5).
	Thresholds pairs.Thresholds `json:"thresholds" embed:""`
	// Ranking says which pairs a selection ranks. Default pairs.Auto: all, if that is
	// predicted to cost at most a fifth more than a sample of them.
	Ranking pairs.Ranking `json:"ranking" group:"training" more:"" zero:"auto" values:"auto,exact,sampled" of:"AGE" help:"Which pairs are ranked: all (exact), or those of sampled nodes (sampled); auto takes all if that is predicted to cost about the same, up to about 3,000 nodes, and on the paper's data sets."`
	// FixedPairs keeps the first selection, by the smoothed features, for the whole
	// training: "+Encoder" in the paper's ablation (§5.4). Embeddings are still saved
	// and scored every UpdateEvery epochs. Default false.
	FixedPairs bool `json:"fixed_pairs,omitempty" kong:"-"`
	// Anchors is the number of nodes whose pairs a selection ranks with pairs.Sampled,
	// at most n. The thresholds' standard errors decrease as 1/√Anchors. Default 1,024.
	Anchors int `json:"anchors" group:"training" more:"" zero:"1024" range:"2.." of:"AGE" help:"Number of nodes that a sampled ranking samples."`
	// EpochPairs is the maximum number of positive pairs per epoch with pairs.Sampled.
	// Default 50,000, about as many as on Cora.
	EpochPairs int `json:"epoch_pairs" group:"training" more:"" zero:"50000" range:"1.." of:"AGE" help:"Maximum number of positive pairs per epoch with a sampled ranking."`
	// Sample is the number of nodes, drawn at random, that the training selects pairs of
	// and chooses the epoch by; all nodes are then embedded and clustered once. Their features
	// are smoothed over the whole graph. AllNodes means the whole graph. Default: 50,000 to
	// 100,000, as many as make the updates cost half as much as the steps (84,000 with 128
	// features), or the whole graph if it has no more or pairs.Exact is set. With
	// Options.Judge it is always the whole graph.
	Sample int `json:"sample,omitempty" group:"engine" more:"" words:"all=-1,auto=0" range:"1.." want:"1 or more, all or auto" of:"AGE" placeholder:"N|all|auto" help:"Train on N random nodes, with features smoothed over the whole graph, and then embed and cluster all; auto takes 50,000 to 100,000 of larger graphs (default: auto)."`
	// Loss is the training loss. Default Probability.
	Loss Loss `json:"loss" group:"training" more:"" zero:"probability" values:"probability,logits" chosen:"" help:"How the loss interprets a pair's similarity: probability or logits."`
	// Clusters is the number of clusters of the saved embeddings, not used with
	// Options.Judge. Default: the graph's number of classes; if that is unknown, it
	// must be set.
	Clusters int `json:"clusters" kong:"-" range:"2.."`
	// Scaling of the spectral embedding. Default cluster.RandomWalk.
	Scaling cluster.Scaling `json:"scaling" group:"clusters" more:"" zero:"randomwalk" values:"randomwalk,degree,njw" chosen:"" help:"Scaling of the spectral embedding: randomwalk, degree or njw."`
	// Members is the number of encoders, trained from different initial weights, whose
	// embeddings are concatenated and clustered together. Default 1.
	Members int `json:"members" kong:"-" zero:"1" range:"1.."`
	// Seed determines the initial weights, the negatives and the k-means starts.
	Seed uint64 `json:"seed" group:"training" default:"1" help:"Seed of all random choices."`
}

// AllPairs as BatchSize makes all training pairs one batch, as in the paper's algorithm 1, so
// that the number of steps is that of the epochs on every graph. Of more than 100,000 positive
// pairs, epochs take as many in turn, and a selection lasts UpdateEvery rounds, but at most an
// eighth of the training. If Epochs and UpdateEvery have their defaults, there are then two
// selections, each with as many steps as ten epochs in batches of 10,000, but at most 400.
// [Prepare] scales features that are too small for so few steps.
const AllPairs = -1

const (
	// mostPairs is the number of positive pairs that one step of AllPairs takes at most. The
	// paper's graphs but Pubmed have fewer.
	mostPairs = 100_000
	// leastUpdates is the number of selections that a training keeps if [AllPairs] makes each last
	// longer.
	leastUpdates = 8
)

// withDefaults fills in the zero fields that have a default, which their tags say.
func (c Config) withDefaults() Config {
	setting.Fill(&c)
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

// epochPairs returns how many positive pairs an epoch trains on, if positives are selected.
func (c Config) epochPairs(positives int) int {
	switch {
	case c.Ranking == pairs.Sampled:
		return min(positives, c.EpochPairs)
	case c.BatchSize == AllPairs:
		return min(positives, mostPairs)
	}
	return positives
}

// updateEvery returns the number of epochs between two selections among n nodes. With a sampled
// ranking that is UpdateEvery. Otherwise it is UpdateEvery rounds through the positive pairs of the
// first selection, which differs only if an epoch cannot have all of them; but no more than leave
// leastUpdates selections, and no less than UpdateEvery.
func (c Config) updateEvery(n int) int {
	if c.Ranking == pairs.Sampled {
		return c.UpdateEvery
	}
	positives, _ := pairs.Counts(n, c.Thresholds.PosStart, c.Thresholds.NegStart)
	perEpoch := c.epochPairs(positives)
	round := (positives + perEpoch - 1) / max(1, perEpoch) // epochs
	return max(c.UpdateEvery, min(c.UpdateEvery*round, c.Epochs/leastUpdates))
}

// batchSize returns the number of positive pairs per step of an epoch that has positives, above 0.
func (c Config) batchSize(positives int) int {
	if c.BatchSize == AllPairs {
		return positives
	}
	return min(c.BatchSize, positives)
}

// check returns an error that names the first invalid setting.
func (c Config) check() error {
	if err := setting.Check(&c); err != nil {
		return err
	}
	return c.withDefaults().Thresholds.Check()
}

// random returns the random numbers of a part of the training, for the epoch or the selection with
// that index. Each has a stream of its own, so that a resumed run needs no generator's state.
func (c Config) random(part rng.TrainingPart, index int) *rand.Rand {
	return rng.Training(c.Seed, part, index)
}
