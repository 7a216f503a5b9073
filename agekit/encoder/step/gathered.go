package step

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
)

// gathered is the native training step for graphs with many more nodes than a batch. It
// copies the rows of X̃ of the batch's nodes and encodes only them, as if they were the whole
// graph, in a time that depends on the batch and not on n.
type gathered struct {
	*native                // the step on the copied rows
	x       blas32.General // X̃, n×f
	rows    dense          // the product with the copied rows of X̃
	places  *Placement
}

// NewGathered returns the native model that encodes only the nodes of a batch, for the smoothed
// features x, n×f.
func NewGathered(x blas32.General, start *State, s Steps) Model {
	maxNodes := min(2*s.Pairs, x.Rows)
	m := &gathered{
		native: newNative(maxNodes, start, s),
		x:      x,
		places: NewPlacement(x.Rows, maxNodes),
	}
	m.rows.x = blas32.General{Cols: x.Cols, Stride: x.Stride, Data: make([]float32, maxNodes*x.Stride)}
	m.product = &m.rows
	return m
}

func (m *gathered) Train(batches iter.Seq2[Batch, error], done func(losses []float64) error) error {
	return oneByOne(batches, done, func(b Batch) float64 { return m.step(m.setRows(b)) })
}

func (m *gathered) Gradients(b Batch) (float64, Weights, error) {
	return m.native.Gradients(m.setRows(b))
}

func (m *gathered) EmbedTo(ctx context.Context, z blas32.General, w Weights) error {
	return embedRows(ctx, z, m.x, tile(w))
}

// EmbedRows returns the embeddings of the rows of x, which are smoothed features laid out as
// [Input].Smoothed. Each embedding depends on its own row alone, bit by bit.
func EmbedRows(ctx context.Context, x blas32.General, w Weights) (blas32.General, error) {
	z := linalg.New(x.Rows, w.W.Cols)
	return z, embedRows(ctx, z, x, tile(w))
}

// embedRows writes the embeddings of the rows of x into z. It returns an error only if ctx is
// done before.
func embedRows(ctx context.Context, z, x blas32.General, weights tiled) error {
	return linalg.ParallelContext(ctx, z.Rows, RowGrain, func(lo, hi int) { embedBlock(z, x, weights, lo, hi) })
}

// embedBlock writes the embeddings of rows [lo, hi) of x into the same rows of z.
func embedBlock(z, x blas32.General, weights tiled, lo, hi int) {
	multiplyRows(z, x, weights.w, lo, hi)
	for i := lo; i < hi; i++ {
		weights.scaleRow(linalg.Row(z, i), z.Cols)
	}
}

// Embedding returns a source of the embeddings of x's rows, with the bytes of [EmbedRows],
// which computes each block when the block is asked for. Rows of a block are padded with zeros
// to a multiple of simd.Lanes.
func Embedding(x linalg.Source, w Weights) linalg.Source {
	e := &embedding{x: x, weights: tile(w), d: w.W.Cols}
	e.buffers.New = func() any { b := make([]float32, linalg.BlockRows*linalg.BlockStride(x)); return &b }
	return e
}

// embedding computes embeddings block by block.
type embedding struct {
	x       linalg.Source // smoothed features
	weights tiled
	d       int       // dimensions
	buffers sync.Pool // of *[]float32, for blocks of x
}

// Dims returns the number of rows of x and the dimensions.
func (e *embedding) Dims() (n, cols int) {
	n, _ = e.x.Dims()
	return n, e.d
}

// Block returns the embeddings of rows [lo, hi), in the buffer.
func (e *embedding) Block(buffer []float32, lo, hi int) blas32.General {
	z := linalg.Shape(hi-lo, e.d)
	z.Data = buffer[:z.Rows*z.Stride]
	var buffered []float32 // for rows that are not in memory
	if _, ok := e.x.(linalg.InMemory); !ok {
		b := e.buffers.Get().(*[]float32)
		defer e.buffers.Put(b)
		buffered = *b
	}
	embedBlock(z, e.x.Block(buffered, lo, hi), e.weights, 0, z.Rows)
	return z
}

func (m *gathered) Product() string {
	return fmt.Sprintf("smoothed beforehand, gathered for each batch (at most %d multiply-adds a column)", len(m.length)*m.x.Cols)
}

// setRows copies the rows of X̃ of the batch's nodes into m.rows and sets the number of rows of
// the native step, its workspace included, to that of these nodes. It returns the batch with
// nodes renumbered as indices of the copied rows.
func (m *gathered) setRows(b Batch) Batch {
	local, nodes := m.places.Local(b)
	m.n = len(nodes)
	m.z.Rows, m.gradient.Rows = m.n, m.n
	m.rows.x.Rows = m.n
	linalg.Parallel(m.n, RowGrain, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			copy(m.rows.x.Data[r*m.x.Stride:][:m.x.Stride], m.x.Data[int(nodes[r])*m.x.Stride:])
		}
	})
	return local
}

// Placement renumbers the nodes of a batch, for models that encode only these nodes.
type Placement struct {
	place []int32 // of each of all n nodes, its index in nodes, or −1; all −1 between calls
	nodes []int32 // the batch's distinct nodes, in the order in which they first appear
}

// NewPlacement returns a placement for batches with at most `most` of n nodes.
func NewPlacement(n, most int) *Placement {
	p := &Placement{place: make([]int32, n), nodes: make([]int32, 0, most)}
	for i := range p.place {
		p.place[i] = -1
	}
	return p
}

// Local returns a copy of the batch with each node replaced by its index among the batch's
// distinct nodes, and the slice of these nodes, which is valid until the next call.
func (p *Placement) Local(b Batch) (Batch, []int32) {
	p.nodes = p.nodes[:0]
	local := Batch{I: make([]int32, len(b.I)), J: make([]int32, len(b.J)), Labels: b.Labels}
	placeOf := func(node int32) int32 {
		if p.place[node] < 0 {
			p.place[node] = int32(len(p.nodes))
			p.nodes = append(p.nodes, node)
		}
		return p.place[node]
	}
	for k := range b.I {
		local.I[k], local.J[k] = placeOf(b.I[k]), placeOf(b.J[k])
	}
	for _, node := range p.nodes {
		p.place[node] = -1
	}
	return local, p.nodes
}
