package method

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// coco is compactness and consistency (Ju, Yi, Zheng, Wang, Qiao, Shen, Zhou, Cao and Lv,
// Compactness and Consistency: A Conjoint Framework for Deep Graph Clustering, ICLR 2026,
// openreview.net/forum?id=9jdQLmPUHW). X is reduced to its leading principal components
// and smoothed t times in two views, by the edges and by personalized PageRank,
//
//	X₁ = ŜᵗX,  X₂ = RᵗX,  Π = α Σₖ (1−α)ᵏŜᵏ,  R = D^-½(Π − diag Π + I)D^-½,
//
// where D has the sums of the rows of Π − diag Π + I. Each view has a linear layer,
// Y₁ = ψ(X₁W₁ + b₁), ψ(y) = max(y, slope·y), and Y has the rows of both, one below the
// other. With the columns of Y divided by their lengths, Ŷ, ten steps of expectation and
// maximization describe the columns by k soft bases μ, without a gradient,
//
//	z = softmax over the bases of Ŷᵗμ, columns of sum 1;  μ = Ŷz, columns of length 1,
//
// and the embedding of a view is Z₁, its rows of Ŷ + βμzᵗ, scaled to length 1. The loss is
// the mean, over 128 nodes drawn in each epoch, of KL(p‖q): p and q are softmax(Mᵥzᵥ/τ), a
// node's similarities to a memory in each view v, which has the rows of the last 10n nodes
// drawn, and random numbers at first. It is taken twice, the second time with the views
// exchanged, and its gradient is with respect to both. The output is (Z₁ + Z₂)/2 after the
// last epoch.
//
// Fair mode has the authors' settings for Cora. Published mode takes theirs for other data
// sets by the name of the graph, clusters by k-means with ten starts (the code's has one,
// chosen among twenty), and does two things as their code does, which are not in the
// formulas: the two views of a loss have different
// nodes, so that p is not compared with the same node's q; and gradients are never set to
// 0, so that a step's is the sum over all epochs so far. In both modes, as in the code, all
// nodes of a basis begin with the same number, 1 or −1: so only two of the k bases differ,
// and stay so.
//
// The code evaluates every epoch and keeps the one with the best ACC by the labels, which
// is what the paper prints: Cora .794/.607/.588. It computes Π as a dense matrix; here
// products with it are sums of powers, and its diagonal is computed in blocks.
//
// The zero value of a field means its default, because some depend on the graph.
type coco struct {
	Dims         int     `json:"dims"`          // width of the embedding; default 1500
	Inputs       int     `json:"inputs"`        // principal components; default 500
	Layers       int     `json:"layers"`        // t; default 2
	Teleport     float64 `json:"teleport"`      // α; default 0.2
	Slope        float64 `json:"slope"`         // of ψ below 0; default 0.2, published 1 but for Cora and Citeseer
	Bases        int     `json:"bases"`         // k; default 64
	Focus        float64 `json:"focus"`         // β; default 10, published Citeseer 9, others 1
	Temperature  float64 `json:"temperature"`   // τ; default 0.02
	Sample       int     `json:"sample"`        // nodes that a loss has; default 128
	Memory       int     `json:"memory"`        // rows of a memory for each node of the graph; default 10
	Epochs       int     `json:"epochs"`        // of one step each; default 1000
	LearningRate float64 `json:"learning_rate"` // Adam's; default 0.001
	Published    bool    `json:"published"`     // published mode

	mostEpochs int // upper bound of Epochs; 0: no bound
}

// newCoCo returns the settings. In published mode, defaults depend on the graph: see withDefaults.
func newCoCo(s Settings) coco {
	m := coco{Layers: s.Layers, Epochs: s.Epochs, Published: s.Published, mostEpochs: s.MostEpochs}
	if !s.Published {
		m = m.withDefaults("")
	}
	return m
}

// withDefaults returns m with defaults in place of zeros, and at most mostEpochs epochs: in published
// mode those for the data set of the name, as far as the authors set them.
func (m coco) withDefaults(name string) coco {
	slope, focus := 0.2, 10.0
	if m.Published {
		switch name {
		case "cora":
		case "citeseer":
			focus = 9
		default:
			slope, focus = 1, 1
		}
	}
	m.Dims, m.Inputs, m.Layers = cmp.Or(m.Dims, 1500), cmp.Or(m.Inputs, 500), cmp.Or(m.Layers, 2)
	m.Teleport, m.Slope = cmp.Or(m.Teleport, 0.2), cmp.Or(m.Slope, slope)
	m.Bases, m.Focus = cmp.Or(m.Bases, 64), cmp.Or(m.Focus, focus)
	m.Temperature, m.Sample, m.Memory = cmp.Or(m.Temperature, 0.02), cmp.Or(m.Sample, 128), cmp.Or(m.Memory, 10)
	m.Epochs, m.LearningRate = cmp.Or(m.Epochs, 1000), cmp.Or(m.LearningRate, 0.001)
	if m.mostEpochs > 0 {
		m.Epochs = min(m.Epochs, m.mostEpochs)
	}
	return m
}

// validate returns an error if a setting is out of range.
func (m coco) validate() error {
	if !(m.Teleport > 0 && m.Teleport < 1) {
		return message.Errorf("%s is %v: want more than 0 and less than 1", message.Option("teleport"), m.Teleport)
	}
	return cmp.Or(checkAtLeast("dims", m.Dims, 1), checkAtLeast("inputs", m.Inputs, 1), checkWithin("layers", m.Layers, 1, laplacian.MaxLayers),
		checkPositive("slope", m.Slope), checkAtLeast("bases", m.Bases, 1), checkPositive("focus", m.Focus), checkPositive("temperature", m.Temperature),
		checkAtLeast("sample", m.Sample, 1), checkAtLeast("memory", m.Memory, 1), checkSchedule(m.Epochs, m.LearningRate))
}

// fit implements [fitter]. It takes no checkpoints, which would be as large as the memories.
func (m coco) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	m = m.withDefaults(g.Catalogue)
	if err := cmp.Or(m.validate(), checkEdges(g)); err != nil {
		return nil, err
	}
	n := float64(g.N())
	bytes := 4 * (2*n*float64(m.Memory*m.Dims+m.Memory*m.Sample) + 8*2*n*float64(m.Dims))
	if err := system.CheckMemory("the memories of CoCo (lower memory or dims)", bytes); err != nil {
		return nil, err
	}
	local, global, err := m.views(ctx, g, o.random("spectral"))
	if err != nil {
		return nil, err
	}
	o.Checkpoints = nil
	net := m.network(local, global, source(o.Seed))
	t := newHostTrainer(g, o, backend.Native)
	optimizer := t.hostStep(m.LearningRate, net.parameters()...)
	trained := model{
		epochs: m.Epochs,
		epoch: func(_ int, rnd *rand.Rand) (float64, error) {
			loss, err := net.step(ctx, rnd)
			if err == nil {
				optimizer.adam()
			}
			return loss, err
		},
		embed: func() (blas32.General, error) { return net.embed(), nil },
	}
	if m.Published && o.Clusters > 0 {
		const starts = 10
		trained.clusters = func(z blas32.General) ([]int, error) { return o.kMeans(ctx, z, starts) }
	}
	return t.run(ctx, trained)
}

// views returns X₁ and X₂ of [coco].
func (m coco) views(ctx context.Context, g *graph.Graph, rnd *rand.Rand) (local, global blas32.General, err error) {
	x, err := principal(ctx, g.Features, m.Inputs, rnd)
	if err != nil {
		return x, x, err
	}
	filter := laplacian.New(g.Adjacency).FilterMatrix(1)
	pageRank, err := newDiffusion(ctx, filter, m.Teleport)
	if err != nil {
		return x, x, err
	}
	local, global = x, x
	for range m.Layers {
		next := linalg.New(x.Rows, x.Cols)
		mulSparse(next, filter, local)
		local = next
		if global, err = pageRank.apply(ctx, global); err != nil {
			return x, x, err
		}
	}
	return local, global, nil
}

// principal returns the leading principal components of the features, as many as there are up to count:
// n×count. They are those of a random subspace after four iterations, as scikit-learn finds them for
// a matrix of this size (Halko, Martinsson and Tropp, SIAM Review 53(2), 2011): exact to rounding if
// the subspace has all dimensions.
func principal(ctx context.Context, features graph.Features, count int, rnd *rand.Rand) (blas32.General, error) {
	const matrices = 4 // of the features' size
	x, err := denseFeatures(features, matrices)
	if err != nil {
		return x, err
	}
	center(x)
	const extra, iterations = 10, 4
	count = min(count, x.Rows, x.Cols)
	width := min(count+extra, x.Rows, x.Cols)
	rows := linalg.New(x.Rows, width)     // a basis of a space of columns of X
	columns := normal(x.Cols, width, rnd) // of rows of X
	for k := range iterations + 1 {
		if err := ctx.Err(); err != nil {
			return x, err
		}
		if k > 0 {
			mulTransposed(columns, x, rows)
		}
		mulDense(rows, x, columns)
		orthonormalize(rows)
	}
	// X ≈ QB with Q = rows and B = QᵗX, and BBᵗ = VΛVᵗ, so that the components are QVΛ^½.
	projected := linalg.New(width, x.Cols)
	mulTransposed(projected, rows, x)
	dense := linalg.Float64(projected)
	var outer mat.SymDense
	outer.SymOuterK(1, dense)
	var e mat.EigenSym
	if !e.Factorize(&outer, true) {
		return x, errors.New("no principal components")
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	values := e.Values(nil) // in ascending order
	rotation := linalg.New(width, count)
	for c := range count {
		from := width - 1 - c
		for i := range width {
			rotation.Data[i*rotation.Stride+c] = float32(vectors.At(i, from) * math.Sqrt(max(values[from], 0)))
		}
	}
	out := linalg.New(x.Rows, count)
	mulDense(out, rows, rotation)
	return out, nil
}

// orthonormalize replaces the columns of m, no more than it has rows, by an orthonormal basis of the space
// that they span.
func orthonormalize(m blas32.General) {
	exact := linalg.NewMatrix[float64](m.Rows, m.Cols)
	for i := range m.Rows {
		for j, v := range linalg.Row(m, i)[:m.Cols] {
			exact.Data[i*exact.Stride+j] = float64(v)
		}
	}
	linalg.Orthonormalize(exact)
	eachRow(m, func(r []float32, i int) {
		for j := range r[:m.Cols] {
			r[j] = float32(exact.Data[i*exact.Stride+j])
		}
	})
}

// center subtracts the mean of the rows of x from each.
func center(x blas32.General) {
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range linalg.Row(x, i)[:x.Cols] {
			mean[j] += float64(v) / float64(x.Rows)
		}
	}
	eachRow(x, func(r []float32, _ int) {
		for j, v := range mean {
			r[j] -= float32(v)
		}
	})
}

// diffusion multiplies with R of [coco], without the dense matrix Π.
type diffusion struct {
	filter   *graph.CSR // Ŝ
	weights  []float64  // α(1−α)ᵏ
	diagonal []float32  // of Π
	scale    []float32  // of D^-½
}

// newDiffusion returns products with R for the filter Ŝ and α. The powers of Ŝ whose weights add up to less
// than 10⁻⁷ are left out.
func newDiffusion(ctx context.Context, filter *graph.CSR, alpha float64) (*diffusion, error) {
	d := &diffusion{filter: filter, diagonal: make([]float32, filter.Rows), scale: make([]float32, filter.Rows)}
	for rest := 1.0; rest > 1e-7; rest *= 1 - alpha {
		d.weights = append(d.weights, alpha*rest)
	}
	ones := linalg.New(filter.Rows, 1)
	for i := range ones.Rows {
		ones.Data[i*ones.Stride] = 1
	}
	sums, err := series(ctx, filter, ones, d.weights)
	if err != nil {
		return nil, err
	}
	const block = simd.TileWidth
	for from := 0; from < filter.Rows; from += block {
		count := min(block, filter.Rows-from)
		unit := linalg.New(filter.Rows, count)
		for c := range count {
			unit.Data[(from+c)*unit.Stride+c] = 1
		}
		columns, err := series(ctx, filter, unit, d.weights) // of Π
		if err != nil {
			return nil, err
		}
		for c := range count {
			d.diagonal[from+c] = columns.Data[(from+c)*columns.Stride+c]
		}
	}
	for i, v := range d.diagonal {
		d.scale[i] = float32(1 / math.Sqrt(float64(sums.Data[i*sums.Stride]-v+1)))
	}
	return d, nil
}

// apply returns R·x.
func (d *diffusion) apply(ctx context.Context, x blas32.General) (blas32.General, error) {
	scaled := linalg.New(x.Rows, x.Cols)
	eachRow(scaled, func(r []float32, i int) { simd.Axpy(d.scale[i], linalg.Row(x, i), r) })
	input := linalg.New(x.Rows, x.Cols) // series overwrites it
	copy(input.Data, scaled.Data)
	out, err := series(ctx, d.filter, input, d.weights)
	eachRow(out, func(r []float32, i int) {
		simd.Axpy(1-d.diagonal[i], linalg.Row(scaled, i), r)
		simd.ShiftScale(r, r, 0, d.scale[i])
	})
	return out, err
}

// compactNet is the network of [coco] in training.
type compactNet struct {
	coco
	inputs   [2]blas32.General // X₁ and X₂
	weights  [2]parameter      // W
	biases   [2]parameter      // b
	bases    []basis           // before the first step of expectation
	memories [2]blas32.General
	next     int // the row of the memories that is written next
}

// basis stands for count equal bases.
type basis struct {
	start float32 // of each node
	count int
}

// network returns the network with its initial weights and memories: weights and biases as PyTorch draws
// them, uniformly from ±1/√inputs, and memories from ±√(3/dims).
func (m coco) network(local, global blas32.General, rnd *rand.Rand) *compactNet {
	c := &compactNet{coco: m, inputs: [2]blas32.General{local, global}}
	bound := 1 / math.Sqrt(float64(local.Cols))
	for v := range c.inputs {
		c.weights[v] = newParameter(uniform(local.Cols, m.Dims, bound, rnd))
		c.biases[v] = newParameter(uniform(1, m.Dims, bound, rnd))
		c.memories[v] = uniform(m.Memory*local.Rows, m.Dims, math.Sqrt(3/float64(m.Dims)), rnd)
	}
	positive := 0
	for range m.Bases {
		positive += rnd.IntN(2)
	}
	c.bases = []basis{{start: 1, count: positive}, {start: -1, count: m.Bases - positive}}
	return c
}

// parameters returns all that is trained.
func (c *compactNet) parameters() []parameter {
	return []parameter{c.weights[0], c.biases[0], c.weights[1], c.biases[1]}
}

// encode returns Ŷ, and the lengths by which the columns of Y were divided.
func (c *compactNet) encode() (unit blas32.General, lengths []float32) {
	n := c.inputs[0].Rows
	unit, lengths = linalg.New(2*n, c.Dims), make([]float32, c.Dims)
	for v, x := range c.inputs {
		y := linalg.RowRange(unit, v*n, n)
		mulDense(y, x, c.weights[v].value)
		eachRow(y, func(r []float32, _ int) {
			simd.Axpy(1, linalg.Row(c.biases[v].value, 0), r)
			for j, value := range r {
				if value < 0 {
					r[j] = float32(c.Slope) * value
				}
			}
		})
	}
	squares := make([]float64, c.Dims)
	for i := range unit.Rows {
		for j, value := range linalg.Row(unit, i)[:c.Dims] {
			squares[j] += float64(value) * float64(value)
		}
	}
	for j, s := range squares {
		lengths[j] = float32(math.Sqrt(s))
	}
	eachRow(unit, func(r []float32, _ int) {
		for j, length := range lengths {
			if length > 0 {
				r[j] /= length
			}
		}
	})
	return unit, lengths
}

// compact returns μzᵗ after ten steps of expectation and maximization on the columns of y.
func compact(y blas32.General, bases []basis) blas32.General {
	const steps, tiny = 10, 1e-6
	mu, z := linalg.New(len(bases), y.Rows), linalg.New(len(bases), y.Cols) // a row for each basis
	for k, b := range bases {
		for i := range linalg.Row(mu, k)[:y.Rows] {
			mu.Data[k*mu.Stride+i] = b.start
		}
	}
	for range steps {
		clear(z.Data)
		for i := range y.Rows {
			for k := range bases {
				simd.Axpy(mu.Data[k*mu.Stride+i], linalg.Row(y, i), linalg.Row(z, k))
			}
		}
		for j := range y.Cols { // softmax over the bases
			simd.ZeroUpper()
			highest, sum := math.Inf(-1), 0.0
			for k := range bases {
				highest = max(highest, float64(z.Data[k*z.Stride+j]))
			}
			for k, b := range bases {
				sum += float64(b.count) * math.Exp(float64(z.Data[k*z.Stride+j])-highest)
			}
			for k := range bases {
				entry := &z.Data[k*z.Stride+j]
				*entry = float32(math.Exp(float64(*entry)-highest) / sum)
			}
		}
		for k := range bases {
			row := linalg.Row(z, k)
			simd.ShiftScale(row[:y.Cols], row[:y.Cols], 0, 1/(tiny+simd.Sum(row[:y.Cols])))
		}
		eachRow(y, func(r []float32, i int) {
			for k := range bases {
				mu.Data[k*mu.Stride+i] = simd.Dot(r, linalg.Row(z, k))
			}
		})
		for k := range bases {
			row := linalg.Row(mu, k)
			length := math.Sqrt(float64(simd.Dot(row, row)))
			simd.ShiftScale(row, row, 0, float32(1/(tiny+length)))
		}
	}
	out := linalg.New(y.Rows, y.Cols)
	eachRow(out, func(r []float32, i int) {
		for k, b := range bases {
			simd.Axpy(float32(b.count)*mu.Data[k*mu.Stride+i], linalg.Row(z, k), r)
		}
	})
	return out
}

// rows returns Z of [coco] for both views, one below the other, and the lengths by which its rows were
// divided.
func (c *compactNet) rows(unit, compacted blas32.General) (z blas32.General, lengths []float32) {
	z, lengths = linalg.New(unit.Rows, unit.Cols), make([]float32, unit.Rows)
	eachRow(z, func(r []float32, i int) {
		simd.Combine(r, float32(c.Focus), linalg.Row(compacted, i), 1, linalg.Row(unit, i))
		lengths[i] = float32(math.Sqrt(float64(simd.Dot(r, r))))
		if lengths[i] > 0 {
			simd.ShiftScale(r, r, 0, 1/lengths[i])
		}
	})
	return z, lengths
}

// embed returns (Z₁ + Z₂)/2.
func (c *compactNet) embed() blas32.General {
	unit, _ := c.encode()
	z, _ := c.rows(unit, compact(unit, c.bases))
	n := c.inputs[0].Rows
	out := linalg.New(n, c.Dims)
	eachRow(out, func(r []float32, i int) { simd.Combine(r, 0.5, linalg.Row(z, i), 0.5, linalg.Row(z, n+i)) })
	return out
}

// sampled are the nodes of a loss, for the first view and the second.
type sampled [2][]int32

// draw draws the nodes of the two losses of an epoch.
func (c *compactNet) draw(rnd *rand.Rand) (losses [2]sampled) {
	n := c.inputs[0].Rows
	nodes := func() (drawn []int32) {
		for _, i := range rnd.Perm(n)[:min(c.Sample, n)] {
			drawn = append(drawn, int32(i))
		}
		return drawn
	}
	for k := range losses {
		first := nodes()
		losses[k] = sampled{first, first}
		if c.Published {
			losses[k][1] = nodes()
		}
	}
	return losses
}

// step sets the gradients of all weights, for nodes that it draws, and adds these nodes to the memories. It
// returns the loss.
func (c *compactNet) step(ctx context.Context, rnd *rand.Rand) (float64, error) {
	unit, lengths := c.encode()
	return c.differentiate(ctx, unit, lengths, compact(unit, c.bases), c.draw(rnd), true)
}

// differentiate returns the loss for the given nodes and sets the gradients, in published mode adds to them.
// remember says whether the nodes are then added to the memories.
func (c *compactNet) differentiate(ctx context.Context, unit blas32.General, lengths []float32, compacted blas32.General, losses [2]sampled, remember bool) (loss float64, err error) {
	n := c.inputs[0].Rows
	z, rowLengths := c.rows(unit, compacted)
	gradient := linalg.New(2*n, c.Dims) // with respect to z, and then to what it is computed from
	for k, nodes := range losses {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		// The first memory gets the first view in the first loss, and the second view in the second loss.
		first, second := k*n, (1-k)*n
		a, b := gather(z, nodes[0], first), gather(z, nodes[1], second)
		ofA, ofB, value := c.disagreement(a, b)
		loss += value / 2
		scatter(gradient, ofA, nodes[0], first)
		scatter(gradient, ofB, nodes[1], second)
		if remember {
			for r := range a.Rows {
				at := (c.next + r) % c.memories[0].Rows
				copy(linalg.Row(c.memories[0], at), linalg.Row(a, r))
				copy(linalg.Row(c.memories[1], at), linalg.Row(b, r))
			}
			c.next = (c.next + a.Rows) % c.memories[0].Rows
		}
	}
	// Through the scaling of rows, z = e/|e|.
	eachRow(gradient, func(g []float32, i int) {
		if rowLengths[i] > 0 {
			row := linalg.Row(z, i)
			simd.Axpy(-simd.Dot(g, row), row, g)
			simd.ShiftScale(g, g, 0, 1/rowLengths[i])
		}
	})
	// Through that of columns, and through ψ.
	along := make([]float64, c.Dims)
	for i := range gradient.Rows {
		row := linalg.Row(unit, i)
		for j, g := range linalg.Row(gradient, i)[:c.Dims] {
			along[j] += float64(g) * float64(row[j])
		}
	}
	eachRow(gradient, func(g []float32, i int) {
		row := linalg.Row(unit, i)
		for j, length := range lengths {
			if length > 0 {
				g[j] = (g[j] - float32(along[j])*row[j]) / length
			}
			if row[j] < 0 {
				g[j] *= float32(c.Slope)
			}
		}
	})
	for v, x := range c.inputs {
		g := linalg.RowRange(gradient, v*n, n)
		ofWeights, ofBias := linalg.New(x.Cols, c.Dims), linalg.New(1, c.Dims)
		mulTransposed(ofWeights, x, g)
		for i := range n {
			simd.Axpy(1, linalg.Row(g, i), linalg.Row(ofBias, 0))
		}
		for k, p := range []parameter{c.weights[v], c.biases[v]} {
			if !c.Published {
				clear(p.gradient.Data)
			}
			addScaled(p.gradient, []blas32.General{ofWeights, ofBias}[k], 1)
		}
	}
	return loss, nil
}

// gather returns the rows of z of some nodes of the view that begins at row from.
func gather(z blas32.General, nodes []int32, from int) blas32.General {
	out := linalg.New(len(nodes), z.Cols)
	for k, i := range nodes {
		copy(linalg.Row(out, k), linalg.Row(z, from+int(i)))
	}
	return out
}

// scatter adds half of the rows of g to those rows of gradient: half, for the mean of two losses.
func scatter(gradient, g blas32.General, nodes []int32, from int) {
	for k, i := range nodes {
		simd.Axpy(0.5, linalg.Row(g, k), linalg.Row(gradient, from+int(i)))
	}
}

// disagreement returns the mean over the rows aₖ and bₖ of KL(p‖q), with p = softmax(M₁aₖ/τ) and q =
// softmax(M₂bₖ/τ) for the memories M, and the gradients with respect to a and b.
func (c *compactNet) disagreement(a, b blas32.General) (ofA, ofB blas32.General, value float64) {
	rows, count := c.memories[0].Rows, a.Rows
	s, u := linalg.New(rows, count), linalg.New(rows, count) // the similarities: a column for each node
	mulDense(s, c.memories[0], transposed(a))
	mulDense(u, c.memories[1], transposed(b))
	sums := make([]float64, count) // of each node's divergence
	scale := 1 / c.Temperature
	const columns = 16
	linalg.Parallel(count, columns, func(lo, hi int) {
		width := hi - lo
		// The logarithm of the sum of the exponentials in each column.
		logSum := func(m blas32.General) []float64 {
			highest, sum := make([]float64, width), make([]float64, width)
			for j := range highest {
				highest[j] = math.Inf(-1)
			}
			for r := range rows {
				for j, v := range m.Data[r*m.Stride+lo : r*m.Stride+hi] {
					highest[j] = max(highest[j], float64(v)*scale)
				}
			}
			for r := range rows {
				simd.ZeroUpper()
				for j, v := range m.Data[r*m.Stride+lo : r*m.Stride+hi] {
					sum[j] += math.Exp(float64(v)*scale - highest[j])
				}
			}
			for j := range sum {
				sum[j] = highest[j] + math.Log(sum[j])
			}
			return sum
		}
		ofS, ofU := logSum(s), logSum(u)
		each := func(f func(p, logRatio float64, x, y *float32, j int)) {
			for r := range rows {
				simd.ZeroUpper()
				x, y := s.Data[r*s.Stride+lo:r*s.Stride+hi], u.Data[r*u.Stride+lo:r*u.Stride+hi]
				for j := range x {
					logP := float64(x[j])*scale - ofS[j]
					f(math.Exp(logP), logP-(float64(y[j])*scale-ofU[j]), &x[j], &y[j], j)
				}
			}
		}
		each(func(p, logRatio float64, _, _ *float32, j int) { sums[lo+j] += p * logRatio })
		weight := scale / float64(count)
		each(func(p, logRatio float64, x, y *float32, j int) {
			*x = float32(weight * p * (logRatio - sums[lo+j]))
			q := math.Exp(float64(*y)*scale - ofU[j])
			*y = float32(weight * (q - p))
		})
	})
	for _, sum := range sums {
		value += sum / float64(count)
	}
	ofA, ofB = linalg.New(count, c.Dims), linalg.New(count, c.Dims)
	mulTransposed(ofA, s, c.memories[0])
	mulTransposed(ofB, u, c.memories[1])
	return ofA, ofB, value
}
