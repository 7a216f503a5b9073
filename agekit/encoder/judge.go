package encoder

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/affine"
	"gonum.org/v1/gonum/blas/blas32"
)

// choice is the best saved embedding so far: its weights, clusters and score.
type choice struct {
	weights    *Weights // nil before the first
	labels     []int    // nil with a Judge
	epoch      int
	score, dbi float64
}

// consider scores an embedding saved after an epoch and chooses it if its score
// is at most the lowest so far.
func (b *choice) consider(ctx context.Context, m affine.Model, z blas32.General, w *Weights, epoch int, c Config, j *Judge) (saved Saved, err error) {
	saved.Epoch = epoch
	var labels []int
	if j != nil {
		saved.Score, err = j.Score(ctx, z)
		if err == nil && math.IsNaN(saved.Score) {
			err = fmt.Errorf("the score from %s is not a number", j.Name)
		}
	} else {
		labels, saved.DaviesBouldin, err = clusters(ctx, m, z, epoch, c)
		saved.Score = saved.DaviesBouldin
	}
	if err != nil {
		return saved, fmt.Errorf("epoch %d: %w", epoch, err)
	}
	if b.weights == nil || saved.Score <= b.score {
		*b = choice{w, labels, epoch, saved.Score, saved.DaviesBouldin}
	}
	return saved, nil
}

// clusters returns the clusters of an embedding and their Davies–Bouldin index.
func clusters(ctx context.Context, m affine.Model, z blas32.General, epoch int, c Config) (labels []int, index float64, err error) {
	found, err := cluster.Spectral(ctx, m.Affinity(z), c.Clusters, cluster.SpectralOptions{Scaling: c.Scaling}, c.random(streamCluster, epoch))
	if err != nil {
		return nil, 0, err
	}
	index, err = cluster.DaviesBouldinGram(ctx, z, found.Labels)
	return found.Labels, index, err
}
