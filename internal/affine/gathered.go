package affine

import (
	"context"
	"fmt"

	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
)

// gathered is the native training step for graphs with more nodes than a batch.
// It encodes only the batch's nodes, from their rows of X̃, as if they were the
// whole graph. The time per step does not depend on n.
type gathered struct {
	*native                // over the rows of the batch
	x       blas32.General // X̃, n×f
	rows    *gatheredRows
	places  *Placement
}

// NewGathered returns the native model that encodes only a batch's nodes, whatever
// their number, for batches of at most maxPairs pairs.
func NewGathered(x blas32.General, start *State, loss Loss, learningRate float64, maxPairs int) Model {
	most := 2 * maxPairs
	m := &gathered{
		native: &native{d: start.Weights.W.Cols, loss: loss, learningRate: learningRate},
		x:      x, rows: newGatheredRows(most, x.Cols), places: NewPlacement(x.Rows, most),
	}
	m.product = m.rows
	m.z, m.gradient = dense.New(most, m.d), dense.New(most, m.d)
	m.length, m.lowest = make([]float32, most), make([]int, most)
	m.setState(start)
	return m
}

func (m *gathered) Step(b Batch) (float64, error) { return m.native.Step(m.gather(b)) }

func (m *gathered) Gradients(b Batch) (float64, Weights, error) {
	return m.native.Gradients(m.gather(b))
}

func (m *gathered) EmbedTo(ctx context.Context, z blas32.General, w Weights) error {
	return embedRows(ctx, z, m.x, tile(w))
}

// embedRows writes the embeddings of the rows of x, using a dense product.
func embedRows(ctx context.Context, z, x blas32.General, weights tiled) error {
	return parallel.BlocksContext(ctx, z.Rows, RowGrain, func(lo, hi int) {
		for c, w := range weights.w {
			simd.DenseTile(z.Data[c*simd.TileWidth:], z.Stride, x.Data, x.Stride, x.Cols, w, simd.TileWidth, lo, hi)
		}
		for i := lo; i < hi; i++ {
			weights.scaleRow(dense.Row(z, i), z.Cols)
		}
	})
}

// gather copies the batch nodes' rows of X̃ into m.rows and returns the batch
// with its nodes renumbered as indices of these rows.
func (m *gathered) gather(b Batch) Batch {
	local, nodes := m.places.Local(b)
	m.n = len(nodes)
	m.z.Rows, m.gradient.Rows = m.n, m.n
	m.rows.fill(m.x, nodes)
	return local
}

// gatheredRows is the product with some rows of X̃. They are stored both by rows
// and by columns. The columns are stored in blocks of RowGrain rows, so that a
// block and the rows that it multiplies stay in a core's cache.
type gatheredRows struct {
	x       blas32.General // most×f
	columns []float32      // consecutive blocks, each f×RowGrain
}

func newGatheredRows(most, f int) *gatheredRows {
	blocks := (most + RowGrain - 1) / RowGrain
	return &gatheredRows{
		x:       blas32.General{Cols: f, Stride: f, Data: make([]float32, most*f)},
		columns: make([]float32, blocks*f*RowGrain),
	}
}

// fill copies the rows of the given nodes.
func (p *gatheredRows) fill(x blas32.General, nodes []int32) {
	f := x.Cols
	p.x.Rows = len(nodes)
	parallel.Blocks(len(nodes), RowGrain, func(lo, hi int) {
		columns := p.columns[lo*f:]
		for r, node := range nodes[lo:hi] {
			from := x.Data[int(node)*x.Stride:][:f]
			copy(p.x.Data[(lo+r)*f:], from)
			for j, v := range from {
				columns[j*RowGrain+r] = v
			}
		}
	})
}

func (p *gatheredRows) forward(dst []float32, stride int, w []float32) {
	simd.DenseTile(dst, stride, p.x.Data, p.x.Stride, p.x.Cols, w, simd.TileWidth, 0, p.x.Rows)
}

func (p *gatheredRows) backward(src []float32, stride int, use func([]float32)) {
	f := p.x.Cols
	total, part := make([]float32, f*simd.TileWidth), make([]float32, f*simd.TileWidth)
	for lo := 0; lo < p.x.Rows; lo += RowGrain {
		rows := min(RowGrain, p.x.Rows-lo)
		simd.DenseTile(part, simd.TileWidth, p.columns[lo*f:], RowGrain, rows, src[lo*stride:], stride, 0, f)
		simd.Axpy(1, part, total)
	}
	use(total)
}

func (p *gatheredRows) String() string {
	return fmt.Sprintf("smoothed beforehand, gathered for each batch (at most %d multiply-adds a column)", len(p.x.Data))
}
