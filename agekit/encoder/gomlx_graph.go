package encoder

import (
	. "github.com/gomlx/gomlx/core/graph" //nolint // graph code reads as formulas this way
)

// This file is the definition of the encoder and of its training step, as
// GoMLX graph code. Shapes: n nodes, f features, d dimensions, p pairs.

// Encode returns the embeddings Ẑ of all nodes: the rows of Z = X̃W + b,
// scaled to [0, 1] by the row's minimum and maximum, then to length 1. A row
// without any spread becomes zero.
//
//	x: [n, f], w: [f, d], b: [d] → [n, d]
func Encode(x, w, b *Node) *Node {
	z := Add(Dot(x, w).Product(), InsertAxes(b, 0))
	low := ReduceAndKeep(z, ReduceMin, 1)
	span := Sub(ReduceAndKeep(z, ReduceMax, 1), low)
	scaled := Div(Sub(z, low), oneIfZero(span))
	squares := ReduceAndKeep(Square(scaled), ReduceSum, 1)
	return Div(scaled, Sqrt(oneIfZero(squares)))
}

func oneIfZero(x *Node) *Node { return Where(Equal(x, ZerosLike(x)), OnesLike(x), x) }

// Similarities returns s = ẑᵢ·ẑⱼ for pairs of rows of z.
//
//	z: [n, d], i, j: [p] → [p]
func Similarities(z, i, j *Node) *Node {
	return ReduceSum(Mul(Gather(z, InsertAxes(i, -1)), Gather(z, InsertAxes(j, -1))), -1)
}

// CrossEntropy returns the mean cross entropy of pairs with similarities s
// and labels 0 or 1 (paper, equation 12), weighted; weight 0 is padding. The
// number of pairs must be a multiple of 128: the sum is made in two stages
// because a plain running sum in float32 loses digits.
//
//	s, labels, weights: [p] → scalar
func CrossEntropy(kind Loss, s, labels, weights *Node) *Node {
	var losses *Node
	if kind == Logits {
		losses = Add(Sub(MaxScalar(s, 0), Mul(s, labels)), Log1p(Exp(Neg(Abs(s)))))
	} else {
		p := ClipScalar(s, clampProbability, 1-clampProbability)
		losses = Neg(Add(Mul(labels, Log(p)), Mul(OneMinus(labels), Log(OneMinus(p)))))
	}
	return Div(sumInStages(Mul(losses, weights)), sumInStages(weights))
}

func sumInStages(x *Node) *Node {
	return ReduceAllSum(ReduceSum(Reshape(x, -1, pairMultiple), -1))
}

// pairMultiple is what the number of pairs of a batch is padded to.
const pairMultiple = 128

// adamStep returns the new weights and moments after one step of Adam
// (Kingma and Ba 2015, algorithm 1), given lr/(1−β₁ᵗ) and 1/√(1−β₂ᵗ).
func adamStep(weight, gradient, first, second, stepSize, correction *Node) (w, m, v *Node) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	m = Add(MulScalar(first, beta1), MulScalar(gradient, 1-beta1))
	v = Add(MulScalar(second, beta2), MulScalar(Square(gradient), 1-beta2))
	w = Sub(weight, Div(Mul(stepSize, m), AddScalar(Mul(Sqrt(v), correction), epsilon)))
	return w, m, v
}
