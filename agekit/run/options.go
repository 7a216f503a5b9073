package run

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/option"
)

// Options are the options of [Fit].
type Options struct {
	// Clusters is the number of clusters, or the numbers to choose from. Default: the
	// number of classes; without classes, 2 to 20 if settings are chosen.
	Clusters auto.Range
	// Given says that Training has AGE's settings as they are. By default, they are
	// chosen ([auto.Fit]), and of Training's settings only Dims, LearningRate, Ranking,
	// Anchors, EpochPairs and Sample are used.
	Given bool
	// Training has the settings, the backend, the checkpoints and what receives the
	// progress. Its Clusters, Seed and Judge are not used.
	Training encoder.Options
	// From, if not nil, is a run of AGE to start from, with data that has changed since. Its
	// settings are taken, or its choice, and its number of clusters; its encoder's weights
	// are where a training begins, and its clusters keep their numbers: they are matched by
	// the nodes that are in both, by their ids. The data's features must be made as the
	// run's ([input.Source].Recipe). Of the settings, only Training.Epochs is used: the
	// number of epochs, by default a quarter of the run's.
	From *Run
	// Method, if not nil, runs instead of AGE. Its results are not stored, because its
	// function cannot be compared with others.
	Method *Method
	// Seed is the seed of all random choices. The program and the notebooks use 1.
	Seed uint64
	// Baselines compares the result with simple methods, and Map places the nodes on a map.
	Baselines, Map bool
}

// Method finds clusters in another way than AGE.
type Method struct {
	Name, Mode  string // its name in tables, and how it runs: "fair" or "published"
	FindsNumber bool   // it finds the number of clusters itself
	// Fit finds clusters, and calls progress after each epoch.
	Fit func(ctx context.Context, g *graph.Graph, clusters int, progress func(encoder.Event)) (*Found, error) `key:"-"`
}

// Found is what a [Method] finds.
type Found struct {
	Embedding blas32.General // n×d, without rows if the method makes none
	Clusters  []int          // of the nodes, from 0
	// Measures are numbers about the run, such as "DBI", and Backend is what ran it.
	Measures map[string]float64
	Backend  string
	// Discard, if not nil, removes the checkpoints.
	Discard func() error
}

// Default returns the options that the program, the notebooks and Python start with:
// settings are chosen, simple methods and a map are added, and the seed is 1.
func Default() *Options { return &Options{Seed: 1, Baselines: true, Map: true} }

// Check returns an error if the options do not fit the data, as [Fit] does; programs call it
// before they open files for the result.
func (o *Options) Check(d *input.Data) error {
	p, err := o.plan(d.Graph)
	if err != nil {
		return err
	}
	return o.check(d.Graph, p)
}

// check returns an error if a plan does not fit the graph.
func (o *Options) check(g *graph.Graph, p plan) error {
	switch {
	case o.Method == nil:
		return p.training.Check(g)
	case !o.Method.FindsNumber:
		return encoder.CheckClusters(g.N(), p.clusters.Most)
	}
	return nil
}

// plan is what Fit does.
type plan struct {
	clusters auto.Range // the zero value for a method that finds the number
	training encoder.Options
}

func (o *Options) plan(g *graph.Graph) (p plan, err error) {
	p.training = o.Training.WithDefaults()
	if o.From != nil {
		err = o.from(&p, g)
	} else {
		p.clusters, err = o.numbers(g)
	}
	if err != nil {
		return p, err
	}
	p.training.Clusters, p.training.Seed, p.training.Judge = p.clusters.Most, o.Seed, nil
	return p, nil
}

// trains says that the settings of a training are given, so that [encoder.Fit], which checks
// them, comes first.
func (o *Options) trains() bool {
	return o.Method == nil && (o.From != nil && o.earlier() == nil || o.From == nil && o.Given)
}

const optionClusters option.Name = "clusters"

// numbers returns the numbers of clusters to choose from.
func (o *Options) numbers(g *graph.Graph) (auto.Range, error) {
	c := o.Clusters
	chooses := !o.Given && o.Method == nil
	switch {
	case o.Method != nil && o.Method.FindsNumber:
		if c != (auto.Range{}) {
			return c, option.Errorf("%s is %s: %s finds the number of clusters itself", optionClusters, c, o.Method.Name)
		}
		return c, nil
	case c.Most > c.Least && !chooses:
		return c, option.Errorf("%s is %s: want one number where the settings are given", optionClusters, c)
	case c == auto.Range{} && (g.Classes > 1 || g.Classes == 1 && !chooses):
		c = auto.Exactly(g.Classes)
	case c == auto.Range{} && !chooses:
		return c, option.Errorf("%s is missing: without labels the number of clusters is unknown", optionClusters)
	case c == auto.Range{}:
		c = auto.Any()
	}
	if c == auto.Any() {
		c.Most = max(c.Least, min(c.Most, g.N()/2))
	}
	return c, nil
}

// log sends a line to whatever receives the progress.
func (o *Options) log(format string, args ...any) {
	if o.Training.Progress != nil {
		o.Training.Progress(encoder.Event{Message: fmt.Sprintf(format, args...)})
	}
}
