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

// dgi is Deep Graph Infomax by Veličković, Fedus, Hamilton, Liò, Bengio and Hjelm (ICLR
// 2019, arXiv:1809.10341). A graph convolution
//
//	H = φ(ŜXW + b),  φ(y) = max(y, 0) + a·min(y, 0),  X with rows of sum 1,
//
// with a trained a (PReLU) is trained to tell the graph's nodes from those of a
// corrupted graph, H̃, with the rows of X in an order drawn anew in each epoch. A
// node's score is hᵀMc + e, with the summary c = σ(mean of the rows of H):
//
//	L = mean over all 2n nodes of softplus(−score) for H, softplus(score) for H̃.
//
// The training ends when the loss has reached no new minimum for Patience epochs, and
// the embedding is the H of the minimum. This uses no labels.
//
// The defaults are the authors', for all graphs. Their code does not cluster. Published
// mode is PyAGC's, which others compare with: k-means of rows of length 1 with ten
// starts (Cora .722/.562/.520).
type dgi struct {
	Dims         int     `json:"dims"`          // width of the embedding; default 512
	Epochs       int     `json:"epochs"`        // at most, of one step each; default 10000
	Patience     int     `json:"patience"`      // epochs without a lower loss that end the training; default 20
	LearningRate float64 `json:"learning_rate"` // Adam's; default 0.001
	Published    bool    `json:"published"`     // published mode
}

// newDGI returns the method's settings: those of s that apply, and defaults for the others.
func newDGI(s Settings) dgi {
	return dgi{Dims: 512, Epochs: s.epochs(10000), Patience: 20, LearningRate: 0.001, Published: s.Published}
}

// fit implements [fitter].
func (m dgi) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	err := cmp.Or(checkAtLeast("dims", m.Dims, 1), checkAtLeast("patience", m.Patience, 1), checkSchedule(m.Epochs, m.LearningRate))
	if err != nil {
		return nil, err
	}
	// Two graphs, the given one and the corrupted one.
	bytes := layerBytes(g, m.Dims) + 8*device.Floats(2*(g.N()+g.Adjacency.NNZ()), m.Dims)
	return o.train(ctx, g, bytes, func(t *trainer) model {
		network := m.model(t, g)
		t.patience = m.Patience
		trained := model{epochs: m.Epochs, embed: network.embed, epoch: func(_ int, rnd *rand.Rand) (float64, error) {
			return network.update.take(ctx, network.drawCorrupted(rnd)...)
		}}
		if m.Published {
			const starts = 10
			trained.clusters = func(z blas32.General) ([]int, error) { return o.kMeans(ctx, linalg.Normalize(z), starts) }
		}
		return trained
	})
}

// infomax is the network of [dgi] in training.
type infomax struct {
	t                    *trainer
	x                    features
	filter               *graph.CSR // Ŝ
	weights, bias, slope weight     // W, b, a
	bilinear, offset     weight     // M, e
	// layer is graph code of ŜXW with that of the corrupted graph below; nil if the host
	// computes it.
	layer  func(v *nodes, w *Node) *Node
	update *adamStep
}

// model adds the network's weights and its kind of step to the trainer t, and returns the network.
func (m dgi) model(t *trainer, g *graph.Graph) *infomax {
	rnd := source(t.o.Seed)
	c := &infomax{t: t, x: unitSums(g.Features), filter: laplacian.New(g.Adjacency).FilterMatrix(1)}
	c.weights = t.glorot(c.x.f, m.Dims, rnd)
	c.bias = t.weight(linalg.New(1, m.Dims))
	slope := linalg.New(1, 1)
	slope.Data[0] = 0.25 // as in the authors' code
	c.slope = t.weight(slope)
	// The authors' code draws M from ±√(6/(d²+d)): it counts M as a tensor with
	// d² inputs and d outputs.
	bound := math.Sqrt(6 / float64(m.Dims*m.Dims+m.Dims))
	c.bilinear = t.weight(uniform(m.Dims, m.Dims, bound, rnd))
	c.offset = t.weight(linalg.New(1, 1))
	if t.isResident() {
		x, filter := t.features(c.x), t.sparse(c.filter)
		c.layer = func(v *nodes, w *Node) *Node {
			// Input 0 has two rows, from drawCorrupted: the order of the rows of X and its inverse.
			const order, inverse = 0, 1
			xw, orders := x.times(v, w), v.input(0)
			permuted := func(y *Node, k int) *Node { return Gather(y, Reshape(Slice(orders, AxisElem(k)), -1, 1)) }
			corrupted := withGradient(xw, permuted(xw, order), func(g *Node) *Node { return permuted(g, inverse) })
			// The columns of both graphs are filtered in one product. Then those of the corrupted
			// graph go below the others.
			both := filter.times(v, Concatenate([]*Node{xw, corrupted}, 1))
			return Concatenate([]*Node{Slice(both, AxisRange(), AxisRange(0, m.Dims)), Slice(both, AxisRange(), AxisRange(m.Dims))}, 0)
		}
	}
	c.update = t.step(loss{graph: c.loss}, m.LearningRate, 0)
	return c
}

// loss returns the L of [dgi], as the scalar of a [loss], without an embedding.
func (c *infomax) loss(v *nodes) (_, scalar *Node) {
	h, n := c.activation(v), c.x.n
	genuine, corrupted := Slice(h, AxisRange(0, n)), Slice(h, AxisRange(n))
	summary := Sigmoid(MulScalar(ReduceSum(genuine, 0), 1/float64(n)))
	judge := ExpandAxes(product(v.weight(c.bilinear), summary), -1) // Mc
	score := func(h *Node) *Node { return Add(product(h, judge), v.weight(c.offset)) }
	missed := ReduceAllMean(Softplus(Neg(score(genuine)))) // −log σ
	fooled := ReduceAllMean(Softplus(score(corrupted)))    // −log(1 − σ)
	return nil, MulScalar(Add(missed, fooled), 0.5)
}

// activation returns φ(Y + b) for the first layer's value Y: H after embed, and H with H̃ below
// it after drawCorrupted.
func (c *infomax) activation(v *nodes) *Node {
	y := Add(v.weight(c.weights), v.weight(c.bias))
	return Add(MaxScalar(y, 0), Mul(v.weight(c.slope), MinScalar(y, 0)))
}

// drawCorrupted draws the corrupted graph of a step. It returns the step's input, an array of two
// rows: the order of the rows of X and its inverse. It also sets the trainer's first layer to that
// of both graphs. There, on the host, the columns of the filter change their order instead of the
// rows of X, which has the same effect.
func (c *infomax) drawCorrupted(rnd *rand.Rand) (inputs []any) {
	order, inverse := make([]int32, c.x.n), make([]int32, c.x.n)
	for i, row := range rnd.Perm(c.x.n) {
		order[i] = int32(row)
		inverse[row] = int32(i)
	}
	shuffled := *c.filter // shares all but the columns of the entries
	shuffled.Indices = make([]int32, len(c.filter.Indices))
	for p, j := range c.filter.Indices {
		shuffled.Indices[p] = order[j]
	}
	c.t.layers[c.weights] = inputLayer{views: views{x: c.x, filters: []*graph.CSR{c.filter, &shuffled}}, code: c.layer}
	return []any{[][]int32{order, inverse}}
}

// embed returns H. It sets the trainer's first layer to that of the graph alone.
func (c *infomax) embed() (blas32.General, error) {
	c.t.layers[c.weights] = c.t.filtered(c.x, c.filter)
	return c.t.evaluate(c.activation)
}
