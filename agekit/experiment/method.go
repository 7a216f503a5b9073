package experiment

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Method embeds and clusters a graph's nodes: a row of table 3. One that also
// predicts links, a row of table 4, is a [LinkMethod] besides.
type Method interface {
	// Name is the method's name in tables and results.
	Name() string
	// Settings returns all settings of r that its result depends on, with
	// defaults filled in; the number of clusters, which is the graph's
	// number of classes, need not be among them.
	Settings(r Run) any
	// Fit embeds the nodes of g, which has no labels, and finds g.Classes
	// clusters. The same run on the same backend gives the same bytes.
	Fit(ctx context.Context, g *graph.Graph, r Run, o FitOptions) (*Fitted, error)
}

// LinkMethod is a method that predicts links.
type LinkMethod interface {
	Method
	// Links scores the edges that the split of r's seed leaves out.
	Links(ctx context.Context, g *graph.Graph, r Run, o FitOptions) (*LinkScores, error)
}

// FitOptions are what a method needs besides the run; none changes the
// result.
type FitOptions struct {
	Backend backend.Choice
	// Checkpoints is where a long run keeps its state, or nil.
	Checkpoints *store.Store
	// Progress is told now and then the share of the run that is done, 0 to
	// 1. It is never nil.
	Progress func(share float64)
}

// Fitted is what a method makes of a graph.
type Fitted struct {
	// Embedding is n×d: what the clusters were found in. A method that
	// clusters the graph alone leaves it empty.
	Embedding blas32.General
	// Clusters holds each node's cluster.
	Clusters []int
	// Measures are figures of the run that need no labels: the chosen epoch
	// ("epoch"), its Davies–Bouldin index ("DBI"), "k", "lambda_max".
	Measures map[string]float64
	// Backend ran it.
	Backend string
	// Release, if set, is called once the result is safe.
	Release func() error
}

// LinkScores are the scores of predicted links (paper, §5.2).
type LinkScores struct {
	AUC, AP float64
	// Measures, Backend and Release are as in [Fitted].
	Measures map[string]float64
	Backend  string
	Release  func() error
}

// methods holds all methods, in the order of the paper's tables.
var methods = []Method{
	kMeans{}, spectralF{}, spectralG{},
	gae64, lsra64,
	ls{}, lsra, lsrx,
	age{name: "+Encoder", fixedPairs: true}, age{name: "+Adaptive", fixedThresholds: true}, age{name: "AGE"},
}

// Methods lists the names of all methods.
func Methods() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.Name())
	}
	return names
}

func methodByName(name string) (Method, error) {
	for _, m := range methods {
		if strings.EqualFold(m.Name(), name) {
			return m, nil
		}
	}
	return nil, fmt.Errorf("unknown method %q: want one of %s", name, strings.Join(Methods(), ", "))
}

// random returns r's source of random numbers for one of its uses: one for
// each data set, method, mode and seed.
func (r Run) random(use string) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "experiment %s %s %s %s %d", use, r.Dataset, r.Method, r.Mode, r.Seed))))
}
