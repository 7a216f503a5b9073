package encoder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// Version is the version of the training. It grows when the same graph and options give
// another result, so that stored results and checkpoints of earlier versions are not used.
const Version = 9

// Encoder is the smoothing filter and the weights of the linear layer. It embeds any
// graph with the same features; without weights ([Input.Untrained]), a node's embedding
// is its row of X̃, scaled to length 1.
type Encoder struct {
	// Filter is H = I − k·L̃sym with its layers t. Its K is a number.
	Filter laplacian.Filter
	// Unit is the power of two that divides features before they are smoothed: that of
	// the training ([Input].Unit). Default 1.
	Unit float64
	// Features is f, the number of features.
	Features int
	// Weights holds W and b of each member; empty without training.
	Weights []Weights
	// FeatureNames are the names of the f features; nil if they have none.
	FeatureNames []string
}

// Embed returns the embeddings of g's nodes, n×d, in the form of [Result].Embedding:
// rows of length 1, with those of several members concatenated. For the graph on which
// the native backend trained, the result has the bytes of that embedding, or equals it
// up to rounding if a step encodes only the batch's nodes.
//
// It returns an error if the number or the names of g's features are not those of the
// training, if an embedding is not finite because g's features are too large, and when
// ctx is done.
func (e *Encoder) Embed(ctx context.Context, g *graph.Graph) (z blas32.General, err error) {
	defer inGraph(g, &err)
	if err := e.Check(g); err != nil {
		return z, err
	}
	input := &step.Input{Smoothed: linalg.Narrow(g.Features.Dims()), Features: g.Features, Unit: cmp.Or(e.Unit, 1), Operator: laplacian.New(g.Adjacency), Filter: e.Filter}
	if len(e.Weights) == 0 {
		if z, err = input.Smooth(ctx); err != nil {
			return z, err
		}
		return linalg.Normalize(z), nil
	}
	embed, err := step.Embedder(ctx, input, e.Weights[0].W.Cols)
	if err != nil {
		return z, err
	}
	all := make([]blas32.General, len(e.Weights))
	for k, w := range e.Weights {
		all[k] = linalg.New(g.N(), w.W.Cols)
		if err := embed(ctx, all[k], w); err != nil {
			return z, err
		}
		if err := finite(all[k], 0); err != nil {
			return z, err
		}
	}
	return linalg.SideBySide(all...), nil
}

// EmbedNew returns the embeddings of the nodes of g from old on, which came after the
// training. Their features are smoothed over their edges to each other and to the nodes
// before them, whose smoothed features and degrees stay those of the graph without them
// ([laplacian.Extended]). So a node's embedding depends on those new nodes alone that its
// edges lead to, and has the same bytes in any company. Errors are those of Embed.
func (e *Encoder) EmbedNew(ctx context.Context, g *graph.Graph, old int) (z blas32.General, err error) {
	defer inGraph(g, &err)
	if err := e.Check(g); err != nil {
		return z, err
	}
	x := linalg.Narrow(g.N()-old, e.Features)
	if err := system.CheckMemory("the smoothed features", 4*float64(x.Rows)*float64(x.Stride)); err != nil {
		return z, err
	}
	x.Data = make([]float32, x.Rows*x.Stride)
	if err := e.Filter.SmoothTo(ctx, x, laplacian.Extended(g.Adjacency, old), g.Features, cmp.Or(e.Unit, 1)); err != nil {
		return z, err
	}
	if len(e.Weights) == 0 {
		return linalg.Normalize(x), nil
	}
	all := make([]blas32.General, len(e.Weights))
	for k, w := range e.Weights {
		if all[k], err = step.EmbedRows(ctx, x, w); err != nil {
			return z, err
		}
		if err := finite(all[k], old); err != nil {
			return z, err
		}
	}
	return linalg.SideBySide(all...), nil
}

// inGraph, deferred, adds the name of the graph to *err if that is an error.
func inGraph(g *graph.Graph, err *error) {
	if *err != nil {
		*err = fmt.Errorf("embedding %s: %w", g.Name, *err)
	}
}

// finite returns an error for the first row of z with a number that is not finite. Row i is the
// embedding of node first+i.
func finite(z blas32.General, first int) error {
	for i := range z.Rows {
		if slices.ContainsFunc(linalg.Row(z, i), notFinite) {
			return fmt.Errorf("node %d: beyond the largest float32: want features of about the size of those in training", first+i)
		}
	}
	return nil
}

// notFinite reports whether v is NaN or infinite.
func notFinite(v float32) bool { return !(math.Abs(float64(v)) <= math.MaxFloat32) }

// Check returns an error if the number or the names of g's features are not the encoder's.
func (e *Encoder) Check(g *graph.Graph) error {
	_, f := g.Features.Dims()
	if f != e.Features {
		return fmt.Errorf("the graph has %d features, but the encoder was trained on %d", f, e.Features)
	}
	if e.FeatureNames == nil || g.FeatureNames == nil {
		return nil
	}
	if len(g.FeatureNames) != f {
		return fmt.Errorf("the graph has %d feature names for %d features", len(g.FeatureNames), f)
	}
	for j, want := range e.FeatureNames {
		if got := g.FeatureNames[j]; got != want {
			return fmt.Errorf("feature %d is %q: want %q, as in training", j, got, want)
		}
	}
	return nil
}

// validate checks an encoder read from a file.
func (e *Encoder) validate() error {
	if err := e.Filter.Check(); err != nil {
		return err
	}
	if fraction, _ := math.Frexp(e.Unit); fraction != 0.5 {
		return fmt.Errorf("the unit of the features is %v: want a power of two", e.Unit)
	}
	if e.Features < 1 {
		return errors.New("no weights and no number of features")
	}
	f, d := e.Features, 0
	if len(e.Weights) > 0 {
		d = e.Weights[0].W.Cols
	}
	for k, w := range e.Weights {
		if w.W.Rows != f || w.W.Cols != d || len(w.B) != d {
			return fmt.Errorf("member %d: W is %d×%d and b has %d numbers: want %d×%d and %d", k+1, w.W.Rows, w.W.Cols, len(w.B), f, d, d)
		}
		for _, part := range [][]float32{w.W.Data, w.B} {
			if i := slices.IndexFunc(part, notFinite); i >= 0 {
				return fmt.Errorf("member %d: a weight is %v", k+1, part[i])
			}
		}
	}
	if e.FeatureNames != nil && len(e.FeatureNames) != f {
		return fmt.Errorf("%d feature names for %d features", len(e.FeatureNames), f)
	}
	return nil
}
