package cell

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/testutil"
)

// TestLive: Live prints lines to standard output, and how far the call is to standard error, since this is
// no cell. The second event without a line comes within a quarter of a second and is left out.
func TestLive(t *testing.T) {
	printed := map[**os.File]string{&os.Stdout: "", &os.Stderr: ""} // files take the place of both
	for stream := range printed {
		before := *stream
		defer func() { *stream = before }()
		*stream = testutil.Value(os.Create(filepath.Join(t.TempDir(), "printed"))).OrFatal(t)
		defer (*stream).Close()
	}
	l := new(Live)
	l.Event(progress.Event{Line: "kept 2 ways", Left: time.Minute})
	l.Event(progress.Event{Stage: "training", Detail: "epoch 1 of 3", Done: 1, Total: 3, Left: time.Second})
	l.Event(progress.Event{Stage: "training", Detail: "epoch 2 of 3", Done: 2, Total: 3})
	for stream := range printed {
		printed[stream] = string(testutil.Value(os.ReadFile((*stream).Name())).OrFatal(t))
	}
	if out, errs := printed[&os.Stdout], printed[&os.Stderr]; out != "kept 2 ways, 1m0s left\n" || errs != "epoch 1 of 3, 1s left\n" {
		t.Errorf("standard output %q and error %q", out, errs)
	}
}

// TestResumedCurve: the curve of a training that is resumed after epoch 30 begins at epoch 31. What is under way before
// it is no point of the curve.
func TestResumedCurve(t *testing.T) {
	l := new(Live)
	l.Training(encoder.Event{Event: progress.Event{Stage: "preparing the training", Total: 1}})
	for done := range int64(3) {
		l.Training(encoder.Event{Event: progress.Event{Stage: encoder.Training, Done: 31 + done, Total: 60}, Loss: 1 / float64(1+done)})
	}
	if want := []float64{31, 32, 33}; !slices.Equal(l.losses.X, want) {
		t.Errorf("the curve's epochs are %v, want %v", l.losses.X, want)
	}
}
