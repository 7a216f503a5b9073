package gomlx

import (
	"github.com/agekit/age/agekit/encoder/step"
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
)

// This file defines the encoder and its training step as GoMLX graph code.
// Shapes: n nodes, f features, d dimensions, p pairs.

// encode returns the embeddings Ẑ of all nodes: the rows of Z = X̃W + b, scaled
// to [0, 1] by the row's minimum and maximum and then to length 1. This equals
// u/|u| with u = z − min z: the range cancels. A constant row becomes zero.
//
//	x: [n, f], w: [f, d], b: [d] → [n, d]
func encode(x, w, b *Node) *Node { return scale(linear(x, w, b)) }

// linear returns Z = X̃W + b.
func linear(x, w, b *Node) *Node { return Add(Dot(x, w).Product(), InsertAxes(b, 0)) }

// scale returns the rows of Z: [n, d] scaled as [encode] says.
func scale(z *Node) *Node {
	u := Sub(z, ReduceAndKeep(z, ReduceMin, 1))
	squares := ReduceAndKeep(Square(u), ReduceSum, 1)
	// A constant row is divided by 1, not by 0.
	squares = Where(Equal(squares, ZerosLike(squares)), OnesLike(squares), squares)
	return Mul(u, Inverse(Sqrt(squares)))
}

// similarities returns s = ẑᵢ·ẑⱼ for pairs of rows of z. It first sums over short
// segments of the rows, which XLA computes without storing the p×d products.
//
//	z: [n, d], i, j: [p] → [p]
func similarities(z, i, j *Node) *Node {
	const segment = 32 // elements
	n, d := z.Shape().Dim(0), z.Shape().Dim(1)
	z = Pad(z, ScalarZero(z.Graph(), z.DType()), PadAxis{}, PadAxis{End: (segment - d%segment) % segment})
	z = Reshape(z, n, -1, segment)
	products := Mul(Gather(z, InsertAxes(i, -1)), Gather(z, InsertAxes(j, -1)))
	return ReduceSum(ReduceSum(products, 1), 1)
}

// transposedProduct returns xᵗy, as the sum of the products of that many equal parts of the rows,
// which are computed at the same time, and of the rows that are left.
//
//	x: [n, f], y: [n, d] → [f, d]
func transposedProduct(x, y *Node, parts int) *Node {
	if parts == 1 {
		return Dot(Transpose(x, 0, 1), y).Product()
	}
	n := x.Shape().Dim(0)
	each := n / parts // rows of a part
	cut := func(a *Node) *Node {
		return Reshape(Slice(a, AxisRange(0, parts*each)), parts, each, a.Shape().Dim(1))
	}
	sum := ReduceSum(Einsum("pnf,pnd->pfd", cut(x), cut(y)), 0)
	if parts*each == n {
		return sum
	}
	rest := func(a *Node) *Node { return Slice(a, AxisRange(parts*each, n)) }
	return Add(sum, Dot(Transpose(rest(x), 0, 1), rest(y)).Product())
}

// crossEntropy returns the weighted sum of the cross entropies of pairs with
// similarities s and labels 0 or 1, divided by the total number of pairs (paper,
// equation 15). Padding has weight 0, and pairs have weight 1.
//
// The length p, with padding, must be a multiple of pairMultiple: the sum is computed in two stages,
// because a running sum in float32 loses digits.
//
//	s, labels, weights: [p], total: scalar → scalar
func crossEntropy(kind step.Loss, s, labels, weights, total *Node) *Node {
	var losses *Node
	if kind == step.Logits {
		losses = Add(Sub(MaxScalar(s, 0), Mul(s, labels)), Log1p(Exp(Neg(Abs(s)))))
	} else {
		p := ClipScalar(s, step.ClampProbability, 1-step.ClampProbability)
		losses = Neg(Add(Mul(labels, Log(p)), Mul(OneMinus(labels), Log(OneMinus(p)))))
	}
	return Div(ReduceAllSum(ReduceSum(Reshape(Mul(losses, weights), -1, pairMultiple), -1)), total)
}
