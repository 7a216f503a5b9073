package auto

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/rows"
)

// search is the state of Fit.
type search struct {
	g *graph.Graph
	o Options
	k int
	r *Result

	seconds encoder.Seconds // of all trials
}

// log sends a line to whatever receives the progress.
func (s *search) log(format string, args ...any) {
	if s.o.Encoder.Progress != nil {
		s.o.Encoder.Progress(encoder.Event{Message: fmt.Sprintf(format, args...)})
	}
}

// random returns the source of the choices of the clustering of one trial.
func (s *search) random() *rand.Rand {
	return rand.New(rand.NewPCG(s.o.Seed, uint64(len(s.r.Trials)+1)))
}

// prepare smooths the features; k stays 2/3 on a graph without edges, where it makes
// no difference.
func (s *search) prepare(ctx context.Context, layers int) (*encoder.Input, error) {
	o := s.o.Encoder
	o.Filter = laplacian.Filter{K: laplacian.InverseLambdaMax, Layers: layers}
	if s.g.Edges() == 0 {
		o.K = 2. / 3
	}
	return encoder.Prepare(ctx, s.g, o)
}

// layers returns the values of t to try: on a graph without edges, all give the same.
func (s *search) layers(all []int) []int {
	if s.g.Edges() == 0 {
		return all[:1]
	}
	return all
}

// add measures clusters and adds the trial.
func (s *search) add(t Trial, clusters []int) {
	t.clusters, t.Measures = clusters, Measure(s.g, clusters)
	s.r.Trials = append(s.r.Trials, t)
}

// smoothed clusters the smoothed features.
func (s *search) smoothed(ctx context.Context) error {
	if _, f := s.g.Features.Dims(); f > widest {
		s.log("%d features: too many to be clustered without training", f)
		return nil
	}
	for _, layers := range s.layers(smoothedLayers) {
		start := time.Now()
		in, err := s.prepare(ctx, layers)
		if err != nil {
			return err
		}
		t := Trial{Layers: layers, Seconds: time.Since(start).Seconds()}
		s.seconds.Filter += t.Seconds
		unit := rows.Normalize(in.Smoothed)
		if err = s.kMeans(ctx, t, "k-means", in.Smoothed); err == nil {
			err = s.kMeans(ctx, t, "k-means by cosine", unit)
		}
		if err == nil {
			err = s.spectral(ctx, t, rows.NonNegative(unit))
		}
		in.Close()
		if err != nil {
			return err
		}
	}
	s.r.Untrained = s.best(0)
	return nil
}

// best returns the index of the first trial with the highest score, from index from on.
func (s *search) best(from int) int {
	best := from
	for i := from; i < len(s.r.Trials); i++ {
		if s.r.Trials[i].Score > s.r.Trials[best].Score {
			best = i
		}
	}
	return best
}

// large says whether everything has to be cheaper.
func (s *search) large() bool { return s.g.N() > pairs.SampledAbove }

func (s *search) kMeans(ctx context.Context, t Trial, name string, rows blas32.General) error {
	var o cluster.KMeansOptions
	if s.large() {
		o.Restarts = largeRestarts
	}
	t.Clustering = name
	return s.cluster(t, func() ([]int, error) {
		found, err := cluster.KMeans(ctx, rows, s.k, o, s.random())
		return found.Labels, err
	})
}

func (s *search) spectral(ctx context.Context, t Trial, z blas32.General) error {
	t.Clustering = "spectral"
	return s.cluster(t, func() ([]int, error) {
		found, err := cluster.Spectral(ctx, cluster.Gram(z), s.k, cluster.SpectralOptions{}, s.random())
		return found.Labels, err
	})
}

// cluster adds the trial with the clusters that find returns, and counts its time.
func (s *search) cluster(t Trial, find func() ([]int, error)) error {
	start := time.Now()
	clusters, err := find()
	if err == nil {
		s.add(t, clusters)
	}
	s.seconds.Cluster += time.Since(start).Seconds()
	return err
}

// latest makes a short training return its last embedding: the trial's score judges it,
// and clustering every saved embedding would take longer than the training.
var latest = &encoder.Judge{Name: "latest", Score: func(context.Context, blas32.General) (float64, error) { return 0, nil }}

// probes trains short encoders.
func (s *search) probes(ctx context.Context) error {
	first := len(s.r.Trials)
	for _, layers := range s.layers(trainedLayers) {
		if err := s.probe(ctx, layers, Wide); err != nil {
			return err
		}
	}
	best := s.best(first)
	top := s.r.Trials[best].Score
	for i := first; i < len(s.r.Trials); i++ {
		if t := s.r.Trials[i]; t.Score >= top-negligible && t.Layers > s.r.Trials[best].Layers {
			best = i
		}
	}
	last := len(s.r.Trials)
	if err := s.probe(ctx, s.r.Trials[best].Layers, narrow); err != nil {
		return err
	}
	if other := s.best(last); s.r.Trials[other].Score > s.r.Trials[best].Score {
		best = other
	}
	s.r.Trained = best
	return nil
}

func (s *search) probe(ctx context.Context, layers int, p Pairs) error {
	start := time.Now()
	r, _, err := s.short(ctx, layers, p)
	if err != nil {
		return err
	}
	t := Trial{Layers: layers, Trained: true, Pairs: p, Seconds: time.Since(start).Seconds()}
	if err := s.spectral(ctx, t, r.Embedding); err != nil {
		return err
	}
	if err := s.kMeans(ctx, t, "k-means by cosine", r.Embedding); err != nil {
		return err
	}
	done := s.r.Trials[s.best(len(s.r.Trials)-2)]
	s.log("%s: score %.2f, %.1f s", done.Name(), done.Score, time.Since(start).Seconds())
	return nil
}

// short trains a short encoder, whose last embedding is the result.
func (s *search) short(ctx context.Context, layers int, p Pairs) (*encoder.Result, encoder.Config, error) {
	in, err := s.prepare(ctx, layers)
	if err != nil {
		return nil, encoder.Config{}, err
	}
	c := s.o.Encoder
	c.Epochs, c.UpdateEvery, c.Members, c.BatchSize, c.Seed = probeEpochs, probeUpdate, 1, encoder.AllPairs, s.o.Seed
	c.Clusters, c.Thresholds = s.k, p.Thresholds(s.g.N(), s.k)
	if s.large() {
		c.Epochs, c.UpdateEvery, c.Dims = largeProbeEpochs, largeProbeUpdate, min(largeProbeDims, cmp.Or(c.Dims, largeProbeDims))
	}
	c.Judge, c.Progress = latest, nil
	r, err := s.train(ctx, in, c)
	if err != nil {
		err = fmt.Errorf("short training with t %d, %s pairs: %w", layers, p, err)
	}
	return r, c.Config, err
}

// train trains, remembers how to discard the checkpoints, and closes the input.
func (s *search) train(ctx context.Context, in *encoder.Input, o encoder.Options) (*encoder.Result, error) {
	r, err := in.Fit(ctx, o)
	in.Close()
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

// final trains in full with the best settings.
func (s *search) final(ctx context.Context) error {
	start, best := time.Now(), s.r.Trials[s.r.Trained]
	c := s.o.Encoder
	c.Clusters, c.Thresholds, c.Seed = s.k, best.Pairs.Thresholds(s.g.N(), s.k), s.o.Seed
	c.Members, c.BatchSize, c.Epochs = 3, encoder.AllPairs, min(cmp.Or(c.Epochs, fullEpochs), fullEpochs)
	if s.large() {
		c.Members, c.Epochs, c.UpdateEvery = 1, largeEpochs, largeUpdate
	}
	in, err := s.prepare(ctx, best.Layers)
	if err != nil {
		return err
	}
	t := Trial{Layers: best.Layers, Trained: true, Pairs: best.Pairs, Final: true, Clustering: "consensus"}
	if c.Members == 1 {
		t.Clustering = "spectral"
	}
	s.log("%s", t.Name())
	r, err := s.train(ctx, in, c)
	if err != nil {
		return err
	}
	t.Seconds = time.Since(start).Seconds()
	s.add(t, r.Labels)
	s.r.Result, s.r.Config, s.r.Chosen = r, c.Config, len(s.r.Trials)-1
	if t = s.r.Trials[s.r.Chosen]; t.Score < best.Score-negligible {
		s.log("%s: score %.2f, below the %.2f of %s, which is the result", t.Name(), t.Score, best.Score, best.Name())
		return s.keepShort(ctx)
	}
	return nil
}

// keepShort makes the best short training the result, where the full one scores lower.
// It trains again, or takes what the checkpoint has: all their embeddings would take
// much memory.
func (s *search) keepShort(ctx context.Context) error {
	best := s.r.Trials[s.r.Trained]
	r, c, err := s.short(ctx, best.Layers, best.Pairs)
	if err != nil {
		return err
	}
	r.Labels, r.Clusterings = best.clusters, 1
	if r.DaviesBouldin, err = cluster.DaviesBouldinGram(ctx, r.Embedding, r.Labels); err != nil {
		return err
	}
	s.r.Result, s.r.Config, s.r.Chosen = r, c, s.r.Trained
	return nil
}

// untrained makes the best clusters without training the result, with an encoder that
// changes only the lengths of the smoothed features.
func (s *search) untrained(ctx context.Context) error {
	best := s.r.Trials[s.r.Untrained]
	in, err := s.prepare(ctx, best.Layers)
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
	r.Labels, r.Clusterings, r.Ranking, r.Scaling = best.clusters, 1, c.Ranking.For(s.g.N()), c.Scaling
	s.r.Result, s.r.Config, s.r.Chosen = r, c, s.r.Untrained
	r.DaviesBouldin, err = cluster.DaviesBouldinGram(ctx, r.Embedding, r.Labels)
	return err
}
