package method

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// gala is the symmetric graph convolutional autoencoder of Park, Lee, Chang, Lee and
// Choi (Symmetric Graph Convolutional Autoencoder for Unsupervised Graph Representation
// Learning, ICCV 2019, arXiv:1908.02441). The layers of its encoder smooth and those of
// its decoder sharpen,
//
//	H = φ(ŜXW₁ + b₁),  Z = ŜHW₂ + b₂,  Ŝ = D̃^-½(A+I)D̃^-½,
//	Y = φ(T̂ZW₃ + b₃),  X̄ = T̂YW₄ + b₄,  T̂ = D̂^-½(2I−A)D̂^-½,  D̂ = D + 2I,
//
// with φ = ReLU, and it is trained to reconstruct the features, L = ‖X−X̄‖²/2n. T̂ is I
// minus the normalized Laplacian of a signed graph. Its response rises with the
// frequency of a signal but stays within −1 and 1; plain sharpening, 2I − D^-½AD^-½,
// reaches 3. The embedding is Z. X is divided by its unit ([graph.FeatureUnit]).
//
// For link prediction the loss also has the mean cross entropy of σ(ZZᵗ) over the edges
// plus that over all other pairs, which is twice [gae]'s loss. The paper does not give
// its weight.
//
// The paper does not give its widths, epochs and clustering of these data sets. The
// settings of fair mode are ours: a quarter of the widths of a public code for Cora
// (daniel-unyi-42/GALA), ten times its learning rate, and the number of epochs that, on
// Cora, best reconstructs the features of a tenth of the nodes, left out of the loss:
// this needs no labels. With more epochs, Z takes up what sets single nodes apart.
//
// Published mode is that public code: the widths 1600 and 400, 1000 epochs, the loss of
// the edges also for clusters, and k-means of Z with 20 starts. The code draws as many
// other pairs as there are edges, anew in each epoch, to estimate the mean over all
// pairs; here it is exact. It takes about a hundred times as long as fair mode. The
// code's author reported that an earlier version did not reach the paper's scores.
type gala struct {
	Hidden       int     `json:"hidden"`        // width of H and Y; default 400, published 1600
	Dims         int     `json:"dims"`          // width of the embedding; default 100, published 400
	Epochs       int     `json:"epochs"`        // of one step each; default 55, published 1000
	LearningRate float64 `json:"learning_rate"` // Adam's; default 0.001, published 0.0001
	Published    bool    `json:"published"`     // published mode
}

// newGALA returns the method's settings: those of s that apply, and defaults for the others.
func newGALA(s Settings) gala {
	if s.Published {
		return gala{Hidden: 1600, Dims: 400, Epochs: s.epochs(1000), LearningRate: 0.0001, Published: true}
	}
	return gala{Hidden: 400, Dims: 100, Epochs: s.epochs(55), LearningRate: 0.001}
}

// fit implements [fitter].
func (m gala) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := cmp.Or(checkAtLeast("hidden", m.Hidden, 1), checkAtLeast("dims", m.Dims, 1), checkSchedule(m.Epochs, m.LearningRate)); err != nil {
		return nil, err
	}
	n, f := g.Features.Dims()
	// Matrices of the features' size, weights and what a step computes with nodes and edges.
	bytes := 6*device.Floats(n, f) + 8*device.Floats(n+f, m.Hidden) + 4*device.Floats(n+g.Adjacency.NNZ(), m.Hidden)
	return o.train(ctx, g, bytes, func(t *trainer) model {
		embedding, update := m.model(t, g)
		trained := model{
			epochs: m.Epochs,
			epoch:  func(int, *rand.Rand) (float64, error) { return update.take(ctx) },
			embed:  func() (blas32.General, error) { return t.evaluate(embedding) },
		}
		if m.Published && o.Clusters > 0 {
			const starts = 20
			trained.clusters = func(z blas32.General) ([]int, error) { return o.kMeans(ctx, z, starts) }
		}
		return trained
	})
}

// model adds the network's weights to a trainer and returns graph code of the embedding, and the
// training's step.
func (m gala) model(t *trainer, g *graph.Graph) (embedding func(*nodes) *Node, update *adamStep) {
	// The loss of the edges. The interface is nil without it, as a nil *adjacency in it would not be.
	var pairs pairObjective
	if m.Published || t.o.Split != nil {
		edges := newAdjacency(g.Adjacency, 0)
		edges.c *= 2 // GAE's loss is half the sum of the two means
		pairs = edges
	}
	rnd := source(t.o.Seed)
	_, f := g.Features.Dims()
	smoothing := laplacian.New(g.Adjacency).FilterMatrix(1)
	target := graph.NormalizedFeatures(g.Features).ToDense()
	padded := linalg.New(target.Rows, f) // mulSparse reads whole tiles of columns
	linalg.CopyRows(linalg.From32(padded), linalg.From32(target))
	smoothed := linalg.New(target.Rows, f)
	mulSparse(smoothed, smoothing, padded)
	x, input := t.matrix(target), t.matrix(smoothed)
	smooth, sharpen := t.sparse(smoothing), t.sparse(sharpening(g.Adjacency))
	// A layer applies its filter to the narrower of its input and its output, because that is cheaper;
	// the first to its input, once for all epochs.
	type affine struct{ factors, bias weight } // W, b
	layer := func(inputs, outputs int) affine {
		return affine{t.glorot(inputs, outputs, rnd), t.weight(linalg.New(1, outputs))}
	}
	l1, l2 := layer(f, m.Hidden), layer(m.Hidden, m.Dims) // the encoder
	l3, l4 := layer(m.Dims, m.Hidden), layer(m.Hidden, f) // the decoder
	embedding = func(v *nodes) *Node {
		h := MaxScalar(Add(product(v.constant(input), v.weight(l1.factors)), v.weight(l1.bias)), 0)
		return Add(smooth.times(v, product(h, v.weight(l2.factors))), v.weight(l2.bias))
	}
	update = t.step(loss{
		graph: func(v *nodes) (*Node, *Node) {
			z := embedding(v)
			y := MaxScalar(Add(product(sharpen.times(v, z), v.weight(l3.factors)), v.weight(l3.bias)), 0)
			error := Sub(Add(product(sharpen.times(v, y), v.weight(l4.factors)), v.weight(l4.bias)), v.constant(x))
			return z, MulScalar(ReduceAllSum(ReduceSum(Square(error), -1)), 0.5/float64(g.N()))
		},
		pairs: pairs,
	}, m.LearningRate, 0)
	return embedding, update
}

// sharpening returns T̂ = D̂^-½(2w̄I−A)D̂^-½, D̂ = D + 2w̄I, where w̄ is the mean weight of the edges: 1
// if they have no weights.
func sharpening(a *graph.CSR) *graph.CSR {
	scale, loop := make([]float64, a.Rows), 2*a.MeanWeight() // the diagonals of D̂^-½ and 2w̄I
	for i := range scale {
		degree := loop
		for _, v := range a.Each(i) {
			degree += float64(v)
		}
		scale[i] = 1 / math.Sqrt(degree)
	}
	entries := make([]graph.Entry, 0, a.NNZ()+a.Rows)
	for i, s := range scale {
		entries = append(entries, graph.Entry{Row: int32(i), Col: int32(i), Value: float32(loop * s * s)})
		for j, v := range a.Each(i) {
			entries = append(entries, graph.Entry{Row: int32(i), Col: int32(j), Value: float32(-s * float64(v) * scale[j])})
		}
	}
	return graph.FromEntries(a.Rows, a.Cols, entries)
}
