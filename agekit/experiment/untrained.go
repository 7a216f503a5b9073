package experiment

import (
	"context"
	"maps"
	"math/rand/v2"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/spectrum"
	"gonum.org/v1/gonum/blas/blas32"
)

// scaling of spectral embeddings in a mode.
func (m Mode) scaling() cluster.Scaling {
	if m == Code {
		return cluster.Degree
	}
	return cluster.RandomWalk
}

// kMeans clusters the raw features by k-means.
type kMeans struct{}

func (kMeans) Name() string     { return "K-means" }
func (kMeans) Settings(Run) any { return nil }

func (kMeans) Fit(ctx context.Context, g *graph.Graph, r Run, _ FitOptions) (*Fitted, error) {
	x := g.Features.ToDense()
	found, err := cluster.KMeans(ctx, x, g.Classes, cluster.KMeansOptions{}, r.random("k-means"))
	return &Fitted{Embedding: x, Clusters: found.Labels, Backend: backend.Native}, err
}

// spectralF clusters the cosine similarities of the raw features.
type spectralF struct{}

func (spectralF) Name() string       { return "Spectral-F" }
func (spectralF) Settings(r Run) any { return r.Mode.scaling() }

func (spectralF) Fit(ctx context.Context, g *graph.Graph, r Run, _ FitOptions) (*Fitted, error) {
	return clusterGram(ctx, g, encoder.Normalize(g.Features.ToDense()), r)
}

// spectralG clusters the graph, with its adjacency matrix as similarities.
type spectralG struct{}

func (spectralG) Name() string       { return "Spectral-G" }
func (spectralG) Settings(r Run) any { return r.Mode.scaling() }

func (spectralG) Fit(ctx context.Context, g *graph.Graph, r Run, _ FitOptions) (*Fitted, error) {
	found, err := cluster.Spectral(ctx, cluster.Sparse(g.Adjacency), g.Classes,
		cluster.SpectralOptions{Scaling: r.Mode.scaling()}, r.random("spectral"))
	return &Fitted{Clusters: found.Labels, Backend: backend.Native}, err
}

// ls clusters the smoothed features by their similarities as equation 13 has
// them, S = X̃X̃ᵀ/‖X̃‖², with a norm that is one number, so that it makes no
// difference. The printed row comes out this way. (§5.4 speaks of cosines of
// nodes, which give Cora .631/.478/.372.)
type ls struct{}

func (ls) Name() string { return "LS" }

func (ls) Settings(r Run) any {
	f := filterOf(r)
	return map[string]any{"k": f.K, "layers": f.Layers, "scaling": r.Mode.scaling()}
}

func (ls) Fit(ctx context.Context, g *graph.Graph, r Run, _ FitOptions) (*Fitted, error) {
	x, measures, err := smooth(ctx, g, r)
	if err != nil {
		return nil, err
	}
	f, err := clusterGram(ctx, g, x, r)
	if err != nil {
		return nil, err
	}
	maps.Copy(f.Measures, measures)
	return f, nil
}

// filterOf returns the filter of a run, with a K of 0 for 1/λmax.
func filterOf(r Run) laplacian.Filter {
	c := age{}.config(r)
	return laplacian.Filter{K: c.K, Layers: max(0, c.Layers)}
}

// smooth returns X̃ with the filter of r, and the filter's k.
func smooth(ctx context.Context, g *graph.Graph, r Run) (blas32.General, map[string]float64, error) {
	f, op := filterOf(r), laplacian.New(g.Adjacency)
	if f.K == 0 {
		l, err := lambdaMax(ctx, op)
		if err != nil {
			return blas32.General{}, nil, err
		}
		f.K = 1 / l
	}
	x, err := f.Smooth(ctx, op, g.Features)
	return x, map[string]float64{"k": f.K}, err
}

// lambdaMax returns λmax. Any start serves the iteration.
func lambdaMax(ctx context.Context, op *laplacian.Operator) (float64, error) {
	l, err := spectrum.LambdaMax(ctx, op, rand.New(rand.NewPCG(0, 0)), spectrum.LambdaMaxOptions{})
	return l.Value, err
}

// clusterGram clusters the rows of z by the spectral clustering of ZZᵀ, and
// measures the clusters by the Davies–Bouldin index of that matrix' rows.
func clusterGram(ctx context.Context, g *graph.Graph, z blas32.General, r Run) (*Fitted, error) {
	found, err := cluster.Spectral(ctx, cluster.Gram(z), g.Classes, cluster.SpectralOptions{Scaling: r.Mode.scaling()}, r.random("spectral"))
	if err != nil {
		return nil, err
	}
	index, err := cluster.DaviesBouldinGram(ctx, z, found.Labels)
	if err != nil {
		return nil, err
	}
	return &Fitted{Embedding: z, Clusters: found.Labels, Measures: map[string]float64{"DBI": index}, Backend: backend.Native}, nil
}
