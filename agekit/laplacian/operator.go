package laplacian

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Operator is L̃sym = I − D̃^-½(A + w̄I)D̃^-½ of a graph with n nodes, where w̄ is the mean of
// the edges' weights, the paper's 1 without weights, and D̃ has the sums of the rows of
// A + w̄I. Its eigenvalues lie in [0, 2).
type Operator struct {
	adjacency *graph.CSR
	loop      float64 // w̄
	// scale holds D̃^-½.
	scale []float64
	// levels hold scale in little memory, from the first filterRows on; nil if they cannot,
	// and for a graph with weights.
	levels *levels
	once   sync.Once
	// old is the number of nodes that [Extended] keeps as they were; 0 for L̃sym.
	old int
}

// New returns the operator of a symmetric adjacency matrix without self loops.
func New(adjacency *graph.CSR) *Operator { return Extended(adjacency, 0) }

// WithScale returns the operator of an adjacency matrix whose D̃^-½ (scale) and mean weight w̄ of the edges
// are known already, as for a graph on disk.
func WithScale(adjacency *graph.CSR, scale []float64, meanWeight float64) *Operator {
	return &Operator{adjacency: adjacency, loop: meanWeight, scale: scale}
}

// Extended returns the operator of a graph that grew: the nodes from old on are new. The
// rows of the old nodes are those of L̃sym of the graph that they make alone, so that nothing
// new changes them, and the rows of the new nodes are as usual, with the degrees that the
// old nodes had. It is for [Filter.SmoothTo], which then gives the new nodes' rows only.
func Extended(adjacency *graph.CSR, old int) *Operator {
	op := &Operator{adjacency: adjacency, loop: adjacency.MeanWeight(), scale: make([]float64, adjacency.Rows), old: old}
	if old > 0 && adjacency.Values != nil {
		op.loop = meanWeight(adjacency, old)
	}
	for i := range op.scale {
		degree := op.loop
		for j, w := range adjacency.Each(i) {
			if i >= old || j < old {
				degree += float64(w)
			}
		}
		op.scale[i] = 1 / math.Sqrt(degree)
	}
	return op
}

// meanWeight returns the mean weight of the edges between the nodes 0 to first−1; 1 if there are none.
func meanWeight(a *graph.CSR, first int) float64 {
	sum, count := 0., 0
	for i := range first {
		for j, w := range a.Each(i) {
			if j < first {
				sum += float64(w)
				count++
			}
		}
	}
	if count == 0 {
		return 1
	}
	return sum / float64(count)
}

// Dim returns n.
func (op *Operator) Dim() int { return len(op.scale) }

// Scale returns the n numbers of D̃^-½, which [WithScale] takes.
func (op *Operator) Scale() []float64 { return slices.Clone(op.scale) }

// Dense returns L̃sym of a small graph as a dense matrix, n×n. For others, use its products
// ([Operator.MulTo]).
func (op *Operator) Dense() *mat.SymDense {
	l := mat.NewSymDense(op.Dim(), nil)
	column, unit := mat.NewVecDense(op.Dim(), nil), mat.NewVecDense(op.Dim(), nil)
	for j := range op.Dim() {
		unit.SetVec(j, 1)
		op.MulVecTo(column, false, unit)
		unit.SetVec(j, 0)
		for i := range j + 1 {
			l.SetSym(i, j, column.AtVec(i))
		}
	}
	return l
}

// MulTo sets dst = L̃sym·x for n×b matrices, or returns the context's error.
func (op *Operator) MulTo(ctx context.Context, dst, x blas64.General) error {
	n := len(op.scale)
	if x.Rows != n || dst.Rows != n || x.Cols != dst.Cols {
		panic(mat.ErrShape)
	}
	scaled := make([]float64, n)
	for c := range x.Cols {
		for i, s := range op.scale {
			scaled[i] = s * x.Data[i*x.Stride+c]
		}
		const grain = 1 << 14 // rows: about 100 µs of work
		err := linalg.ParallelContext(ctx, n, grain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				sum := op.loop * scaled[i]
				columns, weights := op.adjacency.Row(i)
				for p, j := range columns {
					if weights == nil {
						sum += scaled[j]
					} else {
						sum += float64(weights[p]) * scaled[j]
					}
				}
				dst.Data[i*dst.Stride+c] = x.Data[i*x.Stride+c] - op.scale[i]*sum
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// MulVecTo stores L̃sym·x in dst, for gonum's linsolve.MulVecToer. The operator is
// symmetric, so it ignores trans.
func (op *Operator) MulVecTo(dst *mat.VecDense, _ bool, x mat.Vector) {
	if dst.IsEmpty() {
		dst.ReuseAsVec(len(op.scale))
	}
	from, product := mat.VecDenseCopyOf(x), dst.RawVector()
	// The context is never done, so there is no error.
	_ = op.MulTo(context.Background(), blas64.General{Rows: dst.Len(), Cols: 1, Stride: product.Inc, Data: product.Data},
		blas64.General{Rows: from.Len(), Cols: 1, Stride: 1, Data: from.RawVector().Data})
}

// FilterEntries returns the number of entries of FilterMatrix.
func (op *Operator) FilterEntries() int { return op.adjacency.NNZ() + op.adjacency.Rows }

// FilterMatrix returns H = I − k·L̃sym: two entries per edge and one per node.
func (op *Operator) FilterMatrix(k float64) *graph.CSR {
	n := op.adjacency.Rows
	h := &graph.CSR{
		Rows: n, Cols: n, Indptr: make([]int, 1, n+1),
		Indices: make([]int32, 0, op.FilterEntries()), Values: make([]float32, 0, op.FilterEntries()),
	}
	op.addRows(h, k, 0, n)
	return h
}

// filterRows sets h to rows [lo, hi) of [Operator.FilterMatrix] and reuses the memory of h, so that a filter
// needs no matrix of the size of the graph.
func (op *Operator) filterRows(h *graph.CSR, k float64, lo, hi int) {
	h.Indptr, h.Indices, h.Values = append(h.Indptr[:0], 0), h.Indices[:0], h.Values[:0]
	op.once.Do(func() {
		if op.adjacency.Values == nil {
			op.levels = newLevels(op.scale)
		}
	})
	op.addRows(h, k, lo, hi)
}

// addRows appends rows [lo, hi) of H = I − k·L̃sym to those of h.
func (op *Operator) addRows(h *graph.CSR, k float64, lo, hi int) {
	room := op.adjacency.Indptr[hi] - op.adjacency.Indptr[lo] + hi - lo
	indices, values := slices.Grow(h.Indices, room), slices.Grow(h.Values, room)
	for i := lo; i < hi; i++ {
		columns, weights := op.adjacency.Row(i)
		if i < op.old { // without the new nodes, whose columns are the last
			end, _ := slices.BinarySearch(columns, int32(op.old))
			columns = columns[:end]
		}
		s := op.scale[i]
		diagonal := 1 - k*(1-op.loop*s*s)                   // 1 for a node without edges, whatever k is
		before, _ := slices.BinarySearch(columns, int32(i)) // entries left of the diagonal
		first := len(indices)                               // the row's first entry
		indices = append(append(append(indices, columns[:before]...), int32(i)), columns[before:]...)
		values = values[:len(indices)]
		op.scaleRow(values[first:first+before], k*s, columns[:before], weights)
		values[first+before] = float32(diagonal)
		if weights != nil {
			weights = weights[before:]
		}
		op.scaleRow(values[first+before+1:], k*s, columns[before:], weights)
		h.Indptr = append(h.Indptr, len(indices))
	}
	h.Indices, h.Values = indices, values
}

// scaleRow sets dst[p] to ks·w·D̃^-½ of node columns[p], where w is weights[p], or 1 if weights is nil.
func (op *Operator) scaleRow(dst []float32, ks float64, columns []int32, weights []float32) {
	dst = dst[:len(columns)]
	switch l := op.levels; {
	case l != nil: // there are no weights
		for p, j := range columns {
			dst[p] = float32(ks * l.values[l.levelOf[j]])
		}
	case weights == nil:
		for p, j := range columns {
			dst[p] = float32(ks * op.scale[j])
		}
	default:
		weights = weights[:len(columns)]
		for p, j := range columns {
			dst[p] = float32(ks * float64(weights[p]) * op.scale[j])
		}
	}
}

// levels hold D̃^-½ in two bytes a node. Its numbers follow from the degrees, and a graph without weights has
// few different degrees. The filter reads a number at random for each edge: where all of them do not fit
// into a cache, it would spend more time waiting for memory than on the product.
type levels struct {
	levelOf []uint16          // each node's level
	values  *[1 << 16]float64 // each level's D̃^-½
}

// newLevels returns the levels of scale, D̃^-½. It returns nil if scale has more different values than the
// 65,536 that two bytes tell apart.
func newLevels(scale []float64) *levels {
	l := &levels{levelOf: make([]uint16, len(scale)), values: new([1 << 16]float64)}
	mapped.LargePages(l.levelOf)
	known := map[float64]uint16{}
	for i, s := range scale {
		level, ok := known[s]
		if !ok {
			if len(known) == len(l.values) {
				return nil
			}
			level = uint16(len(known))
			known[s], l.values[level] = level, s
		}
		l.levelOf[i] = level
	}
	return l
}

// RayleighQuotient returns R(L̃sym, x) = xᵀL̃sym x / xᵀx (paper, equation 1), the smoothness
// of a signal: 0 for the smoothest, below 2 for the roughest, NaN for the zero signal.
func (op *Operator) RayleighQuotient(x []float64) float64 {
	v := mat.NewVecDense(len(x), x)
	var lx mat.VecDense
	op.MulVecTo(&lx, false, v)
	return mat.Dot(v, &lx) / mat.Dot(v, v)
}

// RayleighQuotients returns the Rayleigh quotient of each column of the n×f matrix x.
func (op *Operator) RayleighQuotients(x blas32.General) []float64 {
	if x.Rows != len(op.scale) {
		panic(fmt.Sprintf("laplacian: %d rows for %d nodes", x.Rows, len(op.scale)))
	}
	s := op.FilterMatrix(1) // D̃^-½(A+I)D̃^-½, so that xᵀL̃x = xᵀx − xᵀSx
	quotients := make([]float64, x.Cols)
	linalg.Parallel(x.Cols, simd.TileWidth, func(lo, hi int) {
		row := func(i int) []float32 { return x.Data[i*x.Stride+lo : i*x.Stride+hi] }
		norm, inner := make([]float64, hi-lo), make([]float64, hi-lo)
		for i := range x.Rows {
			xi := row(i)
			for c, v := range xi {
				norm[c] += float64(v) * float64(v)
			}
			columns, values := s.Row(i)
			for p, j := range columns {
				w := float64(values[p])
				for c, v := range row(int(j)) {
					inner[c] += w * float64(xi[c]) * float64(v)
				}
			}
		}
		for c := range norm {
			quotients[lo+c] = (norm[c] - inner[c]) / norm[c]
		}
	})
	return quotients
}
