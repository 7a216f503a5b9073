package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
)

// Version is the version of what [Fit] makes of clusters and embeddings: scores, explanations,
// maps. It grows when the same data and options give another run with the same version of
// package encoder, so that stored runs of earlier versions are not used.
const Version = 9

// Run is what [Fit] found. A run that starts from it uses the record and the model, so only
// these count in its key in a store.
type Run struct {
	Record
	Data *input.Data `key:"-"` // with the labels that only scores use
	// Embedding is n×d, without rows if the method makes none, and after a training on a
	// sample with encoder.Running.InBlocks, whose files have it nevertheless.
	Embedding blas32.General `key:"-"`
	Labels    []int          `key:"-"` // the cluster of each node
	// Result is the training of AGE, and Model applies to new nodes; nil for other
	// methods.
	Result      *encoder.Result `key:"-"`
	Model       *Model
	Explanation *explain.Explanation `key:"-"` // nil if the clusters could not be explained
	Layout      blas32.General       `key:"-"` // of the nodes on a map, n×2, without rows if there is none
	Log         []string             `key:"-"` // the lines of log.txt
	// Command and Inputs are for the manifest: the command of agekit that made the run, and
	// the files that the data was read from. Default: none.
	Command string          `key:"-"`
	Inputs  []checksum.File `key:"-"`

	// Levels has the clusters of half and twice as many, if a useful number was found; nil in a run
	// that was loaded.
	Levels []Level `key:"-"`

	table   *table.Table `key:"-"` // what Nodes returns; nil in a run that was loaded
	earlier []float64    `key:"-"` // the cluster of each node in the run that this one started from
	discard func() error `key:"-"` // removes the checkpoints
}

// rows returns the rows of the embedding, in memory or not ([encoder.Result.Rows]).
func (r *Run) rows() linalg.Rows {
	if r.Result != nil {
		return r.Result.Rows()
	}
	return linalg.InMemory(r.Embedding)
}

// embeds reports whether there is an embedding.
func (r *Run) embeds() bool {
	n, _ := r.rows().Dims()
	return n > 0
}

// Fit finds embeddings and clusters of the nodes of a graph, and describes them. With
// nil options, it uses [Default]. The same data, options and backend give the same
// bytes. Labels are used for scores alone.
//
// It returns an error for options that do not fit the data ([Options.Plan]), errors of
// the method, and an error when ctx is done. A run that was stopped resumes from its
// last checkpoint, if the same call is made again.
func Fit(ctx context.Context, d *input.Data, o *Options) (*Run, error) {
	if o == nil {
		o = Default()
	}
	start := time.Now()
	planned, err := o.Plan(ctx, d)
	if err != nil {
		return nil, err
	}
	r, err := planned.Fit(ctx)
	if err == nil {
		r.Seconds.Total = time.Since(start).Seconds()
	}
	return r, err
}

// Fit is [Fit] for what was planned. How the training runs (Options.Training) is read from the options
// now: the caller may set it after planning, once there are files for the result.
func (planned *Planned) Fit(ctx context.Context) (r *Run, err error) {
	defer mapped.Guard(&err)()
	start := time.Now()
	d, o, p := planned.data, planned.options, planned.plan
	g := d.Graph
	r = &Run{Data: d, discard: func() error { return nil }}
	r.Record = Record{SchemaVersion: SchemaVersion, Version: system.ProgramVersion().String(), Graph: describe(g), Notes: d.Notes}
	for _, warning := range d.Warnings {
		r.Warnings = append(r.Warnings, warning.String())
	}
	o.Training.Linef("%s", r.About())
	if kinds := p.source.Kinds; kinds != nil {
		o.Training.Linef("%s", kinds)
	}
	r.Seed, r.SIMD = o.Seed, simd.Level()
	finder := newFinder(d, p.source, o.Seed)
	if o.mayTurn(p.view) {
		only, err := finder.OnlyFeatures(ctx)
		if err != nil {
			return nil, err
		}
		if only {
			p.view = views.Features
			o.Training.Linef("the edges are like random ones, and the features have groups: the view is %s", p.view)
		}
	}
	if p.clusters.Most > p.clusters.Least {
		o.stage("choosing the number of clusters")
		if r.Number, err = finder.Number(ctx, p.clusters); err != nil {
			return nil, err
		}
		p.clusters = views.Exactly(r.Number.Useful)
		o.Training.Linef("%s", r.NumberText())
	}
	if p.method != nil {
		err = r.other(ctx, o, p)
	} else {
		err = r.age(ctx, o, finder, &p)
	}
	if err != nil {
		return nil, err
	}
	k := p.clusters.Most
	if k == 0 { // the method found it
		k = slices.Max(r.Labels) + 1
	}
	r.Scores = metric.Score(g, r.Labels)
	if _, r.Measures, err = measure(ctx, r.Data, r.Labels); err != nil {
		return nil, err
	}
	if err := r.addViews(ctx, o, finder, k); err != nil {
		return nil, err
	}
	if r.Number != nil {
		o.stage("finding other numbers of clusters")
		if err := r.addLevels(ctx, finder); err != nil {
			return nil, err
		}
	}
	r.compare(p.source.Kinds)
	if err := r.explain(ctx, o); err != nil {
		return nil, err
	}
	if o.Map && r.embeds() {
		if err := r.computeLayout(ctx, o); err != nil {
			return nil, err
		}
	}
	for _, path := range mapped.Changed() {
		warning := fmt.Sprintf("%s was written to while it was read: the result may be of both", message.ShortPath(path))
		o.Training.Linef("warning: %s", warning)
		r.Warnings = append(r.Warnings, warning)
	}
	r.table, r.Columns = r.nodes()
	r.NClusters, r.LabelsSHA256 = cluster.Count(r.Labels), sum(r.Labels)
	r.Seconds.Total, r.PeakRSSBytes = time.Since(start).Seconds(), system.PeakMemory()
	return r, nil
}

// stage reports what is under way where no training is.
func (o *Options) stage(format string, args ...any) {
	o.Training.Report(encoder.Event{Event: progress.Event{Stage: fmt.Sprintf(format, args...), Total: 1}})
}

// Discard removes the checkpoints of all trainings. Call it once the result is saved.
func (r *Run) Discard() error { return r.discard() }

// age finds the clusters in the view p.view, by a training for AGE and without one for the others. It
// sets r's results, model and description of the training, and the settings that were chosen in p.
func (r *Run) age(ctx context.Context, o *Options, f *views.Finder, p *plan) error {
	g := r.Data.Graph
	if p.view != views.AGE {
		o.stage("clustering the view %s", p.view)
		if err := r.untrained(ctx, f, p); err != nil {
			return err
		}
	} else {
		if p.chosen(o) {
			var err error
			if p.layers, err = f.TrainingLayers(ctx); err != nil {
				return err
			}
			if err := p.setRunning(o, g); err != nil {
				return err
			}
		}
		o.stage("preparing the training")
		out, err := p.running.With(o.Training).Cluster(ctx)
		if err != nil {
			return err
		}
		r.Result, r.discard = out.Training, out.Training.Discard
	}
	r.View = p.view
	t, config := r.Result, p.training.Config
	if o.From != nil {
		t.Labels, r.earlier, r.From = renumber(g, t.Labels, o.From.Model)
		o.Training.Linef("%s", r.From)
	}
	r.Method, r.Embedding, r.Labels, r.Backend = "AGE", t.Embedding, t.Labels, t.Backend
	r.Model = newModel(r.Data, t, learned{Settings: config}, blas32.General{}, r.Version)
	if err := r.setCenters(ctx); err != nil {
		return fmt.Errorf("stopped after the training; run it again: %w", err)
	}
	r.Training = &Training{
		LambdaMax: t.LambdaMax, K: t.Encoder.Filter.K, Layers: t.Encoder.Filter.Layers, DBI: t.DaviesBouldin, Epochs: config.Epochs,
		Loss: string(config.Loss), Scaling: string(t.Scaling), Ranking: string(t.Ranking), Programs: t.Programs,
	}
	if t.Sample < g.N() {
		r.Training.Sample = t.Sample
	}
	for _, m := range t.Members {
		r.AllEpochs = append(r.AllEpochs, m.Epoch)
		curve := Curve{Loss: m.Loss, Chosen: m.Epoch}
		for _, s := range m.Saved {
			curve.Epochs, curve.DBI = append(curve.Epochs, s.Epoch), append(curve.DBI, s.DaviesBouldin)
		}
		r.Curves = append(r.Curves, curve)
	}
	switch len(r.AllEpochs) { // the number of trainings
	case 0:
	case 1:
		r.Epoch, r.AllEpochs = r.AllEpochs[0], nil
	default:
		r.Epoch, r.Clusterings = r.AllEpochs[0], t.Clusterings
	}
	r.Seconds.Seconds = t.Seconds
	return nil
}

// other runs the method p.method, which is not AGE, and sets r's results. The time that is left, which
// methods do not report, is estimated from the steps done and added to each event of the progress.
func (r *Run) other(ctx context.Context, o *Options, p plan) error {
	start := time.Now()
	running := o.Training
	running.Progress = func(e encoder.Event) {
		e.Left = progress.Remaining(time.Since(start), float64(e.Done), float64(e.Total-e.Done))
		o.Training.Report(e)
	}
	o.stage("clustering by %s", p.method.Name())
	out, err := p.running.With(running).Cluster(ctx)
	if ctx.Err() != nil {
		return fmt.Errorf("stopped; run the same command again to go on from the last checkpoint, if there is one: %w", err)
	}
	if err != nil {
		return err
	}
	r.Method, r.Mode, r.Reported, r.Backend = p.method.Name(), "fair", out.Measures, out.Backend
	if o.Published {
		r.Mode = "published"
	}
	r.Embedding, r.Labels, r.Seconds.Fit = out.Embedding, out.Clusters, time.Since(start).Seconds()
	if out.Release != nil {
		r.discard = out.Release
	}
	return nil
}

// explain sets r.Explanation, r.Clusters and r.Tree, which say what sets the clusters apart. It leaves
// them nil if there is no embedding, if there is only one cluster, or if the clusters cannot be explained,
// such as when one of them is empty. The last is a line in the log and no error, so that the other
// results are not lost.
func (r *Run) explain(ctx context.Context, o *Options) error {
	if !r.embeds() || slices.Max(r.Labels) == 0 {
		return nil
	}
	o.stage("explaining the clusters")
	e, err := explain.Explain(ctx, r.Data.Graph, r.Data.Recipe, r.space(), r.Labels)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stopped while explaining the clusters; run it again: %w", ctx.Err())
	case errors.Is(err, explain.ErrUnexplained):
		o.Training.Linef("%v", err)
		return nil
	case err != nil: // such as a full disk, where workers compute the rows
		return err
	}
	explain.InUserUnits(e.Clusters, r.Data.Recipe)
	// If there is little to find in the data, clusters get no names: a name has the features in which a
	// cluster differs, and any clusters made by features differ in some.
	if r.Little {
		for c := range e.Clusters {
			e.Clusters[c].Name = ""
		}
	}
	r.Explanation, r.Tree, r.Clusters = &e.Explanation, e.Tree, e.Clusters
	if r.Model != nil {
		r.Model.About.Names = explain.Names(e.Clusters)
	}
	return nil
}
