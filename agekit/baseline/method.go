package baseline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/linkpred"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Method is a published method with its settings. Its exported fields, as JSON,
// are what a result records of them.
type Method interface {
	// Name is the method's name in tables and results.
	Name() string
	// Sees says which parts of a graph the method uses.
	Sees() Parts
	// Gives says what Fit returns.
	Gives() Outputs
	// Fit runs the method on a graph whose labels it never looks at. The
	// same graph, settings, options and backend give the same bytes. It
	// returns an error for settings that make no sense, by their name, for
	// a graph that lacks what the method sees, when the loss is no longer a
	// number, and when ctx is done, which it checks several times per step.
	Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error)
}

// Parts are parts of an attributed graph.
type Parts uint

const (
	Features Parts = 1 << iota // X
	Edges                      // A
)

// Outputs are what a method can give.
type Outputs uint

const (
	// Embedding is one vector per node.
	Embedding Outputs = 1 << iota
	// Clusters are the method's own. The embedding of a method that has
	// none is clustered by [SpectralClusters].
	Clusters
	// Links are scores of pairs of nodes, from the embedding by the
	// inner-product decoder or from the method's own.
	Links
)

// Options are what a run needs besides the method's settings.
type Options struct {
	// Clusters is the number of clusters to find.
	Clusters int
	// Scaling of spectral embeddings. Default cluster.RandomWalk.
	Scaling cluster.Scaling
	// Seed of the training.
	Seed uint64
	// Random returns the source of random numbers for a use: "k-means" or
	// "spectral". Default: sources made of the seed.
	Random func(use string) *rand.Rand
	// Split, for link prediction, is the split whose training graph Fit
	// gets. Its validation pairs may choose among epochs and settings.
	Split *linkpred.Split
	// Backend is where models are trained that have a choice. Default
	// native.
	Backend backend.Choice
	// Checkpoints is where a long run keeps its state. Nil: nowhere.
	Checkpoints *store.Store
	// Progress, if not nil, is called after every epoch.
	Progress func(Event)
}

func (o Options) report(e Event) {
	if o.Progress != nil {
		o.Progress(e)
	}
}

// random returns the source of random numbers for a use.
func (o Options) random(use string) *rand.Rand {
	if o.Random == nil {
		return source(o.Seed)
	}
	return o.Random(use)
}

// Event tells how far a run is.
type Event struct {
	Epoch, Epochs int     // Epoch of Epochs is done
	Loss          float64 // before the epoch's step
}

// Output is what a method makes of a graph.
type Output struct {
	// Embedding is n×d; empty for a method without one.
	Embedding blas32.General
	// Clusters holds each node's cluster, 0 to Options.Clusters−1; nil for
	// a method that has none of its own.
	Clusters []int
	// Score returns the score of an edge between two nodes, higher for more
	// likely ones. Nil: the inner product of the embeddings.
	Score func(p linkpred.Pair) float64
	// Measures are figures of the run that need no labels, such as the
	// Davies–Bouldin index ("DBI") or the filter's "k".
	Measures map[string]float64
	// Backend ran it.
	Backend string
	// Release, if not nil, removes the checkpoints, once the result is safe.
	Release func() error
}

// Settings are those that methods have in common. Each method takes those that
// it has a use for; the others are its own defaults.
type Settings struct {
	// Filter is that of methods which smooth the features.
	Filter laplacian.Filter
	// Layers is the number of graph convolutions of a network. 0: the
	// method's default.
	Layers int
	// MostEpochs bounds the epochs, for a short run. 0: no bound.
	MostEpochs int
	// Loss is that of methods with AGE's loss.
	Loss encoder.Loss
}

// epochs returns the number of epochs of a method whose own is full.
func (s Settings) epochs(full int) int {
	if s.MostEpochs > 0 {
		return min(full, s.MostEpochs)
	}
	return full
}

// methods are all methods of this package: their names and how they are made.
var methods = []struct {
	name string
	make func(Settings) Method
}{
	{"K-means", func(Settings) Method { return KMeans{} }},
	{"Spectral-F", func(Settings) Method { return SpectralF{} }},
	{"Spectral-G", func(Settings) Method { return SpectralG{} }},
	{"GAE-64", newGAE64},
	{"LS+RA-64", newDisentangledGAE},
	{"LS", newLS},
	{"LS+RA", newLSRA},
	{"LS+RX", newLSRX},
}

// Names lists the names of all methods.
func Names() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// New returns the method of the given name, in any case, with the given
// settings. The error of an unknown name lists the known ones.
func New(name string, s Settings) (Method, error) {
	for _, m := range methods {
		if strings.EqualFold(m.name, name) {
			return m.make(s), nil
		}
	}
	return nil, fmt.Errorf("unknown method %q: want one of %s", name, strings.Join(Names(), ", "))
}
