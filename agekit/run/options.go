package run

import (
	"context"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/mapped"
)

// Options are the options of [Fit].
type Options struct {
	// Settings decide what is found. The program and the notebooks use the seed 1.
	settings.Settings
	// Backend is what trains. Default: native.
	Backend backend.Choice
	// Training says how a training runs: where its checkpoints are, what receives the progress.
	Training encoder.Running `key:"-"`
	// From, if not nil, is an earlier run to start from, of data that may have changed since. It must
	// have a model. Its view, settings and number of clusters are taken, a training begins with its
	// encoder's weights, and clusters get the numbers of the earlier clusters with which they share the
	// most nodes (nodes with the same id). The data's features must be made as those of the earlier
	// run ([input.Source].Recipe). Of the Settings, only Epochs and Seed are used; the default of
	// Epochs is a quarter of the earlier run's.
	From *Run
	// Own, if not nil, is a method of the caller's, which runs in place of the one that the Settings
	// name. Its results are not stored, because its function cannot be compared with others.
	Own method.Method `key:"-"`
	// Views computes the other views beside the result, and Map places the nodes on a map.
	Views, Map bool
}

// Default returns the options that the program, the notebooks and Python start with:
// all views and a map, and the seed is 1.
func Default() *Options {
	o := &Options{Views: true, Map: true}
	o.Seed = 1
	return o
}

// Checked are options with settings that are valid for some data.
type Checked struct{ options *Options }

// Check returns an error that names the first setting that is wrong for any data
// ([settings.Settings.Check]). Programs call it before they open files, and then [Checked.Plan].
func (o *Options) Check() (*Checked, error) {
	if err := o.Settings.Check(); err != nil {
		return nil, err
	}
	return &Checked{o}, nil
}

// Planned is a run whose options fit its data.
type Planned struct {
	data    *input.Data
	options *Options
	plan    plan
}

// Plan returns an error if the options are wrong for any data ([Options.Check]) or for these.
func (o *Options) Plan(ctx context.Context, d *input.Data) (*Planned, error) {
	checked, err := o.Check()
	if err != nil {
		return nil, err
	}
	return checked.Plan(ctx, d)
}

// Plan returns an error if the options do not fit the data. Programs call it before they open files
// for the result, and then [Planned.Fit], so that nothing is checked twice.
func (c *Checked) Plan(ctx context.Context, d *input.Data) (_ *Planned, err error) {
	defer mapped.Guard(&err)()
	p, err := c.options.plan(ctx, d)
	if err != nil {
		return nil, err
	}
	return &Planned{d, c.options, p}, nil
}

// others reports whether a method other than AGE runs.
func (o *Options) others() bool { return o.Own != nil || o.Others() }

// method returns the method that runs, with its settings for the named data set ("" for none). AGE has
// the settings of a training.
func (o *Options) method(dataset string) (method.Method, error) {
	if o.Own != nil {
		return o.Own, nil
	}
	training := o.AGE(dataset)
	s := method.Settings{Filter: training.Filter, Layers: o.Layers, Config: o.Config, Published: o.Published}
	if m, _ := method.Find(o.Method); m.AGE {
		s.Config = training.Config
	}
	return method.New(o.Method, s)
}

// plan is what Fit does.
type plan struct {
	method   method.Method   // nil for AGE
	running  *method.Planned // the run of the method or of AGE
	view     views.Name      // "" for a method other than AGE
	clusters views.Range     // the zero value for a method that finds the number
	training encoder.Options // of AGE
	source   views.Source    // where the edges and features come from
	given    bool            // AGE's settings come from the caller, or from the paper for its data sets
	layers   int             // of the filter of a training whose settings are chosen
}

// plan returns what Fit does, or an error if the options, which are checked, do not fit the data.
func (o *Options) plan(ctx context.Context, d *input.Data) (p plan, err error) {
	g := d.Graph
	if p.source, err = sourceOf(ctx, d); err != nil {
		return p, err
	}
	if o.others() {
		if p.method, err = o.method(g.Catalogue); err != nil {
			return p, err
		}
	}
	p.given = p.method == nil && o.Given(g.Catalogue)
	dataset := "" // whose settings in the paper are taken
	if p.given {
		dataset = g.Catalogue
	}
	if err := o.checkView(g, p); err != nil {
		return p, err
	}
	found := o.AGE(dataset)
	p.training, p.layers = encoder.Options{Filter: found.Filter, Config: found.Config, Running: o.Training}, views.Layers
	switch {
	case o.From != nil:
		err = o.from(&p, g)
	case p.method != nil:
		p.clusters, err = o.Numbers(g, p.method, p.given)
	default:
		p.view = o.View
		if p.given {
			p.view = views.AGE
		} else if p.view == "" {
			p.view = views.Default(g, p.source)
		}
		p.clusters, err = o.Numbers(g, p.method, p.given)
	}
	if err != nil {
		return p, err
	}
	return p, p.setRunning(o, g)
}

// chosen reports whether AGE's settings are chosen by the size of the graph ([views.Settings]).
func (p *plan) chosen(o *Options) bool { return p.method == nil && !p.given && o.From == nil }

// setRunning sets p.running, the run of the method or of AGE, with the number of clusters in
// p.clusters. For AGE it first sets what follows from this number in p.training. The settings must fit
// the graph even if the view needs no training.
func (p *plan) setRunning(o *Options, g *graph.Graph) (err error) {
	k := p.clusters.Most
	if p.chosen(o) {
		p.training = views.Settings(p.training, g.N(), k, p.layers)
	}
	p.training.Clusters, p.training.Seed = k, o.Seed
	running := p.method
	if running == nil {
		if running, err = method.New(method.AGE, method.Settings{Filter: p.training.Filter, Config: p.training.Config}); err != nil {
			return err
		}
	}
	p.running, err = method.Plan(running, g, method.Options{
		Clusters: k, Scaling: p.training.Scaling, Seed: o.Seed, Backend: o.Backend, Initial: p.training.Initial, Running: o.Training,
	})
	return err
}
