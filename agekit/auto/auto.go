package auto

import (
	"context"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/pairs"
)

// What is tried, the smallest first: a training costs more than a smoothing.
var (
	smoothedLayers = []int{0, 1, 2, 4, 8, 16}
	trainedLayers  = []int{0, 1, 2, 4}
)

const (
	// probeEpochs is the length of a short training, with one step per epoch, and
	// probeUpdate the number of epochs between two selections of pairs.
	probeEpochs = 100
	probeUpdate = 20
	// fullEpochs is the length of a full training. Three of 400 epochs took more than
	// four times as long as one with the paper's settings; three of 250, and two of
	// 400, lost .02 of ACC on Wiki.
	fullEpochs = 320
	// Above pairs.SampledAbove nodes, short trainings have fewer epochs and dimensions,
	// k-means fewer runs, and the full training fewer epochs, with enough pairs in each.
	largeProbeEpochs, largeProbeUpdate, largeProbeDims = 40, 10, 128
	largeRestarts                                      = 2
	largeEpochs, largeUpdate                           = 100, 20
	// negligible is a difference of scores that two seeds of short trainings can have.
	// Of values of t with scores so close, the largest is chosen: on Cora, full
	// trainings with more layers differ less from seed to seed.
	negligible = 0.05
	// widest is the most features with which clusters of the smoothed features
	// themselves may be the result: with more, such as words, cosines without training
	// say little, and the embedding would be as wide.
	widest = 500
)

// Pairs names thresholds of the training pairs.
type Pairs string

const (
	// Wide starts with 30 positive pairs per node and ends with 3, as the paper's
	// settings for Cora do.
	Wide Pairs = "wide"
	// narrow starts with 5 and ends with 3, as those for Citeseer do.
	narrow Pairs = "narrow"
)

// Thresholds returns the thresholds for a graph of n nodes and k clusters. Positive
// pairs are at most half of those that k clusters of equal size would have.
func (p Pairs) Thresholds(n, k int) pairs.Thresholds {
	start := 30.
	if p == narrow {
		start = 5
	}
	most := 0.5 / float64(k)
	t := pairs.Thresholds{PosStart: min(start/float64(n), most), PosEnd: min(3/float64(n), most), NegEnd: 0.5}
	t.NegStart = max(0.1, t.PosStart)
	return t
}

// Options are the options of [Fit].
type Options struct {
	// Clusters is the number of clusters, or the numbers to choose from ([Fit]).
	Clusters Range
	// Seed is the seed of all random choices.
	Seed uint64
	// Encoder are the options of the final training, of at most 320 epochs. Its filter,
	// Clusters, Thresholds, Members, BatchSize and Seed are chosen instead.
	Encoder encoder.Options
}

// Trial is one way to find clusters, with what it found.
type Trial struct {
	// Layers is t. Trained says whether an encoder was trained, with Pairs, or the
	// smoothed features themselves clustered. Final marks the full training.
	Layers  int   `json:"layers"`
	Trained bool  `json:"trained"`
	Pairs   Pairs `json:"pairs,omitempty"`
	Final   bool  `json:"final,omitempty"`
	// Clustering is "k-means" (of the rows), "k-means by cosine" (of the rows scaled
	// to length 1), "spectral", or "consensus" ([cluster.SpectralConsensus]).
	Clustering string `json:"clustering"`
	Measures
	// Seconds is the time for the smoothing or training, without the clustering.
	Seconds float64 `json:"seconds"`

	clusters []int
}

// Name says what was tried, such as "short training, t 4, wide pairs: spectral".
func (t Trial) Name() string {
	switch {
	case !t.Trained && t.Layers == 0:
		return "features alone: " + t.Clustering
	case !t.Trained:
		return fmt.Sprintf("smoothed, t %d: %s", t.Layers, t.Clustering)
	case t.Final:
		return fmt.Sprintf("full training, t %d, %s pairs: %s", t.Layers, t.Pairs, t.Clustering)
	}
	return fmt.Sprintf("short training, t %d, %s pairs: %s", t.Layers, t.Pairs, t.Clustering)
}

// Result is the result of [Fit].
type Result struct {
	*encoder.Result
	// Config are the settings of the final training.
	Config encoder.Config
	Tried
	// Trained is the index of the best short training, and Untrained that of the best
	// trial without training, −1 if there is none: these two decided whether to train.
	Trained, Untrained int

	discard []func() error
}

// Tried is what was tried.
type Tried struct {
	// Numbers are the numbers of clusters; nil if it was given.
	Numbers []Number `json:"numbers,omitempty"`
	// Trials are the ways to find clusters, in order, and Chosen is the index of the result.
	Trials []Trial `json:"trials"`
	Chosen int     `json:"chosen"`
}

// Number returns the index of the chosen number of clusters.
func (t *Tried) Number() int {
	best := 0
	for i, n := range t.Numbers {
		if n.EdgeShare > t.Numbers[best].EdgeShare {
			best = i
		}
	}
	return best
}

// Best returns the index of the best of the trials that clustered the same rows, in order.
func (t *Tried) Best() []int {
	var best []int
	for i, trial := range t.Trials {
		if last := len(best) - 1; last >= 0 {
			if before := t.Trials[best[last]]; before.Layers == trial.Layers && before.Trained == trial.Trained && before.Pairs == trial.Pairs && before.Final == trial.Final {
				if trial.Score > before.Score {
					best[last] = i
				}
				continue
			}
		}
		best = append(best, i)
	}
	return best
}

// Discard removes the checkpoints of all trainings. Call it once the result is saved.
func (r *Result) Discard() error {
	var all []error
	for _, one := range r.discard {
		all = append(all, one())
	}
	return errors.Join(all...)
}

// Fit finds settings and clusters in five steps:
//
//  1. It chooses the number of clusters, unless it is given: it clusters the features,
//     smoothed by four layers, by their cosines ([cluster.SpectralRange]) for each number,
//     and takes the one with the highest [Number].EdgeShare.
//  2. It clusters the smoothed features for several t, if they are not many.
//  3. It trains short encoders with wide pairs for several t, and with narrow pairs
//     for the best t.
//  4. If the best [Trial].Score is from step 2, training does not help: those clusters
//     are the result, and the encoder is not trained ([encoder.Encoder]).
//  5. Otherwise it trains in full with the best settings of step 3, as best mode does
//     (docs/best-mode.md): three trainings of 320 epochs with one step each and a
//     consensus of clusterings, or a single training above [pairs.SampledAbove] nodes.
//     If it scores lower than the best short training by more than short trainings with
//     two seeds can differ (0.05), that one is the result.
//
// k is 1/λmax (paper, §3.3).
// The same graph, options and backend give the same bytes. Labels are never used. A
// run that was stopped resumes from the checkpoints of its trainings.
//
// It returns an error for a range outside 2…n/2, for a range with a graph without edges,
// the errors of [encoder.Fit], and an error when ctx is done.
func Fit(ctx context.Context, g *graph.Graph, o Options) (*Result, error) {
	s := &search{g: g, o: o, r: &Result{Trained: -1, Untrained: -1}, k: o.Clusters.Least}
	if o.Clusters.Most > o.Clusters.Least {
		var err error
		if s.r.Numbers, err = count(ctx, g, o.Clusters, o.Seed); err != nil {
			return nil, err
		}
		s.k = s.r.Numbers[s.r.Number()].Clusters
		s.log("%d clusters tell most about the edges, of %d to %d", s.k, o.Clusters.Least, o.Clusters.Most)
	}
	if err := encoder.CheckClusters(g.N(), s.k); err != nil {
		return nil, err
	}
	if err := s.smoothed(ctx); err != nil {
		return nil, err
	}
	if err := s.probes(ctx); err != nil {
		return nil, err
	}
	r, finish := s.r, s.final
	if r.Untrained >= 0 && r.Trials[r.Untrained].Score >= r.Trials[r.Trained].Score {
		finish = s.untrained
	}
	if err := finish(ctx); err != nil {
		return nil, err
	}
	r.Seconds = s.seconds
	return r, nil
}
