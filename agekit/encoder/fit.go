package encoder

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/rows"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// Fit trains the encoder on a graph with smoothed features and returns the
// embedding of the epoch that the Davies–Bouldin index, or o.Judge, chooses
// (paper, algorithm 1). It trains several members one after the other, each
// with its own checkpoint, and clusters their concatenated embeddings. With the
// same input, settings and backend, the result is byte-identical. Fit never
// uses the graph's labels.
//
// It returns an error if the settings are inconsistent or do not fit the graph
// ([Config.CheckGraph]), if the training diverges, if the backend fails, and
// when ctx is done. In the last case the error says after which epoch the same
// call would resume.
func Fit(ctx context.Context, in *Input, c Config, o Options) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	used := c
	if o.Judge != nil {
		used.Clusters = 0
	} else if c.Clusters < 2 {
		return nil, fmt.Errorf("clusters is %d: want 2 or more", c.Clusters)
	}
	if err := used.CheckGraph(in.Graph); err != nil {
		return nil, err
	}
	c, o = c.forNodes(in.Graph.N()), o.withDefaults()
	r := &Result{
		Encoder:   &Encoder{Filter: in.Filter, Unit: cmp.Or(in.Unit, 1), FeatureNames: in.Graph.FeatureNames},
		LambdaMax: in.LambdaMax, Ranking: c.Ranking, Backend: o.Backend.Name(), SIMD: simd.Level(),
		Seconds: Seconds{Filter: in.Took},
	}
	var embeddings []blas32.General
	members := c.members()
	for k, member := range members {
		one, err := train(ctx, in, member, o.ofMember(k, members))
		if err != nil {
			if len(members) > 1 {
				err = fmt.Errorf("training %d of %d: %w", k+1, len(members), err)
			}
			return nil, err
		}
		r.Members, embeddings = append(r.Members, one.member), append(embeddings, one.embedding)
		r.Encoder.Weights = append(r.Encoder.Weights, one.weights)
		r.Product, r.Labels, r.DaviesBouldin = one.product, one.labels, one.member.DaviesBouldin
		r.Programs += one.usage.Programs
		r.Seconds.add(one.seconds)
	}
	r.Embedding, r.Scaling, r.Clusterings = embeddings[0], c.Scaling, 1
	if len(members) == 1 {
		return r, nil
	}
	r.Embedding, r.Labels, r.DaviesBouldin = rows.SideBySide(embeddings...), nil, 0
	if o.Judge != nil {
		return r, nil
	}
	o.Progress(Event{Message: "clustering the concatenated embeddings", Epoch: len(members) * c.Epochs, Epochs: len(members) * c.Epochs})
	return r, r.cluster(ctx, c)
}

// ofMember returns the options of a member's training: with several members,
// progress counts the epochs of all.
func (o Options) ofMember(k int, members []Config) Options {
	if len(members) == 1 {
		return o
	}
	progress, each := o.Progress, members[k].Epochs
	o.Progress = func(e Event) {
		e.Epoch, e.Epochs, e.Remaining = k*each+e.Epoch, len(members)*each, 0 // the other members' time is unknown
		progress(e)
	}
	o.Progress(Event{Message: fmt.Sprintf("training %d of %d", k+1, len(members))})
	return o
}

// cluster finds the clusters of several members' embedding and their
// Davies–Bouldin index. For large graphs it does without the consensus, each
// product of which takes n²·d multiply-adds.
func (r *Result) cluster(ctx context.Context, c Config) (err error) {
	defer stopwatch(&r.Seconds.Cluster)()
	rnd := c.random(streamEnsemble, 0)
	if r.Embedding.Rows > pairs.SampledAbove {
		var one cluster.SpectralResult
		one, err = cluster.Spectral(ctx, cluster.Gram(r.Embedding), c.Clusters, cluster.SpectralOptions{Scaling: c.Scaling}, rnd)
		r.Labels = one.Labels
	} else {
		var all cluster.ConsensusResult
		all, err = cluster.SpectralConsensus(ctx, r.Embedding, c.Clusters, cluster.KMeansOptions{}, rnd)
		r.Labels, r.Clusterings, r.Scaling = all.Labels, all.Clusterings, all.Scaling
	}
	if err != nil {
		return err
	}
	r.DaviesBouldin, err = cluster.DaviesBouldinGram(ctx, r.Embedding, r.Labels)
	return err
}
