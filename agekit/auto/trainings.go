package auto

import (
	"context"
	"fmt"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
)

// evaluateTraining trains a short encoder in each of some folds, and clusters its embedding
// by the candidates of the trials, which differ only in their clustering.
func (s *search) evaluateTraining(ctx context.Context, from, to int, trials []*Trial) error {
	for i := from; i < to; i++ {
		start := time.Now()
		stepDone := s.forecast.begin(s.plan().probe(s.o.Encoder.Config, trials[0].Layers))
		f, err := s.makeFold(i)
		if err != nil {
			return err
		}
		if _, columns := f.g.Features.Dims(); columns == 0 || f.g.Features.NNZ() == 0 {
			for _, t := range trials {
				s.addFoldScore(t, f, nil)
			}
			continue
		}
		embedding, err := s.trainShort(ctx, f.g, trials[0].Candidate)
		if err != nil {
			return err
		}
		clusterStart := time.Now()
		for _, t := range trials {
			clusters, err := s.finder(f.g).cluster(ctx, t.Candidate, embedding)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name(), err)
			}
			s.addFoldScore(t, f, clusters)
		}
		s.seconds.Cluster += time.Since(clusterStart).Seconds()
		for _, t := range trials {
			t.Seconds += time.Since(start).Seconds() / float64(len(trials))
		}
		stepDone()
	}
	return nil
}

// latest makes a short training return its last embedding: the trial's score measures it,
// and clustering every saved embedding would take longer than the training.
var latest = &encoder.Judge{Name: "latest", Score: func(context.Context, blas32.General) (float64, error) { return 0, nil }}

// trainShort trains a short encoder on g, and returns its last embedding.
func (s *search) trainShort(ctx context.Context, g *graph.Graph, c Candidate) (embedding blas32.General, err error) {
	in, err := s.prepare(ctx, g, c.Layers)
	if err != nil {
		return embedding, err
	}
	defer in.Close()
	o := s.trainingOptions(g.N(), s.plan().short(s.o.Encoder.Config), c, searchSeed)
	o.Members = 1
	o.Judge = latest
	o.Progress = nil
	r, err := s.train(ctx, in, o)
	if err != nil {
		return embedding, fmt.Errorf("%s: %w", c.Name(), err)
	}
	return r.Embedding, nil
}

// trainingOptions returns the options of a training on n nodes with the pairs of a candidate.
func (s *search) trainingOptions(n int, config encoder.Config, c Candidate, seed uint64) encoder.Options {
	o := s.o.Encoder
	o.Config = config
	o.Clusters = s.k
	o.Thresholds = c.Pairs.thresholds(n, s.k)
	o.Seed = seed
	o.BatchSize = encoder.AllPairs
	return o
}

// train trains, adds to the seconds, and remembers how to discard the checkpoints.
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

// trainFull trains in full with the settings of a short training.
func (s *search) trainFull(ctx context.Context, c Candidate) error {
	o := s.trainingOptions(s.g.N(), s.plan().full(s.o.Encoder.Config), c, s.o.Seed)
	s.o.WarmStart.begin(&o)
	in, err := s.prepare(ctx, s.g, c.Layers)
	if err != nil {
		return err
	}
	defer in.Close()
	s.log("full training, t %d, %s pairs", c.Layers, c.Pairs)
	defer s.forecast.begin(s.plan().final(s.o.Encoder.Config, c.Layers))()
	s.r.Result, err = s.train(ctx, in, o)
	s.r.Config = o.Config
	return err
}

// finishUntrained makes clusters found without training the result, with an encoder that
// changes only the lengths of the features, smoothed by some layers.
func (s *search) finishUntrained(ctx context.Context, clusters []int, layers int) error {
	in, err := s.prepare(ctx, s.g, layers)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := in.Untrained()
	if err != nil {
		return err
	}
	config := s.o.Encoder.Config
	r.Labels = clusters
	r.Clusterings = 1
	r.Ranking = s.plan().ranking(config.Ranking)
	r.Scaling = config.Scaling
	config.Clusters = s.k
	config.Seed = s.o.Seed
	config.Dims = r.Embedding.Cols
	config.Epochs = 0
	s.r.Result = r
	s.r.Config = config
	r.DaviesBouldin, err = cluster.DaviesBouldinGram(ctx, r.Embedding, r.Labels)
	return err
}
