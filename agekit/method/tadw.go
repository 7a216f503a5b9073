package method

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// tadw is text-associated DeepWalk (Yang, Liu, Zhao, Sun and Chang, Network
// Representation Learning with Rich Text Information, IJCAI 2015). It factors the
// probabilities of one and two steps of a walk, with the features as a factor:
//
//	min |M − WᵗHT|² + λ/2·(|W|² + |H|²),  M = (P + P²)/2,  P = D⁻¹A.
//
// T holds the features in few numbers: if X ≈ UΣVᵗ is the truncated singular value
// decomposition, the authors' columns of UΣ, each divided by its length, are Uᵗ. So TTᵗ
// = I, and with Q = MTᵗ the objective is
//
//	|Q − WᵗH|² + λ/2·(|W|² + |H|²)
//
// and a constant. It is solved for W and H in turn, from a random H. Each W is XQᵗ for
// some X, so all solutions need only QᵗQ, Text×Text. M is applied as two sparse
// products, and nothing is n×n: memory is about 3·n·Text numbers in float64. The
// solutions tend to the singular value decomposition of Q with λ/2 subtracted from the
// singular values.
//
// The embedding of node i is its column of W beside H·Σuᵢ. In fair mode each of the two
// halves has length 1 (0 for W of a node without neighbors), as in OpenNE's code:
// otherwise the unit of the features would decide how much the edges count. The
// authors' code, and published mode, does not scale them, so Σ makes the second half by
// far the longer one, and a binary X gets ln(n/df) for a word that df of the n nodes
// have. The authors do not cluster. Table 2 takes its figures from GALA's Table 2,
// which are of k-means, so published mode runs that.
//
// The defaults are the authors'.
type tadw struct {
	Dims int `json:"dims"` // width of each half of the embedding; default 80
	// Text is the number of rows of T. There are fewer if X has fewer singular
	// values above 1/1000 of the largest. Default 200.
	Text       int     `json:"text"`
	Iterations int     `json:"iterations"` // how often both W and H are solved for; default 10
	Lambda     float64 `json:"lambda"`     // λ; default 0.2
	Published  bool    `json:"published"`  // published mode
}

// newTADW returns the method's settings: those of s that apply, and defaults for the others.
func newTADW(s Settings) tadw {
	return tadw{Dims: 80, Text: 200, Iterations: s.epochs(10), Lambda: 0.2, Published: s.Published}
}

// fit reports one solution for W and for H as an epoch, and the objective after it,
// without the constant, as its loss.
func (m tadw) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	z, err := m.embed(ctx, g, o)
	if err != nil {
		return nil, err
	}
	out := &Output{Embedding: z}
	if m.Published {
		const starts = 0 // the default
		out.Clusters, err = o.kMeans(ctx, z, starts)
	}
	return out, err
}

// embed returns the embedding, n×2·Dims: the columns of W beside H·Σuᵢ.
func (m tadw) embed(ctx context.Context, g *graph.Graph, o Options) (z blas32.General, err error) {
	err = cmp.Or(checkAtLeast("dims", m.Dims, 1), checkAtLeast("text", m.Text, 1), checkAtLeast("iterations", m.Iterations, 1), checkPositive("lambda", m.Lambda), checkEdges(g))
	if err != nil {
		return z, err
	}
	x, unit := m.textMatrix(g.Features)
	if x.NNZ() == 0 {
		return z, errNoFeatures
	}
	const bytes, matrices = 8, 3 // of a float64, and n×Text at a time
	if err := system.CheckMemory("the text matrix (lower text)", bytes*matrices*float64(x.Rows)*float64(m.Text)); err != nil {
		return z, err
	}
	rnd := source(o.Seed)
	u, lengths, err := leftSingular(ctx, x, min(m.Text, x.Rows, x.Cols), rnd)
	if err != nil {
		return z, err
	}
	floats.Scale(unit, lengths) // Σ of the X that the method means
	q, err := walkTwice(ctx, g.Adjacency, u)
	if err != nil {
		return z, err
	}
	qq, err := innerProducts(ctx, q)
	if err != nil {
		return z, err
	}
	f := newFactors(qq, m.Dims, m.Lambda, rnd)
	for k := range m.Iterations {
		if err := ctx.Err(); err != nil {
			return z, err
		}
		if err := f.solveW(); err != nil {
			return z, err
		}
		if err := f.solveH(); err != nil {
			return z, err
		}
		o.report(k+1, m.Iterations, f.objective())
	}
	z = linalg.New(x.Rows, 2*m.Dims)
	var text mat.Dense // HΣ
	text.Mul(f.h, mat.NewDiagDense(len(lengths), lengths))
	if err := m.writeHalf(ctx, z, 0, q, f.x); err != nil {
		return z, err
	}
	return z, m.writeHalf(ctx, z, m.Dims, u, &text)
}

// textMatrix returns X divided by its unit ([graph.FeatureUnit]), and the number by which its singular
// values are to be multiplied: 1, or in published mode, whose results depend on the unit, the unit
// itself. In published mode, a binary X gets the weights ln(n/df) first.
func (m tadw) textMatrix(x graph.Features) (text *graph.CSR, scale float64) {
	entries := nonZeros(x)
	n, f := x.Dims()
	if !m.Published {
		return graph.FromEntries(n, f, entries), 1
	}
	isBinary := !slices.ContainsFunc(entries, func(e graph.Entry) bool { return e.Value != 1 })
	if isBinary {
		x = tfidf(x)
		entries = nonZeros(x)
	}
	return graph.FromEntries(n, f, entries), graph.FeatureUnit(x)
}

// writeHalf writes the rows of y·bᵗ to z, from the given column on. Except in published mode, it
// scales each of these rows to length 1.
func (m tadw) writeHalf(ctx context.Context, z blas32.General, column int, y, b *mat.Dense) error {
	return eachSlab(ctx, y, func(lo int, y mat.Matrix) {
		var product mat.Dense
		product.Mul(y, b.T())
		rows, _ := product.Dims()
		for i := range rows {
			row, scale := product.RawRowView(i), 1.0
			if length := floats.Norm(row, 2); !m.Published && length > 0 {
				scale = 1 / length
			}
			for k, v := range row {
				z.Data[(lo+i)*z.Stride+column+k] = float32(v * scale)
			}
		}
	})
}

// factors are W = XQᵗ and H in Q ≈ WᵗH. (This X is not the features.)
type factors struct {
	qq     *mat.Dense // QᵗQ, t×t
	lambda float64    // λ
	x, h   *mat.Dense // X and H, dims×t
}

// newFactors returns X = 0 and an H whose entries are drawn from the standard normal distribution,
// dims×t, given QᵗQ.
func newFactors(qq *mat.Dense, dims int, lambda float64, rnd *rand.Rand) *factors {
	t, _ := qq.Dims()
	h := mat.NewDense(dims, t, nil)
	h.Apply(func(int, int, float64) float64 { return rnd.NormFloat64() }, h)
	return &factors{qq, lambda, mat.NewDense(dims, t, nil), h}
}

// solveW sets W to the minimum of the objective for the present H, W = 2(2HHᵗ + λI)⁻¹HQᵗ. So X
// is this without Qᵗ.
func (f *factors) solveW() error {
	_, hh, _ := f.products()
	return f.ridge(f.x, hh, f.h)
}

// solveH sets H to the minimum of the objective for the present W, H = 2(2WWᵗ + λI)⁻¹WQ.
func (f *factors) solveH() error {
	ww, _, wq := f.products()
	return f.ridge(f.h, ww, wq)
}

// objective returns |Q − WᵗH|² + λ/2·(|W|² + |H|²).
func (f *factors) objective() float64 {
	ww, hh, wq := f.products()
	return mat.Trace(f.qq) - 2*dot(wq, f.h) + dot(ww, hh) + f.lambda/2*(mat.Trace(ww)+mat.Trace(hh))
}

// products returns WWᵗ = X(QᵗQ)Xᵗ, HHᵗ and WQ = X(QᵗQ).
func (f *factors) products() (ww, hh, wq *mat.Dense) {
	ww, hh, wq = new(mat.Dense), new(mat.Dense), new(mat.Dense)
	wq.Mul(f.x, f.qq)
	ww.Mul(wq, f.x.T())
	hh.Mul(f.h, f.h.T())
	return ww, hh, wq
}

// ridge sets dst = 2(2A + λI)⁻¹B for a symmetric A. It returns an error if λ is too small for an
// accurate solution.
func (f *factors) ridge(dst, a, b *mat.Dense) error {
	k, _ := a.Dims()
	s := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			s.SetSym(i, j, a.At(i, j)+a.At(j, i)) // 2A, symmetric whatever the rounding of A
		}
		s.SetSym(i, i, s.At(i, i)+f.lambda)
	}
	var c mat.Cholesky
	if !c.Factorize(s) || c.SolveTo(dst, b) != nil {
		return message.Errorf("%s is %v: the equations have no accurate solution: want a larger one", message.Option("lambda"), f.lambda)
	}
	dst.Scale(2, dst)
	return nil
}

// dot returns Σ aᵢⱼbᵢⱼ.
func dot(a, b *mat.Dense) float64 { return floats.Dot(a.RawMatrix().Data, b.RawMatrix().Data) }

// leftSingular returns the k leading left singular vectors of X as columns, and their singular
// values. It leaves out those whose values are at most 1/1000 of the largest. It finds them from
// the eigenvectors of XXᵗ or XᵗX, whichever is smaller, whose eigenvalues are the squares of the
// singular values.
func leftSingular(ctx context.Context, x *graph.CSR, k int, rnd *rand.Rand) (*mat.Dense, []float64, error) {
	wide, transposed := x, x.Transpose() // the smaller product is wide·wideᵗ
	if x.Rows > x.Cols {
		wide, transposed = transposed, wide
	}
	outer := linalg.NewOperator(wide.Rows, func(ctx context.Context, dst, y blas64.General) error {
		between := mat.NewDense(wide.Cols, y.Cols, nil).RawMatrix()
		if err := mulSparse64(ctx, between, transposed, y); err != nil {
			return err
		}
		return mulSparse64(ctx, dst, wide, between)
	})
	values, vectors, err := linalg.LeadingEigenvectors(ctx, outer, k, linalg.LeadingOptions{}, rnd)
	if err != nil {
		return nil, nil, err
	}
	const least = 1e-6 // the square of 1/1000
	for k = 0; k < len(values) && values[k] > least*values[0]; k++ {
		values[k] = math.Sqrt(values[k])
	}
	values = values[:k]
	vectors.Cols = k
	u := mat.NewDense(x.Rows, k, nil)
	if wide == x { // the vectors are U
		for i := range x.Rows {
			copy(u.RawRowView(i), vectors.Data[i*vectors.Stride:])
		}
		return u, values, nil
	}
	err = mulSparse64(ctx, u.RawMatrix(), x, vectors) // the vectors are V, and XV = UΣ
	for i := range x.Rows {
		floats.Div(u.RawRowView(i), values)
	}
	return u, values, err
}

// walkTwice returns MY for M = (P + P²)/2 and P = D⁻¹A, whose rows are 0 for nodes
// without neighbors.
func walkTwice(ctx context.Context, a *graph.CSR, y *mat.Dense) (*mat.Dense, error) {
	degrees, err := cluster.Sparse(a).Degrees(ctx)
	if err != nil {
		return nil, err
	}
	// walk returns PY.
	walk := func(y *mat.Dense) (*mat.Dense, error) {
		py := mat.NewDense(y.RawMatrix().Rows, y.RawMatrix().Cols, nil)
		err := mulSparse64(ctx, py.RawMatrix(), a, y.RawMatrix())
		for i, d := range degrees {
			if d > 0 {
				floats.Scale(1/d, py.RawRowView(i))
			}
		}
		return py, err
	}
	once, err := walk(y)
	if err != nil {
		return nil, err
	}
	twice, err := walk(once)
	once.Add(once, twice)
	once.Scale(0.5, once)
	return once, err
}

// innerProducts returns QᵗQ.
func innerProducts(ctx context.Context, q *mat.Dense) (*mat.Dense, error) {
	_, t := q.Dims()
	qq := mat.NewDense(t, t, nil)
	return qq, eachSlab(ctx, q, func(_ int, q mat.Matrix) {
		var part mat.Dense
		part.Mul(q.T(), q)
		qq.Add(qq, &part)
	})
}

// eachSlab calls f with a slab of rows of m after another, and with the index lo of the slab's first
// row. It stops when ctx is done, and returns the context's error.
func eachSlab(ctx context.Context, m *mat.Dense, f func(lo int, slab mat.Matrix)) error {
	n, columns := m.Dims()
	const rows = 4096 // of a slab: a product with it takes a moment
	for lo := 0; lo < n && ctx.Err() == nil; lo += rows {
		f(lo, m.Slice(lo, min(n, lo+rows), 0, columns))
	}
	return ctx.Err()
}

// mulSparse64 sets dst = a·y in float64.
func mulSparse64(ctx context.Context, dst blas64.General, a *graph.CSR, y blas64.General) error {
	return linalg.ParallelContext(ctx, a.Rows, 256, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst.Data[i*dst.Stride:][:dst.Cols]
			clear(row)
			for j, weight := range a.Each(i) {
				floats.AddScaled(row, float64(weight), y.Data[j*y.Stride:][:y.Cols])
			}
		}
	})
}
