package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// spectralF clusters the cosine similarities of the raw features by spectral
// clustering (Ng, Jordan and Weiss, NIPS 2001).
type spectralF struct{}

// fit returns X with rows of length 1 as the embedding.
func (m spectralF) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	return clusterGram(ctx, linalg.Normalize(g.Features.ToDense()), o)
}

// spectralG clusters the graph alone: spectral clustering (Ng, Jordan and Weiss, NIPS
// 2001) with its adjacency matrix A as similarities.
//
// A graph of several connected components has no single answer. D^-½AD^-½ has the
// eigenvalue 1 once for each component that has edges, 78 times on Cora, where k = 7
// eigenvectors are needed. [cluster.Spectral] converges until all k eigenvalues are 1.
// Its eigenvectors are then random combinations of the components' indicators: each
// component becomes one point, the giant component is never split, and the clusters are
// small components. A solver that converges less also returns vectors that split the
// giant component, so published figures depend on the solver.
//
// Fair mode therefore clusters the giant component: this has one answer, and on Cora,
// Citeseer and Wiki a higher modularity.
//
// The paper's own protocol is unknown. Published mode comes closest to its row: k-means
// on the k eigenvectors of A itself with the largest absolute eigenvalues. It finds the
// nodes around the ones with most edges.
type spectralG struct {
	// Components says what is clustered: "giant", the largest connected component (all
	// other nodes join its largest cluster), or "all", the graph as it is. Default
	// "giant". Published mode does not use it.
	//
	// The graph says nothing about where another component belongs. With weak edges of
	// equal weight between all nodes, the usual remedy (Zhang and Rohe, "Understanding
	// Regularized Spectral Clustering via Graph Conductance", NeurIPS 2018,
	// arXiv:1806.01468), every component has the most weight to the largest cluster.
	Components string `json:"components"`
	Published  bool   `json:"published"` // published mode
}

// newSpectralG returns the method's settings: those of s that apply, and defaults for the others.
func newSpectralG(s Settings) spectralG {
	return spectralG{Components: "giant", Published: s.Published}
}

// fit implements [fitter].
func (m spectralG) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	clusters, err := m.clusters(ctx, g, o)
	return &Output{Clusters: clusters}, err
}

// clusters returns each node's cluster: by published mode, or by spectral clustering of the
// components that m.Components says.
func (m spectralG) clusters(ctx context.Context, g *graph.Graph, o Options) ([]int, error) {
	if g.Adjacency.NNZ() == 0 {
		return nil, errors.New("the graph has no edges: nothing to cluster")
	}
	spectral := func(a *graph.CSR) ([]int, error) {
		found, err := cluster.Spectral(ctx, cluster.Sparse(a), o.Clusters, cluster.SpectralOptions{Scaling: o.Scaling}, o.random("spectral"))
		return found.Labels, err
	}
	switch {
	case m.Published:
		x, err := extremeEigenvectors(ctx, g.Adjacency, o.Clusters, o.random("spectral"))
		if err != nil {
			return nil, err
		}
		const starts = 0 // the default
		return o.kMeans(ctx, x, starts)
	case m.Components == "all":
		return spectral(g.Adjacency)
	case m.Components != "giant":
		return nil, message.Errorf("%s is %q: want giant or all", message.Option("components"), m.Components)
	}
	nodes := largestComponent(g.Adjacency)
	found, err := spectral((&graph.Graph{Adjacency: g.Adjacency}).Subgraph(nodes).Adjacency)
	if err != nil {
		return nil, fmt.Errorf("the largest component, of %d nodes: %w", len(nodes), err)
	}
	clusters := slices.Repeat([]int{mostFrequent(found)}, g.N()) // nodes outside join the largest cluster
	for k, v := range nodes {
		clusters[v] = found[k]
	}
	return clusters, nil
}

// largestComponent returns the nodes of the largest connected component.
func largestComponent(a *graph.CSR) (nodes []int) {
	components, _ := a.Components()
	largest := mostFrequent(components)
	for v, c := range components {
		if c == largest {
			nodes = append(nodes, v)
		}
	}
	return nodes
}

// mostFrequent returns the number that occurs most often, the smallest if there are several. The
// numbers must not be negative, and there must be one or more.
func mostFrequent[T int | int32](numbers []T) T {
	counts := make([]int, 1+slices.Max(numbers))
	for _, c := range numbers {
		counts[c]++
	}
	return T(slices.Index(counts, slices.Max(counts)))
}

// extremeEigenvectors returns the k eigenvectors of a symmetric matrix A with the largest absolute
// eigenvalues, as columns in the order of these. It finds them among the k eigenvectors of A and the
// k of −A with the largest eigenvalues. The random source starts the search.
func extremeEigenvectors(ctx context.Context, a *graph.CSR, k int, rnd *rand.Rand) (blas32.General, error) {
	type pair struct {
		value  float64
		vector blas64.Vector
	}
	var pairs []pair
	for _, sign := range []float64{1, -1} {
		product := cluster.Sparse(a).MulTo
		signed := linalg.NewOperator(a.Rows, func(ctx context.Context, dst, x blas64.General) error { // ±A
			err := product(ctx, dst, x)
			for i := range dst.Rows {
				blas64.Scal(sign, blas64.Vector{N: dst.Cols, Data: dst.Data[i*dst.Stride:], Inc: 1})
			}
			return err
		})
		values, vectors, err := linalg.LeadingEigenvectors(ctx, signed, k, linalg.LeadingOptions{}, rnd)
		if err != nil {
			return blas32.General{}, err
		}
		for c, value := range values {
			pairs = append(pairs, pair{value, blas64.Vector{N: a.Rows, Data: vectors.Data[c:], Inc: vectors.Stride}})
		}
	}
	slices.SortStableFunc(pairs, func(p, q pair) int { return cmp.Compare(math.Abs(q.value), math.Abs(p.value)) })
	x := linalg.New(a.Rows, k)
	for c, p := range pairs[:k] {
		for i := range a.Rows {
			x.Data[i*x.Stride+c] = float32(p.vector.Data[i*p.vector.Inc])
		}
	}
	return x, nil
}
