package auto

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/reduce"
)

const (
	// After a few folds, only the ways that score at least keepShare of the best, or
	// keepAtLeast ways, go on.
	keepShare, keepAtLeast = 0.8, 8
	// smallNodes is the number of nodes below which the graph is divided more than once,
	// because a few held-out edges and features tell little.
	smallNodes, mostDivisions = 1000, 4
	// against is how many nats less than nothing clusters tell about a feature, or a category,
	// that does not count in the refinement. 0.5 to 4 give about the same clusters.
	against = 1
	// tie is the relative difference of what trainings tell that is too small to choose by.
	tie = 0.02
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

// log sends a line to whatever receives the progress.
func (s *search) log(format string, args ...any) {
	if s.o.Encoder.Progress != nil {
		s.o.Encoder.Progress(encoder.Event{Message: fmt.Sprintf(format, args...), Remaining: s.forecast.remaining()})
	}
}

// finder returns what finds clusters of a graph: the whole one, or one without a part.
func (s *search) finder(g *graph.Graph) *finder {
	var few *graph.Graph // with the features that are clustered
	return &finder{g: g, k: s.k, seed: searchSeed, plan: s.plan(), smooth: func(ctx context.Context, layers int) (*encoder.Input, error) {
		if few == nil {
			own := *g
			if _, f := g.Features.Dims(); f > s.plan().columns() {
				var err error
				if own.Features, err = reduce.Columns(ctx, g.Features, s.plan().columns(), rand.New(rand.NewPCG(searchSeed, 0))); err != nil {
					return nil, err
				}
			}
			few = &own
		}
		return s.prepare(ctx, few, layers)
	}}
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

// stopwatch returns a function that adds the time since its call.
func stopwatch(to *float64) func() {
	start := time.Now()
	return func() { *to += time.Since(start).Seconds() }
}

// part returns a fold: with the parts of each division held out in turn.
func (s *search) part(i int) (*fold, error) {
	for len(s.divisions) <= i/parts {
		s.divisions = append(s.divisions, divide(s.g, rand.New(rand.NewPCG(searchSeed, uint64(len(s.divisions))))))
	}
	return s.divisions[i/parts].without(s.g, uint8(i%parts))
}

// tell adds to a trial what the clusters of a fold tell.
func (s *search) tell(t *Trial, f *fold, clusters []int) {
	told := told{clusters: clusters}
	if _, k := numbered(clusters); clusters != nil && k == s.k {
		n := float64(s.g.N()) / parts
		told.features = s.judge.features * featureEvidence(s.g.Features, s.judge.columns, clusters, f.features, nil) / n
		told.edges = s.judge.edges * edgeEvidence(f.g.Adjacency, f.edges, clusters) / n
	} else {
		told.clusters = nil
	}
	t.told = append(t.told, told)
}

func ways(trials []*Trial) (ways []Way) {
	for _, t := range trials {
		ways = append(ways, t.Way)
	}
	return ways
}

// fold finds clusters of fold i in the ways of the trials.
func (s *search) fold(ctx context.Context, i int, trials []*Trial) error {
	start := time.Now()
	before := s.seconds.Filter
	ways := ways(trials)
	defer s.forecast.begin(s.plan().fold(ways))()
	f, err := s.part(i)
	if err != nil {
		return err
	}
	found, err := s.finder(f.g).find(ctx, ways)
	if err != nil {
		return err
	}
	if s.judge == nil {
		var given [][]int
		for _, w := range references {
			if clusters := found[w]; clusters != nil {
				given = append(given, clusters)
			}
		}
		s.judge = NewJudge(s.g, given...)
	}
	for _, t := range trials {
		s.tell(t, f, found[t.Way])
		t.Seconds += time.Since(start).Seconds() / float64(len(trials))
	}
	s.seconds.Cluster += time.Since(start).Seconds() - (s.seconds.Filter - before)
	return nil
}

// unrelated returns the features about which clusters that were found without them tell
// less than nothing: the mean over the folds of some trials that held them out is below
// −[against], for all columns of a category together. A fold counts if its clusters agree
// with those of the others at least half as much as folds do in the mean: if they do not,
// the clusters that are meant cannot be found without these features.
func (s *search) unrelated(trials []*Trial) (unrelated []int) {
	_, f := s.g.Features.Dims()
	told, times := make([]float64, f), make([]float64, f)
	for _, t := range trials {
		agree := agreement(t.told)
		usual := stat.Mean(agree, nil)
		for i, fold := range t.told {
			if fold.clusters == nil || agree[i] < usual/2 {
				continue
			}
			held := s.divisions[i/parts].held(uint8(i % parts))
			featureEvidence(s.g.Features, s.judge.columns, fold.clusters, held, told)
			for j, out := range held {
				if out {
					times[j]++
				}
			}
		}
	}
	group, of := s.divisions[0].group, make([]float64, f)
	for j, nats := range told {
		of[group[j]] += nats / max(1, times[j])
	}
	for j := range f {
		if of[group[j]] < -against {
			unrelated = append(unrelated, j)
		}
	}
	return unrelated
}

// references are the ways whose clusters tell how much edges and features repeat
// themselves.
var references = []Way{
	{Of: ofFeatures, Clustering: kMeans}, {Of: ofFeatures, Clustering: byCosine},
	{Of: ofFeatures, Layers: 4, Clustering: spectral}, {Of: ofEdges, Clustering: leiden},
}

// untrained tries the ways without training.
func (s *search) untrained(ctx context.Context) error {
	ways, err := s.finder(s.g).ways(ctx)
	if err != nil {
		return err
	}
	for _, w := range ways {
		s.trials = append(s.trials, &Trial{Way: w})
	}
	s.forecast.start(s.plan().ahead(ways, cloudy(s.g.Features, columnsOf(s.g.Features)), s.o.Encoder.Config))
	s.log("choosing settings in %d ways without training, then with; about %v of the time are for a full training, if it is worth it", len(ways), s.forecast.of(s.plan().lastTraining(s.o.Encoder.Config)))
	going := s.trials
	all, few, _ := s.plan().folds()
	for i := range all {
		if i == few {
			if err := s.clouds(ctx, few); err != nil {
				return err
			}
			going = s.best(going, i)
		}
		start := time.Now()
		if err := s.fold(ctx, i, going); err != nil {
			return err
		}
		if time.Since(start) > time.Second {
			s.log("without training: %d ways, fold %d of %d", len(going), i+1, all)
		}
	}
	best := highest(going, all)
	s.log("%s: score %.2f, the best of %d ways without training", best.Name(), best.Score, len(s.trials))
	return nil
}

// best returns the trials that go on after some folds, in their order.
func (s *search) best(trials []*Trial, folds int) (going []*Trial) {
	for _, t := range trials {
		t.judge(folds)
	}
	sorted := slices.SortedStableFunc(slices.Values(trials), func(t, u *Trial) int { return cmp.Compare(u.Score, t.Score) })
	least := sorted[min(keepAtLeast, len(sorted))-1].Score
	for _, t := range trials {
		if t.Score >= least || t.Score >= keepShare*sorted[0].Score {
			going = append(going, t)
		}
	}
	return going
}

// highest returns the trial with the highest score in the first folds, or nil.
func highest(trials []*Trial, folds int) (best *Trial) {
	for _, t := range trials {
		if t.judge(folds); best == nil || t.Score > best.Score {
			best = t
		}
	}
	return best
}

// telling returns the training that tells most in the first folds, or nil: the full
// training is more stable than the short ones. Of those that tell the same but for tie,
// it returns that with wide pairs and the fewest layers.
func telling(trials []*Trial, folds int) (best *Trial) {
	for _, t := range trials {
		if t.judge(folds); best == nil || t.combined() > best.combined() {
			best = t
		}
	}
	if best == nil {
		return nil
	}
	least := (1 - tie) * best.combined()
	for _, t := range trials {
		if order := simpler(t, best); t.combined() >= least && (order < 0 || order == 0 && t.combined() > best.combined()) {
			best = t
		}
	}
	return best
}

// simpler compares the settings of trainings: wide pairs come before narrow ones, and
// fewer layers before more.
func simpler(t, u *Trial) int {
	switch {
	case t.Pairs == u.Pairs:
		return cmp.Compare(t.Layers, u.Layers)
	case t.Pairs == Wide:
		return -1
	}
	return 1
}

// trained tries short trainings: with wide pairs for all t, of which two go on, and with
// narrow pairs for the better t.
func (s *search) trained(ctx context.Context) error {
	_, _, most := s.plan().folds()
	layers := s.plan().layers()
	probe := func(t int, p Pairs, from, to int) ([]*Trial, error) {
		var both []*Trial
		for _, how := range []string{spectral, byCosine} {
			both = append(both, s.trial(Way{Of: ofTraining, Layers: t, Pairs: p, Clustering: how}))
		}
		return both, s.probe(ctx, from, to, both)
	}
	tell := map[int]float64{}
	for _, t := range layers {
		both, err := probe(t, Wide, 0, 1)
		if err != nil {
			return err
		}
		tell[t] = telling(both, 1).combined()
	}
	layers = slices.SortedStableFunc(slices.Values(layers), func(t, u int) int { return cmp.Compare(tell[u], tell[t]) })
	var wide []*Trial
	for _, t := range layers[:min(2, len(layers))] {
		both, err := probe(t, Wide, 1, most)
		if err != nil {
			return err
		}
		wide = append(wide, both...)
		s.log("%s: score %.2f", highest(both, most).Name(), highest(both, most).Score)
	}
	both, err := probe(telling(wide, most).Layers, narrow, 0, most)
	if err == nil {
		s.log("%s: score %.2f", highest(both, most).Name(), highest(both, most).Score)
	}
	return err
}

// trial returns the trial of a way, a new one if there is none.
func (s *search) trial(w Way) *Trial {
	for _, t := range s.trials {
		if t.Way == w {
			return t
		}
	}
	t := &Trial{Way: w}
	for _, like := range s.trials { // a training finds in a cloud what its features show
		if like.Of == ofFeatures && like.Layers == w.Layers && like.Clustering == w.Clustering {
			t.cloud = like.cloud
		}
	}
	s.trials = append(s.trials, t)
	return t
}

// probe trains a short encoder in each of some folds, and clusters its embedding in the
// ways of the trials.
func (s *search) probe(ctx context.Context, from, to int, trials []*Trial) error {
	for i := from; i < to; i++ {
		start := time.Now()
		over := s.forecast.begin(s.plan().probe(s.o.Encoder.Config, trials[0].Layers))
		f, err := s.part(i)
		if err != nil {
			return err
		}
		if _, columns := f.g.Features.Dims(); columns == 0 || f.g.Features.NNZ() == 0 {
			for _, t := range trials {
				s.tell(t, f, nil)
			}
			continue
		}
		w := trials[0].Way
		r, _, err := s.short(ctx, f.g, w)
		if err != nil {
			return err
		}
		clusterStart := time.Now()
		for _, t := range trials {
			clusters, err := s.finder(f.g).cluster(ctx, t.Way, r.Embedding)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name(), err)
			}
			s.tell(t, f, clusters)
		}
		s.seconds.Cluster += time.Since(clusterStart).Seconds()
		for _, t := range trials {
			t.Seconds += time.Since(start).Seconds() / float64(len(trials))
		}
		over()
	}
	return nil
}

// latest makes a short training return its last embedding: the trial's score judges it,
// and clustering every saved embedding would take longer than the training.
var latest = &encoder.Judge{Name: "latest", Score: func(context.Context, blas32.General) (float64, error) { return 0, nil }}

// short trains a short encoder on g, whose last embedding is the result.
func (s *search) short(ctx context.Context, g *graph.Graph, w Way) (*encoder.Result, encoder.Config, error) {
	in, err := s.prepare(ctx, g, w.Layers)
	if err != nil {
		return nil, encoder.Config{}, err
	}
	defer in.Close()
	c := s.o.Encoder
	c.Config = s.plan().short(c.Config)
	c.Clusters, c.Thresholds, c.Seed = s.k, w.Pairs.Thresholds(g.N(), s.k), searchSeed
	c.Members, c.BatchSize = 1, encoder.AllPairs
	c.Judge, c.Progress = latest, nil
	r, err := s.train(ctx, in, c)
	if err != nil {
		err = fmt.Errorf("%s: %w", w.Name(), err)
	}
	return r, c.Config, err
}

// train trains and remembers how to discard the checkpoints.
func (s *search) train(ctx context.Context, in *encoder.Input, o encoder.Options) (*encoder.Result, error) {
	r, err := in.Fit(ctx, o)
	if err == nil {
		s.r.discard = append(s.r.discard, r.Discard)
		s.seconds.Filter += r.Seconds.Filter
		s.seconds.Select += r.Seconds.Select
		s.seconds.Train += r.Seconds.Train
		s.seconds.Cluster += r.Seconds.Cluster
		s.seconds.Compile += r.Seconds.Compile
	}
	return r, err
}

func (s *search) plan() plan { return plan{s.g.N(), sizeOf(s.g, s.k)} }

// full trains in full with the settings of a short training.
func (s *search) full(ctx context.Context, w Way) error {
	c := s.o.Encoder
	c.Config = s.plan().full(c.Config)
	c.Clusters, c.Thresholds, c.Seed, c.BatchSize = s.k, w.Pairs.Thresholds(s.g.N(), s.k), s.o.Seed, encoder.AllPairs
	s.o.Earlier.begin(&c)
	in, err := s.prepare(ctx, s.g, w.Layers)
	if err != nil {
		return err
	}
	defer in.Close()
	s.log("full training, t %d, %s pairs", w.Layers, w.Pairs)
	defer s.forecast.begin(s.plan().final(s.o.Encoder.Config, w.Layers))()
	s.r.Result, err = s.train(ctx, in, c)
	s.r.Config = c.Config
	return err
}

// without makes clusters found without training the result, with an encoder that changes
// only the lengths of the features, smoothed by some layers.
func (s *search) without(ctx context.Context, clusters []int, layers int) error {
	in, err := s.prepare(ctx, s.g, layers)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := in.Untrained()
	if err != nil {
		return err
	}
	c := s.o.Encoder.Config
	c.Clusters, c.Seed, c.Dims, c.Epochs = s.k, s.o.Seed, r.Embedding.Cols, 0
	r.Labels, r.Clusterings, r.Ranking, r.Scaling = clusters, 1, s.plan().ranking(c.Ranking), c.Scaling
	s.r.Result, s.r.Config = r, c
	r.DaviesBouldin, err = cluster.DaviesBouldinGram(ctx, r.Embedding, r.Labels)
	return err
}
