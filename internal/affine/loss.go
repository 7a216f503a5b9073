package affine

import "math"

// Loss says how the cross entropy interprets the similarity s of a pair.
type Loss string

const (
	// Probability takes s itself as the probability that the pair is
	// positive, as in the paper's equation 12.
	Probability Loss = "probability"
	// Logits takes s as a logit, as the paper's published code does.
	Logits Loss = "logits"
)

// ClampProbability is ε = 10⁻⁷, about the resolution of float32 at 1. The loss
// Probability clamps similarities to [ε, 1−ε], because the cross entropy has no
// finite value at 0 and 1.
const ClampProbability = 1e-7

// pairLoss returns the cross entropy of a pair with similarity s and its
// derivative with respect to s.
func pairLoss(kind Loss, s, label float32) (loss float64, derivative float32) {
	if kind == Logits {
		x := float64(s)
		loss = math.Max(x, 0) - x*float64(label) + math.Log1p(math.Exp(-math.Abs(x)))
		return loss, float32(1/(1+math.Exp(-x))) - label
	}
	p := min(max(s, ClampProbability), 1-ClampProbability)
	x, l := float64(p), float64(label)
	loss = -l*math.Log(x) - (1-l)*math.Log1p(-x)
	if p != s {
		return loss, 0
	}
	return loss, float32((x - l) / (x * (1 - x)))
}
