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
	"gonum.org/v1/gonum/blas/blas32"
)

// Fit trains the encoder on g and returns the embedding of the epoch that the
// Davies–Bouldin index chooses (paper, algorithm 1). The same graph, settings
// and backend give the same bytes. g's labels are never looked at.
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
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
	t := &training{
		ctx: ctx, g: g, c: c, o: o,
		key:     checkpointKey(g, c, o.Backend.Name),
		updates: c.Epochs / c.UpdateEvery,
		result:  Result{Backend: o.Backend.Name, Mode: c.Mode, K: c.K},
	}
	if err := t.smooth(); err != nil {
		return nil, err
	}
	if err := t.start(); err != nil {
		return nil, err
	}
	defer t.model.Close()
	for t.epoch < c.Epochs {
		if err := t.runEpoch(); err != nil {
			return nil, t.interrupted(err)
		}
	}
	return t.finish()
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
	model     Model
	selection *Selection
	z         blas32.General // the last embedding of a model that gathers
	selected  *Weights       // weights at the selection; nil for the first
	best      *Weights
	epoch     int // epochs done
	result    Result

	lastSaved  time.Time
	savedEpoch int           // of the last checkpoint
	lastEpoch  time.Duration // that the last epoch took
	began      time.Time     // of this session's first epoch
	beganEpoch int
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
	t.input.Smoothed, err = t.input.Filter.Smooth(t.ctx, op, t.g.Features)
	return err
}

// start sets up the model, from a checkpoint where there is one.
func (t *training) start() error {
	_, f := t.g.Features.Dims()
	state := InitialState(f, t.c.Dims, t.random(streamWeights, 0))
	var from checkpoint
	resumed := false
	if t.o.Checkpoints != nil {
		from, resumed = store.Get[checkpoint](t.o.Checkpoints, t.key)
	}
	if resumed {
		state, t.epoch, t.selected, t.best = from.State, from.Epoch, from.Selected, from.Best
		filter := t.result.Seconds.Filter
		t.result = from.Result
		t.result.Seconds.Filter += filter
	}
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
	default:
		t.result.Product = "smoothed beforehand"
	}
	if err := t.firstSelection(); err != nil {
		model.Close()
		return err
	}
	if resumed {
		t.savedEpoch = t.epoch
		t.log("resumed after epoch %d of %d", t.epoch, t.c.Epochs)
	} else {
		t.log("%s, %d nodes, %d epochs on %s, features %s", t.g.Name, t.g.N(), t.c.Epochs, t.result.Backend, t.result.Product)
		t.logMode()
	}
	t.began, t.beganEpoch, t.lastSaved = time.Now(), t.epoch, time.Now()
	return nil
}

// firstSelection selects the pairs to begin or to go on with: from the
// smoothed features, or from the embedding that the weights of the last
// selection give.
func (t *training) firstSelection() error {
	if t.epoch >= t.c.Epochs {
		return nil
	}
	if t.selected == nil {
		return t.choosePairs(Normalize(t.input.Smoothed), 0)
	}
	state, err := t.model.State()
	if err != nil {
		return err
	}
	z, err := t.embedWith(*t.selected)
	if err != nil {
		return err
	}
	if err := t.model.SetState(state); err != nil {
		return err
	}
	return t.choosePairs(z, t.epoch/t.c.UpdateEvery)
}

// embedWith returns the embedding that other weights give.
func (t *training) embedWith(w Weights) (blas32.General, error) {
	zero := NewWeights(w.W.Rows, w.W.Cols)
	if err := t.model.SetState(&State{Weights: w, First: zero, Second: zero}); err != nil {
		return blas32.General{}, err
	}
	return t.embed()
}

// embed returns the embedding. A model that gathers, which is one for large
// graphs, writes it to the place of the one before, on which the selection
// rests: a new selection must follow.
func (t *training) embed() (blas32.General, error) {
	m, ok := t.model.(*gathered)
	if !ok {
		return t.model.Embed()
	}
	// What the stage before left is as large as all that lives. The
	// collector would let the heap double first.
	t.selection = nil
	runtime.GC()
	if t.z.Data == nil {
		t.z = newEmbedding(t.g.N(), t.c.Dims)
	}
	m.embedInto(t.z)
	return t.z, nil
}

// choosePairs makes the selection with the given number, 0 being the one
// before the first epoch.
func (t *training) choosePairs(z blas32.General, number int) (err error) {
	defer stopwatch(&t.result.Seconds.Select)()
	pos, neg := t.c.Thresholds.At(number, t.updates)
	if t.c.Mode == Sampled {
		t.selection, err = SelectSampled(t.ctx, z, pos, neg, t.c.Anchors, t.c.EpochPairs*t.c.UpdateEvery, t.random(streamAnchors, number))
	} else {
		t.selection, err = Select(t.ctx, z, pos, neg)
	}
	if err != nil {
		return fmt.Errorf("epoch %d: %w", t.epoch, err)
	}
	// The published code takes positives in the order that a partial sort
	// leaves, which is none to speak of; by node, batches would be biased.
	s := t.selection
	t.random(streamShuffle, number).Shuffle(len(s.I), func(a, b int) {
		s.I[a], s.I[b] = s.I[b], s.I[a]
		s.J[a], s.J[b] = s.J[b], s.J[a]
	})
	return nil
}

// runEpoch trains on the epoch's positive pairs, and after every UpdateEvery
// epochs saves the embedding and selects again.
func (t *training) runEpoch() error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	start := time.Now()
	loss, err := t.trainEpoch(t.epochContext())
	if err != nil {
		return err
	}
	t.lastEpoch = time.Since(start)
	t.epoch++
	t.result.Loss = append(t.result.Loss, loss)
	event := Event{Epoch: t.epoch, Epochs: t.c.Epochs, Loss: loss}
	if t.epoch%t.c.UpdateEvery == 0 || t.epoch == t.c.Epochs {
		if event.Saved, err = t.update(); err != nil {
			return err
		}
	}
	done := t.epoch - t.beganEpoch
	event.Remaining = time.Since(t.began) * time.Duration(t.c.Epochs-t.epoch) / time.Duration(done)
	t.o.Progress(event)
	if t.epoch == t.c.Epochs || time.Since(t.lastSaved) >= t.o.CheckpointEvery || t.ctx.Err() != nil {
		t.checkpoint()
	}
	return nil
}

// epochPairs returns the positive pairs of the epoch that comes: all of them,
// or in sampled mode as many as an epoch may have. There the epochs between
// two selections share the listed pairs and start over when all had their
// turn.
func (t *training) epochPairs() (i, j []int32) {
	s := t.selection
	if t.c.Mode == Exact {
		return s.I, s.J
	}
	count := t.c.epochPairs(s.Positives)
	from := t.epoch % t.c.UpdateEvery * count
	i, j = make([]int32, count), make([]int32, count)
	for k := range count {
		at := (from + k) % len(s.I)
		i[k], j[k] = s.I[at], s.J[at]
	}
	return i, j
}

// epochContext is the run's context, but where epochs take less than half a
// second, one that an interrupt does not end: then the epoch is finished, and
// its checkpoint written, before the run stops.
func (t *training) epochContext() context.Context {
	if t.lastEpoch > 0 && t.lastEpoch < time.Second/2 {
		return context.WithoutCancel(t.ctx)
	}
	return t.ctx
}

// trainEpoch makes one step for each batch of positives, with as many
// negatives drawn for it, and returns the mean loss. The last batch may be
// short, as in the published code.
func (t *training) trainEpoch(ctx context.Context) (float64, error) {
	defer stopwatch(&t.result.Seconds.Train)()
	positiveI, positiveJ := t.epochPairs()
	rnd := t.random(streamNegatives, t.epoch)
	size := t.c.batchSize(len(positiveI))
	var total float64
	steps := 0
	for lo := 0; lo < len(positiveI); lo += size {
		hi := min(len(positiveI), lo+size)
		i, j, err := t.selection.DrawNegatives(ctx, hi-lo, rnd)
		if err != nil {
			return 0, err
		}
		batch := Batch{I: append(positiveI[lo:hi:hi], i...), J: append(positiveJ[lo:hi:hi], j...), Labels: make([]float32, 2*(hi-lo))}
		for k := range hi - lo {
			batch.Labels[k] = 1
		}
		loss, err := t.model.Step(batch)
		if err != nil {
			return 0, fmt.Errorf("epoch %d: %w", t.epoch+1, err)
		}
		total += loss
		steps++
	}
	return total / float64(steps), nil
}

// update saves the embedding, clusters it, keeps it if it is the best so far,
// and selects the pairs for the epochs to come.
func (t *training) update() (*Saved, error) {
	z, err := t.embed()
	if err != nil {
		return nil, fmt.Errorf("epoch %d: %w", t.epoch, err)
	}
	state, err := t.model.State()
	if err != nil {
		return nil, err
	}
	saved := Saved{Epoch: t.epoch}
	if err := t.cluster(z, state, &saved); err != nil {
		return nil, fmt.Errorf("epoch %d: %w", t.epoch, err)
	}
	if t.epoch < t.c.Epochs {
		if err := t.choosePairs(z, t.epoch/t.c.UpdateEvery); err != nil {
			return nil, err
		}
		t.selected = &state.Weights
		s := t.selection
		saved.Positives = s.Positives
		saved.PosThreshold, saved.NegThreshold = s.PosThreshold, s.NegThreshold
		saved.PosThresholdError, saved.NegThresholdError = s.PosThresholdError, s.NegThresholdError
	}
	t.result.Saved = append(t.result.Saved, saved)
	return &saved, nil
}

// cluster finds the clusters of an embedding and keeps it if its
// Davies–Bouldin index is at most the lowest so far.
func (t *training) cluster(z blas32.General, state *State, saved *Saved) error {
	defer stopwatch(&t.result.Seconds.Cluster)()
	found, err := cluster.Spectral(t.ctx, cluster.Gram(z), t.c.Clusters, cluster.SpectralOptions{Scaling: t.c.Scaling}, t.random(streamCluster, t.epoch))
	if err != nil {
		return err
	}
	saved.DaviesBouldin, err = cluster.DaviesBouldinGram(z, found.Labels)
	if err != nil {
		return err
	}
	if t.best == nil || saved.DaviesBouldin <= t.result.DaviesBouldin {
		t.best = &state.Weights
		t.result.Labels = found.Labels
		if t.z.Data == nil { // else its place is needed; finish makes it again
			t.result.Embedding = z
		}
		t.result.Epoch, t.result.DaviesBouldin = t.epoch, saved.DaviesBouldin
	}
	return nil
}

// finish returns the result, with the embedding of the chosen epoch.
func (t *training) finish() (*Result, error) {
	t.result.Weights = *t.best
	if t.result.Embedding.Data == nil { // not kept, or chosen before this session began
		z, err := t.embedWith(*t.best)
		if err != nil {
			return nil, err
		}
		t.result.Embedding = z
	}
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
)

func (t *training) random(stream, index int) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "agekit %d %d %d", t.c.Seed, stream, index))))
}

// stopwatch adds the time until the returned function is called to a total.
func stopwatch(total *float64) func() {
	start := time.Now()
	return func() { *total += time.Since(start).Seconds() }
}
