package method

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// Method is a method with its settings, which a result records as JSON.
type Method interface {
	// Name is the method's name in tables and results.
	Name() string
	// Info describes the method with its settings.
	Info() Info
	// Fit runs the method on a graph and never reads its labels. The same graph,
	// settings, options and backend give the same bytes. It fails if a setting is
	// invalid, which the error names, if the graph lacks what the method sees, if the
	// loss is no longer a finite number, or if ctx is done, which it checks several
	// times per step.
	Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error)
}

// Version is the version of the trainings of this package. It grows when the same graph,
// settings and options give another result, so that earlier checkpoints are not used.
const Version = 4

// Options are what a run needs in addition to the method's settings.
type Options struct {
	// Clusters is the number of clusters to find. Methods that find the number ([Info]) do not
	// use it.
	Clusters int
	// Scaling of the spectral embeddings. Default cluster.RandomWalk.
	Scaling cluster.Scaling
	// Seed is the seed of the training.
	Seed uint64
	// Random has the random sources for a use: "k-means", "spectral" or "split". Default:
	// sources derived from the seed. Checkpoints know it by its fields.
	Random interface{ Source(use string) *rand.Rand }
	// Split, for link prediction, is the split whose training graph is passed to Fit.
	// Its validation pairs may be used to choose epochs and settings.
	Split *graph.Split
	// Backend is the backend for methods that can train on several. Default native.
	Backend backend.Choice
	// Initial is where AGE's training begins ([encoder.Options.Initial]). Its checkpoints have keys
	// of their own.
	Initial *encoder.Encoder `key:"-"`
	// Running says how the method runs. Others than AGE use Checkpoints and Progress alone:
	// Progress receives an event after every epoch, with the loss before its step, and messages:
	// something failed that the training does not need.
	encoder.Running `key:"-"`

	method  Method                             // the method that runs, for the checkpoints' key
	planned *encoder.Planned                   `key:"-"` // AGE's training, if [Plan] has planned it
	look    func(epoch int, out *Output) error `key:"-"` // see [Planned.Watch]
}

// report reports to Progress that an epoch of so many is done, and its loss.
func (o Options) report(epoch, epochs int, loss float64) {
	o.Report(encoder.Event{Event: progress.Event{Stage: encoder.Training, Done: int64(epoch), Total: int64(epochs)}, Loss: loss})
}

// random returns the random source for a use.
func (o Options) random(use string) *rand.Rand {
	if o.Random == nil {
		return source(o.Seed)
	}
	return o.Random.Source(use)
}

// Output is the result of running a method on a graph.
type Output struct {
	// Embedding is n×d; empty if the method has none.
	Embedding blas32.General
	// Clusters holds each node's cluster, 0 to Options.Clusters−1, or to any number if
	// the method finds the number ([Info]); nil if the method finds none itself.
	Clusters []int
	// Measures are numbers about the run that need no labels, such as the
	// Davies–Bouldin index ("DBI") or the filter's "k".
	Measures map[string]float64
	// Backend is the backend that ran the method. Default native.
	Backend string
	// Training is AGE's; nil for other methods.
	Training *encoder.Result
	// Release, if not nil, removes the checkpoints. Call it once the result is saved.
	Release func() error
}

// Settings are the settings that methods share. Each method uses the ones that apply to
// it; its other settings keep their defaults.
//
// Methods run in fair mode, the same race for all: the whole graph, the last epoch or a
// choice that needs no labels, and spectral clustering of the embedding's similarities
// (1 + cosine)/2. Some also have a published mode, the protocol of the method's own
// public code: its data, its clustering, its stop. Neither mode uses a label. If labels
// chose a printed figure, the method's documentation says so (go doc -u).
type Settings struct {
	// Filter is the filter of methods that smooth the features.
	Filter laplacian.Filter
	// Layers is the number of graph convolutions of a network. 0: the method's default.
	Layers int
	// Config has AGE's settings. Of these other methods use Epochs, if they train, and Loss, if
	// theirs is AGE's; 0: the method's defaults.
	encoder.Config
	// MostEpochs bounds the epochs, for a short run. 0: no bound.
	MostEpochs int
	// Published selects published mode, for a method that has it ([Info].Published).
	Published bool
	// Fields are further settings of the method, by the names under which results
	// record them: {"sample": 150} for GAE. [New] returns an error for a name that the
	// method does not have.
	Fields map[string]any
}

// epochs returns the number of epochs: Epochs or, if that is 0, the method's default byDefault, and at
// most MostEpochs.
func (s Settings) epochs(byDefault int) int {
	epochs := cmp.Or(s.Epochs, byDefault)
	if s.MostEpochs > 0 {
		return min(epochs, s.MostEpochs)
	}
	return epochs
}

// source returns the random source of a run with a seed: the initial weights and what else is drawn
// once.
func source(seed uint64) *rand.Rand { return rng.New(seed, rng.Method) }

// Planned is a method with options that fit a graph: what [Plan] has checked.
type Planned struct {
	method  Method
	graph   *graph.Graph // without labels
	options Options
}

// Plan returns the method with its options, ready to run on the graph without its labels. It returns
// an error if the graph lacks features that the method needs, or if the options do not fit the graph:
// for AGE the errors of [encoder.Options.Plan], and for others that the nodes cannot be divided into
// as many clusters ([encoder.CheckClusters]).
func Plan(m Method, g *graph.Graph, o Options) (p *Planned, err error) {
	if err := checkFeatures(m, g); err != nil {
		return nil, err
	}
	unlabeled := *g
	unlabeled.Labels, unlabeled.ClassNames = nil, nil
	if a, ok := ageOf(m); ok {
		o.planned, err = a.plan(&unlabeled, o)
	} else if !m.Info().Number {
		err = encoder.CheckClusters(g.N(), o.Clusters)
	}
	if err != nil {
		return nil, err
	}
	return &Planned{method: m, graph: &unlabeled, options: o}, nil
}

// With returns a plan that differs in how the method runs ([Options].Running). p stays as it is.
func (p *Planned) With(r encoder.Running) *Planned {
	with := *p
	with.options.Running = r
	if training := p.options.planned; training != nil {
		with.options.planned = training.With(r)
	}
	return &with
}

// Cluster plans the method ([Plan]) and runs it ([Planned.Cluster]). The method does not get the
// graph's labels.
func Cluster(ctx context.Context, m Method, g *graph.Graph, o Options) (*Output, error) {
	p, err := Plan(m, g, o)
	if err != nil {
		return nil, err
	}
	return p.Cluster(ctx)
}

// Cluster runs the planned method and returns its output with clusters. If the method finds
// no clusters itself, Cluster clusters the embedding by spectral clustering of the
// similarities (1 + cosine)/2, and measures the clusters by the Davies–Bouldin index
// ("DBI"). Unlike AGE's, these embeddings have entries of both signs, and spectral
// clustering needs nonnegative similarities.
func (p *Planned) Cluster(ctx context.Context) (*Output, error) {
	out, err := p.method.Fit(ctx, p.graph, p.options)
	if err == nil {
		err = p.cluster(ctx, out)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// cluster adds clusters and their measures to the method's output, if it has none of its own.
func (p *Planned) cluster(ctx context.Context, out *Output) error {
	if out.Measures == nil {
		out.Measures = map[string]float64{}
	}
	if out.Clusters != nil {
		return nil
	}
	found, err := clusterGram(ctx, linalg.Shifted(linalg.Normalize(out.Embedding)), p.options)
	if err != nil {
		return named(p.method, err)
	}
	out.Clusters = found.Clusters
	maps.Copy(out.Measures, found.Measures)
	return nil
}

// clusterGram clusters the rows of x by spectral clustering of the similarities XXᵀ, and measures the
// clusters by the Davies–Bouldin index of that matrix's rows ("DBI"). Spectral clustering needs
// nonnegative similarities. So if x has negative entries, unlike words and what smoothing makes of
// them, the similarities are (1 + cosine)/2 instead. The output's embedding is x.
func clusterGram(ctx context.Context, x blas32.General, o Options) (*Output, error) {
	z := x // ZZᵀ are the similarities
	// NonNegative adds a column exactly if there are negative entries.
	if shifted := linalg.NonNegative(linalg.Normalize(x)); shifted.Cols > x.Cols {
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
