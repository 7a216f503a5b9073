package baseline

import (
	"context"
	"maps"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/rows"
	"gonum.org/v1/gonum/blas/blas32"
)

// Cluster runs a method on a graph, whose labels it does not get. If the method
// finds no clusters itself, it clusters the embedding by spectral clustering of the
// similarities (1 + cosine)/2, and measures the clusters by the Davies–Bouldin index
// ("DBI"). Unlike AGE's, these embeddings have entries of both signs, and spectral
// clustering needs nonnegative similarities.
func Cluster(ctx context.Context, m Method, g *graph.Graph, o Options) (*Output, error) {
	unlabeled := *g
	unlabeled.Labels, unlabeled.ClassNames = nil, nil
	out, err := m.Fit(ctx, &unlabeled, o)
	if err != nil {
		return nil, err
	}
	if out.Measures == nil {
		out.Measures = map[string]float64{}
	}
	if out.Clusters == nil {
		found, err := clusterGram(ctx, rows.Shifted(rows.Normalize(out.Embedding)), o)
		if err != nil {
			return nil, named(m, err)
		}
		out.Clusters = found.Clusters
		maps.Copy(out.Measures, found.Measures)
	}
	return out, nil
}

// clusterGram clusters the rows of z by spectral clustering of ZZᵀ and
// measures the clusters by the Davies–Bouldin index of that matrix's rows. For
// rows with negative entries, unlike words and what smoothing makes of them, the
// similarities are (1 + cosine)/2 instead.
func clusterGram(ctx context.Context, x blas32.General, o Options) (*Output, error) {
	z := x
	if shifted := rows.NonNegative(rows.Normalize(x)); shifted.Cols > x.Cols {
		z = shifted
	}
	found, err := cluster.Spectral(ctx, cluster.Gram(z), o.Clusters, cluster.SpectralOptions{Scaling: o.Scaling}, o.random("spectral"))
	if err != nil {
		return nil, err
	}
	index, err := cluster.DaviesBouldinGram(ctx, z, found.Labels)
	if err != nil {
		return nil, err
	}
	return &Output{Embedding: x, Clusters: found.Labels, Measures: map[string]float64{"DBI": index}}, nil
}
