package auto

import (
	"context"
	"math"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/dense"
)

// size is what a search's time depends on.
type size struct {
	nodes, edges, entries, columns, clusters float64
	sparse                                   bool // the features are
}

func sizeOf(g *graph.Graph, k int) size {
	n, f := g.Features.Dims()
	return size{float64(n), float64(g.Edges()), float64(g.Features.NNZ()), float64(f), float64(k), g.Features.Dense == nil}
}

// work counts the operations of a step of a search, by their kind.
type work [kinds]float64

const (
	steps       = iota // things to do, however small
	visits             // of an entry of the features
	likelihoods        // of a column in a cluster
	additions          // multiply-adds along the edges, or of sparse features
	products           // multiply-adds of matrices in float64, as for eigenvectors
	distances          // multiply-adds of k-means, for each run
	moves              // of an edge's end, by Leiden
	gradients          // multiply-adds of matrices in float32, in a training
	rankings           // multiply-adds that rank pairs
	passes             // over an entry of an embedding
	kinds
)

// nanoseconds is the time of one operation of each kind, with its iterations, on the
// machine with speed 1. They were fitted to the steps of searches on 13 generated graphs
// of 400 to 100,000 nodes and 12 real ones.
var nanoseconds = work{
	steps: 5e6, visits: .3, likelihoods: 450, additions: .012, products: .07, distances: 1.75, moves: 13000,
	gradients: .0085, rankings: .004, passes: 5.2,
}

// seconds returns the time that work takes on a machine with some speed.
func (w work) seconds(speed float64) (sum float64) {
	for kind, count := range w {
		sum += count * nanoseconds[kind] / 1e9
	}
	return sum / speed
}

// plus returns the sum of w and v.
func (w work) plus(v work) work {
	for kind, count := range v {
		w[kind] += count
	}
	return w
}

// fold returns the work of one fold without training.
func (p plan) fold(ways []Candidate) (w work) {
	z, c := p.size, min(p.size.columns, float64(p.columns()))
	w[steps] = 1 + float64(len(ways))
	w[visits] = z.entries * (6 + float64(len(ways)))
	if z.columns > c {
		if z.sparse {
			w[additions] += 3 * z.entries * c
		} else {
			w[products] += 3 * z.nodes * z.columns * c
		}
		w[products] += 2 * z.columns * c * c
	}
	layers := -1
	for _, way := range ways {
		w[likelihoods] += z.clusters * z.columns
		w[passes] += z.nodes * c
		if way.Data == smoothedFeatures && way.Layers != layers {
			layers = way.Layers
			w[additions] += float64(layers) * (2*z.edges + z.nodes) * c
		}
		switch {
		case way.Clustering == leiden:
			w[moves] += z.edges
		case way.Data == edgesAlone || way.Data == unlikeEdges:
			w[additions] += (2*z.edges + z.nodes) * z.clusters
			w[distances] += z.nodes * z.clusters * z.clusters * p.tries(z.clusters)
		case way.Clustering == spectral:
			w[products] += z.nodes * c * z.clusters
			w[distances] += z.nodes * z.clusters * z.clusters * p.tries(z.clusters)
			if way.Data == edgesAndFeatures {
				w[additions] += (2*z.edges + z.nodes) * z.clusters
			}
		default:
			w[distances] += z.nodes * c * z.clusters * p.tries(c)
		}
	}
	return w
}

// tries is the number of runs of k-means, of which one alone takes longer.
func (p plan) tries(columns float64) float64 { return float64(max(fewRuns, p.runs(int(columns)))) }

// training returns the work of one training with t layers.
func (p plan) training(c encoder.Config, layers int) (w work) {
	c = encoder.Options{Config: c}.WithDefaults().Config
	z, d, epochs := p.size, float64(c.Dims), float64(c.Epochs*c.Members)
	updates := epochs / float64(c.UpdateEvery)
	smoothing := float64(layers) * (2*z.edges + z.nodes)
	w[steps] = 1 + updates
	w[additions] = smoothing * min(z.columns, d)
	// The native step filters within each step if that is less, as package affine counts.
	const denseSpeed = 4
	if within := z.entries + smoothing; z.sparse && denseSpeed*within < z.nodes*z.columns {
		w[additions] += 2 * epochs * within * d
	} else {
		w[gradients] = epochs * z.nodes * z.columns * d
	}
	w[passes] = (epochs + 10*updates) * z.nodes * d
	anchors := z.nodes
	if c.Ranking.For(p.n) == pairs.Sampled {
		anchors = float64(c.Anchors)
	}
	w[rankings] = updates * anchors * z.nodes * d
	return w
}

// clusterings returns the work of clustering an embedding.
func (p plan) clusterings(dims float64, spectral, kMeans int) (w work) {
	z := p.size
	w[products] = float64(spectral) * z.nodes * dims * z.clusters
	w[distances] = float64(spectral)*z.nodes*z.clusters*z.clusters*p.tries(z.clusters) + float64(kMeans)*z.nodes*dims*z.clusters*p.tries(dims)
	w[visits] = float64(spectral+kMeans) * z.entries
	return w
}

// ahead returns the work of a whole search that tries some ways without training, also in a
// cloud if there is one.
func (p plan) ahead(ways []Candidate, cloud bool, c encoder.Config) (w work) {
	all, few, trained := p.folds()
	if cloud {
		for range few {
			w = w.plus(p.fold(ways))
		}
	}
	going := ways[:min(len(ways), max(minKept, len(ways)/2))]
	for i := range all {
		if i < few {
			w = w.plus(p.fold(ways))
		} else {
			w = w.plus(p.fold(going))
		}
	}
	layers := p.layers()
	for _, t := range layers {
		w = w.plus(p.probe(c, t))
	}
	// The two best go on, narrow pairs have as many folds, and perhaps one has them all.
	more := min(2, len(layers))*(trained-1) + trained + (all-trained)/2
	for range more {
		w = w.plus(p.probe(c, layers[len(layers)-1]))
	}
	return w.plus(p.fold(ways[:min(len(ways), maxVotes)])).plus(p.lastTraining(c))
}

// lastTraining returns the work of a full training with settings that are not known yet.
func (p plan) lastTraining(c encoder.Config) work {
	layers := p.layers()
	return p.final(c, layers[len(layers)/2])
}

// probe returns the work of one fold of a short training.
func (p plan) probe(c encoder.Config, layers int) work {
	c = p.short(c)
	w := p.training(c, layers).plus(p.clusterings(float64(c.Dims), 1, 1))
	w[visits] += 6 * p.size.entries
	return w
}

// final returns the work of the full training, which clusters each embedding that it saves.
func (p plan) final(c encoder.Config, layers int) work {
	c = encoder.Options{Config: p.full(c)}.WithDefaults().Config
	d, of := float64(c.Dims), p // of is what it trains on
	of.n = c.For(p.n, int(p.size.columns)).Sample
	of.size.nodes = float64(of.n)
	if of.n < p.n {
		of.size.sparse = false
	}
	w := of.training(c, layers).plus(of.clusterings(d, c.Members*c.Epochs/c.UpdateEvery, 0))
	if of.n < p.n { // all nodes are embedded and clustered once
		w = w.plus(p.clusterings(d, 1, 0))
		w[gradients] += p.size.nodes * p.size.columns * d
	}
	return w
}

// last returns the work of what follows a choice.
func (p plan) last(chosen *choice, c encoder.Config) work {
	w := p.fold(chosen.Voters)
	if way := chosen.Trials[chosen.Chosen].Candidate; way.Trained() {
		w = w.plus(p.final(c, way.Layers))
	}
	return w
}

// forecast predicts how long a search takes.
type forecast struct {
	speed           float64
	all, done, took float64 // seconds: expected, those of them that are over, and what these took
}

// start begins to predict the time of some work.
func (f *forecast) start(ctx context.Context, w work) {
	f.speed = speed(ctx)
	f.all, f.done, f.took = w.seconds(f.speed), 0, 0
}

// of returns the time that some work takes, in seconds.
func (f *forecast) of(w work) time.Duration {
	return time.Duration(math.Round(w.seconds(f.speed))) * time.Second
}

// begin returns a function that ends a step.
func (f *forecast) begin(w work) func() {
	start := time.Now()
	return func() {
		f.done += w.seconds(f.speed)
		f.took += time.Since(start).Seconds()
	}
}

// remaining returns the time that is left. It trusts the prediction at first, and more and
// more what the steps took.
func (f *forecast) remaining() time.Duration {
	doubt := 0.2 * f.all // as much must be over before it counts half
	rate := (f.took + doubt) / max(f.done+doubt, 1e-9)
	return time.Duration(rate * max(0, f.all-f.done) * float64(time.Second))
}

// referenceSeconds is the time of the product in speed on the machine of nanoseconds: two
// cores of an AMD EPYC with AVX-512.
const referenceSeconds = 0.0036

// speed returns how fast this machine multiplies, with all its cores.
func speed(ctx context.Context) float64 {
	const rows, columns, width = 16384, 256, 64
	a, x, dst := dense.NewMatrix[float32](rows, columns), dense.NewMatrix[float64](columns, width), dense.NewMatrix[float64](rows, width)
	best := math.Inf(1)
	for range 10 {
		start := time.Now()
		if dense.Mul(ctx, dst, a, x) != nil {
			return 1
		}
		best = min(best, time.Since(start).Seconds())
	}
	return referenceSeconds / best
}
