package reproduce

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/rng"
)

// methodsOf lists the methods of package method in a table or figure.
func methodsOf(item string) []string {
	var names []string
	for _, name := range method.Names() {
		if m, _ := method.Find(name); slices.Contains(m.Tables, item) {
			names = append(names, name)
		}
	}
	return names
}

// method returns the run's method with the run's settings.
func (r Run) method() (method.Method, error) {
	if !r.Mode.has(r.Method) {
		return nil, fmt.Errorf("%s has no published mode of its own", r.Method)
	}
	if m, _ := method.Find(r.Method); m.AGE {
		return method.New(r.Method, r.ageSettings())
	}
	o, _ := encoder.PaperOptions(r.Dataset)
	s := method.Settings{Filter: r.filter(o.Filter), Layers: r.Layers, Published: r.Mode == Published}
	if r.Quick {
		s.MostEpochs = r.epochs(0)
	}
	if r.Mode == Code {
		s.Loss = encoder.Logits
	}
	return method.New(r.Method, s)
}

// random returns the source of random numbers for one use in the run, such as "split". Each data set,
// method, mode and seed has its own.
func (r Run) random(use string) *rand.Rand {
	return rng.Hashed("experiment", use, r.Dataset, r.Method, r.Mode, r.Seed)
}

// sources gives a method the random sources of its run.
type sources struct{ Run }

// Source returns the run's source of random numbers for one use.
func (s sources) Source(use string) *rand.Rand { return s.random(use) }

// clusterNodes runs a method with the settings of a run and clusters the nodes.
func clusterNodes(ctx context.Context, m method.Method, g *graph.Graph, r Run, o method.Options) (*method.Output, error) {
	return method.Cluster(ctx, m, g, r.options(g, o))
}

// options returns o with what the run r decides for clustering.
func (r Run) options(g *graph.Graph, o method.Options) method.Options {
	o.Clusters, o.Scaling, o.Seed, o.Random = g.Classes, r.Mode.scaling(), r.Seed, sources{r}
	return o
}

// predictLinks runs a method on the training edges of the seed's split (paper, §5.2) and scores
// the test edges.
func predictLinks(ctx context.Context, m method.Method, g *graph.Graph, r Run, o method.Options) (*method.Output, metric.LinkScores, error) {
	if !m.Info().Links {
		return nil, metric.LinkScores{}, fmt.Errorf("method %s cannot predict links", r.Method)
	}
	split, err := graph.NewSplit(g, r.random("split"))
	if err != nil {
		return nil, metric.LinkScores{}, err
	}
	o.Seed, o.Random, o.Split = r.Seed, sources{r}, split
	out, err := m.Fit(ctx, split.Train, o)
	if err != nil {
		return nil, metric.LinkScores{}, err
	}
	scores, err := metric.Links(out.Embedding, split.Test)
	return out, scores, err
}
