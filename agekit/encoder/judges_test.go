package encoder_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/internal/modeltest"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/system"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// withCores lets a test use that many cores until it ends. Judges run beside the training only on
// two or more.
func withCores(t *testing.T, cores int) {
	t.Helper()
	before := runtime.GOMAXPROCS(cores)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// patient returns a context that is done after five minutes, so that a test fails, instead of
// hanging, if a judge waits for the training and the training for the judge.
func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Minute, errors.New("the training waits for the judge"))
	t.Cleanup(cancel)
	return ctx
}

// TestJudgesBeside: trainings of every kind give the same bytes on one core, where the training
// waits for each judge, and on two and eight, where judges run beside it. Every saved embedding is
// reported once, in the order of epochs.
func TestJudgesBeside(t *testing.T) {
	g := SmallGraph(t)
	fixed, members, sample := Small(), Small(), Small()
	fixed.FixedPairs, members.Members, sample.Sample = true, 2, 300
	for name, run := range map[string]struct {
		s Options // filter and Config
		o Options // all else
	}{
		"exact":           {s: Small()},
		"sampled ranking": {s: sampled()},
		"fixed pairs":     {s: fixed},
		"two members":     {s: members},
		"a sample":        {s: sample},
		"a judge":         {s: Small(), o: Options{Judge: nearest("most alike", -1)}},
	} {
		var want *Result
		for _, cores := range []int{1, 2, 8} {
			withCores(t, cores)
			var reported []Saved
			run.o.Progress = func(e Event) { reported = append(reported, e.Saved...) }
			r := MustTrain(t, g, run.s, run.o)
			if want == nil {
				want = r
			}
			what := fmt.Sprintf("%s on %d cores", name, cores)
			SameResult(t, what, r, want)
			var saved []Saved
			for _, m := range r.Members {
				saved = append(saved, m.Saved...)
			}
			if !slices.Equal(reported, saved) {
				t.Errorf("%s: reported %+v, saved %+v", what, reported, saved)
			}
		}
	}
}

// held returns a judge whose first call takes until release is closed or the training is stopped.
// Scores are those of nearest with sign −1.
func held(release <-chan struct{}) *Judge {
	score := nearest("", -1).Score
	var calls atomic.Int64
	return &Judge{Name: "held", Score: func(ctx context.Context, z blas32.General) (float64, error) {
		if calls.Add(1) == 1 {
			select {
			case <-release:
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
		}
		return score(ctx, z)
	}}
}

// TestSlowJudge holds the judge of the first saved embedding, of epoch 5, until epoch 12. The
// training goes on meanwhile, later embeddings are not reported before that one, and the checkpoint
// has those of epochs 5 and 10 as not judged. The result is that of a judge that takes no time.
func TestSlowJudge(t *testing.T) {
	withCores(t, 4)
	g, c := SmallGraph(t), Small()
	want := MustTrain(t, g, c, Options{Judge: nearest("held", -1)})
	release := make(chan struct{})
	checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	o := Options{Judge: held(release), Running: Running{Checkpoints: checkpoints, CheckpointEvery: 1}}
	const releasedAfter = 12 // epochs
	var reported []int       // epochs of saved embeddings
	o.Progress = func(e Event) {
		for _, s := range e.Saved {
			reported = append(reported, s.Epoch)
			if int(e.Done) < releasedAfter {
				t.Errorf("epoch %d is reported after epoch %d, when its judge was not done", s.Epoch, int(e.Done))
			}
		}
		if int(e.Done) == releasedAfter {
			stopped := o
			stopped.Config, stopped.Filter = c.Config, c.Filter
			if epochs := Unjudged(checkpoints, g, stopped); !slices.Equal(epochs, []int{5, 10}) {
				t.Errorf("the checkpoint has epochs %v as not judged, want 5 and 10", epochs)
			}
			close(release)
		}
	}
	r, err := Train(patient(t), g, c, o)
	testutil.NoError(t, err)
	SameResult(t, "slow judge", r, want)
	if !slices.Equal(reported, []int{5, 10, 15, 20, 22}) {
		t.Errorf("reported epochs %v", reported)
	}
}

// TestInterruptedJudges stops runs on eight cores after some epochs, while no judge is done. The
// last checkpoint must have all saved epochs as not judged. On one, two and eight cores, the run
// then resumes after the epoch at which it was stopped, judges again, and gives the bytes of an
// uninterrupted run. After epoch 22, the last, only the judges are left.
func TestInterruptedJudges(t *testing.T) {
	g, c := SmallGraph(t), Small()
	score := nearest("", -1).Score
	judge := &Judge{Name: "never done", Score: score}
	want := MustTrain(t, g, c, Options{Judge: judge})
	// By the epoch after which the run is stopped: the epochs saved until then.
	for stop, unjudged := range map[int][]int{5: {5}, 6: {5}, 10: {5, 10}, 21: {5, 10, 15, 20}, 22: {5, 10, 15, 20, 22}} {
		for _, cores := range []int{1, 2, 8} {
			withCores(t, 8)
			ctx, cancel := context.WithCancel(t.Context())
			checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
			var calls atomic.Int64
			o := Options{Running: Running{Checkpoints: checkpoints, Progress: func(e Event) {
				if int(e.Done) == stop && e.Line == "" {
					cancel()
				}
			}}}
			o.Filter, o.Config = c.Filter, c.Config
			o.Judge = &Judge{Name: judge.Name, Score: func(ctx context.Context, _ blas32.General) (float64, error) {
				// The last epoch is reported only after its judges, so that the last judge stops the run.
				if stop == c.Epochs && calls.Add(1) == int64(len(unjudged)) {
					cancel()
				}
				<-ctx.Done()
				return 0, ctx.Err()
			}}
			if _, err := Fit(ctx, g, o); !errors.Is(err, context.Canceled) {
				t.Fatalf("stopped after epoch %d: error %v", stop, err)
			}
			if epochs := Unjudged(checkpoints, g, o); !slices.Equal(epochs, unjudged) {
				t.Errorf("stopped after epoch %d: epochs %v are not judged, want %v", stop, epochs, unjudged)
			}
			withCores(t, cores)
			began := -1 // epochs done at the first event
			second := Options{Judge: judge, Running: Running{Checkpoints: checkpoints, Progress: func(e Event) {
				if began < 0 {
					began = int(e.Done)
				}
			}}}
			SameResult(t, fmt.Sprintf("stopped after epoch %d, resumed on %d cores", stop, cores), MustTrain(t, g, c, second), want)
			if began != stop {
				t.Errorf("stopped after epoch %d, resumed after epoch %d", stop, began)
			}
		}
	}
}

// TestJudgeFails: of two judges that fail, the one of the earlier epoch decides the training's
// error, even if the one of the later epoch fails before it. No judge runs after the training has
// ended.
func TestJudgeFails(t *testing.T) {
	withCores(t, 8)
	g, c := SmallGraph(t), Small()
	var calls, running atomic.Int64
	later := make(chan struct{})
	judge := &Judge{Name: "failing", Score: func(ctx context.Context, z blas32.General) (float64, error) {
		running.Add(1)
		defer running.Add(-1)
		switch calls.Add(1) {
		case 1:
			<-later // until another judge has failed
			return 0, errors.New("one")
		case 2:
			close(later)
			return 0, errors.New("another")
		}
		<-ctx.Done()
		return 0, ctx.Err()
	}}
	_, err := Train(patient(t), g, c, Options{Judge: judge})
	testutil.Fails(t, err, "epoch 5: ") // the first saved one
	if n := running.Load(); n != 0 {
		t.Errorf("%d judges still run", n)
	}
}

// TestJudgePanics: a panic of a judge is raised in the goroutine that called Fit, on one core, where
// the judge runs there, and on four, where it runs beside the training.
func TestJudgePanics(t *testing.T) {
	for _, cores := range []int{1, 4} {
		withCores(t, cores)
		func() {
			defer func() {
				if r := recover(); r != "no such node" {
					t.Errorf("recovered %v, want the judge's panic", r)
				}
			}()
			judge := &Judge{Name: "panicking", Score: func(context.Context, blas32.General) (float64, error) { panic("no such node") }}
			_, err := Train(t.Context(), SmallGraph(t), Small(), Options{Judge: judge})
			t.Errorf("no panic, but error %v", err)
		}()
	}
}

// failing is a backend whose models fail to train after their first embedding: that of the first
// update.
type failing struct{ step.Backend }

// NewModel wraps the model of the backend.
func (f failing) NewModel(input *step.Input, start *step.State, s step.Steps) (step.Model, error) {
	m, err := f.Backend.NewModel(input, start, s)
	return &failingModel{Model: m}, err
}

type failingModel struct {
	step.Model
	embedded bool
}

var errStep = errors.New("no more steps")

// Train fails once the model has embedded.
func (m *failingModel) Train(batches iter.Seq2[step.Batch, error], done func([]float64) error) error {
	if m.embedded {
		return errStep
	}
	return m.Model.Train(batches, done)
}

// EmbedTo embeds as the wrapped model does, after which steps fail.
func (m *failingModel) EmbedTo(ctx context.Context, z blas32.General, w step.Weights) error {
	m.embedded = true
	return m.Model.EmbedTo(ctx, z, w)
}

// TestTrainingFailsBesideJudge: if a step fails while a judge still runs, Train stops the judge, which
// would never end otherwise, and returns the error of the step.
func TestTrainingFailsBesideJudge(t *testing.T) {
	withCores(t, 4)
	failsSoon := failing{step.Native}
	neverEnds := held(nil) // nil: nothing releases the judge
	_, err := Train(patient(t), SmallGraph(t), Small(), Options{Backend: failsSoon, Judge: neverEnds})
	if !errors.Is(err, errStep) {
		t.Errorf("error %v, want that of the step", err)
	}
}

// TestMostJudges counts the judges that run at a time and the matrices that they read. Judges are as
// many as there are cores and as fit in memory, and matrices at most one more. Without memory or
// cores for one judge beside the training, the training waits for each, and there is one matrix.
func TestMostJudges(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Epochs, c.UpdateEvery = 12, 1
	for _, test := range []struct {
		cores, fit int // fit: the judges for which there is memory
		want       int // judges beside the training
	}{{8, 3, 3}, {2, 3, 2}, {8, 0, 0}, {1, 3, 0}} {
		withCores(t, test.cores)
		var mu sync.Mutex // guards the following
		running, most, matrices := 0, 0, map[*float32]bool{}
		full := make(chan struct{}) // closed when as many judges run as are wanted
		if test.want == 0 {
			close(full)
		}
		o := Options{Judge: &Judge{Name: "counting", Score: func(ctx context.Context, z blas32.General) (float64, error) {
			mu.Lock()
			running++
			if running == test.want && most < test.want {
				close(full)
			}
			most = max(most, running)
			matrices[&z.Data[0]] = true
			mu.Unlock()
			select {
			case <-full:
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
			time.Sleep(100 * time.Millisecond) // so that a judge too many would begin
			mu.Lock()
			running--
			mu.Unlock()
			return 0, nil
		}}}
		o.Filter, o.Config = c.Filter, c.Config
		t.Setenv(system.MemoryVariable, strconv.FormatInt(MemoryFor(g, o, test.fit)+1, 10))
		r, err := Fit(patient(t), g, o)
		testutil.NoError(t, err)
		if r.Members[0].Epoch != c.Epochs {
			t.Errorf("%+v: of equal scores, that of epoch %d is chosen, not the last", test, r.Members[0].Epoch)
		}
		if most != max(1, test.want) {
			t.Errorf("%+v: %d judges at a time with %d matrices", test, most, len(matrices))
		}
		if len(matrices) > test.want+1 {
			t.Errorf("%+v: %d matrices for %d judges at a time", test, len(matrices), most)
		}
	}
}
