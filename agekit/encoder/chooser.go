package encoder

import (
	"context"
	"fmt"
	"math"

	"github.com/agekit/age/agekit/cluster"
	"gonum.org/v1/gonum/blas/blas32"
)

// Chooser scores saved embeddings, so that a task other than clustering can
// choose the epoch: link prediction goes by validation edges (paper, §3.4.2).
type Chooser struct {
	// Name tells choosers apart, in checkpoints too: two that can score an
	// embedding differently must have different names.
	Name string `json:"name"`
	// Score returns the score of an embedding, n×d, which it must not keep.
	// The epoch with the lowest score is chosen. The same embedding must
	// always get the same score.
	Score func(ctx context.Context, z blas32.General) (float64, error) `json:"-"`
}

// judge finds the clusters of an embedding and their Davies–Bouldin index, or
// asks the run's chooser for a score, and keeps them and the weights that the
// embedding comes from if the score is at most the lowest so far.
func (t *training) judge(z blas32.General, weights *Weights, saved *Saved) (err error) {
	defer stopwatch(&t.result.Seconds.Cluster)()
	var labels []int
	if t.c.Choose != nil {
		saved.Score, err = t.c.Choose.Score(t.ctx, z)
		if err == nil && math.IsNaN(saved.Score) {
			err = fmt.Errorf("the score by %s is not a number", t.c.Choose.Name)
		}
	} else {
		labels, saved.DaviesBouldin, err = t.cluster(z)
		saved.Score = saved.DaviesBouldin
	}
	if err != nil {
		return err
	}
	if t.best == nil || saved.Score <= t.result.Score {
		t.best = weights
		t.result.Labels = labels
		t.result.Epoch, t.result.Score, t.result.DaviesBouldin = t.epoch, saved.Score, saved.DaviesBouldin
	}
	return nil
}

// cluster returns the clusters of an embedding and their Davies–Bouldin index.
func (t *training) cluster(z blas32.General) (labels []int, index float64, err error) {
	found, err := cluster.Spectral(t.ctx, t.affinity(z), t.c.Clusters, cluster.SpectralOptions{Scaling: t.c.Scaling}, t.random(streamCluster, t.epoch))
	if err != nil {
		return nil, 0, err
	}
	index, err = cluster.DaviesBouldinGram(t.ctx, z, found.Labels)
	return found.Labels, index, err
}
