package auto

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
)

const (
	// After a few folds, the candidates that score below keepShare of the best are dropped,
	// except for the minKept best ones.
	keepShare, minKept = 0.8, 8
	// smallNodes is the number of nodes below which the graph is divided more than once,
	// because the gain on a few held-out edges and features has a large error.
	smallNodes, mostDivisions = 1000, 4
	// A feature, or a category, is ignored in refinement if its mean held-out gain is below
	// −unrelatedThreshold nats. 0.5 to 4 give about the same clusters.
	unrelatedThreshold = 1
	// gainTolerance is the relative difference of two trainings' gains that is too small to
	// choose by.
	gainTolerance = 0.02
	// searchSeed is the seed of the search: with another seed, users want other clusters
	// from the same settings.
	searchSeed = 1
)

// search is the state of Fit.
type search struct {
	g *graph.Graph
	o Options
	k int
	r *Result

	judge     *Judge
	divisions []division
	trials    []*Trial
	seconds   encoder.Seconds // of all trials
	forecast  forecast
}

func (s *search) plan() plan { return plan{s.g.N(), sizeOf(s.g, s.k)} }

// log sends a line to whatever receives the progress.
func (s *search) log(format string, args ...any) {
	if s.o.Encoder.Progress != nil {
		s.o.Encoder.Progress(encoder.Event{Message: fmt.Sprintf(format, args...), Remaining: s.forecast.remaining()})
	}
}

// finder returns a finder for a graph: the whole one, or one without a part.
func (s *search) finder(g *graph.Graph) *finder {
	var reduced *graph.Graph // with few columns, made when they are first needed
	smooth := func(ctx context.Context, layers int) (*encoder.Input, error) {
		if reduced == nil {
			var err error
			if reduced, err = s.reduceColumns(ctx, g); err != nil {
				return nil, err
			}
		}
		return s.prepare(ctx, reduced, layers)
	}
	return &finder{g: g, k: s.k, seed: searchSeed, plan: s.plan(), smooth: smooth, failed: map[Candidate]error{}}
}

// reduceColumns returns g with at most as many columns of features as the plan has.
func (s *search) reduceColumns(ctx context.Context, g *graph.Graph) (*graph.Graph, error) {
	reduced := *g
	columns := s.plan().columns()
	if _, f := g.Features.Dims(); f > columns {
		var err error
		rnd := rand.New(rand.NewPCG(searchSeed, 0))
		if reduced.Features, err = ReduceColumns(ctx, g.Features, columns, rnd); err != nil {
			return nil, err
		}
	}
	return &reduced, nil
}

// prepare smooths the features of g; k is 2/3 without edges, where it makes no difference.
func (s *search) prepare(ctx context.Context, g *graph.Graph, layers int) (*encoder.Input, error) {
	defer stopwatch(&s.seconds.Filter)()
	o := s.o.Encoder
	o.Filter = laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: layers}
	if g.Edges() == 0 {
		o.K = 2. / 3
	}
	return encoder.Prepare(ctx, g, o)
}

// stopwatch returns a function that adds the seconds since this call to total.
func stopwatch(total *float64) func() {
	start := time.Now()
	return func() { *total += time.Since(start).Seconds() }
}

// makeFold returns a fold: with the parts of each division held out in turn.
func (s *search) makeFold(i int) (*fold, error) {
	for len(s.divisions) <= i/parts {
		rnd := rand.New(rand.NewPCG(searchSeed, uint64(len(s.divisions))))
		s.divisions = append(s.divisions, divide(s.g, rnd))
	}
	return s.divisions[i/parts].without(s.g, uint8(i%parts))
}

// addFoldScore adds the held-out gains of a fold's clusters to a trial.
func (s *search) addFoldScore(t *Trial, f *fold, clusters []int) {
	var score foldScore
	if _, k := numbered(clusters); clusters != nil && k == s.k {
		heldOutNodes := float64(s.g.N()) / parts
		score.clusters = clusters
		score.features = s.judge.features * featureGain(s.g.Features, s.judge.columns, clusters, f.features, nil) / heldOutNodes
		score.edges = s.judge.edges * edgeGain(f.g.Adjacency, f.edges, clusters) / heldOutNodes
	}
	t.foldScores = append(t.foldScores, score)
}

// fail drops a trial that ended in an error, if there is one.
func (s *search) fail(t *Trial, err error) {
	if err != nil && t.Failed == "" {
		t.Failed = err.Error()
		s.log("%s is left out: %v", t.Name(), err)
	}
}

func candidatesOf(trials []*Trial) (candidates []Candidate) {
	for _, t := range trials {
		candidates = append(candidates, t.Candidate)
	}
	return candidates
}

// evaluateFold clusters fold i by the candidates of the trials.
func (s *search) evaluateFold(ctx context.Context, i int, trials []*Trial) error {
	start := time.Now()
	filterBefore := s.seconds.Filter
	candidates := candidatesOf(trials)
	defer s.forecast.begin(s.plan().fold(candidates))()
	f, err := s.makeFold(i)
	if err != nil {
		return err
	}
	finder := s.finder(f.g)
	found, err := finder.find(ctx, candidates)
	if err != nil {
		return err
	}
	if s.judge == nil {
		var references [][]int
		for _, c := range referenceCandidates {
			if clusters := found[c]; clusters != nil {
				references = append(references, clusters)
			}
		}
		s.judge = NewJudge(s.g, references...)
	}
	for _, t := range trials {
		s.fail(t, finder.failed[t.Candidate])
		s.addFoldScore(t, f, found[t.Candidate])
		t.Seconds += time.Since(start).Seconds() / float64(len(trials))
	}
	s.seconds.Cluster += time.Since(start).Seconds() - (s.seconds.Filter - filterBefore)
	return nil
}

// unrelated returns the features that are ignored in refinement: their mean gain in the folds
// that held them out is below −unrelatedThreshold, for all columns of a category together. A
// fold counts if its clusters agree with those of the others at least half as much as folds
// do on average: otherwise, the features that it held out are needed to find the clusters.
func (s *search) unrelated(trials []*Trial) (unrelated []int) {
	_, f := s.g.Features.Dims()
	gain := make([]float64, f)  // sum over the folds
	folds := make([]float64, f) // number of folds that held it out
	for _, t := range trials {
		agreements := agreement(t.foldScores)
		usual := stat.Mean(agreements, nil)
		for i, score := range t.foldScores {
			if score.clusters == nil || agreements[i] < usual/2 {
				continue
			}
			part := uint8(i % parts)
			if t.Data == edgesAlone && slices.Contains(s.divisions[0].features, noPart) {
				part = noPart // these clusters were found without any features
			}
			heldOut := s.divisions[i/parts].heldOut(part)
			featureGain(s.g.Features, s.judge.columns, score.clusters, heldOut, gain)
			for j, out := range heldOut {
				if out {
					folds[j]++
				}
			}
		}
	}
	group := s.divisions[0].group
	groupGain := make([]float64, f)
	for j, nats := range gain {
		groupGain[group[j]] += nats / max(1, folds[j])
	}
	for j := range f {
		if groupGain[group[j]] < -unrelatedThreshold {
			unrelated = append(unrelated, j)
		}
	}
	return unrelated
}

// referenceCandidates are the candidates whose clusters show how much edges and features
// repeat themselves ([NewJudge]).
var referenceCandidates = []Candidate{
	{Data: smoothedFeatures, Clustering: kMeans}, {Data: smoothedFeatures, Clustering: byCosine},
	{Data: smoothedFeatures, Layers: 4, Clustering: spectral}, {Data: edgesAlone, Clustering: leiden},
}

// tryUntrained tries the candidates without training.
func (s *search) tryUntrained(ctx context.Context) error {
	candidates, err := s.finder(s.g).candidates(ctx)
	if err != nil {
		return err
	}
	for _, c := range candidates {
		s.trials = append(s.trials, &Trial{Candidate: c})
	}
	null := hasNullModel(s.g.Features, newColumnStats(s.g.Features)) // or nearest neighbors, which few graphs without numbers have
	s.forecast.start(s.plan().ahead(candidates, null, s.o.Encoder.Config))
	s.log("choosing settings in %d ways without training, then with; about %v of the time are for a full training, if it is worth it", len(candidates), s.forecast.duration(s.plan().lastTraining(s.o.Encoder.Config)))
	kept := s.trials
	allFolds, firstFolds, _ := s.plan().folds()
	for i := range allFolds {
		if i == firstFolds {
			if err := s.compareNullModel(ctx, firstFolds); err != nil {
				return err
			}
			kept = s.keepBest(kept, i)
		}
		start := time.Now()
		if err := s.evaluateFold(ctx, i, kept); err != nil {
			return err
		}
		if time.Since(start) > time.Second {
			s.log("without training: %d ways, fold %d of %d", len(kept), i+1, allFolds)
		}
	}
	best := highestScore(kept, allFolds)
	s.log("%s: score %.2f, the best of %d ways without training", best.Name(), best.Score, len(s.trials))
	return nil
}

// keepBest returns the trials that are kept after some folds, in their order.
func (s *search) keepBest(trials []*Trial, folds int) (kept []*Trial) {
	for _, t := range trials {
		t.measure(folds)
	}
	sorted := slices.SortedStableFunc(slices.Values(trials), func(t, u *Trial) int { return cmp.Compare(u.Score, t.Score) })
	minScore := sorted[min(minKept, len(sorted))-1].Score
	for _, t := range trials {
		if t.Score >= minScore || t.Score >= keepShare*sorted[0].Score {
			kept = append(kept, t)
		}
	}
	return kept
}

// highestScore returns the trial with the highest score in the first folds, or nil.
func highestScore(trials []*Trial, folds int) (best *Trial) {
	for _, t := range trials {
		t.measure(folds)
		if best == nil || t.Score > best.Score {
			best = t
		}
	}
	return best
}

// highestGain returns the training with the highest gain in the first folds, or nil: the full
// training is more stable than the short ones. Of those with the same gain but for
// gainTolerance, it returns that with wide pairs and the fewest layers.
func highestGain(trials []*Trial, folds int) (best *Trial) {
	most := 0.
	for _, t := range trials {
		t.measure(folds)
		most = max(most, t.combined())
	}
	for _, t := range trials {
		if t.combined() < (1-gainTolerance)*most {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(t.Pairs, best.Pairs), cmp.Compare(best.Layers, t.Layers), cmp.Compare(t.combined(), best.combined())) > 0 {
			best = t // "wide" comes after "narrow"
		}
	}
	return best
}

// tryTrained tries short trainings: with wide pairs for all t, of which the two best get more
// folds, and with narrow pairs for the better of these.
func (s *search) tryTrained(ctx context.Context) error {
	_, _, folds := s.plan().folds()
	layers := s.plan().layers()
	evaluate := func(t int, p Pairs, from, to int) ([]*Trial, error) {
		var trials []*Trial
		for _, clustering := range []string{spectral, byCosine} {
			c := Candidate{Data: trainedEmbedding, Layers: t, Pairs: p, Clustering: clustering}
			trials = append(trials, s.findTrial(c))
		}
		return trials, s.evaluateTraining(ctx, from, to, trials)
	}
	logBest := func(trials []*Trial) {
		best := highestScore(trials, folds)
		s.log("%s: score %.2f", best.Name(), best.Score)
	}
	gain := map[int]float64{} // by t, in the first fold
	for _, t := range layers {
		trials, err := evaluate(t, wide, 0, 1)
		if err != nil {
			return err
		}
		gain[t] = highestGain(trials, 1).combined()
	}
	layers = slices.SortedStableFunc(slices.Values(layers), func(t, u int) int { return cmp.Compare(gain[u], gain[t]) })
	var best []*Trial // with wide pairs
	for _, t := range layers[:min(2, len(layers))] {
		trials, err := evaluate(t, wide, 1, folds)
		if err != nil {
			return err
		}
		best = append(best, trials...)
		logBest(trials)
	}
	trials, err := evaluate(highestGain(best, folds).Layers, narrow, 0, folds)
	if err == nil {
		logBest(trials)
	}
	return err
}

// findTrial returns the trial of a candidate, a new one if there is none.
func (s *search) findTrial(c Candidate) *Trial {
	for _, t := range s.trials {
		if t.Candidate == c {
			return t
		}
	}
	trial := &Trial{Candidate: c}
	for _, t := range s.trials { // a training has the null model of its features
		if t.Data == smoothedFeatures && t.Layers == c.Layers && t.Clustering == c.Clustering {
			trial.nullFeatures, trial.nullEdges = t.nullFeatures, t.nullEdges
		}
	}
	s.trials = append(s.trials, trial)
	return trial
}
