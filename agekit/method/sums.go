package method

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// sumInOrder is sum in a fixed order. A scatter on a GPU adds in any order, and two runs would
// have other bytes.
func (e ends) sumInOrder(v *nodes, terms *Node) *Node {
	for _, list := range e.lists {
		// Lists that are short have the row of zeros for the rest. XLA does not fuse a
		// sum into a gather from this concatenation, which would repeat it.
		zeros := Zeros(terms.Graph(), shapes.Make(terms.DType(), 1, terms.Shape().Dim(1)))
		lists := v.constant(list)
		terms = ReduceSum(Gather(Concatenate([]*Node{terms, zeros}, 0), ExpandAxes(lists, -1)), 1)
	}
	return terms
}

// sumList has lists of terms, all of the same width, one below the other. A term that is the
// number of all terms is 0.
type sumList struct {
	terms []int32
	width int
}

// longestList is the longest list of terms that is added up at once.
const longestList = 16

// sumLists returns a tree of sums: the first level adds up pieces of the lists of terms with
// the same index, each next level the sums of the one before, until there is one for each
// index below count.
func sumLists(index []int32, count int) (levels []sumList) {
	lists := make([][]int32, count)
	for term, i := range index {
		lists[i] = append(lists[i], int32(term))
	}
	for terms := len(index); ; {
		longest := 0
		for _, l := range lists {
			longest = max(longest, len(l))
		}
		if longest <= longestList {
			return append(levels, newSumList(lists, max(1, longest), terms))
		}
		var pieces [][]int32
		for i, l := range lists {
			var sums []int32
			for len(l) > 0 {
				sums = append(sums, int32(len(pieces)))
				n := min(longestList, len(l))
				pieces, l = append(pieces, l[:n]), l[n:]
			}
			lists[i] = sums
		}
		levels = append(levels, newSumList(pieces, longestList, terms))
		terms = len(pieces)
	}
}

// newSumList fills short lists up with the number of terms.
func newSumList(lists [][]int32, width, terms int) sumList {
	all := make([]int32, 0, width*len(lists))
	for _, l := range lists {
		all = append(all, l...)
		for range width - len(l) {
			all = append(all, int32(terms))
		}
	}
	return sumList{all, width}
}

// withGradient returns y, a function of x that the automatic gradient takes for a constant,
// with a gradient: backward turns the gradient with respect to y into that with respect
// to x.
func withGradient(x, y *Node, backward func(g *Node) *Node) *Node {
	var gradient *Node
	// The gradient gets to x along a zero: from outlet, which keeps it, to inlet, which
	// returns what backward makes of it.
	inlet := IdentityWithCustomGradient(x, func(_, _ *Node) *Node { return backward(gradient) })
	entry := Reshape(Slice(inlet, AxisRange(0, 1), AxisRange(0, 1)))
	zero := BroadcastToShape(Sub(entry, StopGradient(entry)), y.Shape())
	outlet := IdentityWithCustomGradient(zero, func(_, g *Node) *Node {
		gradient = g
		return g
	})
	return Add(StopGradient(y), outlet)
}
