package auto

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/eigen"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/dense"
	"github.com/agekit/age/internal/parallel"
	"github.com/agekit/age/internal/rows"
)

// What a way clusters.
const (
	smoothedFeatures  = "features"           // X̃ = HᵗX
	sharpenedFeatures = "sharpened features" // (I + kL̃)ᵗX, where edges join unlike nodes
	edgesAlone        = "edges"
	unlikeEdges       = "unlike edges" // edges that join unlike nodes
	edgesAndFeatures  = "edges and features"
	trainedEmbedding  = "training"
)

// How it clusters.
const (
	kMeans   = "k-means"
	byCosine = "k-means by cosine"
	spectral = "spectral"
	leiden   = "Leiden, joined"
)

// Candidate is a way to find clusters. Its fields that are not used are 0.
type Candidate struct {
	// Data is what is clustered: "features", smoothed by Layers layers; "sharpened
	// features", the opposite of smoothed; "edges", or "unlike edges" if they join unlike
	// nodes; "edges and features", with Weight; or "training", the embedding of an encoder
	// trained with Layers and Pairs.
	Data   string  `json:"of"`
	Layers int     `json:"layers"`
	Weight float64 `json:"weight,omitempty"`
	Pairs  Pairs   `json:"pairs,omitempty"`
	// Clustering is "k-means" (of the rows), "k-means by cosine" (of the rows scaled to
	// length 1), "spectral", or "Leiden, joined" ([community.Join]).
	Clustering string `json:"clustering"`
}

// Name says what is clustered and how, such as "short training, t 4, wide pairs (spectral)".
func (w Candidate) Name() string {
	of := w.Data
	switch w.Data {
	case smoothedFeatures:
		if of = "features alone"; w.Layers > 0 {
			of = fmt.Sprintf("smoothed features, t %d", w.Layers)
		}
	case sharpenedFeatures:
		of = fmt.Sprintf("sharpened features, t %d", w.Layers)
	case edgesAlone:
		of = "edges alone"
	case unlikeEdges:
		of = "edges of unlike nodes"
	case edgesAndFeatures:
		of = fmt.Sprintf("edges and features, weight %g", w.Weight)
	case trainedEmbedding:
		of = fmt.Sprintf("short training, t %d, %s pairs", w.Layers, w.Pairs)
	}
	return of + " (" + w.Clustering + ")"
}

// Trained says whether an encoder is trained.
func (w Candidate) Trained() bool { return w.Data == trainedEmbedding }

// candidates returns the candidates without training, in the order in which they are tried. Ways for
// edges that join unlike nodes are among them where edges do.
func (f *finder) candidates(ctx context.Context) (ways []Candidate, err error) {
	smoothed := func(t int) {
		for _, how := range []string{kMeans, byCosine, spectral} {
			if f.plan.many() && how == kMeans && t > 2 {
				continue
			}
			ways = append(ways, Candidate{Data: smoothedFeatures, Layers: t, Clustering: how})
		}
	}
	smoothed(0)
	if f.g.Edges() == 0 {
		return ways, nil
	}
	ways = append(ways, Candidate{Data: edgesAndFeatures, Weight: 0.3, Clustering: spectral}, Candidate{Data: edgesAndFeatures, Weight: 1, Clustering: spectral})
	unlike, err := f.unlikeFeatures(ctx)
	if err != nil {
		return nil, err
	}
	if unlike {
		ways = append(ways, Candidate{Data: sharpenedFeatures, Layers: 1, Clustering: spectral}, Candidate{Data: sharpenedFeatures, Layers: 4, Clustering: spectral})
	}
	most := 16
	if f.plan.many() {
		most = 8
	}
	for t := 1; t <= most; t *= 2 {
		smoothed(t)
	}
	ways = append(ways, Candidate{Data: edgesAlone, Clustering: leiden}, Candidate{Data: edgesAlone, Clustering: spectral})
	if unlike, err = f.unlikeEdges(ctx); unlike {
		ways = append(ways, Candidate{Data: unlikeEdges, Clustering: spectral})
	}
	return ways, err
}

// unlikeFeatures reports whether nodes with an edge have less similar features than by
// chance: by the mean cosine of X less its mean, three standard errors below 0.
func (f *finder) unlikeFeatures(ctx context.Context) (bool, error) {
	if f.g.Features.NNZ() == 0 {
		return false, nil
	}
	in, err := f.smooth(ctx, 0)
	if err != nil {
		return false, err
	}
	defer in.Close()
	x := rows.Normalize(in.Smoothed)
	center(x)
	sum, squares := 0., 0.
	for i := range x.Rows {
		for j := range f.g.Adjacency.Each(i) {
			v := float64(blas32.Dot(blas32.Vector{N: x.Cols, Data: x.Data[i*x.Stride:], Inc: 1}, blas32.Vector{N: x.Cols, Data: x.Data[int(j)*x.Stride:], Inc: 1}))
			sum, squares = sum+v, squares+v*v
		}
	}
	return sum < -3*math.Sqrt(2*squares), nil // each edge counts twice
}

// unlikeEdges reports whether the second largest eigenvalue of N in size is negative, as
// where edges join classes, by a twentieth more than the second largest.
func (f *finder) unlikeEdges(ctx context.Context) (bool, error) {
	n := newNormalized(f.g.Adjacency)
	rnd := f.random(Candidate{})
	values, _, err := eigen.Leading(ctx, eigen.New(f.g.N(), n.mul), min(2, f.g.N()), eigen.LeadingOptions{}, rnd)
	if err != nil {
		return false, err
	}
	squares, _, err := eigen.Leading(ctx, eigen.New(f.g.N(), n.mulSquare), min(2, f.g.N()), eigen.LeadingOptions{}, rnd)
	if err != nil {
		return false, err
	}
	last := len(values) - 1
	return math.Sqrt(max(0, squares[last])) > 1.05*max(0, values[last]), nil
}

// finder finds clusters of one graph in several ways.
type finder struct {
	g    *graph.Graph
	k    int
	seed uint64
	plan plan
	// smooth prepares the features with t layers.
	smooth func(ctx context.Context, layers int) (*encoder.Input, error)
}

func (f *finder) random(w Candidate) *rand.Rand {
	return rand.New(rand.NewPCG(f.seed, uint64(w.Layers)))
}

// find returns the clusters of each way without training, or nil where they do not exist,
// as without features.
func (f *finder) find(ctx context.Context, ways []Candidate) (map[Candidate][]int, error) {
	found := map[Candidate][]int{}
	var in *encoder.Input
	defer func() {
		if in != nil {
			in.Close()
		}
	}()
	layers := -1
	_, columns := f.g.Features.Dims()
	for _, w := range ways {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if needs := w.Data != edgesAlone && w.Data != unlikeEdges; needs {
			if columns == 0 || f.g.Features.NNZ() == 0 {
				continue
			}
			want := w.Layers
			if w.Data == sharpenedFeatures {
				want = 0
			}
			if want != layers {
				if in != nil {
					in.Close()
				}
				var err error
				if in, err = f.smooth(ctx, want); err != nil {
					return nil, err
				}
				layers = want
			}
		}
		labels, err := f.findOne(ctx, w, in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name(), err)
		}
		found[w] = labels
	}
	return found, nil
}

func (f *finder) findOne(ctx context.Context, w Candidate, in *encoder.Input) ([]int, error) {
	switch w.Data {
	case edgesAlone:
		if f.g.Edges() == 0 {
			return nil, nil
		}
		if w.Clustering == leiden {
			of, _, err := community.Leiden(ctx, f.g.Adjacency, community.LeidenOptions{}, f.random(w))
			if err != nil {
				return nil, err
			}
			return community.Join(f.g.Adjacency, of, f.k), nil
		}
		return f.eigenvectors(ctx, w, newNormalized(f.g.Adjacency).mul)
	case unlikeEdges:
		if f.g.Edges() == 0 {
			return nil, nil
		}
		return f.eigenvectors(ctx, w, newNormalized(f.g.Adjacency).mulSquare)
	case edgesAndFeatures:
		return f.edgesWithFeatures(ctx, w, in.Smoothed)
	case sharpenedFeatures:
		return f.cluster(ctx, w, sharpened(in, w.Layers))
	}
	return f.cluster(ctx, w, in.Smoothed)
}

// cluster clusters the rows of x.
func (f *finder) cluster(ctx context.Context, w Candidate, x blas32.General) ([]int, error) {
	if w.Clustering == kMeans {
		return f.kMeans(ctx, w, x)
	}
	unit := rows.Normalize(x)
	if w.Clustering == byCosine {
		return f.kMeans(ctx, w, unit)
	}
	found, err := cluster.Spectral(ctx, cluster.Gram(rows.NonNegative(unit)), f.k, cluster.SpectralOptions{}, f.random(w))
	return found.Labels, err
}

func (f *finder) kMeans(ctx context.Context, w Candidate, x blas32.General) ([]int, error) {
	o := cluster.KMeansOptions{Restarts: f.plan.runs(x.Cols)}
	found, err := cluster.KMeans(ctx, x, f.k, o, f.random(w))
	return found.Labels, err
}

// product multiplies a symmetric matrix.
type product = func(ctx context.Context, dst, x blas64.General) error

// eigenvectors runs k-means on the rows of the k eigenvectors eigenvectors, scaled to length 1 (Ng,
// Jordan and Weiss, NIPS 2001).
func (f *finder) eigenvectors(ctx context.Context, w Candidate, mul product) ([]int, error) {
	_, vectors, err := eigen.Leading(ctx, eigen.New(f.g.N(), mul), f.k, eigen.LeadingOptions{}, f.random(w))
	if err != nil {
		return nil, err
	}
	x := dense.New(vectors.Rows, f.k)
	for i := range x.Rows {
		for c := range f.k {
			x.Data[i*x.Stride+c] = float32(vectors.Data[i*vectors.Stride+c])
		}
	}
	return f.kMeans(ctx, w, rows.Normalize(x))
}

// edgesWithFeatures clusters edges and features together (Binkiewicz, Vogelstein and Rohe,
// "Covariate-assisted spectral clustering", Biometrika 104(2), 2017): the leading
// eigenvectors of N² + αX̂X̂ᵀ, with N of normalized, X̂ the rows of length 1 less their mean,
// and α = w·λ₂(N²)/λ₁(X̂X̂ᵀ).
func (f *finder) edgesWithFeatures(ctx context.Context, w Candidate, features blas32.General) ([]int, error) {
	n := f.g.N()
	x := rows.Normalize(features)
	center(x)
	gram := cluster.Gram(x)
	rnd := f.random(w)
	largest, _, err := eigen.Leading(ctx, gram, 1, eigen.LeadingOptions{}, rnd)
	if err != nil {
		return nil, err
	}
	edges := newNormalized(f.g.Adjacency).mulSquare
	second, _, err := eigen.Leading(ctx, eigen.New(n, edges), min(n, 2), eigen.LeadingOptions{}, rnd)
	if err != nil {
		return nil, err
	}
	alpha := w.Weight * second[len(second)-1] / max(largest[0], 1e-12)
	return f.eigenvectors(ctx, w, func(ctx context.Context, dst, v blas64.General) error {
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

// normalized is N = D^-½(A + τ/n·11ᵀ)D^-½ with weak edges between all nodes, whose weight
// per node is the mean degree τ (Zhang and Rohe, NeurIPS 2018, arXiv:1806.01468): without
// them, the leading eigenvectors are those of small components.
type normalized struct {
	a     *graph.CSR
	tau   float64
	scale []float64 // D^-½
}

func newNormalized(a *graph.CSR) *normalized {
	m := &normalized{a: a, scale: make([]float64, a.Rows)}
	for i := range m.scale {
		for _, w := range a.Each(i) {
			m.scale[i] += float64(w)
		}
		m.tau += m.scale[i] / float64(a.Rows)
	}
	m.tau = cmp.Or(m.tau, 1)
	for i, d := range m.scale {
		m.scale[i] = 1 / math.Sqrt(d+m.tau)
	}
	return m
}

// mul sets dst = N·x.
func (m *normalized) mul(ctx context.Context, dst, x blas64.General) error {
	weak := make([]float64, x.Cols)
	for i, s := range m.scale {
		for c, v := range x.Data[i*x.Stride:][:x.Cols] {
			weak[c] += s * v * m.tau / float64(x.Rows)
		}
	}
	return parallel.BlocksContext(ctx, x.Rows, dense.Grain(x.Rows), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to := dst.Data[i*dst.Stride:][:x.Cols]
			copy(to, weak)
			for j, w := range m.a.Each(i) {
				s := float64(w) * m.scale[j]
				for c, v := range x.Data[int(j)*x.Stride:][:x.Cols] {
					to[c] += s * v
				}
			}
			for c := range to {
				to[c] *= m.scale[i]
			}
		}
	})
}

// mulSquare sets dst = N²·x, whose leading eigenvectors are those of N with the largest
// absolute eigenvalues: negative ones belong to edges that join unlike nodes.
func (m *normalized) mulSquare(ctx context.Context, dst, x blas64.General) error {
	y := blas64.General{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: make([]float64, x.Rows*x.Cols)}
	if err := m.mul(ctx, y, x); err != nil {
		return err
	}
	return m.mul(ctx, dst, y)
}

// sharpened returns (I + kL̃)ᵗX = (2I − H)ᵗX, which keeps what differs between neighbors.
func sharpened(in *encoder.Input, layers int) blas32.General {
	h, x := in.Operator.FilterMatrix(in.Filter.K), in.Smoothed
	for range layers {
		y := dense.New(x.Rows, x.Cols)
		parallel.Blocks(x.Rows, dense.Grain(x.Rows), func(lo, hi int) {
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
