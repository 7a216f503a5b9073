package gomlx

import (
	"math"

	"github.com/agekit/age/agekit/encoder/step"
	on "github.com/agekit/age/internal/device"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
)

// fixedSums is how a GPU adds up the terms of pairs: as integers, whose sum does not depend on
// the order in which atomic operations add them, so that two runs have the same bytes. It
// needs no more than the ends of the pairs. It has places for a number of pairs, with padding.
type fixedSums struct{ places int }

func newFixedSums(maxPairs int) fixedSums { return fixedSums{padded(maxPairs)} }

// lists returns the shape of the only list, which has the first ends of the pairs in one row and the
// second ends in another. The first end i of a negative pair is written as −1−i, and the second end
// of padding is −1.
func (f fixedSums) lists() []shapes.Shape {
	return []shapes.Shape{shapes.Make(dtypes.Int32, 2, f.places)}
}

// fill writes the pairs of b, with the signs that lists describes, and then padding.
func (f fixedSums) fill(lists []any, b step.Batch) {
	checkRoom(b, f.places)
	i, j := lists[0].([]int32)[:f.places], lists[0].([]int32)[f.places:]
	for k, node := range b.I {
		if b.Labels[k] == 0 {
			node = -1 - node
		}
		i[k], j[k] = node, b.J[k]
	}
	for k := len(b.I); k < f.places; k++ {
		i[k], j[k] = 0, -1
	}
}

// ends decodes what fill wrote: a pair is positive if its first end is not negative, and padding if
// its second end is negative. Both ends of padding are node 0.
func (f fixedSums) ends(lists []*Node) (i, j, labels, weights *Node) {
	first, second := element(lists[0], 0), element(lists[0], 1)
	zero := ZerosLike(first)
	positive, real := GreaterOrEqual(first, zero), GreaterOrEqual(second, zero)
	i, j = Where(positive, first, AddScalar(Neg(first), -1)), Where(real, second, zero)
	return i, j, ConvertDType(positive, dtypes.Float32), ConvertDType(real, dtypes.Float32)
}

// sum adds the terms as integers: each term times fixedScale, cut to an integer, and the sums divided by fixedScale.
func (f fixedSums) sum(kind step.Loss, z, derivatives *Node, lists []*Node) *Node {
	i, j, _, _ := f.ends(lists)
	// Each pair is a term of the rows of both its ends.
	rows, others := Concatenate([]*Node{i, j}, 0), Concatenate([]*Node{j, i}, 0)
	factors := InsertAxes(Concatenate([]*Node{derivatives, derivatives}, 0), -1)
	terms := Mul(Gather(z, InsertAxes(others, -1)), factors)
	scale := fixedScale(kind)
	integers := ConvertDType(MulScalar(terms, scale), dtypes.Int64)
	total := Scatter(InsertAxes(rows, -1), integers, shapes.Make(dtypes.Int64, z.Shape().Dimensions...), false, false)
	return MulScalar(ConvertDType(total, dtypes.Float32), 1/scale)
}

// fixedScale is the number of integers per unit. The derivatives of p pairs are at most 1/p
// with Logits and 1/(εp) with Probability, and elements of Ẑ at most 1, so no sum over the 2p
// terms leaves int64: 2·2⁵⁰ and 2/ε·2³⁸ are below 2⁶³.
func fixedScale(kind step.Loss) float64 {
	if kind == step.Logits {
		return math.Exp2(50)
	}
	return math.Exp2(38)
}

// bytes counts the two terms of each pair as int64, which are as large as two float32, and as float32.
func (f fixedSums) bytes(d int) int64 {
	const terms, floatsPerTerm = 2, 2 + 1
	return terms * floatsPerTerm * on.Floats(f.places, d)
}
