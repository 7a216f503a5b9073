package method

import (
	"cmp"
	"context"
	"math"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// sagsc is scalable attributed-graph subspace clustering (Fettal, Labiod and Nadif, AAAI
// 2023), in closed form, without training. The features, weighed by ln(n/df) where they
// only say which words a node has, with rows of length 1, are smoothed p times and
// centered,
//
//	H = X̃ − mean of the rows of X̃,  X̃ = ŜᵖX,  Ŝ = D̃^-½(A+I)D̃^-½,
//
// and U, n×k for k clusters, are the leading left singular vectors of H. Each node i gets
// the coordinates φ(uᵢ), whose inner products are a polynomial kernel,
//
//	φ(r)·φ(s) = (r·s + c)²,  c = 1/√2,
//
// which are (k+1)(k+2)/2: the squares of U's columns, √2 times the products of two of
// them, √(2c) times the columns and c. With the degrees dᵢ = Σⱼ φ(uᵢ)·φ(uⱼ), the embedding
// is the left singular vectors 2 to k+1 of the matrix with the rows φ(uᵢ)/√dᵢ.
//
// Published mode follows the authors' code in three more things. A node is averaged with its neighbors
// more gently, by D⁻¹(Ŝ+I) in place of Ŝ, with the row sums D. All features, also those that are
// weights already, are multiplied by ln((1+n)/(1+df)) + 1. And k-means clusters the rows of the embedding.
//
// The authors choose p for each data set, by means that they do not say: Wiki 4, Pubmed 100. Published
// mode takes these by the name of the graph ([graph.Graph].Catalogue), and PyAGC 1.1.2's 5, for Cora,
// for all others; fair mode takes 5 for all. PyAGC smooths by Ŝ, does not weigh words and divides
// the rows of φ(U) by their lengths; it prints Cora .635/.444/.388.
type sagsc struct {
	Layers    int     `json:"layers"`    // p; default 5, published Wiki 4, Pubmed 100
	Bias      float64 `json:"bias"`      // c; default 1/√2
	Published bool    `json:"published"` // published mode
}

// newSAGSC returns the method's settings: those of s that apply, and defaults for the others. In
// published mode, the default of Layers depends on the graph: it is 0 until then.
func newSAGSC(s Settings) sagsc {
	m := sagsc{Layers: s.Layers, Bias: math.Sqrt2 / 2, Published: s.Published}
	if !s.Published {
		m = m.withDefaults("")
	}
	return m
}

// withDefaults returns m with the number of layers in place of 0.
func (m sagsc) withDefaults(name string) sagsc {
	layers := 5
	if m.Published {
		switch name {
		case "wiki":
			layers = 4
		case "pubmed":
			layers = 100
		}
	}
	m.Layers = cmp.Or(m.Layers, layers)
	return m
}

// fit implements [fitter].
func (m sagsc) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	m = m.withDefaults(g.Catalogue)
	k := o.Clusters
	err := cmp.Or(checkWithin("layers", m.Layers, 1, laplacian.MaxLayers), checkPositive("bias", m.Bias), checkAtLeast("number of clusters", k, 1))
	if err == nil { // φ(U), its transpose in products, and what is computed from it
		err = system.CheckMemory("the coordinates of SAGSC", 3*4*float64(g.N())*float64(mapped(k)))
	}
	if err != nil {
		return nil, err
	}
	h, err := m.smooth(ctx, g)
	if err != nil {
		return nil, err
	}
	rnd := o.random("spectral")
	_, u, err := linalg.LeadingEigenvectors(ctx, gramOperator(cluster.Gram(h), h), k, linalg.LeadingOptions{}, rnd)
	if err != nil {
		return nil, err
	}
	z := quadratic(u, m.Bias)
	unitDegrees(z)
	_, vectors, err := linalg.LeadingEigenvectors(ctx, gramOperator(cluster.Gram(z), z), k+1, linalg.LeadingOptions{}, rnd)
	if err != nil {
		return nil, err
	}
	vectors.Data, vectors.Cols = vectors.Data[1:], k // without the first
	out := &Output{Embedding: rounded(vectors)}
	if m.Published {
		const starts = 0 // the default
		out.Clusters, err = o.kMeans(ctx, out.Embedding, starts)
	}
	return out, err
}

// smooth returns H of [sagsc], n×f.
func (m sagsc) smooth(ctx context.Context, g *graph.Graph) (blas32.General, error) {
	filter, weighed := laplacian.New(g.Adjacency).FilterMatrix(1), wordWeights
	if m.Published {
		filter, weighed = lazyWalk(filter), smoothTFIDF
	}
	const matrices = 4 // of the features' size at a time: a copy, X, and series' sum and next
	x, err := denseFeatures(weighed(g.Features), matrices)
	if err != nil {
		return x, err
	}
	linalg.NormalizeTo(x, x)
	weights := make([]float64, m.Layers+1)
	weights[m.Layers] = 1
	h, err := series(ctx, filter, x, weights)
	if err != nil {
		return h, err
	}
	center(h)
	return h, nil
}

// lazyWalk returns D⁻¹(S+I), where D has the row sums of S+I, of a matrix whose diagonal is stored. It
// writes to S.
func lazyWalk(s *graph.CSR) *graph.CSR {
	for i := range s.Rows {
		columns, values := s.Row(i)
		sum := 1.0
		for k, j := range columns {
			sum += float64(values[k])
			if int(j) == i {
				values[k]++
			}
		}
		for k := range values {
			values[k] = float32(float64(values[k]) / sum)
		}
	}
	return s
}

// mapped returns how many coordinates [quadratic] makes of k.
func mapped(k int) int { return (k + 1) * (k + 2) / 2 }

// quadratic returns φ of the rows of u: rows whose inner products are (r·s + c)².
func quadratic(u blas64.General, c float64) blas32.General {
	out := linalg.New(u.Rows, mapped(u.Cols))
	for i := range u.Rows {
		row, to := u.Data[i*u.Stride:][:u.Cols], linalg.Row(out, i)[:0]
		for a, v := range row {
			to = append(to, float32(v*v))
			for _, w := range row[:a] {
				to = append(to, float32(math.Sqrt2*v*w))
			}
			to = append(to, float32(math.Sqrt(2*c)*v))
		}
		_ = append(to, float32(c))
	}
	return out
}

// unitDegrees divides each row of z by the root of its degree Σⱼ zᵢ·zⱼ. The degrees must be positive,
// as sums of squares with a bias are.
func unitDegrees(z blas32.General) {
	sum := linalg.New(1, z.Cols)
	for i := range z.Rows {
		simd.Axpy(1, linalg.Row(z, i), linalg.Row(sum, 0))
	}
	eachRow(z, func(r []float32, _ int) {
		scale := float32(1 / math.Sqrt(float64(simd.Dot(r, linalg.Row(sum, 0)))))
		for j := range r {
			r[j] *= scale
		}
	})
}
