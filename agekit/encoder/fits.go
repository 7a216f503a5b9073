package encoder

import (
	"fmt"
	"math"

	"github.com/agekit/age/agekit/eigen"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
)

// CheckGraph returns an error if the settings do not fit a graph: if there are
// so many clusters that they hold fewer than two nodes on average, or if the
// clustering ([eigen.CheckSize]) or the training would need more memory than
// is free ([limit.Memory]). [Fit] calls it; programs call it before they smooth
// the features.
//
// The memory for training is estimated as 8 matrices f×d (the weights, Adam's two moments,
// the weights of the best epoch and of the last selection, and the state being
// saved) and one more per member; 3 matrices n×d (an embedding, the model's and
// the gradient) and two more per member; and, if d < n, 32 matrices d×d in
// float64 for the Davies–Bouldin index.
func (c Config) CheckGraph(g *graph.Graph) error {
	c = c.withDefaults()
	n := g.N()
	if c.Clusters > 0 {
		if err := CheckClusters(n, c.Clusters); err != nil {
			return err
		}
	}
	_, cols := g.Features.Dims()
	rows, f, d, members := float64(n), float64(cols), float64(c.Dims), float64(c.Members)
	bytes := 4 * d * ((8+members)*f + (3+2*members)*rows)
	if d < rows {
		bytes += 32 * 8 * d * d
	}
	what := fmt.Sprintf("training on %d nodes with %d features and dims %d (lower --dims)", n, cols, c.Dims)
	return limit.Memory(what, bytes)
}

// CheckClusters returns an error if n nodes cannot be divided into that many
// clusters by spectral clustering, or not within the memory that is free.
func CheckClusters(n, clusters int) error {
	switch largest := max(2, n/2); {
	case n <= 2:
		return fmt.Errorf("the graph's number of nodes is %d: want 3 or more to find clusters", n)
	case clusters < 2:
		return fmt.Errorf("clusters is %d: want 2 or more", clusters)
	case clusters > largest:
		return fmt.Errorf("clusters is %d: want at most %d, half the number of nodes", clusters, largest)
	}
	return eigen.CheckSize(n, clusters)
}

// diverged returns the error for weights that have become useless.
func (c Config) diverged(found string) error {
	return fmt.Errorf("the training diverged: %s: lower the learning rate (%v)", found, c.LearningRate)
}

// length returns the Frobenius norm of W and b.
func (w Weights) length() float64 {
	var squares float64
	for _, part := range [][]float32{w.W.Data, w.B} {
		for _, v := range part {
			squares += float64(v) * float64(v)
		}
	}
	return math.Sqrt(squares)
}
