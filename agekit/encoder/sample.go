package encoder

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// sample returns the input of some nodes, drawn at random without replacement, with their
// features as they were smoothed over the whole graph. It has no edges and no operator, and
// its graph's features are the smoothed ones, so that they identify the sample in the keys
// of checkpoints. It panics if size is not between 1 and n.
func (input *Input) sample(size int, rnd *rand.Rand) *Input {
	x := input.Smoothed
	if size < 1 || size > x.Rows {
		panic(fmt.Sprintf("encoder: a sample of %d of %d nodes", size, x.Rows))
	}
	nodes := make([]int32, x.Rows)
	for i := range nodes {
		nodes[i] = int32(i)
	}
	for i := range size { // the first steps of a shuffle
		j := i + rnd.IntN(x.Rows-i)
		nodes[i], nodes[j] = nodes[j], nodes[i]
	}
	nodes = nodes[:size]
	slices.Sort(nodes)                  // neighbors in memory stay neighbors
	some := linalg.Narrow(size, x.Cols) // their rows of X̃
	some.Data = make([]float32, size*some.Stride)
	from := input.rows()
	linalg.Parallel(size, step.RowGrain, func(lo, hi int) {
		row := make([]float32, linalg.BlockStride(from)) // for rows that are not in memory
		for p, i := range nodes[lo:hi] {
			copy(some.Data[(lo+p)*some.Stride:][:x.Cols], from.Block(row, int(i), int(i)+1).Data)
		}
	})
	g := input.Graph
	return &Input{
		Graph: &graph.Graph{
			Name: g.Name, Classes: g.Classes, FeatureNames: g.FeatureNames, Features: graph.Features{Dense: &some},
			Adjacency: &graph.CSR{Rows: size, Cols: size, Indptr: make([]int, size+1)},
		},
		Filter: input.Filter, LambdaMax: input.LambdaMax, Unit: input.Unit, Smoothed: some,
	}
}

// all embeds all nodes with the weights that a training on a sample gave, and clusters them once.
// It sets the embedding, the clusters and the index in the result r.
func (input *Input) all(ctx context.Context, o Options, r *Result) (err error) {
	defer stopwatch(&r.Seconds.Cluster)()
	collect() // what the training left would stay until as much is allocated again
	z, err := input.embed(ctx, o, r)
	if err != nil {
		return err
	}
	found, err := cluster.SpectralRows(ctx, z, o.Clusters, cluster.SpectralOptions{Scaling: o.Scaling, Scratch: o.scratch()}, o.random(rng.Ensemble, 0))
	if err != nil {
		return err
	}
	r.Labels = found.Labels
	r.DaviesBouldin, err = cluster.DaviesBouldinRows(ctx, z, r.Labels)
	return err
}

// embed sets the embedding of all nodes in the result r and returns its rows: in memory, or as rows
// that are computed when they are asked for, by the engine or, with InBlocks, by this process.
func (input *Input) embed(ctx context.Context, o Options, r *Result) (linalg.Rows, error) {
	if input.engine != nil {
		var err error
		r.rows, err = input.engine.Embed(ctx, r.Encoder.Weights)
		return r.rows, err
	}
	members := make([]linalg.Source, len(r.Encoder.Weights))
	for k, w := range r.Encoder.Weights {
		members[k] = step.Embedding(linalg.InMemory(input.Smoothed), w)
	}
	z := linalg.JoinedSource(members...)
	if o.InBlocks {
		r.rows = linalg.LocalRows(keepAlive{z, input})
		return r.rows, nil
	}
	n, d := z.Dims()
	r.Embedding = linalg.New(n, d)
	err := linalg.EachBlockParallel(ctx, z, func(first int, block blas32.General) {
		linalg.CopyRows(linalg.From32(linalg.RowRange(r.Embedding, first, block.Rows)), linalg.From32(block))
	})
	return r.Rows(), err
}

// keepAlive is a source that also refers to the input, whose scratch file may hold the features, so
// that the input is not collected before the source.
type keepAlive struct {
	linalg.Source
	in *Input
}
