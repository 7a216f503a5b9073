package auto

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
)

// finder finds clusters of one graph by several candidates.
type finder struct {
	g    *graph.Graph
	k    int
	seed uint64
	plan plan
	// smooth prepares the features with t layers.
	smooth func(ctx context.Context, layers int) (*encoder.Input, error)
	// failed says why candidates have no clusters, such as eigenvectors that do not converge.
	failed map[Candidate]error
}

func (f *finder) random(c Candidate) *rand.Rand {
	return rand.New(rand.NewPCG(f.seed, uint64(c.Layers)))
}

// find returns the clusters of each candidate without training, or nil where they do not
// exist, as without features, or cannot be computed (failed). It returns an error when ctx is
// done.
func (f *finder) find(ctx context.Context, candidates []Candidate) (map[Candidate][]int, error) {
	found := map[Candidate][]int{}
	var in *encoder.Input
	layers := -1 // of in
	defer func() {
		if in != nil {
			in.Close()
		}
	}()
	for _, c := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.Data != edgesAlone && c.Data != unlikeEdges {
			if f.g.Features.NNZ() == 0 {
				continue
			}
			wanted := c.Layers
			if c.Data == sharpenedFeatures {
				wanted = 0
			}
			if wanted != layers {
				if in != nil {
					in.Close()
				}
				layers = -1
				if in, f.failed[c] = f.smooth(ctx, wanted); f.failed[c] != nil {
					continue
				}
				layers = wanted
			}
		}
		found[c], f.failed[c] = f.findOne(ctx, c, in)
	}
	return found, ctx.Err()
}

// findOne returns the clusters of one candidate, or nil if they need edges and there are none.
func (f *finder) findOne(ctx context.Context, c Candidate, in *encoder.Input) ([]int, error) {
	if f.g.Edges() == 0 && (c.Data == edgesAlone || c.Data == unlikeEdges) {
		return nil, nil
	}
	switch c.Data {
	case edgesAlone:
		if c.Clustering == leiden {
			communities, err := communitiesFor(ctx, f.g.Adjacency, f.k, f.random(c))
			if err != nil {
				return nil, err
			}
			return cluster.JoinCommunities(f.g.Adjacency, communities, f.k), nil
		}
		return f.eigenvectors(ctx, c, newNormalized(f.g.Adjacency).mul)
	case unlikeEdges:
		return f.eigenvectors(ctx, c, newNormalized(f.g.Adjacency).mulSquare)
	case edgesAndFeatures:
		return f.edgesWithFeatures(ctx, c, in.Smoothed)
	case sharpenedFeatures:
		return f.cluster(ctx, c, sharpened(in, c.Layers))
	}
	return f.cluster(ctx, c, in.Smoothed)
}

// cluster clusters the rows of x.
func (f *finder) cluster(ctx context.Context, c Candidate, x blas32.General) ([]int, error) {
	if c.Clustering == kMeans {
		return f.kMeans(ctx, c, x)
	}
	unit := linalg.Normalize(x)
	if c.Clustering == byCosine {
		return f.kMeans(ctx, c, unit)
	}
	found, err := cluster.Spectral(ctx, cluster.Gram(linalg.NonNegative(unit)), f.k, cluster.SpectralOptions{}, f.random(c))
	return found.Labels, err
}

func (f *finder) kMeans(ctx context.Context, c Candidate, x blas32.General) ([]int, error) {
	o := cluster.KMeansOptions{Restarts: f.plan.runs(x.Cols)}
	found, err := cluster.KMeans(ctx, x, f.k, o, f.random(c))
	return found.Labels, err
}

// product multiplies a symmetric matrix.
type product = func(ctx context.Context, dst, x blas64.General) error

// eigenvectors runs k-means on the rows of the k leading eigenvectors, scaled to length 1 (Ng,
// Jordan and Weiss, NIPS 2001).
func (f *finder) eigenvectors(ctx context.Context, c Candidate, mul product) ([]int, error) {
	_, vectors, err := linalg.LeadingEigenvectors(ctx, linalg.NewOperator(f.g.N(), mul), f.k, linalg.LeadingOptions{}, f.random(c))
	if err != nil {
		return nil, err
	}
	x := linalg.New(vectors.Rows, f.k)
	for i := range x.Rows {
		for j := range f.k {
			x.Data[i*x.Stride+j] = float32(vectors.Data[i*vectors.Stride+j])
		}
	}
	return f.kMeans(ctx, c, linalg.Normalize(x))
}

// edgesWithFeatures clusters edges and features together (Binkiewicz, Vogelstein and Rohe,
// "Covariate-assisted spectral clustering", Biometrika 104(2), 2017): the leading
// eigenvectors of N² + αX̂X̂ᵀ, with N of normalized, X̂ the rows of length 1 less their mean,
// and α = w·λ₂(N²)/λ₁(X̂X̂ᵀ).
func (f *finder) edgesWithFeatures(ctx context.Context, c Candidate, features blas32.General) ([]int, error) {
	n := f.g.N()
	x := linalg.Normalize(features)
	center(x)
	gram := cluster.Gram(x)
	rnd := f.random(c)
	largest, _, err := linalg.LeadingEigenvectors(ctx, gram, 1, linalg.LeadingOptions{}, rnd)
	if err != nil {
		return nil, err
	}
	edges := newNormalized(f.g.Adjacency).mulSquare
	second, _, err := linalg.LeadingEigenvectors(ctx, linalg.NewOperator(n, edges), min(n, 2), linalg.LeadingOptions{}, rnd)
	if err != nil {
		return nil, err
	}
	alpha := c.Weight * second[len(second)-1] / max(largest[0], 1e-12)
	return f.eigenvectors(ctx, c, func(ctx context.Context, dst, v blas64.General) error {
		if err := edges(ctx, dst, v); err != nil {
			return err
		}
		y := blas64.General{Rows: n, Cols: v.Cols, Stride: v.Cols, Data: make([]float64, n*v.Cols)}
		if err := gram.MulTo(ctx, y, v); err != nil {
			return err
		}
		for i := range n {
			blas64.Axpy(alpha, blas64.Vector{N: v.Cols, Data: y.Data[i*y.Stride:], Inc: 1}, blas64.Vector{N: v.Cols, Data: dst.Data[i*dst.Stride:], Inc: 1})
		}
		return nil
	})
}

// center subtracts the mean of the rows from each.
func center(x blas32.General) {
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Data[i*x.Stride:][:x.Cols] {
			mean[j] += float64(v) / float64(x.Rows)
		}
	}
	for i := range x.Rows {
		row := x.Data[i*x.Stride:][:x.Cols]
		for j := range row {
			row[j] -= float32(mean[j])
		}
	}
}

// sharpened returns (I + kL̃)ᵗX = (2I − H)ᵗX, which keeps what differs between neighbors.
func sharpened(in *encoder.Input, layers int) blas32.General {
	h, x := in.Operator.FilterMatrix(in.Filter.K), in.Smoothed
	for range layers {
		y := linalg.New(x.Rows, x.Cols)
		linalg.Parallel(x.Rows, linalg.RowGrain(x.Rows), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				to := y.Data[i*y.Stride:][:x.Cols]
				for c, v := range x.Data[i*x.Stride:][:x.Cols] {
					to[c] = 2 * v
				}
				for j, w := range h.Each(i) {
					for c, v := range x.Data[int(j)*x.Stride:][:x.Cols] {
						to[c] -= w * v
					}
				}
			}
		})
		x = y
	}
	return x
}
