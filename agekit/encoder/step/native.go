package step

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// Native is this package's own backend: sparse SIMD code on the CPU.
var Native Backend = nativeBackend{}

type nativeBackend struct{}

func (nativeBackend) Name() string { return "native" }

// NewModel returns the model whose steps cost least: one that encodes all nodes in a step, or
// one that encodes only the nodes of a batch.
func (nativeBackend) NewModel(input *Input, start *State, s Steps) (Model, error) {
	if input.Smoothed.Cols != start.Weights.W.Rows {
		panic(fmt.Sprintf("affine: %d features, but weights with %d rows", input.Smoothed.Cols, start.Weights.W.Rows))
	}
	if gathers(input, s.Pairs) {
		rows := float64(min(2*s.Pairs, input.Smoothed.Rows))
		copied := 4 * rows * float64(input.Smoothed.Cols) // bytes
		if err := system.CheckMemory(fmt.Sprintf("the features of the nodes of %d pairs (lower batch_size)", s.Pairs), copied); err != nil {
			return nil, err
		}
		return NewGathered(input.Smoothed, start, s), nil
	}
	m := newNative(input.Smoothed.Rows, start, s)
	m.product = newProduct(input)
	return m, nil
}

// Embedder returns a function that writes the embeddings of all nodes, with weights w of d
// dimensions, into z. The function computes whichever costs less: Hᵗ(XW), or X̃W with smoothed
// features that Embedder computes beforehand. Of input.Smoothed, only the shape is read.
func Embedder(ctx context.Context, input *Input, d int) (func(ctx context.Context, z blas32.General, w Weights) error, error) {
	if filteredCost(input) < denseCost(input) {
		n := input.Smoothed.Rows
		m := &native{n: n, d: d, product: newProduct(input), length: make([]float32, n), lowest: make([]int, n)}
		return m.EmbedTo, nil
	}
	x, err := input.Smooth(ctx)
	return func(ctx context.Context, z blas32.General, w Weights) error { return embedRows(ctx, z, x, tile(w)) }, err
}

// native is the training step on the CPU without GoMLX. With sparse features it need
// not use X̃: Z = Hᵗ(XW) + b and dW = Xᵗ(Hᵗ dZ) are the same function with a fraction of
// the arithmetic (on Cora, one twenty-fifth). Contiguous n×64 tiles of columns, which
// stay in a core's cache through all layers, are distributed over the cores.
type native struct {
	product      product
	n, d         int // rows that a step encodes, and dimensions
	loss         Loss
	learningRate float64

	// The state, in tiles: tile c holds columns 64c to 64c+63 of W, f×64.
	weights, first, second tiled // the parameters, and Adam's first and second moments
	steps                  int

	// Workspace, reused between steps.
	z, gradient blas32.General // Ẑ, and the gradient with respect to Ẑ and then to Z
	length      []float32      // |z−min z| of each row
	lowest      []int          // position of each row's minimum
	pairs       pairGradient
}

// tiled holds weights W and b in tiles.
type tiled struct {
	w [][]float32 // the tiles of W, f×64 each, row by row
	b []float32   // padded to a multiple of simd.Lanes
}

// newNative returns a model that encodes up to n rows in a step. The caller sets its product.
func newNative(n int, start *State, s Steps) *native {
	d := start.Weights.W.Cols
	return &native{
		n: n, d: d, loss: s.Loss, learningRate: s.LearningRate,
		weights: tile(start.Weights), first: tile(start.First), second: tile(start.Second), steps: start.Steps,
		z: linalg.New(n, d), gradient: linalg.New(n, d), length: make([]float32, n), lowest: make([]int, n),
	}
}

func (m *native) Train(batches iter.Seq2[Batch, error], done func(losses []float64) error) error {
	return oneByOne(batches, done, m.step)
}

// oneByOne calls step with each batch and passes the loss that step returns to done. The first
// error of the batches or of done ends it.
func oneByOne(batches iter.Seq2[Batch, error], done func(losses []float64) error, step func(Batch) float64) error {
	for b, err := range batches {
		if err != nil {
			return err
		}
		if err := done([]float64{step(b)}); err != nil {
			return err
		}
	}
	return nil
}

// step takes one training step on the batch and returns the mean loss before the step.
func (m *native) step(b Batch) (loss float64) {
	m.encode(m.z, m.weights)
	loss = m.pairs.compute(m.z, b, m.loss, m.gradient)
	m.rowsBackward()
	m.steps++
	rates := simd.AdamRatesAt(m.learningRate, m.steps)
	m.product.backward(m.gradient, func(tile int, gradient []float32) {
		simd.Adam(m.weights.w[tile], gradient, m.first.w[tile], m.second.w[tile], rates)
	})
	simd.Adam(m.weights.b, m.biasGradient(), m.first.b, m.second.b, rates)
	return loss
}

// Gradients computes what step does, without the steps of Adam.
func (m *native) Gradients(b Batch) (float64, Weights, error) {
	m.encode(m.z, m.weights)
	loss := m.pairs.compute(m.z, b, m.loss, m.gradient)
	m.rowsBackward()
	tiles := make([][]float32, len(m.weights.w))
	m.product.backward(m.gradient, func(tile int, gradient []float32) {
		tiles[tile] = append([]float32(nil), gradient...)
	})
	return loss, tiled{tiles, m.biasGradient()}.weights(m.d), nil
}

// EmbedTo checks the context only once, because it takes no longer than a step.
func (m *native) EmbedTo(ctx context.Context, z blas32.General, w Weights) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.encode(z, tile(w))
	return nil
}

func (m *native) Weights() (Weights, error) { return m.weights.weights(m.d), nil }

func (m *native) State() (*State, error) {
	return &State{m.weights.weights(m.d), m.first.weights(m.d), m.second.weights(m.d), m.steps}, nil
}

func (m *native) Select(ctx context.Context, z blas32.General, positives, negatives float64, o pairs.Options) (*pairs.Selection, error) {
	return pairs.Select(ctx, z, positives, negatives, o)
}

func (m *native) Product() string { return m.product.String() }
func (m *native) Usage() Usage    { return Usage{} }
func (m *native) Close()          {}

// encode writes the embeddings of all m.n rows into z, and what rowsBackward needs into
// m.length and m.lowest.
func (m *native) encode(z blas32.General, weights tiled) {
	m.product.forward(z, weights.w, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			m.length[i], m.lowest[i] = weights.scaleRow(linalg.Row(z, i), m.d)
		}
	})
}

// scaleRow overwrites r, a row of X̃W of d elements and padding zeros, with the embedding ẑ. It
// returns the length |z − min z| and the position argmin of the minimum of z = r + b. The definition
// scales (z − min)/(max − min) to length 1, which is (z − min)/|z − min|: the range cancels. A
// constant row has length 0 and becomes zeros.
func (t tiled) scaleRow(r []float32, d int) (length float32, argmin int) {
	z := r[:d]
	simd.Axpy(1, t.b[:d], z)
	minimum, argmin := simd.Min(z)
	simd.ShiftScale(z, z, minimum, 1)
	length = float32(math.Sqrt(float64(simd.Dot(r, r)))) // of z: Dot needs whole lanes, and the padding of r is 0
	if length > 0 {
		simd.ShiftScale(z, z, 0, 1/length)
	}
	return length, argmin
}

// RowGrain is the number of rows that a worker takes at a time.
const RowGrain = 256

// rowsBackward overwrites m.gradient, the gradient with respect to Ẑ, with the gradient with
// respect to Z. For a row g and ẑ = u/|u| with u = z − min z, the gradient with respect to u is
// (g − (ẑ·g)ẑ)/|u|. Every element of u depends on the minimum, where the sum of that gradient is
// subtracted. Constant rows have none.
func (m *native) rowsBackward() {
	linalg.Parallel(m.n, RowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			g, z := linalg.Row(m.gradient, i), linalg.Row(m.z, i)
			if m.length[i] == 0 {
				clear(g)
				continue
			}
			scale := 1 / m.length[i]
			simd.Combine(g, scale, g, -scale*simd.Dot(g, z), z)
			g[m.lowest[i]] -= simd.Sum(g[:m.d])
		}
	})
}

// biasGradient returns the gradient with respect to b, padded as the tiled b is: the column sums
// of m.gradient. rowsBackward must have turned m.gradient into the gradient with respect to Z before.
// Each block of RowGrain rows has a sum of its own, and these are added in order, so that the number
// of cores does not change the result.
func (m *native) biasGradient() []float32 {
	blocks := (m.n + RowGrain - 1) / RowGrain
	sums := make([][]float32, blocks)
	linalg.Parallel(m.n, RowGrain, func(lo, hi int) {
		blockSum := make([]float32, len(m.weights.b))
		for i := lo; i < hi; i++ {
			simd.Axpy(1, linalg.Row(m.gradient, i), blockSum)
		}
		sums[lo/RowGrain] = blockSum
	})
	for _, blockSum := range sums[1:] {
		simd.Axpy(1, blockSum, sums[0])
	}
	return sums[0]
}

// tile returns a copy of the weights in tiles, with zeros beyond the last column.
func tile(w Weights) tiled {
	f, d := w.W.Rows, w.W.Cols
	t := tiled{w: make([][]float32, simd.Tiles(d)), b: make([]float32, simd.Padded(d))}
	copy(t.b, w.B)
	for c := range t.w {
		t.w[c] = make([]float32, f*simd.TileWidth)
		from := c * simd.TileWidth
		for j := range f {
			copy(t.w[c][j*simd.TileWidth:][:min(simd.TileWidth, d-from)], w.W.Data[j*w.W.Stride+from:])
		}
	}
	return t
}

// weights returns a copy of the first d columns of the tiles as a row-major matrix, and of b.
func (t tiled) weights(d int) Weights {
	f := len(t.w[0]) / simd.TileWidth
	w := NewWeights(f, d)
	copy(w.B, t.b)
	for c := range t.w {
		from := c * simd.TileWidth
		for j := range f {
			copy(w.W.Data[j*d+from:][:min(simd.TileWidth, d-from)], t.w[c][j*simd.TileWidth:])
		}
	}
	return w
}

// pairGradient turns a batch's pairs into the gradient with respect to the embeddings:
// the product of Ẑ with a sparse n×n matrix that has the derivative of a pair's loss at
// (i, j) and (j, i).
type pairGradient struct {
	matrix     graph.CSR
	derivative []float32 // of the mean loss with respect to each pair's similarity
	next       []int     // where build puts the next entry of each row
}

// compute writes the gradient of the batch's mean loss with respect to the embeddings z into
// gradient, and returns the mean loss.
func (p *pairGradient) compute(z blas32.General, b Batch, kind Loss, gradient blas32.General) float64 {
	count := len(b.I)
	p.derivative = resize(p.derivative, count)
	const grain = 1024 // pairs whose losses are added up by one core
	losses := make([]float64, (count+grain-1)/grain)
	linalg.Parallel(count, grain, func(lo, hi int) {
		var sum float64
		similarities := p.derivative[lo:hi] // each is overwritten by its derivative below
		simd.PairDots(similarities, z.Data, z.Stride, simd.Padded(z.Cols), b.I[lo:hi], b.J[lo:hi])
		for k := lo; k < hi; k++ {
			loss, derivative := pairLoss(kind, similarities[k-lo], b.Labels[k])
			sum += loss
			p.derivative[k] = derivative / float32(count)
		}
		losses[lo/grain] = sum
	})
	p.build(z.Rows, b)
	m := &p.matrix
	linalg.Parallel(simd.Tiles(z.Cols), 1, func(tile, _ int) {
		from := tile * simd.TileWidth
		simd.CSRTile(gradient.Data[from:], gradient.Stride, m.Indptr, m.Indices, m.Values, z.Data[from:], z.Stride, 0, z.Rows)
	})
	var total float64
	for _, l := range losses {
		total += l
	}
	return total / float64(count)
}

// build sets p.matrix, n×n, to p.derivative[k] at (i, j) and (j, i) for each pair k of the batch,
// grouped by row with a counting sort. A pair (i, i) correctly appears twice in row i: both of
// its ends are the same embedding.
func (p *pairGradient) build(n int, b Batch) {
	m := &p.matrix
	m.Rows, m.Cols = n, n
	m.Indptr, p.next = resize(m.Indptr, n+1), resize(p.next, n)
	m.Indices, m.Values = resize(m.Indices, 2*len(b.I)), resize(m.Values, 2*len(b.I))
	clear(m.Indptr)
	for k := range b.I {
		m.Indptr[b.I[k]+1]++
		m.Indptr[b.J[k]+1]++
	}
	for i := range n {
		m.Indptr[i+1] += m.Indptr[i]
	}
	copy(p.next, m.Indptr)
	put := func(i, j int32, v float32) {
		m.Indices[p.next[i]], m.Values[p.next[i]] = j, v
		p.next[i]++
	}
	for k := range b.I {
		put(b.I[k], b.J[k], p.derivative[k])
		put(b.J[k], b.I[k], p.derivative[k])
	}
}

// resize returns a slice of the given length, which reuses the memory of s if its capacity is
// large enough. The elements are arbitrary.
func resize[T any](s []T, length int) []T {
	if cap(s) < length {
		return make([]T, length)
	}
	return s[:length]
}
