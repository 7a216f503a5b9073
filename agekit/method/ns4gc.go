package method

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/simd"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"gonum.org/v1/gonum/blas/blas32"
)

// ns4gc is node similarity guided contrastive clustering by Liu, Gao, He, Zheng, Zhao
// and Yin (Reliable Node Similarity Matrix Guided Contrastive Graph Clustering, IEEE
// TKDE 2024, arXiv:2408.03765). A graph convolutional network
//
//	Yₗ = selu(ŜYₗ₋₁Wₗ + bₗ),  Y₀ = X with rows of sum 1,
//
// whose last layer has no selu and whose rows are divided by their lengths, embeds two
// views of the graph, Z and Z′. Each view lacks edges and features that are drawn anew
// in each epoch. With s = zᵢ·z′ⱼ, the loss pulls up the similarities of nodes to
// themselves and to their neighbors, and pushes all others below a threshold θ:
//
//	L = −mean(sᵢᵢ) − λ mean(sᵢⱼ, edges) + γ mean(σ((sᵢⱼ − θ)/τ), all other pairs).
//
// The mean over all other pairs takes O(n²d) time, in blocks, and no n×n matrix. As in
// the authors' code, each view drops the two directions of an edge independently and
// normalizes its filter by the sums of its columns. The embedding is that of the whole
// graph.
//
// The default settings are the authors' for Cora. Published mode takes theirs for
// Citeseer and Pubmed, by the name of the graph, and clusters the embedding by k-means
// with ten starts, as their code does. That code prints the mean scores of twenty runs
// of k-means after one training; PyAGC, with five, prints Cora .749/.594/.566.
//
// The zero value of a field means its default, because some depend on the graph.
type ns4gc struct {
	// Widths are those of the layers; the last is that of the embedding.
	// Default 256, 64. Published: Citeseer 256, Pubmed 256, 256.
	Widths []int `json:"widths"`
	// DropEdges are the probabilities of an edge to be missing in each view.
	// Default 0.3, 0.3. Published: Citeseer 0.6, 0.8, Pubmed 0.2, 0.6.
	DropEdges [2]float64 `json:"drop_edges"`
	// DropFeatures are the probabilities of a feature to be missing in each
	// view, for all nodes. Default 0.2, 0.2. Published: Citeseer 0, 0.4,
	// Pubmed 0.1, 0.
	DropFeatures [2]float64 `json:"drop_features"`
	Neighbors    float64    `json:"neighbors"`     // λ; default 1
	Others       float64    `json:"others"`        // γ; default 1
	Threshold    float64    `json:"threshold"`     // θ; default 0.6, published 0.5 for Citeseer
	Temperature  float64    `json:"temperature"`   // τ; default 0.1
	Epochs       int        `json:"epochs"`        // of one step each; default 200, published 50 for Citeseer
	LearningRate float64    `json:"learning_rate"` // Adam's; default 0.001
	Decay        float64    `json:"decay"`         // weight decay; default 1e-5
	Published    bool       `json:"published"`     // published mode

	mostEpochs int // upper bound of Epochs; 0: no bound
}

// newNS4GC returns the settings. In published mode, defaults depend on the graph: see withDefaults.
func newNS4GC(s Settings) ns4gc {
	m := ns4gc{Epochs: s.Epochs, Published: s.Published, mostEpochs: s.MostEpochs}
	if !s.Published {
		m = m.withDefaults("")
	}
	return m
}

// withDefaults returns m with defaults in place of zeros, and at most mostEpochs epochs. In
// published mode, the defaults are the authors' for the data set of the name ([graph.Graph].Catalogue),
// and for others those for Cora. Otherwise the name does not matter.
func (m ns4gc) withDefaults(name string) ns4gc {
	// The defaults that depend on the data set, at first those for Cora.
	d := ns4gc{Widths: []int{256, 64}, DropEdges: [2]float64{0.3, 0.3}, DropFeatures: [2]float64{0.2, 0.2}, Threshold: 0.6, Epochs: 200}
	if m.Published {
		switch name {
		case "citeseer":
			d = ns4gc{Widths: []int{256}, DropEdges: [2]float64{0.6, 0.8}, DropFeatures: [2]float64{0, 0.4}, Threshold: 0.5, Epochs: 50}
		case "pubmed":
			d.Widths, d.DropEdges, d.DropFeatures = []int{256, 256}, [2]float64{0.2, 0.6}, [2]float64{0.1, 0}
		}
	}
	if m.Widths == nil {
		m.Widths = d.Widths
	}
	m.DropEdges, m.DropFeatures = cmp.Or(m.DropEdges, d.DropEdges), cmp.Or(m.DropFeatures, d.DropFeatures)
	m.Neighbors, m.Others = cmp.Or(m.Neighbors, 1), cmp.Or(m.Others, 1)
	m.Threshold, m.Temperature = cmp.Or(m.Threshold, d.Threshold), cmp.Or(m.Temperature, 0.1)
	m.LearningRate, m.Decay = cmp.Or(m.LearningRate, 0.001), cmp.Or(m.Decay, 1e-5)
	m.Epochs = cmp.Or(m.Epochs, d.Epochs)
	if m.mostEpochs > 0 {
		m.Epochs = min(m.Epochs, m.mostEpochs)
	}
	return m
}

// fit implements [fitter].
func (m ns4gc) fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	m = m.withDefaults(g.Catalogue)
	n, entries := float64(g.N()), float64(g.Adjacency.NNZ()) // an edge is two entries
	err := m.validate()
	isComplete := entries > 0 && entries == n*n-n
	if err == nil && isComplete {
		err = errors.New("all nodes are neighbors of each other: no pairs to push apart")
	}
	if err != nil {
		return nil, err
	}
	width := 0
	for _, w := range m.Widths {
		width += w
	}
	// Two views, each as large as the whole graph.
	bytes := layerBytes(g, m.Widths[0]) + 16*device.Floats(g.N()+g.Adjacency.NNZ(), width)
	return o.train(ctx, g, bytes, func(t *trainer) model {
		network := m.model(t, g)
		trained := model{epochs: m.Epochs, embed: network.embed, epoch: func(_ int, rnd *rand.Rand) (float64, error) {
			return network.update.take(ctx, network.draw(rnd)...)
		}}
		if m.Published {
			const starts = 10
			trained.clusters = func(z blas32.General) ([]int, error) { return o.kMeans(ctx, z, starts) }
		}
		return trained
	})
}

// validate returns an error if a setting is out of range.
func (m ns4gc) validate() error {
	// below returns an error that names the setting unless all its values are 0 or more and less than bound.
	below := func(name string, bound float64, values ...float64) error {
		for _, v := range values {
			if !(v >= 0 && v < bound) {
				return message.Errorf("%s is %v: want 0 or more, and less than %v", message.Option(name), v, bound)
			}
		}
		return nil
	}
	if len(m.Widths) == 0 {
		return message.Errorf("%s is empty: want the width of one layer or more", message.Option("widths"))
	}
	infinity := math.Inf(1)
	return cmp.Or(below("drop_edges", 1, m.DropEdges[:]...), below("drop_features", 1, m.DropFeatures[:]...),
		below("neighbors", infinity, m.Neighbors), below("others", infinity, m.Others),
		below("decay", infinity, m.Decay), below("temperature", infinity, m.Temperature),
		checkAtLeast("widths", slices.Min(m.Widths), 1), checkSchedule(m.Epochs, m.LearningRate))
}

// contrastive is the network of [ns4gc] in training.
type contrastive struct {
	ns4gc
	t               *trainer
	loops, filter   *graph.CSR // A + I, Ŝ
	x               features
	weights, biases []weight
	// first is graph code of the first layer of both views; nil if the host computes it.
	first  func(v *nodes, w *Node) *Node
	update *adamStep
}

// model adds the network's weights and its kind of step to the trainer t, and returns the network.
func (m ns4gc) model(t *trainer, g *graph.Graph) *contrastive {
	c := &contrastive{
		ns4gc:  m,
		t:      t,
		loops:  withLoops(g.Adjacency),
		filter: laplacian.New(g.Adjacency).FilterMatrix(1),
		x:      unitSums(g.Features),
	}
	rnd, inputs := source(t.o.Seed), c.x.f
	for _, outputs := range m.Widths {
		c.weights = append(c.weights, t.glorot(inputs, outputs, rnd))
		c.biases = append(c.biases, t.weight(linalg.New(1, outputs)))
		inputs = outputs
	}
	// One matrix filters both views, one below the other. Its values are a step's input 0, of draw.
	filters := t.sparse(twoBlocks(c.filter))
	filter := func(v *nodes, y *Node) *Node { return filters.timesWith(v, ExpandAxes(v.input(0), -1), y) }
	if t.isResident() {
		x := t.features(c.x)
		c.first = func(v *nodes, w *Node) *Node {
			masks := Reshape(v.input(1), 2, c.x.f, 1) // of draw: for each view and feature, 1 or 0
			view := func(k int) *Node {
				mask := Reshape(Slice(masks, AxisRange(k, k+1)), c.x.f, 1)
				return x.times(v, Mul(w, mask))
			}
			return filter(v, Concatenate([]*Node{view(0), view(1)}, 0))
		}
	}
	c.update = t.step(loss{
		graph: func(v *nodes) (embedding, scalar *Node) {
			return c.embedding(v, filter), nil
		},
		pairs: newSimilarities(g.Adjacency, m),
	}, m.LearningRate, m.Decay)
	return c
}

// embedding is graph code of Z: of the whole graph after embed, and of both views, one below the
// other, after draw. filter multiplies with the filter of the layers after the first. That of the
// first layer is in the trainer's layer.
func (c *contrastive) embedding(v *nodes, filter func(v *nodes, y *Node) *Node) *Node {
	y := Add(v.weight(c.weights[0]), v.weight(c.biases[0]))
	for l := 1; l < len(c.weights); l++ {
		weighted := product(activation.Selu(y), v.weight(c.weights[l]))
		y = Add(filter(v, weighted), v.weight(c.biases[l]))
	}
	return L2Normalize(y, -1)
}

// draw draws the two views of a step and returns the step's two inputs. Input 0 has the values of
// the entries of the first view's filter and then of the second's. Input 1 has, for each feature
// of the first view and then of the second, 1 if the view has it, else 0. draw also sets the
// trainer's first layer to that of both views, because on the host it is no input.
func (c *contrastive) draw(rnd *rand.Rand) (inputs []any) {
	both := views{x: c.x}
	var filterValues, maskValues []float32
	for k := range 2 {
		mask := make([]float32, c.x.f)
		for j := range mask {
			if rnd.Float64() >= c.DropFeatures[k] {
				mask[j] = 1
			}
		}
		filter := *c.filter // the same entries, and values of its own
		filter.Values = droppedFilter(c.loops, c.DropEdges[k], rnd)
		both.filters = append(both.filters, &filter)
		both.masks = append(both.masks, mask)
		filterValues = append(filterValues, filter.Values...)
		maskValues = append(maskValues, mask...)
	}
	c.t.layers[c.weights[0]] = inputLayer{views: both, code: c.first}
	return []any{filterValues, maskValues}
}

// embed returns the embedding of the whole graph. It sets the trainer's first layer to that of the
// whole graph.
func (c *contrastive) embed() (blas32.General, error) {
	c.t.layers[c.weights[0]] = c.t.filtered(c.x, c.filter)
	filter := c.t.sparse(c.filter)
	return c.t.evaluate(func(v *nodes) *Node { return c.embedding(v, filter.times) })
}

// twoBlocks returns the block diagonal matrix with two blocks, each equal to a.
func twoBlocks(a *graph.CSR) *graph.CSR {
	entries := make([]graph.Entry, 0, 2*a.NNZ())
	for k := range 2 {
		for i := range a.Rows {
			for j, v := range a.Each(i) {
				entries = append(entries, graph.Entry{Row: int32(k*a.Rows + i), Col: int32(k*a.Cols + j), Value: v})
			}
		}
	}
	return graph.FromEntries(2*a.Rows, 2*a.Cols, entries)
}

// droppedFilter drops each entry of A + I off the diagonal with the probability drop, which leaves
// A′ + I. It returns the values of D^-½(A′+I)D^-½ in the order of the entries of loops, 0 for those
// that are dropped. loops is A + I, and D are the sums of the columns of A′ + I.
func droppedFilter(loops *graph.CSR, drop float64, rnd *rand.Rand) []float32 {
	values, degrees := make([]float32, 0, loops.NNZ()), make([]float64, loops.Cols)
	for i := range loops.Rows {
		for j, v := range loops.Each(i) {
			if i != j && rnd.Float64() < drop {
				v = 0
			}
			values = append(values, v)
			degrees[j] += float64(v)
		}
	}
	for i := range loops.Rows {
		// p is the position of an entry of row i.
		for p := loops.Indptr[i]; p < loops.Indptr[i+1]; p++ {
			values[p] = float32(float64(values[p]) / math.Sqrt(degrees[i]*degrees[loops.Indices[p]]))
		}
	}
	return values
}

// similarities is the loss of [ns4gc] as a function of the embeddings of two
// views, one below the other.
type similarities struct {
	edges *graph.CSR // A
	// The factors of the term of one pair, by its kind: a node with itself in the other view, with
	// a neighbor, or with another node.
	self, neighbor, other  float64
	threshold, temperature float64 // θ, τ
}

// newSimilarities returns the loss for the adjacency matrix a. Each kind's factor is its weight in the
// loss, divided by the number of its pairs, for the mean.
func newSimilarities(a *graph.CSR, m ns4gc) *similarities {
	n, entries := float64(a.Rows), float64(a.NNZ())
	return &similarities{
		edges:     a,
		self:      1 / n,
		neighbor:  m.Neighbors / entries,
		other:     m.Others / (n*n - n - entries),
		threshold: m.Threshold, temperature: m.Temperature,
	}
}

// compute implements [objective]. It counts all pairs of nodes as others, whose similarities are
// pushed below θ, and then replaces the terms of the pairs that belong together.
func (s *similarities) compute(ctx context.Context, z, gradient blas32.General) (loss float64, err error) {
	n := z.Rows / 2
	// Each turn computes the gradient of one view, and the whole loss: the similarities of the second
	// view to the first are those of the first to the second, so that both turns find the same loss.
	for k := range 2 {
		view, other := linalg.RowRange(z, k*n, n), linalg.RowRange(z, (1-k)*n, n)
		viewGradient := linalg.RowRange(gradient, k*n, n)
		loss, err = sumBands(ctx, n, func(lo, hi int) float64 {
			sum := s.other * gradientBand(view, other, lo, hi, float32(s.other), viewGradient, s.pushApart)
			return sum + s.pullTogether(view, other, lo, hi, viewGradient)
		})
	}
	return loss, err
}

// code implements [pairObjective].
func (s *similarities) code(t *trainer) func(v *nodes, z *Node) (value, gradient *Node) {
	edges := t.sparse(s.edges)
	return func(v *nodes, z *Node) (value, gradient *Node) {
		n := z.Shape().Dim(0) / 2
		first, second := Slice(z, AxisRange(0, n)), Slice(z, AxisRange(n))
		others, ofFirst, ofSecond := pairSums(first, second, tileRows(n, n), true, s.pushApartCode)
		value, ofFirst, ofSecond = MulScalar(others, s.other), MulScalar(ofFirst, s.other), MulScalar(ofSecond, s.other)
		// pulled returns the terms of pairs that belong together, row k of a with row k of b, minus
		// the terms that others counted for these pairs; and what that adds to the gradients with
		// respect to a and b. weight is the factor of such a pair.
		pulled := func(a, b *Node, weight float64) (terms, ofA, ofB *Node) {
			similarity := ReduceAndKeep(Mul(a, b), ReduceSum, -1)
			p, derivative := s.pushApartCode(similarity)
			change := Neg(AddScalar(MulScalar(derivative, s.other), weight))
			terms = Neg(Add(MulScalar(similarity, weight), MulScalar(p, s.other)))
			return terms, Mul(change, b), Mul(change, a)
		}
		self, selfFirst, selfSecond := pulled(first, second, s.self)
		terms, ofRows, ofCols := pulled(edges.rows.spread(v, first), edges.cols.spread(v, second), s.neighbor)
		value = Add(value, ConvertDType(ReduceAllSum(Add(self, edges.rows.sum(v, terms))), value.DType()))
		ofFirst = Add(ofFirst, Add(selfFirst, edges.rows.sum(v, ofRows)))
		ofSecond = Add(ofSecond, Add(selfSecond, edges.cols.sum(v, ofCols)))
		return value, Concatenate([]*Node{ofFirst, ofSecond}, 0)
	}
}

// pushApartCode is graph code of σ((s − θ)/τ) and its derivative, for similarities s. Its numbers
// are Consts, so that the body of a loop can have it, too ([pairSums]).
func (s *similarities) pushApartCode(similarity *Node) (value, derivative *Node) {
	number := func(v float64) *Node { return Const(similarity.Graph(), float32(v)) }
	p := Logistic(Mul(Sub(similarity, number(s.threshold)), number(1/s.temperature)))
	return p, Mul(Mul(p, Sub(number(1), p)), number(1/s.temperature))
}

// pushApart returns the sum of σ((s − θ)/τ) over the similarities s in values, and replaces each s
// with the derivative there.
func (s *similarities) pushApart(values []float32) float64 {
	simd.ShiftScale(values, values, float32(s.threshold), float32(1/s.temperature))
	simd.Logistic(values)
	sum := float64(simd.Sum(values))
	scale := float32(1 / s.temperature)
	for k, p := range values {
		values[k] = scale * p * (1 - p)
	}
	return sum
}

// pullTogether returns the terms of the nodes lo to hi of a view with themselves and with their
// neighbors in the other view, minus the terms that pushApart counted for these pairs. It adds the
// derivative of what it returns to the rows lo to hi of gradient, that with respect to view.
func (s *similarities) pullTogether(view, other blas32.General, lo, hi int, gradient blas32.General) float64 {
	var sum float64
	addPair := func(i, j int, weight float64) {
		similarity := float64(simd.Dot(linalg.Row(view, i), linalg.Row(other, j)))
		p := 1 / (1 + math.Exp((s.threshold-similarity)/s.temperature))
		sum -= weight*similarity + s.other*p
		simd.Axpy(float32(-weight-s.other*p*(1-p)/s.temperature), linalg.Row(other, j), linalg.Row(gradient, i))
	}
	for i := lo; i < hi; i++ {
		addPair(i, i, s.self)
		neighbors, _ := s.edges.Row(i)
		for _, j := range neighbors {
			addPair(i, int(j), s.neighbor)
		}
	}
	return sum
}
