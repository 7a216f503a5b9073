package auto

import (
	"context"
	"errors"
	"slices"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/files"
)

const (
	// fullEpochs is the length of a full training.
	fullEpochs = 320
	// fullGain is how much higher a full training scores than a short one, which is less
	// stable. 1.1 to 1.3 choose about as well, on generated graphs and on real ones.
	fullGain = 1.12
	// scoreTolerance is a relative difference of scores that is within their error: a full
	// training may score so much less than the best candidate without one, but must score so
	// much more if the short one scored below weakTraining of that candidate's.
	scoreTolerance = 0.05
	weakTraining   = 0.93
	// Up to maxVotes candidates vote, with scores of at least voteShare of the best and an
	// adjusted Rand index with its clusters of at least voteAgreement: a majority of
	// clusterings that differ is like none of them.
	maxVotes, voteShare, voteAgreement = 7, 0.9, 0.8
)

// Pairs names thresholds of the training pairs.
type Pairs string

const (
	// wide starts with 30 positive pairs per node and ends with 3, as the paper's
	// settings for Cora do.
	wide Pairs = "wide"
	// narrow starts with 5 and ends with 3, as those for Citeseer do.
	narrow Pairs = "narrow"
)

// thresholds returns the thresholds for a graph of n nodes and k clusters. Positive
// pairs are at most half of those that k clusters of equal size would have.
func (p Pairs) thresholds(n, k int) pairs.Thresholds {
	start := 30.
	if p == narrow {
		start = 5
	}
	largest := 0.5 / float64(k)
	t := pairs.Thresholds{
		PosStart: min(start/float64(n), largest),
		PosEnd:   min(3/float64(n), largest),
		NegEnd:   0.5,
	}
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
	// WarmStart, if set, is the result of an earlier call: its choice is taken, with
	// Clusters, which must be its number, and its training goes on. Default nil.
	WarmStart *WarmStart
	// NumberChosen, if set, is called once the number of clusters is chosen from several,
	// with a report that has only Numbers. Default nil.
	NumberChosen func(*SearchReport)
}

// Result is the result of [Fit].
type Result struct {
	*encoder.Result
	// Config are the settings of the final training.
	Config encoder.Config
	SearchReport
	discard []func() error
}

// Discard removes the checkpoints of all trainings. Call it once the result is saved.
func (r *Result) Discard() error {
	var errs []error
	for _, discard := range r.discard {
		errs = append(errs, discard())
	}
	r.discard = nil
	return errors.Join(errs...)
}

// Fit finds settings and clusters:
//
//  1. It chooses the number of clusters, unless it is given: it clusters the features,
//     smoothed by four layers, by their cosines ([cluster.SpectralRange]) for each number,
//     and takes the one with the highest [Number].EdgeShare. If communities of the edges
//     gain more for held-out edges, it takes theirs ([Number].Communities).
//  2. It holds out a fifth of the edges and of the features at a time, and clusters the
//     rest by each candidate: the features, smoothed for several t or sharpened, the
//     edges, and both. A candidate's score is its held-out log-likelihood gain and the
//     agreement of its folds ([Trial]). Candidates with low scores are dropped. From the
//     gain of numbers, that of a null model is subtracted: normal columns with the same
//     covariances and no clusters.
//  3. It does the same with short trainings.
//  4. If the best score is from step 2, by more than full trainings gain over short ones,
//     training does not help. This candidate and those with scores of at least nine
//     tenths, up to seven, cluster the whole graph; of those whose clusters are like its
//     own, the majority decides for each node. The embedding is the features, smoothed by
//     the t that scored best ([encoder.Encoder] without training).
//  5. Otherwise it trains in full with the best settings of step 3, as best mode does
//     (docs/best-mode.md): three trainings of 320 epochs with one step each and a
//     consensus of clusterings, or a single training above 5,000 nodes. If this scores
//     lower than the best of step 2 by a twentieth ([Judge.Measure]), that one is the
//     result; if the short training scored below .93 of it, the full one must score higher
//     by a twentieth.
//  6. The refinement moves each node to its most likely cluster, by the models of the
//     gains. A feature is ignored if its mean held-out gain is below −1 nat
//     ([SearchReport].Unrelated). The result is not refined if that lowers its score.
//
// Before step 2, the progress says how long all of it will take, and afterwards how much
// of it is left.
//
// k is 1/λmax (paper, §3.3). The same graph, options and backend give the same bytes. Labels
// are never used. Steps 1 to 3 do not depend on the seed, and their choice is kept in the
// store of Encoder.Checkpoints, so that another seed takes only the rest. A run that was
// stopped resumes from the checkpoints of its trainings.
//
// It returns an error for a range outside 2…n/2, for a range with a graph without edges,
// the errors of [encoder.Fit], and an error when ctx is done.
func Fit(ctx context.Context, g *graph.Graph, o Options) (*Result, error) {
	g = inUnits(g)
	s := &search{g: g, o: o, r: &Result{}, k: o.Clusters.Least}
	if o.Clusters.Most > o.Clusters.Least {
		var err error
		s.r.Numbers, _, err = files.Cached(o.Encoder.Checkpoints, s.numbersKey(), func() ([]Number, error) { return measureNumbers(ctx, g, o.Clusters, searchSeed) })
		if err != nil {
			return nil, err
		}
		s.k = s.r.Numbers[s.r.ChosenNumber()].Clusters
		if o.NumberChosen != nil {
			o.NumberChosen(&s.r.SearchReport)
		}
	}
	if err := encoder.CheckClusters(g.N(), s.k); err != nil {
		return nil, err
	}
	var choice choice
	if o.WarmStart != nil {
		choice = o.WarmStart.choice()
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
	SearchReport
	Voters []Candidate // candidates whose clusters vote, if there is no training
	Layers int         // of the embedding without training
}

// chooseOnce chooses, or returns what the store has.
func (s *search) chooseOnce(ctx context.Context) (choice, error) {
	c, _, err := files.Cached(s.o.Encoder.Checkpoints, s.choiceKey(), func() (choice, error) { return s.choose(ctx) })
	return c, err
}

// choose tries the candidates and chooses.
func (s *search) choose(ctx context.Context) (c choice, err error) {
	for _, step := range []func(context.Context) error{s.tryUntrained, s.tryTrained} {
		if err := step(ctx); err != nil {
			return c, err
		}
	}
	allFolds, _, trainedFolds := s.plan().folds()
	var trainedTrials, untrainedTrials []*Trial
	for _, t := range s.trials {
		switch {
		case t.trained() && len(t.foldScores) == trainedFolds:
			trainedTrials = append(trainedTrials, t)
		case !t.trained() && len(t.foldScores) == allFolds:
			untrainedTrials = append(untrainedTrials, t)
		}
	}
	untrained := highestScore(untrainedTrials, allFolds)
	trained := highestGain(trainedTrials, trainedFolds)
	c.Untrained = slices.Index(s.trials, untrained)
	c.Trained = slices.Index(s.trials, trained)
	c.Chosen = c.Untrained
	untrained.measure(trainedFolds)
	if trained != nil && fullGain*trained.Score > keepShare*untrained.Score {
		if err := s.evaluateTraining(ctx, trainedFolds, allFolds, []*Trial{trained}); err != nil {
			return c, err
		}
		trained.measure(allFolds)
		untrained.measure(allFolds)
		if fullGain*trained.Score > untrained.Score {
			c.Chosen = c.Trained
		}
	}
	untrained.measure(allFolds)
	var good []*Trial
	for _, t := range s.trials {
		if len(t.foldScores) == allFolds && t.Score >= keepShare*s.trials[c.Chosen].Score {
			good = append(good, t)
		}
	}
	c.Unrelated = s.unrelated(good)
	for _, t := range s.trials {
		c.Trials = append(c.Trials, *t)
	}
	c.compare(s.trials, good)
	c.FeatureShare, c.EdgeShare = s.judge.features, s.judge.edges
	c.vote()
	return c, s.r.Discard() // the checkpoints of the short trainings
}

// finish makes the result.
func (s *search) finish(ctx context.Context, c *choice) error {
	numbers := s.r.Numbers
	s.r.SearchReport, s.r.Numbers = c.SearchReport, numbers
	s.judge = NewJudge(s.g)
	s.judge.shares = shares{c.FeatureShare, c.EdgeShare}
	if s.forecast.all == 0 { // the choice was kept
		s.forecast.start(s.plan().last(c, s.o.Encoder.Config))
		s.log("the settings were chosen before: %s", c.Trials[c.Chosen].Name())
	}
	stepDone := s.forecast.begin(s.plan().fold(c.Voters))
	clusters, err := s.clusterGraph(ctx, c.Voters)
	if err != nil {
		return err
	}
	stepDone()
	rough := true // found without training
	if candidate := c.Trials[c.Chosen].Candidate; candidate.trained() {
		if err := s.trainFull(ctx, candidate); err != nil {
			return err
		}
		full := FullTraining{
			Score:     s.judge.Measure(s.r.Labels).Score,
			Untrained: s.judge.Measure(clusters).Score,
			Agreement: metric.ARI(s.r.Labels, clusters),
		}
		s.r.Full = &full
		needed := 1 - scoreTolerance
		if c.Trials[c.Trained].Score < weakTraining*c.Trials[c.Untrained].Score {
			needed = 1 + scoreTolerance
		}
		rough = full.Score < needed*full.Untrained
		if rough {
			s.r.Chosen = c.Untrained
			s.log("the full training scores %.2f, too little beside the %.2f of %s, which is the result", full.Score, full.Untrained, c.Voters[0].Name())
		} else {
			clusters = s.r.Labels
		}
	}
	if clusters, err = s.refined(ctx, c, clusters, rough); err != nil {
		return err
	}
	if c.Rival != nil {
		rival, err := s.clusterGraph(ctx, []Candidate{c.Trials[c.Rival.Trial].Candidate})
		if err != nil {
			return err
		}
		if rival, err = s.refined(ctx, c, rival, true); err != nil {
			return err
		}
		s.r.Rival = nil // as where a training lost to this very candidate
		if metric.ARI(clusters, rival) < rivalAgreement {
			s.r.Rival = &Rival{Trial: c.Rival.Trial, Labels: rival}
		}
	}
	for i, n := range s.r.Numbers {
		if n.Labels == nil {
			continue
		}
		if s.r.Numbers[i].Labels, err = s.refined(ctx, c, n.Labels, true); err != nil {
			return err
		}
	}
	if rough {
		return s.finishUntrained(ctx, clusters, c.Layers)
	}
	s.r.Labels = clusters
	return nil
}

// refined returns the clusters after [refine], or as they are if that lowers their score.
func (s *search) refined(ctx context.Context, c *choice, clusters []int, rough bool) ([]int, error) {
	refined, err := refine(ctx, s.g, c.Unrelated, s.judge.shares, clusters, rough)
	if err != nil || s.judge.Measure(refined).Score < s.judge.Measure(clusters).Score {
		return clusters, err
	}
	return refined, nil
}

// clusterGraph clusters the whole graph by several candidates and returns the majority of
// those that agree with the first.
func (s *search) clusterGraph(ctx context.Context, candidates []Candidate) ([]int, error) {
	finder := s.finder(s.g)
	found, err := finder.find(ctx, candidates)
	if err != nil {
		return nil, err
	}
	var clusterings [][]int
	for _, c := range candidates {
		if _, k := numbered(found[c]); k != s.k {
			continue
		}
		if clusterings == nil || metric.ARI(clusterings[0], found[c]) >= voteAgreement {
			clusterings = append(clusterings, found[c])
		}
	}
	if clusterings == nil { // as with nodes that are all alike
		return found[candidates[0]], finder.failed[candidates[0]]
	}
	return vote(clusterings), nil
}
