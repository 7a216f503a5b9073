package run

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/progress"
)

// Options are the options of [Fit].
type Options struct {
	// Settings decide what is found. The program and the notebooks use the seed 1.
	settings.Settings
	// Training has what a training runs on and reports to: the backend, the checkpoints, what
	// receives the progress. Its filter and Config are those of the Settings, and its Judge and
	// Initial are not used.
	Training encoder.Options
	// From, if not nil, is a run with a model to start from, with data that has changed since. Its
	// view, its settings and its number of clusters are taken; its encoder's weights
	// are where a training begins, and its clusters keep their numbers: they are matched by
	// the nodes that are in both, by their ids. The data's features must be made as the
	// run's ([input.Source].Recipe). Of the settings, only Epochs and Seed are used: the
	// number of epochs is by default a quarter of the run's.
	From *Run
	// Other, if not nil, runs instead of AGE. Its results are not stored, because its
	// function cannot be compared with others.
	Other *Method
	// Views computes the other views beside the result, and Map places the nodes on a map.
	Views, Map bool
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
// all views and a map, and the seed is 1.
func Default() *Options {
	o := &Options{Views: true, Map: true}
	o.Seed = 1
	return o
}

// Check returns an error if the options do not fit the data, as [Fit] does; programs call it
// before they open files for the result.
func (o *Options) Check(ctx context.Context, d *input.Data) error {
	_, err := o.plan(ctx, d)
	return err
}

// plan is what Fit does.
type plan struct {
	view     views.Name  // "" for another method
	clusters views.Range // the zero value for a method that finds the number
	training encoder.Options
	source   views.Source
	given    bool // AGE's settings are given, or the paper's
	layers   int  // of a training whose settings are not given
}

// plan returns what Fit does, or an error if the options do not fit the data.
func (o *Options) plan(ctx context.Context, d *input.Data) (p plan, err error) {
	g := d.Graph
	if err := o.Settings.Check(); err != nil {
		return p, err
	}
	if o.Others() && o.Other == nil {
		return p, message.Errorf("%s is %s: want it as Other, too", message.Option("method"), o.Method)
	}
	if p.source, err = sourceOf(ctx, d); err != nil {
		return p, err
	}
	dataset := ""
	if p.given = o.Other == nil && o.Given(g.Catalogue); p.given {
		dataset = g.Catalogue
	}
	if err := o.checkView(g, p); err != nil {
		return p, err
	}
	found := o.AGE(dataset)
	p.training, p.layers = o.Training, views.Layers
	p.training.Filter, p.training.Config, p.training.Initial = found.Filter, found.Config, nil
	switch {
	case o.From != nil:
		err = o.from(&p, g)
	case o.Other != nil:
		p.clusters, err = o.numbers(g, false)
	default:
		p.view = o.View
		if p.given {
			p.view = views.AGE
		} else if p.view == "" {
			p.view = views.Default(g, p.source)
		}
		p.clusters, err = o.numbers(g, !p.given)
	}
	if err != nil {
		return p, err
	}
	p.setClusters(o, g, p.clusters.Most)
	return p, o.check(g, p)
}

// setClusters sets the number of clusters of the training, and the settings that follow from it.
func (p *plan) setClusters(o *Options, g *graph.Graph, k int) {
	if o.Other == nil && !p.given && o.From == nil {
		p.training = views.Settings(p.training, g.N(), k, p.layers)
	}
	p.training.Clusters, p.training.Seed, p.training.Judge = k, o.Seed, nil
}

// check returns an error if a plan does not fit the graph.
func (o *Options) check(g *graph.Graph, p plan) error {
	if o.Other == nil { // settings that a view does without are checked, too
		return p.training.Check(g)
	}
	if !o.Other.FindsNumber {
		return encoder.CheckClusters(g.N(), p.clusters.Most)
	}
	return nil
}

const optionClusters message.Option = "clusters"

// numbers returns the numbers of clusters to choose from. finds says that a useful one is found.
func (o *Options) numbers(g *graph.Graph, finds bool) (views.Range, error) {
	c := o.Clusters
	switch {
	case o.Other != nil && o.Other.FindsNumber:
		if c != (views.Range{}) {
			return c, message.Errorf("%s is %s: %s finds the number of clusters itself", optionClusters, c, o.Other.Name)
		}
		return c, nil
	case c.Most > c.Least && !finds:
		return c, message.Errorf("%s is %s: want one number where the settings are given", optionClusters, c)
	case c == views.Range{} && (g.Classes > 1 || g.Classes == 1 && !finds):
		c = views.Exactly(g.Classes)
	case c == views.Range{} && !finds:
		return c, message.Errorf("%s is missing: without labels the number of clusters is unknown", optionClusters)
	case c == views.Range{}:
		c = views.Any()
	}
	if c == views.Any() {
		c.Most = max(c.Least, min(c.Most, g.N()/2))
	}
	return c, nil
}

// log sends a line to whatever receives the progress.
func (o *Options) log(format string, args ...any) {
	if o.Training.Progress != nil {
		o.Training.Progress(encoder.Event{Event: progress.Event{Line: fmt.Sprintf(format, args...)}})
	}
}
