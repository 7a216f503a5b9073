package encoder

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/system"
	"gonum.org/v1/gonum/blas/blas32"
)

// Options are the options of a training. The filter, the Config, Initial and Judge determine
// the result, and Backend its rounding; Running does not affect it, so it does not count
// in keys of stored results. JSON has the filter and the Config.
type Options struct {
	// Filter is H = I − k·L̃sym and its layers t. Default k = 2/3 (paper, §4.3), and t
	// = 8 if both are 0 (Cora's, table 5); K alone leaves the features unchanged.
	// [Input.Fit] does not use it.
	laplacian.Filter
	Config

	// Initial, if set, is a trained encoder whose weights the members begin with, in place
	// of random ones, and by whose embedding they select the first pairs. Its features,
	// members and dims must be those of the training. Default nil.
	Initial *Encoder `json:"-"`
	// Backend trains the model. Default: the native one.
	Backend Backend `json:"-" key:"name"`
	// Judge chooses the epoch instead of clustering and the Davies–Bouldin index.
	// Default nil.
	Judge   *Judge `json:"-"`
	Running `json:"-" key:"-"`
}

// Running says how a training runs. It does not affect the result.
type Running struct {
	// Checkpoints is where a training saves its state, and resumes after it was
	// stopped. The last checkpoint remains until [Result.Discard], so that no result is
	// lost before it is written. Default nil: none.
	Checkpoints *store.Store
	// CheckpointEvery is the minimum time between two checkpoints, each after a step or
	// an update. Default 5 s.
	CheckpointEvery time.Duration
	// ScratchAbove is the size in bytes above which, or if less memory is free, a
	// matrix as large as X̃ is in a memory-mapped file, until the training ends: in the
	// checkpoints' folder, or else in the system's for temporary files. Default: a
	// quarter of the machine's memory.
	ScratchAbove int64
	// InBlocks leaves the embedding of all nodes out of the result of a training on a sample:
	// [Result.Rows] computes it block by block from the Input, which must not be closed
	// before. That of [Fit] is closed by [Result.Discard]. Default false.
	InBlocks bool
	// Engine does the work that grows with the number of nodes by other processes, if the
	// training is on a sample. Default nil: this process does it.
	Engine Engine
	// Progress receives events, from the goroutine that called Prepare or Fit. Default nil.
	Progress func(Event)
	// Watch, if set, receives the embedding before each member's first epoch, as epoch
	// 0, and each saved one, but none before a resumed training's checkpoint: that of the
	// sample, if there is one. It must not keep or change z, which the next one overwrites.
	Watch func(epoch int, z blas32.General)
}

// Engine smooths features and passes over embeddings that are too large for one process.
type Engine interface {
	// Smooth returns the rows of X̃ = Hᵗ(X/unit) for the n nodes and f features of the graph.
	Smooth(ctx context.Context, filter laplacian.Filter, unit float64, n, f int) (linalg.Source, error)
	// Embed returns the rows of the embedding that the members' weights give. The engine makes
	// the passes over them.
	Embed(ctx context.Context, members []Weights) (linalg.Rows, error)
}

// Judge scores saved embeddings, so that another task than clustering can choose the
// epoch: link prediction uses validation edges (paper, §3.4.2).
type Judge struct {
	// Name identifies the judge, also in checkpoints: judges that can score an
	// embedding differently must have different names.
	Name string
	// Score returns the score of an n×d embedding, always the same one. The epoch with
	// the lowest score is chosen. It must not keep or change z. It runs beside the
	// training: it may be called from several goroutines at a time, in any order. Keys
	// know it by the Name.
	Score func(ctx context.Context, z blas32.General) (float64, error) `key:"-"`
}

// WithDefaults fills in the defaults of the filter, the Config, the backend and the
// checkpoints. Clusters stays 0, because its default depends on the graph.
func (o Options) WithDefaults() Options {
	if o.Filter == (laplacian.Filter{}) {
		o.Layers = 8
	}
	o.K = cmp.Or(o.K, 2.0/3)
	if o.Layers == laplacian.NoLayers {
		o.Layers = 0
	}
	o.Config = o.Config.withDefaults()
	if o.Backend == nil {
		o.Backend = step.Native
	}
	o.CheckpointEvery = cmp.Or(o.CheckpointEvery, 5*time.Second)
	return o
}

// Best returns the options of best mode: three members, trained with one step per
// epoch, and half the filter's layers, rounded up, if it has eight or fewer.
// docs/log/best-mode.md has the reasons and the contribution of each part.
func (o Options) Best() Options {
	const members, mostHalved = 3, 8
	o = o.WithDefaults()
	if o.Layers <= mostHalved {
		o.Layers = (o.Layers + 1) / 2
	}
	o.Members, o.BatchSize = members, AllPairs
	return o
}

// ForGraph returns the options with all defaults for the graph g filled in: also the number of
// clusters, the ranking, the number of nodes to train on, and the schedule that [AllPairs]
// describes.
func (o Options) ForGraph(g *graph.Graph) Options {
	o = o.WithDefaults()
	if o.Judge == nil {
		o.Clusters = cmp.Or(o.Clusters, g.Classes)
	} else {
		o.Sample = AllNodes // it scores all nodes
	}
	n, f := g.Features.Dims()
	o.Config = o.Config.For(n, f).lengthened()
	return o
}

// Planned is a training whose options fit its graph.
type Planned struct {
	graph   *graph.Graph
	options Options // with all defaults
}

// Plan checks what [Fit] and [Planned.Start] need before they start. It returns an error for the
// first invalid setting, for more clusters than half the nodes, and if the clustering
// ([linalg.CheckEigenSize]) or the training would need more memory than is free. [Prepare]
// looks for features or filters that do not suit the graph.
//
// The estimate for training is 8 matrices f×d (the weights, Adam's two moments, the
// weights of the best epoch and of the last selection, and the state being saved) and
// one more per member; 3 matrices n×d (an embedding, the model's and the gradient) and
// two more per member; if d < n, 32 matrices d×d in float64 for the index; and X̃ of a
// sample. Judges run beside the training only if there is more.
func (o Options) Plan(g *graph.Graph) (*Planned, error) {
	if err := o.Config.check(); err != nil {
		return nil, err
	}
	o = o.ForGraph(g)
	if err := o.check(g); err != nil {
		return nil, err
	}
	return &Planned{graph: g, options: o}, nil
}

// With returns the same training with other [Running] options, such as an engine that begins only
// after the plan. InBlocks stays, because the plan depends on it, and so does CheckpointEvery if r
// has none.
func (p *Planned) With(r Running) *Planned {
	o := p.options
	r.InBlocks, r.CheckpointEvery = o.InBlocks, cmp.Or(r.CheckpointEvery, o.CheckpointEvery)
	o.Running = r
	return &Planned{graph: p.graph, options: o}
}

// check returns the errors of Plan that are not of single settings, for options with all defaults.
func (o Options) check(g *graph.Graph) error {
	filter := o.Filter
	if filter.K == laplacian.InverseLambdaMax { // Prepare finds the number; any valid one will do here
		filter.K = 1
	}
	if err := filter.Check(); err != nil {
		return err
	}
	if err := o.checkInitial(g); err != nil {
		return err
	}
	n := g.N()
	switch least := max(3, 2*o.Clusters); { // clusters are at most half the nodes, as in CheckClusters
	case o.Sample < min(n, least):
		return message.Errorf("%s is %d: want %d or more, for %d clusters", message.Option("sample"), o.Sample, least, o.Clusters)
	case o.Judge == nil:
		if err := CheckClusters(o.Sample, o.Clusters); err != nil {
			return err
		}
	}
	_, cols := g.Features.Dims()
	bytes := o.trainingBytes(o.Sample, cols)
	if o.Sample < n {
		bytes += 4 * float64(o.Sample) * float64(cols) // X̃ of the sample
	}
	what := fmt.Sprintf("training on %d nodes with %d features and dims %d", o.Sample, cols, o.Dims)
	if err := system.CheckMemory(what, bytes); err != nil {
		return tooWide(err)
	}
	if o.Sample == n || o.InBlocks {
		return nil
	}
	what = fmt.Sprintf("the embedding of %d nodes with dims %d", n, o.Dims)
	if err := system.CheckMemory(what, 4*float64(o.Dims)*float64(o.Members)*float64(n)); err != nil {
		return tooWide(err)
	}
	return nil
}

// trainingBytes estimates the memory that a training on that many rows takes, as [Options.Plan]
// says, with one judge at a time.
func (o Options) trainingBytes(rows, features int) float64 {
	n, f, d, members := float64(rows), float64(features), float64(o.Dims), float64(o.Members)
	return 4*d*((8+members)*f+(3+2*members)*n) + indexBytes(rows, o.Dims)
}

// indexBytes estimates the memory that the Davies–Bouldin index of that many rows takes: 32
// matrices d×d in float64 if d is less than the number of rows, and else none.
func indexBytes(rows, dims int) float64 {
	if dims >= rows {
		return 0
	}
	const matrices, bytesEach = 32, 8
	return matrices * bytesEach * float64(dims) * float64(dims)
}

// tooWide returns err, which says that there is too little memory, with the advice to lower dims.
func tooWide(err error) error {
	return &message.Error{Message: message.Sprintf("%w", err).Advise("lower %s", "dims", "")}
}

// checkInitial returns an error if the training cannot begin with Initial.
func (o Options) checkInitial(g *graph.Graph) error {
	e := o.Initial
	if e == nil {
		return nil
	}
	if len(e.Weights) != o.Members {
		return message.Errorf("%s is %d: want %d, as many as the encoder to begin with has", message.Option("members"), o.Members, len(e.Weights))
	}
	if d := e.Weights[0].W.Cols; d != o.Dims {
		return message.Errorf("%s is %d: want %d, as the encoder to begin with has", message.Option("dims"), o.Dims, d)
	}
	return e.Check(g)
}

// CheckClusters returns an error if spectral clustering cannot divide n nodes into that
// many clusters, or not within the memory that is free.
func CheckClusters(n, clusters int) error {
	switch largest := MostClusters(n); {
	case n <= 2:
		return fmt.Errorf("the graph's number of nodes is %d: want 3 or more to find clusters", n)
	case clusters < 2:
		return message.Errorf("%s is %d: want 2 or more", message.Option("clusters"), clusters)
	case clusters > largest:
		return message.Errorf("%s is %d: want at most %d, half the number of nodes", message.Option("clusters"), clusters, largest)
	}
	return linalg.CheckEigenSize(n, clusters)
}

// MostClusters returns the largest number of clusters of n nodes: half of them, or 2.
func MostClusters(n int) int { return max(2, n/2) }

// Report sends an event to Progress.
func (r Running) Report(e Event) {
	if r.Progress != nil {
		r.Progress(e)
	}
}

// Linef reports a line.
func (r Running) Linef(format string, args ...any) {
	r.Report(Event{Event: progress.Event{Line: fmt.Sprintf(format, args...)}})
}
