package encoder

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Ensemble is what several trainings on a graph give together.
type Ensemble struct {
	// Members are the trainings, each with the epoch that was chosen for it.
	Members []*Result
	// Embedding holds the members' embeddings side by side, divided by the
	// root of their number: its similarities are the means of theirs.
	Embedding blas32.General
	// Clusters are those of Embedding, found as [cluster.SpectralConsensus]
	// does; above SampledAbove nodes, where its n²·d multiplications are too
	// many, by a single clustering with the first member's scaling.
	Clusters cluster.ConsensusResult
	// DaviesBouldin is the index of these clusters, as for a single training.
	DaviesBouldin float64
	// Seconds are those of all trainings, and of the clustering of what they
	// give together.
	Seconds Seconds
}

// FitEnsemble trains with each of the settings, which must have the same
// number of clusters, and clusters what they give together. Labels are never
// looked at.
//
// The trainings follow each other, and each has a checkpoint of its own: the
// same call goes on where one was stopped. Errors are those of Fit, and one for
// settings without members or with different numbers of clusters.
func FitEnsemble(ctx context.Context, g *graph.Graph, members []Config, o Options) (*Ensemble, error) {
	if len(members) == 0 {
		return nil, errors.New("no settings for an ensemble: want 1 or more")
	}
	first, progress := members[0], o.Progress
	var all int // epochs
	for k, c := range members {
		if c.Clusters != first.Clusters {
			return nil, fmt.Errorf("member %d of %d: clusters is %d, those before have %d", k+1, len(members), c.Clusters, first.Clusters)
		}
		all += c.withDefaults().Epochs
	}
	e, before := &Ensemble{}, 0
	var embeddings []blas32.General
	for k, c := range members {
		if progress != nil {
			o.Progress = func(e Event) {
				e.Epoch, e.Epochs, e.Remaining = before+e.Epoch, all, 0 // the others' time is not known
				progress(e)
			}
			progress(Event{Message: fmt.Sprintf("training %d of %d", k+1, len(members)), Epoch: before, Epochs: all})
		}
		r, err := Fit(ctx, g, c, o)
		if err != nil {
			return nil, fmt.Errorf("training %d of %d: %w", k+1, len(members), err)
		}
		before += c.withDefaults().Epochs
		e.Members, embeddings = append(e.Members, r), append(embeddings, r.Embedding)
		e.Seconds.add(r.Seconds)
	}
	if progress != nil {
		progress(Event{Message: "clustering the embeddings side by side", Epoch: all, Epochs: all})
	}
	e.Embedding = cluster.SideBySide(embeddings...)
	return e, e.cluster(ctx, first)
}

// cluster finds the clusters and their index.
func (e *Ensemble) cluster(ctx context.Context, c Config) (err error) {
	defer stopwatch(&e.Seconds.Cluster)()
	rnd := c.random(streamEnsemble, 0)
	if e.Embedding.Rows > SampledAbove {
		var one cluster.SpectralResult
		one, err = cluster.Spectral(ctx, cluster.Gram(e.Embedding), c.Clusters, cluster.SpectralOptions{Scaling: c.Scaling}, rnd)
		e.Clusters = cluster.ConsensusResult{Labels: one.Labels, Clusterings: 1, Scaling: c.Scaling}
	} else {
		e.Clusters, err = cluster.SpectralConsensus(ctx, e.Embedding, c.Clusters, cluster.KMeansOptions{}, rnd)
	}
	if err != nil {
		return err
	}
	e.DaviesBouldin, err = cluster.DaviesBouldinGram(ctx, e.Embedding, e.Clusters.Labels)
	return err
}

// DiscardEnsemble removes the checkpoints that FitEnsemble left.
func DiscardEnsemble(s *store.Store, g *graph.Graph, members []Config, backendName string) error {
	var all []error
	for _, c := range members {
		all = append(all, Discard(s, g, c, backendName))
	}
	return errors.Join(all...)
}

// BestMembers returns the settings of best mode for FitEnsemble: the given ones
// with one step an epoch and half the filter's layers, rounded up, from three
// initial weights. docs/best-mode.md has the reasons and what each part brings.
func BestMembers(c Config) []Config {
	c = c.withDefaults()
	members := make([]Config, 3)
	for k := range members {
		m := c
		m.BatchSize, m.Seed = AllPairs, memberSeed(c.Seed, k)
		if c.Layers > 0 { // −1 stands for none
			m.Layers = (c.Layers + 1) / 2
		}
		members[k] = m
	}
	return members
}

// memberSeed returns the seed of a member: seed itself for the first one, and
// then a hash of both numbers, so that neighbouring seeds share no training.
func memberSeed(seed uint64, member int) uint64 {
	if member == 0 {
		return seed
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "agekit restart %d %d", seed, member))
	return binary.LittleEndian.Uint64(sum[:])
}
