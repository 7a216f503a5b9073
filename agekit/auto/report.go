package auto

import (
	"cmp"
	"math"
	"slices"
)

// SearchReport is what [Fit] tried, and what it chose.
type SearchReport struct {
	// Numbers are the numbers of clusters; nil if the number was given.
	Numbers []Number `json:"numbers,omitempty"`
	// Trials are the candidates with their scores, in the order in which they were tried,
	// and Chosen is the index of the result.
	Trials []Trial `json:"trials"`
	Chosen int     `json:"chosen"`
	// Trained and Untrained are the indices of the best trials with and without training,
	// which were compared; −1 if there is none.
	Trained   int `json:"trained"`
	Untrained int `json:"untrained"`
	// Agreement is the mean adjusted Rand index of the chosen trial's clusters with those of
	// the others that score at least four fifths as much; 1 if there is no other. Probability
	// is that of an ACC at most .03 below the best of what was tried without training, by
	// graphs whose classes are known (docs/choosing-settings.md).
	Agreement   float64 `json:"agreement"`
	Probability float64 `json:"probability"`
	// Rival is another result, if the evidence does not decide; else nil.
	Rival *Rival `json:"rival,omitempty"`
	// FeatureShare and EdgeShare are the shares of the log-likelihood gains that count
	// ([NewJudge]).
	FeatureShare float64 `json:"feature_share"`
	EdgeShare    float64 `json:"edge_share"`
	// Unrelated are the indices of the features that are ignored in the refinement: their
	// mean held-out gain is below −1 nat.
	Unrelated []int `json:"unrelated,omitempty"`
	// Full compares the full training with the best candidate without training; nil if
	// there was no full training.
	Full *FullTraining `json:"full,omitempty"`
}

// Rival is a trial without training that scores at least four fifths as much as the chosen
// one, and whose clusters are others: in the folds and in the whole graph, their adjusted Rand
// index with the result's is below ½.
type Rival struct {
	Trial int `json:"trial"`
	// Labels are its clusters of the nodes, refined as the result is; nil in a report that
	// was read from a file.
	Labels []int `json:"-"`
}

// FullTraining has the scores ([Judge.Measure]) of the clusters of a full training and of
// those found without training, both of the whole graph and before refinement, and the
// adjusted Rand index of the two clusterings.
type FullTraining struct {
	Score     float64 `json:"score"`
	Untrained float64 `json:"untrained"`
	Agreement float64 `json:"agreement"`
}

// ChosenNumber returns the index of the chosen number of clusters.
func (r *SearchReport) ChosenNumber() int {
	best := 0
	for i, n := range r.Numbers {
		if n.EdgeShare > r.Numbers[best].EdgeShare {
			best = i
		}
	}
	return best
}

// LikelyNumbers returns the smallest and the largest of the numbers of clusters that are the
// highest in 95 % of the resamples of the edges ([Number].Highest), the rarest left out.
func (r *SearchReport) LikelyNumbers() (least, most int) {
	numbers := slices.Clone(r.Numbers)
	slices.SortStableFunc(numbers, func(a, b Number) int { return cmp.Compare(b.Highest, a.Highest) })
	least = math.MaxInt
	share := 0.
	for _, n := range numbers {
		least = min(least, n.Clusters)
		most = max(most, n.Clusters)
		share += n.Highest
		if share >= 0.95 {
			break
		}
	}
	return least, most
}

// Levels returns the numbers of coarse, chosen and fine clusters ([Number].Level) that
// differ, in ascending order.
func (r *SearchReport) Levels() (levels []int) {
	for _, n := range r.Numbers {
		if n.Level {
			levels = append(levels, n.Clusters)
		}
	}
	return levels
}

// BestTrials returns the indices of the best trials: of candidates that differ only in their
// clustering, the one with the most folds and the highest score.
func (r *SearchReport) BestTrials() (best []int) {
	position := map[Candidate]int{} // in best, by the candidate without its clustering
	for i, trial := range r.Trials {
		candidate := trial.Candidate
		candidate.Clustering = ""
		p, seen := position[candidate]
		if !seen {
			position[candidate] = len(best)
			best = append(best, i)
			continue
		}
		other := r.Trials[best[p]]
		if trial.Folds > other.Folds || trial.Folds == other.Folds && trial.Score > other.Score {
			best[p] = i
		}
	}
	return best
}

const (
	// weakGain is the held-out gain of the chosen clusters, in nats per node, below which
	// they are weak evidence: docs/choosing-settings.md says how often such clusters are wrong.
	// So are those that gain less than weakShare of what they would gain under the null model.
	weakGain, weakShare = 0.1, 0.35
	// Clusters are one-sided if their gain for the edges, or for the features, is below
	// oneSidedShare of the best trial's, which is above oneSidedGain nats per node.
	oneSidedShare, oneSidedGain = 0.25, 0.1
)

// HeldOutGain returns the combined gain of the chosen clusters for edges and features that
// were held out, in nats per node.
func (r *SearchReport) HeldOutGain() float64 { return r.Trials[r.Chosen].combined() }

// WeakEvidence reports whether the chosen clusters gain less than 0.1 nats per node, or less
// than a third or so of what clusters of a single cloud gain ([Trial].Null), so that they may be
// no better than chance.
func (r *SearchReport) WeakEvidence() bool {
	return r.HeldOutGain() < max(weakGain, weakShare*r.Trials[r.Chosen].Null)
}

// OneSided returns "edges" or "features" if the chosen clusters gain less than a quarter of
// another trial's for them, with the one that gains most; or else "".
func (r *SearchReport) OneSided() (what string, most Trial) {
	chosen := r.Trials[r.Chosen]
	edges, features := chosen, chosen
	for _, trial := range r.Trials {
		if trial.Edges > edges.Edges {
			edges = trial
		}
		if trial.Features > features.Features {
			features = trial
		}
	}
	little := func(gain, best float64) bool { return best > oneSidedGain && gain < oneSidedShare*best }
	switch {
	case little(chosen.Edges, edges.Edges):
		return "edges", edges
	case little(chosen.Features, features.Features):
		return "features", features
	}
	return "", chosen
}
