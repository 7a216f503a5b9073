package encoder

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
)

// training is the training of one member.
type training struct {
	in          *Input
	c           Config
	o           Options
	span        epochRange // of this member among all
	checkpoints *checkpoints
	// initial are the weights to begin with; nil for random ones.
	initial *Weights

	model          step.Model
	source         source
	judges         judges
	z              blas32.General  // the last embedding, on which the selection depends
	unit           *mapped.Scratch // X̃ with rows of length 1, if it is not in memory
	selected       *Weights        // weights at the selection; nil for the first one
	best           *Weights        // weights of the chosen epoch; nil before the first is judged
	checkpointHead                 // how far the training is
	// For the estimate of the time left:
	began   time.Time // when this run began or, once stepped, took its first steps
	resumed float64   // epochs done then
	stepped bool      // this run has taken steps
}

// epochRange has the number of epochs before a member's, and of all members.
type epochRange struct{ before, all int }

// train trains a member with its settings, adds it to the result r and returns its embedding. It
// begins with the initial weights, or random ones if they are nil. If ctx is done, the error says
// after which epoch the same call would resume.
func train(ctx context.Context, input *Input, member Config, initial *Weights, o Options, s epochRange, r *Result) (blas32.General, error) {
	t := newTraining(input, member, initial, o, s)
	t.judges.most = mostJudges(input, o)
	if o.Checkpoints != nil {
		t.checkpoints.key = checkpointKey(input, member, initial, o)
	}
	defer t.close()
	err := t.run(ctx, r)
	switch {
	case err == nil || ctx.Err() == nil:
		return t.z, err
	case t.checkpoints.epoch >= 0:
		return t.z, fmt.Errorf("stopped; run it again to resume after epoch %d of %d: %w", t.checkpoints.epoch, t.c.Epochs, ctx.Err())
	}
	return t.z, fmt.Errorf("stopped before the first checkpoint: %w", ctx.Err())
}

// newTraining returns the training of a member before it starts.
func newTraining(input *Input, member Config, initial *Weights, o Options, s epochRange) *training {
	t := &training{in: input, c: member, o: o, initial: initial, span: s, checkpoints: &checkpoints{
		store: o.Checkpoints, every: o.CheckpointEvery, last: time.Now(), current: true, epoch: -1,
	}}
	t.c.UpdateEvery = member.updateEvery(input.Smoothed.Rows)
	t.Member.Seed = member.Seed
	return t
}

// run trains the member, from its checkpoint if there is one, and adds it to the result.
func (t *training) run(ctx context.Context, r *Result) error {
	if err := t.start(ctx, t.restore()); err != nil {
		return err
	}
	for !t.done() {
		if err := t.runEpochs(ctx, t.nextUpdate()); err != nil {
			return err
		}
	}
	return t.finish(ctx, r)
}

// done reports whether all epochs are trained, saved and judged.
func (t *training) done() bool {
	return t.Epoch >= t.c.Epochs && !t.updateDue() && len(t.judges.pending) == 0
}

// close stops the judges and frees the model and the scratch file.
func (t *training) close() {
	t.judges.end()
	if t.model != nil {
		t.model.Close()
	}
	if t.unit != nil {
		t.unit.Close()
	}
}

// restore takes over the member's checkpoint, if there is one, and returns the state that the model
// begins with: that of the checkpoint, or else the initial weights, or random ones, and zero
// moments.
func (t *training) restore() *step.State {
	c := t.checkpoints.load()
	switch f, d := t.in.Smoothed.Cols, t.c.Dims; {
	case c == nil && t.initial != nil:
		state := &step.State{Weights: step.NewWeights(f, d), First: step.NewWeights(f, d), Second: step.NewWeights(f, d)}
		copy(state.Weights.W.Data, t.initial.W.Data)
		copy(state.Weights.B, t.initial.B)
		if !t.c.FixedPairs { // the first pairs are selected by the embedding for these weights
			t.selected = t.initial
		}
		return state
	case c == nil:
		return step.InitialState(f, d, t.c.random(rng.Weights, 0))
	}
	t.checkpointHead, t.selected, t.best = c.checkpointHead, c.Selected, c.Best
	for k, saved := range c.Unjudged {
		t.judges.again = append(t.judges.again, &judgment{saved: saved, weights: c.Waiting[k]})
	}
	t.Unjudged = nil
	return c.State
}

// start makes the model with the given state, has embeddings judged that a checkpoint has as not
// judged, and selects the first pairs.
func (t *training) start(ctx context.Context, state *step.State) (err error) {
	n := t.in.Smoothed.Rows
	if t.model, err = t.o.Backend.NewModel(t.in.model(), state, t.c.steps(n)); err != nil {
		return err
	}
	t.source = source{c: t.c, selectAll: t.model.Select}
	if t.o.Watch != nil && t.checkpoints.epoch < 0 {
		if err := t.embed(ctx, state.Weights); err != nil {
			return err
		}
		t.o.Watch(0, t.z)
	}
	if err := t.judgeAgain(ctx); err != nil {
		return err
	}
	if err := t.firstSelection(ctx); err != nil {
		return err
	}
	t.logStart()
	t.began, t.resumed = time.Now(), float64(t.Epoch)
	return nil
}

// judgeAgain embeds with the weights that a checkpoint has as not judged, and has these embeddings judged.
func (t *training) judgeAgain(ctx context.Context) error {
	j := &t.judges
	for _, judged := range j.again {
		if err := t.embed(ctx, *judged.weights); err != nil {
			return err
		}
		j.begin(ctx, judged, t.z, t.c, t.o.Judge)
		j.pending = append(j.pending, judged)
	}
	j.again = nil
	return nil
}

// firstSelection selects the pairs with which training starts or resumes: by the
// smoothed features, or by the embedding for the weights of the last selection.
func (t *training) firstSelection(ctx context.Context) error {
	switch {
	case t.Epoch >= t.c.Epochs || t.updateDue(): // the update selects
		return nil
	case t.selected != nil:
		if err := t.embed(ctx, *t.selected); err != nil {
			return err
		}
		return t.choosePairs(ctx, t.z, t.Epoch)
	}
	x := t.in.Smoothed
	unit := linalg.Shape(x.Rows, x.Cols)
	var err error
	if unit.Data, t.unit, err = t.o.numbers("the smoothed features with rows of length 1", unit.Rows*unit.Stride); err != nil {
		return err
	}
	linalg.NormalizeTo(unit, x)
	return t.choosePairs(ctx, unit, 0)
}

// choosePairs selects the pairs for the epochs from the given one on by the rows of z, and counts the time.
func (t *training) choosePairs(ctx context.Context, z blas32.General, epoch int) error {
	defer stopwatch(&t.Seconds.Select)()
	return t.source.choose(ctx, z, epoch)
}

// embed sets t.z to the embedding for the weights w, in a matrix that no judge reads. It drops a
// selection that depends on the previous embedding. It is an error if the weights have become too
// large.
func (t *training) embed(ctx context.Context, w Weights) error {
	// The previous stage left as much garbage as there is live data. Without a
	// collection now, the heap would double before the next one.
	t.source.drop()
	collect()
	// If the squared length left float32's range, the embedding would be 0.
	if length := w.Length(); !(length*length < math.MaxFloat32) {
		return t.c.diverged(fmt.Sprintf("the length of the weights is %.2g", length))
	}
	t.z = t.judges.matrix(t.in.Smoothed.Rows, t.c.Dims)
	return t.model.EmbedTo(ctx, t.z, w)
}

// diverged returns the error for a training that has become useless, as what was found shows.
func (c Config) diverged(found string) error {
	return message.Errorf("the training diverged: %s: lower the %s (%v)", found, message.Option("learning_rate"), c.LearningRate)
}

// runEpochs trains on the positive pairs of the epochs up to end, which are not beyond the
// next update. After every UpdateEvery epochs it also saves the embedding and selects new
// pairs; after the last epoch it waits for the judges. If it is interrupted, it saves a
// checkpoint with the steps of a partial epoch, but nothing of a partial update.
func (t *training) runEpochs(ctx context.Context, end int) (err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			t.checkpoint(ctx, true)
		}
	}()
	if t.Epoch < t.c.Epochs && !t.updateDue() { // a resumed run may begin with the update, or with judges
		if err := t.trainEpochs(ctx, end); err != nil {
			return err
		}
	}
	last := t.Epoch == t.c.Epochs
	if !last && !t.updateDue() { // a session's epoch
		return nil
	}
	if t.updateDue() {
		t.checkpoint(ctx, false) // with many nodes, an update takes long
		if err := t.update(ctx); err != nil {
			return err
		}
	}
	if err := t.reportEpoch(last); err != nil {
		return err
	}
	t.checkpoint(ctx, last)
	return nil
}

// reportEpoch reports the epoch that was trained last, with the embeddings whose judges are done
// since the last report. If all is true, it waits for all judges.
func (t *training) reportEpoch(all bool) error {
	saved, err := t.settle(all)
	if err != nil {
		return err
	}
	t.report(Event{Event: progress.Event{Left: t.remaining()}, Loss: t.Member.Loss[t.Epoch-1], Saved: saved})
	return nil
}

// nextUpdate returns the number of epochs after which the embedding is saved next.
func (t *training) nextUpdate() int {
	return min(t.c.Epochs, (t.Epoch/t.c.UpdateEvery+1)*t.c.UpdateEvery)
}

// updateDue reports whether the embedding after the epochs done so far still has to be saved.
func (t *training) updateDue() bool {
	due := t.Epoch / t.c.UpdateEvery // embeddings to be saved by now
	if t.Epoch == t.c.Epochs && t.Epoch%t.c.UpdateEvery != 0 {
		due++
	}
	return len(t.Member.Saved)+len(t.judges.pending) < due
}

// trainEpochs takes one step per batch of the epochs up to end, in the middle of an epoch if a
// checkpoint was. It reports each epoch but those that an update follows, and saves checkpoints.
func (t *training) trainEpochs(ctx context.Context, end int) error {
	defer stopwatch(&t.Seconds.Train)()
	perEpoch := t.source.steps()
	var judging error // of the judge of an earlier epoch, which has that epoch in its text
	err := t.model.Train(t.source.batches(ctx, t.Epoch, t.Steps, end), func(losses []float64) error {
		t.checkpoints.current = false
		for _, loss := range losses {
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return t.c.diverged(fmt.Sprintf("the loss is %v", loss))
			}
			t.LossSum += loss
			if t.Steps++; t.Steps < perEpoch {
				continue
			}
			t.Member.Loss = append(t.Member.Loss, t.LossSum/float64(t.Steps))
			t.Epoch++
			t.Steps, t.LossSum = 0, 0
			if t.updateDue() { // which reports the epoch
				return nil
			}
			if judging = t.reportEpoch(false); judging != nil {
				return judging
			}
		}
		t.firstStepsDone(perEpoch)
		t.checkpoint(ctx, false)
		return ctx.Err()
	})
	if err == nil || judging != nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("epoch %d: %w", t.Epoch+1, err)
}

// update saves the embedding, has it judged, and selects the pairs for the following epochs.
func (t *training) update(ctx context.Context) (err error) {
	weights, err := t.model.Weights()
	if err != nil {
		return err
	}
	if err := t.embed(ctx, weights); err != nil {
		return fmt.Errorf("epoch %d: %w", t.Epoch, err)
	}
	if t.o.Watch != nil {
		t.o.Watch(t.Epoch, t.z)
	}
	judged := &judgment{saved: Saved{Epoch: t.Epoch}, weights: &weights}
	t.judges.begin(ctx, judged, t.z, t.c, t.o.Judge)
	if t.Epoch < t.c.Epochs && !t.c.FixedPairs {
		if err := t.choosePairs(ctx, t.z, t.Epoch); err != nil {
			judged.end()
			return err
		}
		t.selected = &weights
		s, saved := t.source.selection, &judged.saved
		saved.Positives = s.Positives
		saved.PosThreshold, saved.NegThreshold = s.PosThreshold, s.NegThreshold
		saved.PosThresholdError, saved.NegThresholdError = s.PosThresholdError, s.NegThresholdError
	}
	t.judges.pending = append(t.judges.pending, judged)
	t.checkpoints.current = false
	return nil
}

// settle moves saved embeddings from the pending judges to the member and returns them: in the
// order of epochs, up to the first judge that is not done or, if all is true, all of them, for
// which it waits. The chosen epoch becomes that with the lowest score so far, the latest of
// several.
func (t *training) settle(all bool) (added []Saved, err error) {
	j, m := &t.judges, &t.Member
	for len(j.pending) > 0 && (all || j.pending[0].isDone()) {
		judged := j.pending[0]
		saved, err := judged.result()
		if err != nil {
			return nil, err
		}
		if t.best == nil || saved.Score <= m.Score {
			t.best, t.Labels = judged.weights, judged.labels
			m.Epoch, m.Score, m.DaviesBouldin = saved.Epoch, saved.Score, saved.DaviesBouldin
		}
		m.Saved, j.pending = append(m.Saved, saved), j.pending[1:]
		added = append(added, saved)
		t.Seconds.Cluster += judged.seconds
		t.checkpoints.current = false
	}
	return added, nil
}

// finish embeds with the weights of the chosen epoch, which were kept because they take less memory
// than its embedding, and adds the member to the result.
func (t *training) finish(ctx context.Context, r *Result) error {
	if err := t.embed(ctx, *t.best); err != nil {
		return err
	}
	usage := t.model.Usage()
	t.logUsage(usage)
	t.Seconds.Compile = usage.Compile.Seconds()
	r.Encoder.Weights, r.Members = append(r.Encoder.Weights, *t.best), append(r.Members, t.Member)
	r.Product, r.Labels, r.DaviesBouldin = t.model.Product(), t.Labels, t.Member.DaviesBouldin
	r.Programs += usage.Programs
	r.Seconds.add(t.Seconds)
	return nil
}

// checkpoint saves the run's state if now is true, if the last checkpoint is not recent, or if ctx
// is done, when the run is about to stop. If saving fails, the run goes on, and a line of the log
// says so, once for failures in a row.
func (t *training) checkpoint(ctx context.Context, now bool) {
	if !now && ctx.Err() == nil && time.Since(t.checkpoints.last) < t.checkpoints.every {
		return
	}
	err := t.checkpoints.save(func() (checkpoint, error) {
		state, err := t.model.State()
		return t.checkpointOf(state), err
	})
	if err != nil && !t.checkpoints.failed {
		t.log("no checkpoint after epoch %d: %v", t.Epoch, err)
	}
	t.checkpoints.failed = err != nil
}

// checkpointOf returns the checkpoint with a state of the model. Saved embeddings that are not
// judged yet are in it as their weights, by which they are judged again. So neither a checkpoint
// nor an interruption waits for a judge, which takes minutes on a large graph, and nothing is lost.
func (t *training) checkpointOf(state *step.State) checkpoint {
	c := checkpoint{checkpointHead: t.checkpointHead, State: state, Selected: t.selected, Best: t.best}
	for _, judged := range t.judges.pending {
		c.Unjudged = append(c.Unjudged, judged.saved)
		c.Waiting = append(c.Waiting, judged.weights)
	}
	return c
}

// collect runs the garbage collector if much was allocated since it last ran: what a
// stage leaves would stay until the heap has grown by half. On small graphs, a
// collection would take longer than the stage.
func collect() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	now, live := heap[0].Value.Uint64(), heap[1].Value.Uint64() // live: after the last collection
	const much = 8 << 20                                        // bytes
	if now > live+much {
		runtime.GC()
	}
}
