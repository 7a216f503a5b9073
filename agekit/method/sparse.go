package method

import (
	"github.com/agekit/age/agekit/graph"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// sparse is a constant sparse matrix in graph code, of which each entry has a row, a column
// and a value. Entries are in the order of their rows.
type sparse struct {
	rows, cols ends
	values     constant // [entries, 1]
}

// sparse returns a matrix as graph code. It adds the matrix to the trainer's constants, unless it has
// done so before.
func (t *trainer) sparse(a *graph.CSR) sparse {
	if s, ok := t.matrices[a]; ok {
		return s
	}
	rows, cols := make([]int32, 0, a.NNZ()), make([]int32, 0, a.NNZ())
	values := make([]float32, 0, a.NNZ())
	for i := range a.Rows {
		for j, v := range a.Each(i) {
			rows = append(rows, int32(i))
			cols = append(cols, int32(j))
			values = append(values, v)
		}
	}
	s := sparse{
		rows:   t.ends(rows, a.Rows, true),
		cols:   t.ends(cols, a.Cols, false),
		values: t.addConstant(tensors.FromFlatDataAndDimensions(values, len(values), 1)),
	}
	t.matrices[a] = s
	return s
}

// times returns a·y.
//
//	y: [width, d] → [height, d]
func (a sparse) times(v *nodes, y *Node) *Node { return a.timesWith(v, v.constant(a.values), y) }

// timesWith returns a·y, with the given values in place of those of a's entries.
//
//	values: [entries, 1], y: [width, d] → [height, d]
func (a sparse) timesWith(v *nodes, values, y *Node) *Node {
	return a.rows.sum(v, Mul(a.cols.spread(v, y), values))
}

// timesT returns aᵗ·y.
//
//	y: [height, d] → [width, d]
func (a sparse) timesT(v *nodes, y *Node) *Node {
	return a.cols.sum(v, Mul(a.rows.spread(v, y), v.constant(a.values)))
}

// ends are the indices of the rows, or of the columns, of a sparse matrix's entries: one of the two
// ends of each edge.
type ends struct {
	index    constant // [entries, 1]
	count    int      // of the matrix's rows or columns
	isSorted bool
	lists    []constant // the levels of sumLists, for sumInOrder; empty: sums have no fixed order
}

// ends adds the indices of the rows or columns of entries to the constants. index has one for each
// entry, below count. If the weights are on the device ([trainer.isResident]), sums get a fixed order.
func (t *trainer) ends(index []int32, count int, isSorted bool) ends {
	e := ends{index: t.addConstant(tensors.FromFlatDataAndDimensions(index, len(index), 1)), count: count, isSorted: isSorted}
	if t.isResident() {
		for _, level := range sumLists(index, count) {
			e.lists = append(e.lists, t.addConstant(tensors.FromFlatDataAndDimensions(level.terms, len(level.terms)/level.width, level.width)))
		}
	}
	return e
}

// spread returns, for each entry, the row of y that the entry's index says.
//
//	y: [count, d] → [entries, d]
func (e ends) spread(v *nodes, y *Node) *Node {
	each := func(y *Node) *Node { return Gather(y, v.constant(e.index), e.isSorted) }
	if e.lists == nil {
		return each(y)
	}
	return withGradient(y, each(y), func(g *Node) *Node { return e.sumInOrder(v, g) })
}

// sum returns, for each index, the sum of the terms of the entries with this index. It is the
// transpose of [ends.spread].
//
//	terms: [entries, d] → [count, d]
func (e ends) sum(v *nodes, terms *Node) *Node {
	if e.lists == nil {
		return Scatter(v.constant(e.index), terms, shapes.Make(terms.DType(), e.count, terms.Shape().Dim(1)), e.isSorted, false)
	}
	return withGradient(terms, e.sumInOrder(v, terms), func(g *Node) *Node { return Gather(g, v.constant(e.index), e.isSorted) })
}
