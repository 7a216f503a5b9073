package auto

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/store"
)

const (
	// fullEpochs is the length of a full training.
	fullEpochs = 320
	// fullGain is how much higher a full training scores than a short one, which is less
	// stable. 1.1 to 1.3 choose about as well, on generated graphs and on real ones.
	fullGain = 1.12
	// noise is a relative difference of scores that says nothing.
	noise = 0.05
	// Up to mostVotes ways with scores of at least near of the best vote.
	mostVotes, near = 7, 0.9
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
	// Encoder are the options of the final training, of at most 320 epochs; above 5,000
	// nodes, of at most 200 epochs and 256 dimensions. Its filter, Clusters, Thresholds,
	// Members, BatchSize and Seed are chosen instead.
	Encoder encoder.Options
	// Earlier, if set, is what an earlier call found: its choice is taken, with Clusters,
	// which must be its number, and its training goes on. Default nil.
	Earlier *Earlier
}

// Result is the result of [Fit].
type Result struct {
	*encoder.Result
	// Config are the settings of the final training.
	Config encoder.Config
	Tried
	discard []func() error
}

// Tried is what was tried.
type Tried struct {
	// Numbers are the numbers of clusters; nil if it was given.
	Numbers []Number `json:"numbers,omitempty"`
	// Trials are the ways to find clusters, in order, and Chosen is the index of the result.
	Trials []Trial `json:"trials"`
	Chosen int     `json:"chosen"`
	// Trained and Untrained are the indices of the best trials with and without training,
	// which were compared; −1 if there is none.
	Trained   int `json:"trained"`
	Untrained int `json:"untrained"`
	// FeatureShare and EdgeShare are the shares of the evidence that count ([NewJudge]).
	FeatureShare float64 `json:"feature_share"`
	EdgeShare    float64 `json:"edge_share"`
	// Unrelated are the indices of the features that do not count when each node goes to the
	// cluster that its own features and edges speak for: clusters found without them tell
	// less than nothing about them.
	Unrelated []int `json:"unrelated,omitempty"`
	// Full compares the full training with the best way without training; nil if there was
	// no full training.
	Full *Full `json:"full,omitempty"`
}

// Full are the scores ([Judge.Measure]) of the clusters of a full training and of those
// found without training, both of the whole graph and before refinement, and how much
// these clusters agree: their adjusted Rand index.
type Full struct {
	Score     float64 `json:"score"`
	Untrained float64 `json:"untrained"`
	Agreement float64 `json:"agreement"`
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

// Best returns the indices of the best trial of each way of finding clusters but for how
// they are clustered, in order.
func (t *Tried) Best() (best []int) {
	for i, trial := range t.Trials {
		of := trial.Way
		of.Clustering = ""
		at := slices.IndexFunc(best, func(j int) bool {
			other := t.Trials[j].Way
			other.Clustering = ""
			return other == of
		})
		switch {
		case at < 0:
			best = append(best, i)
		case trial.Folds > t.Trials[best[at]].Folds || trial.Folds == t.Trials[best[at]].Folds && trial.Score > t.Trials[best[at]].Score:
			best[at] = i
		}
	}
	return best
}

// faint is what the chosen clusters tell, in nats per node, below which little was found:
// docs/choosing-settings.md says how often such clusters are wrong.
const faint = 0.1

// Faint reports whether the chosen clusters tell so little about what was held out that
// they may be no better than chance.
func (t *Tried) Faint() bool { return t.Trials[t.Chosen].combined() < faint }

// Doubts returns a sentence if the chosen clusters tell little at all about what was held
// out, or little about the edges, or about the features, while others tell much; and ""
// otherwise.
func (t *Tried) Doubts() string {
	chosen, edges, features := t.Trials[t.Chosen], t.Chosen, t.Chosen
	for i, trial := range t.Trials {
		if trial.Edges > t.Trials[edges].Edges {
			edges = i
		}
		if trial.Features > t.Trials[features].Features {
			features = i
		}
	}
	if t.Faint() {
		return fmt.Sprintf("Little was found: the clusters tell %.2f nats per node about edges and features that were held out, and may be no better than chance.", chosen.combined())
	}
	const little, much = 0.25, 0.1
	say := func(what string, own, best float64, of Trial) string {
		return fmt.Sprintf("The clusters tell little about the %s: %.2f nats per node; %s would tell %.2f.", what, max(0, own), of.Name(), best)
	}
	if best := t.Trials[edges].Edges; best > much && chosen.Edges < little*best {
		return say("edges", chosen.Edges, best, t.Trials[edges])
	}
	if best := t.Trials[features].Features; best > much && chosen.Features < little*best {
		return say("features", chosen.Features, best, t.Trials[features])
	}
	return ""
}

// Discard removes the checkpoints of all trainings. Call it once the result is saved.
func (r *Result) Discard() error {
	var all []error
	for _, one := range r.discard {
		all = append(all, one())
	}
	r.discard = nil
	return errors.Join(all...)
}

// Fit finds settings and clusters:
//
//  1. It chooses the number of clusters, unless it is given: it clusters the features,
//     smoothed by four layers, by their cosines ([cluster.SpectralRange]) for each number,
//     and takes the one with the highest [Number].EdgeShare. If communities of the edges
//     tell more about edges that were held out, it takes theirs ([Number].Communities).
//  2. It holds out a fifth of the edges and of the features at a time, and finds clusters
//     without them in many ways: of the features, smoothed for several t or sharpened, of
//     the edges, and of both. What the clusters tell about what was held out, and how much
//     they agree from one fifth to another, is the score ([Trial]). Ways that fall
//     behind are dropped. Of numbers counts what is told beyond one cloud with the same
//     covariances.
//  3. It does the same with short trainings.
//  4. If the best score is from step 2, by more than full trainings gain over short ones,
//     training does not help. This way and those with scores of at least nine tenths, up
//     to seven, find clusters of the whole graph, and vote. The embedding is the features,
//     smoothed by the t that scored best ([encoder.Encoder] without training).
//  5. Otherwise it trains in full with the best settings of step 3, as best mode does
//     (docs/best-mode.md): three trainings of 320 epochs with one step each and a
//     consensus of clusterings, or a single training above 5,000 nodes. If this scores
//     lower than the best of step 2 by a twentieth ([Judge.Measure]), that one is the result.
//  6. Each node goes to the cluster that its own features and edges speak for, by the
//     models that judge. Features about which clusters found without them tell less than
//     nothing do not count ([Tried].Unrelated).
//
// Before step 2, the progress says how long all of it will take, and afterwards how much
// of it is left.
//
// k is 1/λmax (paper, §3.3).
// The same graph, options and backend give the same bytes. Labels are never used. Steps 1
// to 3 do not depend on the seed, and what they chose is kept in the store of
// Encoder.Checkpoints, so that another seed takes only
// the rest. A run that was stopped
// resumes from the checkpoints of its trainings.
//
// It returns an error for a range outside 2…n/2, for a range with a graph without edges,
// the errors of [encoder.Fit], and an error when ctx is done.
func Fit(ctx context.Context, g *graph.Graph, o Options) (*Result, error) {
	g = inUnits(g)
	s := &search{g: g, o: o, r: &Result{}, k: o.Clusters.Least}
	if o.Clusters.Most > o.Clusters.Least {
		var err error
		s.r.Numbers, _, err = store.Cached(o.Encoder.Checkpoints, s.numbersKey(), func() ([]Number, error) { return count(ctx, g, o.Clusters, searchSeed) })
		if err != nil {
			return nil, err
		}
		s.k = s.r.Numbers[s.r.Number()].Clusters
		s.log("%s", s.r.Count())
	}
	if err := encoder.CheckClusters(g.N(), s.k); err != nil {
		return nil, err
	}
	var choice choice
	if o.Earlier != nil {
		choice = o.Earlier.choice()
	} else {
		var err error
		if choice, err = s.chooseOnce(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.finish(ctx, &choice); err != nil {
		return nil, err
	}
	s.r.Seconds = s.seconds
	return s.r, nil
}

// choice is what a search decides. It is kept for later calls with the same graph.
type choice struct {
	Tried
	Ways   []Way // whose clusters vote, if there is no training
	Layers int   // of the embedding without training
}

// chooseOnce chooses, or returns what the store has.
func (s *search) chooseOnce(ctx context.Context) (choice, error) {
	c, _, err := store.Cached(s.o.Encoder.Checkpoints, s.choiceKey(), func() (choice, error) { return s.choose(ctx) })
	return c, err
}

// choose tries the ways and chooses.
func (s *search) choose(ctx context.Context) (c choice, err error) {
	for _, step := range []func(context.Context) error{s.untrained, s.trained} {
		if err := step(ctx); err != nil {
			return c, err
		}
	}
	all, _, common := s.plan().folds()
	var with, without []*Trial
	for _, t := range s.trials {
		switch {
		case t.Trained() && len(t.told) == common:
			with = append(with, t)
		case !t.Trained() && len(t.told) == all:
			without = append(without, t)
		}
	}
	plain, best := highest(without, all), telling(with, common)
	c.Untrained, c.Trained = slices.Index(s.trials, plain), slices.Index(s.trials, best)
	c.Chosen = c.Untrained
	if plain.judge(common); best != nil && fullGain*best.Score > keepShare*plain.Score {
		if err := s.probe(ctx, common, all, []*Trial{best}); err != nil {
			return c, err
		}
		best.judge(all)
		if plain.judge(all); fullGain*best.Score > plain.Score {
			c.Chosen = c.Trained
		}
	}
	plain.judge(all)
	var good []*Trial
	for _, t := range s.trials {
		if len(t.told) == all && t.Score >= keepShare*s.trials[c.Chosen].Score {
			good = append(good, t)
		}
	}
	c.Unrelated = s.unrelated(good)
	for _, t := range s.trials {
		c.Trials = append(c.Trials, *t)
	}
	c.FeatureShare, c.EdgeShare = s.judge.features, s.judge.edges
	c.vote()
	return c, s.r.Discard() // the checkpoints of the short trainings
}

// finish makes the result.
func (s *search) finish(ctx context.Context, c *choice) error {
	numbers := s.r.Numbers
	s.r.Tried, s.r.Numbers = c.Tried, numbers
	s.judge = NewJudge(s.g)
	s.judge.shares = shares{c.FeatureShare, c.EdgeShare}
	if s.forecast.all == 0 { // the choice was kept
		s.forecast.start(ctx, s.plan().last(c, s.o.Encoder.Config))
		s.log("the settings were chosen before: %s", c.Trials[c.Chosen].Name())
	}
	over := s.forecast.begin(s.plan().fold(c.Ways))
	clusters, err := s.whole(ctx, c.Ways)
	if err != nil {
		return err
	}
	over()
	rough := true
	if way := c.Trials[c.Chosen].Way; way.Trained() {
		if err := s.full(ctx, way); err != nil {
			return err
		}
		full := Full{s.judge.Measure(s.r.Labels).Score, s.judge.Measure(clusters).Score, metric.ARI(s.r.Labels, clusters)}
		s.r.Full = &full
		if rough = full.Score < (1-noise)*full.Untrained; rough {
			s.r.Chosen = c.Untrained
			s.log("the full training scores %.2f, below the %.2f of %s, which is the result", full.Score, full.Untrained, c.Ways[0].Name())
		} else {
			clusters = s.r.Labels
		}
	}
	if clusters, err = refine(ctx, s.g, c.Unrelated, s.judge.shares, clusters, rough); err != nil {
		return err
	}
	if rough {
		return s.without(ctx, clusters, c.Layers)
	}
	s.r.Labels = clusters
	return nil
}

// whole finds clusters of the whole graph in several ways, which vote.
func (s *search) whole(ctx context.Context, ways []Way) ([]int, error) {
	found, err := s.finder(s.g).find(ctx, ways)
	if err != nil {
		return nil, err
	}
	var all [][]int
	for _, w := range ways {
		if _, k := numbered(found[w]); k == s.k {
			all = append(all, found[w])
		}
	}
	if all == nil { // as with nodes that are all alike
		return found[ways[0]], nil
	}
	return vote(all), nil
}
