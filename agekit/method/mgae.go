package method

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// mgae is the marginalized graph autoencoder (Wang, Pan, Long, Zhu and Jiang, CIKM
// 2017). Each layer is the linear map that best restores the features from the graph
// convolution of corrupted ones, X̂, which lack each feature with probability p, for
// all nodes at once:
//
//	min E|X − Â[X̂ 1]W|² + λ|W|²,  Â = D̃^-½(A+I)D̃^-½,
//
// with a constant feature 1, which is never erased and whose weights λ leaves alone.
// The expectation over all corruptions has a closed form, so nothing is trained: with S
// = Â[X 1] and q = (1−p, …, 1−p, 1),
//
//	(Q + λI)W = diag(q) SᵗX,  Qⱼₖ = qⱼqₖ(SᵗS)ⱼₖ for j ≠ k,  Qⱼⱼ = qⱼ(SᵗS)ⱼⱼ.
//
// The layer's output, and the next layer's X, is SW. The embedding is the output of the
// last layer.
//
// Published mode weighs words as the authors' files do ([wordWeights]), and clusters as
// their code does: the k eigenvectors of |ZZᵗ| whose eigenvalues are largest in
// absolute value, in rows of length 1, by k-means with one start. The printed scores
// are means of 50 such runs. The authors' files of Cora and Citeseer count mutual
// citations twice, which a [graph.Graph] does not.
//
// The weights of f features take 24f² bytes, and the solution of their equations 7f³/3
// multiplications and additions.
type mgae struct {
	Layers     int     `json:"layers"`     // default 3
	Corruption float64 `json:"corruption"` // p; default 0.4, the authors' for Cora
	Ridge      float64 `json:"ridge"`      // λ; default 1e-5
	Published  bool    `json:"published"`  // published mode
}

// newMGAE returns the method's settings: those of s that apply, and defaults for the others.
func newMGAE(s Settings) mgae {
	return mgae{Layers: cmp.Or(s.Layers, 3), Corruption: 0.4, Ridge: 1e-5, Published: s.Published}
}

// fit implements [fitter].
func (m mgae) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := cmp.Or(checkWithin("layers", m.Layers, 1, laplacian.MaxLayers), checkPositive("ridge", m.Ridge)); err != nil {
		return nil, err
	}
	if !(m.Corruption > 0 && m.Corruption < 1) {
		return nil, message.Errorf("%s is %v: want more than 0 and less than 1", message.Option("corruption"), m.Corruption)
	}
	features := g.Features
	if m.Published {
		features = wordWeights(features)
	}
	const matrices = 6 // of the features' size at a time, in the layers
	z, err := denseFeatures(features, matrices)
	if err != nil {
		return nil, err
	}
	if err := system.CheckMemory(fmt.Sprintf("weights of %d×%d features", z.Cols, z.Cols), 24*float64(z.Cols)*float64(z.Cols)); err != nil {
		return nil, err
	}
	filter := laplacian.New(g.Adjacency).FilterMatrix(1)
	for layer := 1; layer <= m.Layers; layer++ {
		if z, err = m.layer(ctx, filter, z); err != nil {
			return nil, fmt.Errorf("layer %d of %d: %w", layer, m.Layers, err)
		}
		o.report(layer, m.Layers, 0) // there is no loss
	}
	out := &Output{Embedding: z}
	if !m.Published {
		return out, nil
	}
	_, u, err := linalg.LeadingEigenvectors(ctx, squareOperator(gramOperator(cluster.GramAbs(z), z)), o.Clusters, linalg.LeadingOptions{}, o.random("spectral"))
	if err != nil {
		return nil, err
	}
	const starts = 1
	out.Clusters, err = o.kMeans(ctx, linalg.Normalize(rounded(u)), starts)
	return out, err
}

// layer returns the layer's output SW for its input X. filter is Â.
func (m mgae) layer(ctx context.Context, filter *graph.CSR, x blas32.General) (blas32.General, error) {
	withConstant := linalg.New(x.Rows, x.Cols+1) // [X 1]
	for i := range x.Rows {
		copy(linalg.Row(withConstant, i), linalg.Row(x, i))
		withConstant.Data[i*withConstant.Stride+x.Cols] = 1
	}
	s := linalg.New(x.Rows, x.Cols+1)
	mulSparse(s, filter, withConstant)
	w, err := m.weights(ctx, s, x)
	if err != nil {
		return x, err
	}
	z := linalg.New(x.Rows, x.Cols)
	return z, mulInterruptibly(ctx, z, s, w, false)
}

// mulInterruptibly sets dst = a·b, until ctx is done, whose error it returns. With onlyLower, it
// leaves out tiles that are wholly above the diagonal.
func mulInterruptibly(ctx context.Context, dst, a, b blas32.General, onlyLower bool) error {
	eachBand(dst, func(lo, hi, column int) {
		isAbove := hi <= column
		if ctx.Err() == nil && !(onlyLower && isAbove) {
			denseTile(dst, a, b, lo, hi, column)
		}
	})
	return ctx.Err()
}

// weights returns W, (f+1)×f: the solution of the equations of [mgae] for the S and the X of a layer.
func (m mgae) weights(ctx context.Context, s, x blas32.General) (blas32.General, error) {
	f := x.Cols
	// kept is q: the probability that a feature is not erased; the constant never is.
	kept := func(j int) float64 {
		if j == f {
			return 1
		}
		return 1 - m.Corruption
	}
	sT, products := transposed(s), linalg.New(f+1, f+1) // products: SᵗS, its lower triangle
	if err := mulInterruptibly(ctx, products, sT, s, true); err != nil {
		return x, err
	}
	q := newSystem(f+1, f+1) // Q + λI, its lower triangle
	for j := range f + 1 {
		row := q.Row(j)
		for k, v := range products.Data[j*products.Stride:][:j+1] {
			row[k] = kept(j) * kept(k) * float64(v)
		}
		if j < f {
			row[j] = row[j]/kept(j) + m.Ridge // Qⱼⱼ has the factor qⱼ once, not twice
		}
	}
	products = linalg.New(f+1, f) // SᵗX
	if err := mulInterruptibly(ctx, products, sT, x, false); err != nil {
		return x, err
	}
	w := newSystem(f+1, f) // diag(q)SᵗX, which solve replaces with W
	for j := range f + 1 {
		for k, v := range products.Data[j*products.Stride:][:f] {
			w.Row(j)[k] = kept(j) * float64(v)
		}
	}
	if err := solve(ctx, q, w); err != nil {
		return x, err
	}
	w.Cols = f // without the padding of newSystem
	return rounded(blas64.General(w)), nil
}

// squareOperator returns products with M², given those with M. The leading eigenvectors of M² are
// those of M with the largest absolute eigenvalues.
func squareOperator(m linalg.Operator) linalg.Operator {
	return linalg.NewOperator(m.Dim(), func(ctx context.Context, dst, x blas64.General) error {
		once := blas64.General{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: make([]float64, x.Rows*x.Cols)}
		if err := m.MulTo(ctx, once, x); err != nil {
			return err
		}
		return m.MulTo(ctx, dst, once)
	})
}
