package encoder

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/spectrum"
	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/mapped"
	"gonum.org/v1/gonum/blas/blas32"
)

// Fit trains the encoder on g and returns the embedding of the epoch that the
// Davies–Bouldin index, or c.Choose, chooses (paper, algorithm 1). The same
// graph, settings and backend give the same bytes. g's labels are never looked
// at.
//
// It returns an error for settings that do not fit together or to the graph,
// when the backend fails, and when ctx is done; the error then says after which
// epoch the same call would go on.
func Fit(ctx context.Context, g *graph.Graph, c Config, o Options) (*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.forGraph(g)
	if c.Clusters > g.N() {
		return nil, fmt.Errorf("clusters is %d: the graph has only %d nodes", c.Clusters, g.N())
	}
	if o.Backend.Name == "" {
		o.Backend.Name = backend.Native
	}
	if o.CheckpointEvery == 0 {
		o.CheckpointEvery = 5 * time.Second
	}
	if o.ScratchAbove == 0 {
		o.ScratchAbove = mapped.Memory() / 4
	}
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
	t := &training{
		ctx: ctx, g: g, c: c, o: o,
		key:     checkpointKey(g, c, o.Backend.Name),
		updates: c.Epochs / c.UpdateEvery,
		result:  Result{Backend: o.Backend.Name, Mode: c.Mode, K: c.K},
		similar: hostGram, affinity: cluster.Gram,
		saved: true, savedEpoch: -1,
	}
	r, err := t.run()
	if err != nil {
		return nil, t.interrupted(err)
	}
	return r, nil
}

// training is a run under way.
type training struct {
	ctx     context.Context
	g       *graph.Graph
	c       Config
	o       Options
	key     store.Key
	updates int // selections after the first

	input     Input
	scratch   []*mapped.Scratch
	model     Model
	similar   gramMaker                             // for selections
	affinity  func(blas32.General) cluster.Affinity // for clusterings
	device    *device                               // that both run on; nil for the host
	selection *Selection
	z         blas32.General // the last embedding of a native model
	selected  *Weights       // weights at the selection; nil for the first
	best      *Weights
	epoch     int     // epochs done
	steps     int     // done of the epoch after
	lossSum   float64 // of these steps
	result    Result

	lastSaved  time.Time
	saved      bool      // whether the checkpoint is of the present state
	savedEpoch int       // of the checkpoint; −1 without one
	began      time.Time // of this session's first epoch
	beganEpoch int
}

func (t *training) run() (*Result, error) {
	_, f := t.g.Features.Dims()
	state := t.restore()
	if state == nil {
		state = InitialState(f, t.c.Dims, t.random(streamWeights, 0))
	}
	defer t.removeScratch()
	if err := t.smooth(); err != nil {
		return nil, err
	}
	if err := t.start(state); err != nil {
		return nil, err
	}
	defer t.model.Close()
	for t.epoch < t.c.Epochs || t.updateDue() {
		if err := t.runEpoch(); err != nil {
			return nil, err
		}
	}
	return t.finish()
}

// smooth computes λmax and X̃.
func (t *training) smooth() error {
	defer stopwatch(&t.result.Seconds.Filter)()
	op := laplacian.New(t.g.Adjacency)
	// Any start serves Lanczos; the same one for every seed.
	l, err := spectrum.LambdaMax(t.ctx, op, rand.New(rand.NewPCG(0, 0)), spectrum.LambdaMaxOptions{})
	if err != nil {
		return fmt.Errorf("λmax: %w", err)
	}
	t.result.LambdaMax = l.Value
	if t.c.K == 0 {
		if l.Value < 1e-12 {
			return fmt.Errorf("k = 1/λmax does not exist: λmax is 0, the graph has no edges; give a positive k")
		}
		t.result.K = 1 / l.Value
	}
	t.input = Input{Operator: op, Filter: t.c.filter(t.result.K), Features: t.g.Features}
	x := laplacian.SmoothShape(t.g.Features)
	if x.Data, err = t.numbers("the smoothed features", x.Rows*x.Stride); err != nil {
		return err
	}
	t.input.Smoothed = x
	return t.input.Filter.SmoothTo(t.ctx, x, op, t.g.Features)
}

// start sets up the model and selects the first pairs.
func (t *training) start(state *State) error {
	first, _ := counts(t.g.N(), t.c.Thresholds.PosStart, t.c.Thresholds.NegStart)
	last, _ := counts(t.g.N(), t.c.Thresholds.PosEnd, t.c.Thresholds.NegEnd)
	model, err := NewModel(t.o.Backend, t.input, state, t.c.Loss, t.c.LearningRate, 2*t.c.batchSize(t.c.epochPairs(max(first, last))))
	if err != nil {
		return err
	}
	t.model = model
	switch m := model.(type) {
	case *native:
		t.result.Product = m.product.String()
	case *gathered:
		t.result.Product = m.product.String()
	case *gomlx:
		t.result.Product = "smoothed beforehand"
		t.use(m.device)
	case *gatheredGoMLX:
		t.result.Product = "smoothed beforehand, gathered for each batch"
		t.use(m.device)
	}
	if err := t.firstSelection(state); err != nil {
		model.Close()
		return err
	}
	if t.savedEpoch >= 0 {
		t.log("resumed after epoch %d of %d", t.epoch, t.c.Epochs)
	} else {
		t.log("%s, %d nodes, %d epochs on %s, features %s", t.g.Name, t.g.N(), t.c.Epochs, t.result.Backend, t.result.Product)
		t.logMode()
	}
	t.began, t.beganEpoch, t.lastSaved = time.Now(), t.epoch, time.Now()
	return nil
}

// embedWith returns the embedding that other weights give.
func (t *training) embedWith(w Weights) (blas32.General, error) {
	zero := NewWeights(w.W.Rows, w.W.Cols)
	if err := t.model.SetState(&State{Weights: w, First: zero, Second: zero}); err != nil {
		return blas32.General{}, err
	}
	return t.embed()
}

// embed returns the embedding. A native model writes it to the place of the
// one before, on which the selection rests: a new selection must follow.
func (t *training) embed() (blas32.General, error) {
	// What the stage before left is as large as all that lives. The
	// collector would let the heap double first.
	if !t.c.FixedPairs {
		t.selection = nil
	}
	runtime.GC()
	m, ok := t.model.(interface {
		embedInto(context.Context, blas32.General) error
	})
	if !ok {
		return t.model.Embed()
	}
	if t.z.Data == nil {
		t.z = newEmbedding(t.g.N(), t.c.Dims)
	}
	return t.z, m.embedInto(t.ctx, t.z)
}

// runEpoch trains on the epoch's positive pairs, and after every UpdateEvery
// epochs saves the embedding and selects again. When it is interrupted it
// leaves a checkpoint of what is done: of an epoch its steps, of an update
// nothing.
func (t *training) runEpoch() (err error) {
	defer func() {
		if err != nil && t.ctx.Err() != nil {
			t.checkpoint()
		}
	}()
	if !t.updateDue() { // a resumed run may begin with the update
		if err := t.trainEpoch(); err != nil {
			return err
		}
	}
	event := Event{Epoch: t.epoch, Epochs: t.c.Epochs, Loss: t.result.Loss[t.epoch-1]}
	if t.updateDue() {
		t.checkpointIfDue() // of many nodes it takes long
		if event.Saved, err = t.update(); err != nil {
			return err
		}
	}
	done := max(1, t.epoch-t.beganEpoch)
	event.Remaining = time.Since(t.began) * time.Duration(t.c.Epochs-t.epoch) / time.Duration(done)
	t.o.Progress(event)
	if t.epoch == t.c.Epochs {
		t.checkpoint()
	}
	t.checkpointIfDue()
	return nil
}

// updateDue says whether the embedding after the last epoch is still to be
// saved.
func (t *training) updateDue() bool {
	due := t.epoch / t.c.UpdateEvery
	if t.epoch == t.c.Epochs && t.epoch%t.c.UpdateEvery != 0 {
		due++
	}
	return len(t.result.Saved) < due
}

// trainEpoch makes one step for each batch of positives, with as many
// negatives drawn for it. The last batch may be short, as in the published
// code. Of an epoch that a checkpoint holds in part it makes the rest.
func (t *training) trainEpoch() error {
	defer stopwatch(&t.result.Seconds.Train)()
	positiveI, positiveJ := t.epochPairs()
	rnd := t.random(streamNegatives, t.epoch)
	size, done := t.c.batchSize(len(positiveI)), t.sinceSelection()*len(positiveI)
	for step, lo := 0, 0; lo < len(positiveI); step, lo = step+1, lo+size {
		hi := min(len(positiveI), lo+size)
		i, j, err := t.selection.negatives(t.ctx, done+lo, hi-lo, rnd)
		if err != nil {
			return err
		}
		if step < t.steps {
			continue // the checkpoint has it; what comes draws from where it drew to
		}
		batch := Batch{I: append(positiveI[lo:hi:hi], i...), J: append(positiveJ[lo:hi:hi], j...), Labels: make([]float32, 2*(hi-lo))}
		for k := range hi - lo {
			batch.Labels[k] = 1
		}
		loss, err := t.model.Step(batch)
		if err != nil {
			return fmt.Errorf("epoch %d: %w", t.epoch+1, err)
		}
		t.lossSum += loss
		t.steps++
		t.saved = false
		t.checkpointIfDue()
	}
	t.result.Loss = append(t.result.Loss, t.lossSum/float64(t.steps))
	t.epoch++
	t.steps, t.lossSum, t.saved = 0, 0, false
	return nil
}

// update saves the embedding, clusters it, keeps it if it is the best so far,
// and selects the pairs for the epochs to come.
func (t *training) update() (*Saved, error) {
	z, err := t.embed()
	if err != nil {
		return nil, fmt.Errorf("epoch %d: %w", t.epoch, err)
	}
	weights, err := t.model.Weights()
	if err != nil {
		return nil, err
	}
	saved := Saved{Epoch: t.epoch}
	if err := t.judge(z, &weights, &saved); err != nil {
		return nil, fmt.Errorf("epoch %d: %w", t.epoch, err)
	}
	if t.epoch < t.c.Epochs && !t.c.FixedPairs {
		if err := t.choosePairs(z, t.epoch/t.c.UpdateEvery); err != nil {
			return nil, err
		}
		t.selected = &weights
		s := t.selection
		saved.Positives = s.Positives
		saved.PosThreshold, saved.NegThreshold = s.PosThreshold, s.NegThreshold
		saved.PosThresholdError, saved.NegThresholdError = s.PosThresholdError, s.NegThresholdError
	}
	t.result.Saved = append(t.result.Saved, saved)
	t.saved = false
	return &saved, nil
}

// finish returns the result, with the embedding of the chosen epoch. Only its
// weights were kept: they are smaller, and to embed takes no more than a step.
func (t *training) finish() (*Result, error) {
	t.result.Weights = *t.best
	z, err := t.embedWith(*t.best)
	if err != nil {
		return nil, err
	}
	t.result.Embedding = z
	t.logDevice()
	return &t.result, nil
}

func (t *training) log(format string, args ...any) {
	t.o.Progress(Event{Message: fmt.Sprintf(format, args...), Epoch: t.epoch, Epochs: t.c.Epochs})
}

// logMode says which pairs are selected.
func (t *training) logMode() {
	s := t.selection
	if t.c.Mode == Exact {
		t.log("exact mode: all %d² pairs ranked", t.g.N())
		return
	}
	t.log("sampled mode: the pairs of %d anchors with %d nodes ranked, %d of %d positive pairs an epoch", s.Anchors, t.g.N(), t.c.epochPairs(s.Positives), s.Positives)
	t.log("positive from %.4f ± %.4f, negative to %.4f ± %.4f (standard errors)", s.PosThreshold, s.PosThresholdError, s.NegThreshold, s.NegThresholdError)
}

// The streams of random numbers of a run. Each epoch draws from a stream of
// its own, so that a resumed run needs no generator's state. A hash of seed,
// stream and index is the stream's key, so that neither neighbouring seeds nor
// neighbouring epochs have anything in common.
const (
	streamWeights = iota
	streamShuffle
	streamNegatives
	streamCluster
	streamAnchors
	streamEnsemble
	streamDraws
)

func (t *training) random(stream, index int) *rand.Rand { return t.c.random(stream, index) }

func (c Config) random(stream, index int) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "agekit %d %d %d", c.Seed, stream, index))))
}

// stopwatch adds the time until the returned function is called to a total.
func stopwatch(total *float64) func() {
	start := time.Now()
	return func() { *total += time.Since(start).Seconds() }
}
