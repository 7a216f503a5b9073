package encoder

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Internals that the tests, which are in package encoder_test, use.

const MostDraws = mostDraws

// Sample returns the input of size nodes, drawn with rnd.
func (input *Input) Sample(size int, rnd *rand.Rand) *Input { return input.sample(size, rnd) }

// Epoch returns the number of epochs done.
func (s *State) Epoch() int { return s.checkpoint.Epoch }

// StepsKept returns the number of Adam's steps that the last checkpoint in s of a run with the
// options o counts.
func StepsKept(s *store.Store, g *graph.Graph, o Options) int {
	o = o.ForGraph(g)
	last, _ := store.Stored[checkpoint](s, checkpointKey(&Input{Graph: g, Filter: o.Filter}, o.Config, nil, o))
	return last.StateSteps
}

// DrawnFor returns how many negatives the first selection of a training with c draws while it ranks
// the pairs of the rows of z.
func DrawnFor(ctx context.Context, z blas32.General, c Config) (int, error) {
	s := source{c: Options{Config: c}.ForGraph(&graph.Graph{Adjacency: &graph.CSR{Rows: z.Rows}, Features: graph.Features{Dense: &z}}).Config, selectAll: pairs.Select}
	err := s.choose(ctx, z, 0)
	if err != nil {
		return 0, err
	}
	return s.selection.Drawn(), nil
}

// Unjudged returns the epochs whose embeddings the last checkpoint in s of a run has as saved but not judged.
func Unjudged(s *store.Store, g *graph.Graph, o Options) (epochs []int) {
	o = o.ForGraph(g)
	last, _ := store.Stored[checkpoint](s, checkpointKey(&Input{Graph: g, Filter: o.Filter}, o.Config, nil, o))
	for _, saved := range last.Unjudged {
		epochs = append(epochs, saved.Epoch)
	}
	return epochs
}

// MemoryFor returns the free memory, in bytes, with which a training has so many judges beside it:
// they take half of what the training leaves.
func MemoryFor(g *graph.Graph, o Options, judges int) int64 {
	o = o.ForGraph(g)
	n, f := g.Features.Dims()
	return int64(o.trainingBytes(n, f) + 2*float64(judges)*o.judgeBytes(n, f))
}
