package encoder

import (
	"cmp"
	"fmt"
	"time"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/progress"
)

// log reports a line.
func (t *training) log(format string, args ...any) {
	t.report(Event{Event: progress.Event{Line: fmt.Sprintf(format, args...)}})
}

// notable reports a line that matters also to those who follow no log.
func (t *training) notable(format string, args ...any) {
	t.report(Event{Event: progress.Event{Line: fmt.Sprintf(format, args...), Notable: true}})
}

// report sends an event, whose stage and numbers of epochs it sets to those of the training so far.
func (t *training) report(e Event) {
	e.Stage, e.Done, e.Total = Training, int64(t.span.before+t.Epoch), int64(t.span.all)
	t.o.Report(e)
}

// remaining estimates the time for the epochs left of this and the following members, by the time
// of the epochs since t.began.
func (t *training) remaining() time.Duration {
	done, left := cmp.Or(float64(t.Epoch)-t.resumed, 1), t.span.all-t.span.before-t.Epoch
	return progress.Remaining(time.Since(t.began), done, float64(left))
}

// firstStepsDone begins the estimate of the time left anew after the first steps of this run, which
// waited for a device's compiler. Later calls do nothing. An epoch has perEpoch steps.
func (t *training) firstStepsDone(perEpoch int) {
	if !t.stepped {
		t.began, t.resumed, t.stepped = time.Now(), float64(t.Epoch)+float64(t.Steps)/float64(perEpoch), true
	}
}

// logStart says what is trained on what or, for a checkpoint, where it goes on.
func (t *training) logStart() {
	if t.checkpoints.epoch >= 0 {
		t.notable("resumed after epoch %d of %d", t.Epoch, t.c.Epochs)
		return
	}
	t.log("%s, %d nodes, %d epochs on %s, features %s", t.in.Graph.Name, t.in.Smoothed.Rows, t.c.Epochs, t.o.Backend.Name(), t.model.Product())
	t.logRanking()
}

// logRanking says which pairs are selected.
func (t *training) logRanking() {
	n, s := t.in.Smoothed.Rows, t.source.selection
	if t.c.Ranking == pairs.Exact {
		t.log("exact ranking of all %d² pairs", n)
		return
	}
	t.log("sampled ranking: pairs of %d anchors with all %d nodes, %d of %d positive pairs per epoch", s.Anchors, n, t.c.epochPairs(s.Positives), s.Positives)
	t.log("positive from %.4f ± %.4f, negative up to %.4f ± %.4f (standard errors)", s.PosThreshold, s.PosThresholdError, s.NegThreshold, s.NegThresholdError)
}

// logUsage says how the device was used.
func (t *training) logUsage(u step.Usage) {
	if u.Programs > 0 {
		t.log("%d programs compiled in %.1f s", u.Programs, u.Compile.Seconds())
	}
	for _, stage := range u.OnHost {
		t.log("%s ran on the host: the device has too little memory for it", stage)
	}
}
