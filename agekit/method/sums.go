package method

import (
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// sumInOrder returns the same as [ends.sum], added up in a fixed order, for ends with lists. (A
// scatter on a GPU adds in any order, so that two runs would not give the same bytes.)
//
//	terms: [entries, d] → [count, d]
func (e ends) sumInOrder(v *nodes, terms *Node) *Node {
	for _, list := range e.lists {
		// A row of zeros follows the terms. Short lists are filled up with its index (see sumList).
		// The concatenation also keeps XLA from fusing the sum of one level into the gather of the
		// next, which would compute it several times.
		zeros := Zeros(terms.Graph(), shapes.Make(terms.DType(), 1, terms.Shape().Dim(1)))
		withZeros := Concatenate([]*Node{terms, zeros}, 0)
		terms = ReduceSum(Gather(withZeros, ExpandAxes(v.constant(list), -1)), 1)
	}
	return terms
}

// sumList is one level of a tree of sums: lists of indices of terms, each of width indices, one
// after another. Each list is a sum. An index that equals the number of terms stands for 0.
type sumList struct {
	terms []int32
	width int
}

// longestList is the most terms that a list has. Wider lists would waste space on short sums, and
// narrower ones would need more levels.
const longestList = 16

// sumLists returns a tree of sums of terms by index: term k belongs to the sum index[k], and
// there are count sums. The first level adds up pieces of at most longestList terms. Each further
// level adds up the sums of the level before in the same way, until one sum is left for each index.
func sumLists(index []int32, count int) (levels []sumList) {
	lists := make([][]int32, count) // of each sum: the indices of its terms on the current level
	for term, i := range index {
		lists[i] = append(lists[i], int32(term))
	}
	for terms := len(index); ; { // the number of terms on the current level
		longest := 0
		for _, l := range lists {
			longest = max(longest, len(l))
		}
		if longest <= longestList {
			return append(levels, newSumList(lists, max(1, longest), terms))
		}
		var pieces [][]int32 // the lists of this level, whose sums are the terms of the next
		for i, l := range lists {
			lists[i] = nil
			for piece := range slices.Chunk(l, longestList) {
				lists[i] = append(lists[i], int32(len(pieces)))
				pieces = append(pieces, piece)
			}
		}
		levels = append(levels, newSumList(pieces, longestList, terms))
		terms = len(pieces)
	}
}

// newSumList returns lists as one level. It fills each list up to width with the number of terms,
// which stands for 0.
func newSumList(lists [][]int32, width, terms int) sumList {
	all := make([]int32, 0, width*len(lists))
	for _, l := range lists {
		all = append(all, l...)
		for range width - len(l) {
			all = append(all, int32(terms))
		}
	}
	return sumList{terms: all, width: width}
}

// withGradient returns y, a value computed from x, with a gradient of its own. The automatic
// gradient takes y for a constant, and instead gives x what backward returns: the gradient with
// respect to x, given the gradient g with respect to y.
func withGradient(x, y *Node, backward func(g *Node) *Node) *Node {
	var gradient *Node // with respect to y
	// IdentityWithCustomGradient is the identity. So a zero that depends on x is added to y:
	// on the way back from y to x, the gradient first gets to outlet, which keeps it, and then to
	// inlet, which returns what backward makes of it.
	inlet := IdentityWithCustomGradient(x, func(_, _ *Node) *Node { return backward(gradient) })
	entry := Reshape(Slice(inlet, AxisRange(0, 1), AxisRange(0, 1)))
	zero := BroadcastToShape(Sub(entry, StopGradient(entry)), y.Shape())
	outlet := IdentityWithCustomGradient(zero, func(_, g *Node) *Node {
		gradient = g
		return g
	})
	return Add(StopGradient(y), outlet)
}
