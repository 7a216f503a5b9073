package auto

import (
	"math"
	"runtime"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
)

// The costs of a search for settings, with the iterations of the operations, fitted to the
// steps of searches on 13 generated graphs of 400 to 100,000 nodes and 12 real ones.
const (
	stepCost       = 4.5e8  // of a thing to do, however small
	visitCost      = 27     // of an entry of the features
	likelihoodCost = 40_000 // of a column in a cluster
	edgeCost       = 1.1    // of a multiply-add along the edges, or of sparse features
	productCost    = 6.3    // of one of matrices in float64, as for eigenvectors
	distanceCost   = 160    // of one of k-means, for each run
	moveCost       = 1.2e6  // of an edge's end, by Leiden
	gradientCost   = 0.77   // of a multiply-add of matrices in float32, in a training
	rankingCost    = 0.36   // of one that ranks pairs
	entryCost      = 470    // of an entry of an embedding
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

// fold returns the cost of one fold without training, as the other methods of plan in
// multiply-adds of a core ([linalg.Rate]).
func (p plan) fold(candidates []Candidate) (w float64) {
	z, c := p.size, min(p.size.columns, float64(p.columns()))
	w += stepCost * (1 + float64(len(candidates)))
	w += visitCost * z.entries * (6 + float64(len(candidates)))
	if z.columns > c {
		if z.sparse {
			w += edgeCost * 3 * z.entries * c
		} else {
			w += productCost * 3 * z.nodes * z.columns * c
		}
		w += productCost * 2 * z.columns * c * c
	}
	layers := -1
	for _, candidate := range candidates {
		w += likelihoodCost * z.clusters * z.columns
		w += entryCost * z.nodes * c
		if candidate.Data == smoothedFeatures && candidate.Layers != layers {
			layers = candidate.Layers
			w += edgeCost * float64(layers) * (2*z.edges + z.nodes) * c
		}
		switch {
		case candidate.Clustering == leiden:
			w += moveCost * z.edges
		case candidate.Data == edgesAlone || candidate.Data == unlikeEdges:
			w += edgeCost * (2*z.edges + z.nodes) * z.clusters
			w += distanceCost * z.nodes * z.clusters * z.clusters * p.tries(z.clusters)
		case candidate.Clustering == spectral:
			w += productCost * z.nodes * c * z.clusters
			w += distanceCost * z.nodes * z.clusters * z.clusters * p.tries(z.clusters)
			if candidate.Data == edgesAndFeatures {
				w += edgeCost * (2*z.edges + z.nodes) * z.clusters
			}
		default:
			w += distanceCost * z.nodes * c * z.clusters * p.tries(c)
		}
	}
	return w
}

// tries is the number of runs of k-means, of which one alone takes longer.
func (p plan) tries(columns float64) float64 { return float64(max(fewRuns, p.runs(int(columns)))) }

// training returns the cost of one training with t layers.
func (p plan) training(c encoder.Config, layers int) (w float64) {
	c = encoder.Options{Config: c}.WithDefaults().Config
	z, d, epochs := p.size, float64(c.Dims), float64(c.Epochs*c.Members)
	updates := epochs / float64(c.UpdateEvery)
	smoothing := float64(layers) * (2*z.edges + z.nodes)
	w += stepCost * (1 + updates)
	w += edgeCost * smoothing * min(z.columns, d)
	// The native step filters within each step if that is less, as package affine counts.
	const denseSpeed = 4
	if within := z.entries + smoothing; z.sparse && denseSpeed*within < z.nodes*z.columns {
		w += edgeCost * 2 * epochs * within * d
	} else {
		w += gradientCost * epochs * z.nodes * z.columns * d
	}
	w += entryCost * (epochs + 10*updates) * z.nodes * d
	anchors := z.nodes
	if c.Ranking == pairs.Sampled || c.Ranking != pairs.Exact && p.n > pairs.SampledAbove {
		anchors = float64(c.Anchors)
	}
	w += rankingCost * updates * anchors * z.nodes * d
	return w
}

// clusterings returns the cost of clustering an embedding.
func (p plan) clusterings(dims float64, spectral, kMeans int) (w float64) {
	z := p.size
	w += productCost * float64(spectral) * z.nodes * dims * z.clusters
	w += distanceCost * (float64(spectral)*z.nodes*z.clusters*z.clusters*p.tries(z.clusters) + float64(kMeans)*z.nodes*dims*z.clusters*p.tries(dims))
	w += visitCost * float64(spectral+kMeans) * z.entries
	return w
}

// ahead returns the cost of a whole search that tries some candidates without training, also with a
// null model if there is one.
func (p plan) ahead(candidates []Candidate, nullModel bool, c encoder.Config) (w float64) {
	all, few, trained := p.folds()
	if nullModel {
		for range few {
			w += p.fold(candidates)
		}
	}
	going := candidates[:min(len(candidates), max(minKept, len(candidates)/2))]
	for i := range all {
		if i < few {
			w += p.fold(candidates)
		} else {
			w += p.fold(going)
		}
	}
	layers := p.layers()
	for _, t := range layers {
		w += p.probe(c, t)
	}
	// The two best go on, narrow pairs have as many folds, and perhaps one has them all.
	more := min(2, len(layers))*(trained-1) + trained + (all-trained)/2
	for range more {
		w += p.probe(c, layers[len(layers)-1])
	}
	return w + p.fold(candidates[:min(len(candidates), maxVotes)]) + p.lastTraining(c)
}

// lastTraining returns the cost of a full training with settings that are not known yet.
func (p plan) lastTraining(c encoder.Config) float64 {
	layers := p.layers()
	return p.final(c, layers[len(layers)/2])
}

// probe returns the cost of one fold of a short training.
func (p plan) probe(c encoder.Config, layers int) float64 {
	c = p.short(c)
	w := p.training(c, layers) + p.clusterings(float64(c.Dims), 1, 1)
	w += visitCost * 6 * p.size.entries
	return w
}

// final returns the cost of the full training, which clusters each embedding that it saves.
func (p plan) final(c encoder.Config, layers int) float64 {
	c = encoder.Options{Config: p.full(c)}.WithDefaults().Config
	d, sample := float64(c.Dims), p // what it trains on
	sample.n = c.For(p.n, int(p.size.columns)).Sample
	sample.size.nodes = float64(sample.n)
	if sample.n < p.n {
		sample.size.sparse = false
	}
	w := sample.training(c, layers) + sample.clusterings(d, c.Members*c.Epochs/c.UpdateEvery, 0)
	if sample.n < p.n { // all nodes are embedded and clustered once
		w += p.clusterings(d, 1, 0)
		w += gradientCost * p.size.nodes * p.size.columns * d
	}
	return w
}

// last returns the cost of what follows a choice.
func (p plan) last(chosen *choice, c encoder.Config) float64 {
	w := p.fold(chosen.Voters)
	if candidate := chosen.Trials[chosen.Chosen].Candidate; candidate.trained() {
		w += p.final(c, candidate.Layers)
	}
	return w
}

// forecast predicts how long a search takes.
type forecast struct {
	rate            float64 // multiply-adds a second of all cores
	all, done, took float64 // seconds: expected, those of them that are over, and what these took
}

// start begins to predict the time of what costs so much.
func (f *forecast) start(all float64) {
	f.rate = linalg.Rate() * float64(runtime.GOMAXPROCS(0))
	f.all, f.done, f.took = all/f.rate, 0, 0
}

// duration returns the time of what costs so much, in whole seconds.
func (f *forecast) duration(part float64) time.Duration {
	return time.Duration(math.Round(part/f.rate)) * time.Second
}

// begin returns a function that ends a step.
func (f *forecast) begin(step float64) func() {
	start := time.Now()
	return func() {
		f.done += step / f.rate
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
