package device

import "github.com/gomlx/gomlx/core/graph"

// AdamStep returns, as graph code, the new weights w and moments m and v after one step of Adam (Kingma and Ba
// 2015, algorithm 1) from the weights, their gradient, and their first and second moments. stepSize is
// lr/(1−β₁ᵗ) and correction 1/√(1−β₂ᵗ), both scalars.
func AdamStep(weight, gradient, first, second, stepSize, correction *graph.Node) (w, m, v *graph.Node) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	m = graph.Add(graph.MulScalar(first, beta1), graph.MulScalar(gradient, 1-beta1))
	v = graph.Add(graph.MulScalar(second, beta2), graph.MulScalar(graph.Square(gradient), 1-beta2))
	change := graph.Div(graph.Mul(stepSize, m), graph.AddScalar(graph.Mul(graph.Sqrt(v), correction), epsilon))
	return graph.Sub(weight, change), m, v
}
