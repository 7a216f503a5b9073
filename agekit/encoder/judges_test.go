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

// withCores runs a test on a number of cores: judges run beside the training on two or more.
func withCores(t *testing.T, cores int) {
	t.Helper()
	before := runtime.GOMAXPROCS(cores)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// patient returns a context that fails a test in which a judge waits for the training and
// the training for the judge.
func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Minute, errors.New("the training waits for the judge"))
	t.Cleanup(cancel)
	return ctx
}

// TestJudgesBeside: the bytes are the same with judges beside the training and without,
// and every saved embedding is reported once, in the order of epochs.
func TestJudgesBeside(t *testing.T) {
	g := SmallGraph(t)
	fixed, members, sample := Small(), Small(), Small()
	fixed.FixedPairs, members.Members, sample.Sample = true, 2, 300
	for name, run := range map[string]struct {
		s Options
		o Options
	}{
		"exact": {s: Small()}, "sampled ranking": {s: sampled()}, "fixed pairs": {s: fixed}, "two members": {s: members}, "a sample": {s: sample},
		"a judge": {s: Small(), o: Options{Judge: nearest("most alike", -1)}},
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

// held returns a judge whose score of the first embedding takes until release is closed or
// the training is stopped.
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

// TestSlowJudge: while a judge takes long, training goes on, later judges wait for their
// turn to be reported, and checkpoints have what is not judged.
func TestSlowJudge(t *testing.T) {
	withCores(t, 4)
	g, c := SmallGraph(t), Small()
	want := MustTrain(t, g, c, Options{Judge: nearest("held", -1)})
	release := make(chan struct{})
	checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	o := Options{Judge: held(release), Running: Running{Checkpoints: checkpoints, CheckpointEvery: 1}}
	var reported []int
	o.Progress = func(e Event) {
		for _, s := range e.Saved {
			reported = append(reported, s.Epoch)
			if int(e.Done) < 12 {
				t.Errorf("epoch %d is reported after epoch %d, when its judge was not done", s.Epoch, int(e.Done))
			}
		}
		if int(e.Done) == 12 {
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

// TestInterruptedJudges: runs that are stopped before any judge was done resume where they
// were stopped, judge again, also on other numbers of cores, and give the same bytes. With
// all epochs done, only the judges are left.
func TestInterruptedJudges(t *testing.T) {
	g, c := SmallGraph(t), Small()
	score := nearest("", -1).Score
	judge := &Judge{Name: "never done", Score: score}
	want := MustTrain(t, g, c, Options{Judge: judge})
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
				if stop == c.Epochs && calls.Add(1) == int64(len(unjudged)) { // the last epoch is reported after them
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
			began := -1
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

// TestJudgeFails: the first error in the order of epochs ends the training, also if a later
// epoch's judge failed before, and no judge runs after it.
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
			<-later
			return 0, errors.New("one")
		case 2:
			close(later)
			return 0, errors.New("another")
		}
		<-ctx.Done()
		return 0, ctx.Err()
	}}
	_, err := Train(patient(t), g, c, Options{Judge: judge})
	testutil.Value(0, err).Fails(t, "epoch 5: ")
	if n := running.Load(); n != 0 {
		t.Errorf("%d judges still run", n)
	}
}

// TestJudgePanics: a panic of a judge is raised in the goroutine that called Fit.
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

// failing is a backend whose steps fail after the first update.
type failing struct{ step.Backend }

func (f failing) NewModel(input *step.Input, start *step.State, s step.Steps) (step.Model, error) {
	m, err := f.Backend.NewModel(input, start, s)
	return &failingModel{Model: m}, err
}

type failingModel struct {
	step.Model
	embedded bool
}

var errStep = errors.New("no more steps")

func (m *failingModel) Train(batches iter.Seq2[step.Batch, error], done func([]float64) error) error {
	if m.embedded {
		return errStep
	}
	return m.Model.Train(batches, done)
}

func (m *failingModel) EmbedTo(ctx context.Context, z blas32.General, w step.Weights) error {
	m.embedded = true
	return m.Model.EmbedTo(ctx, z, w)
}

// TestTrainingFailsBesideJudge: an error of the training stops the judges.
func TestTrainingFailsBesideJudge(t *testing.T) {
	withCores(t, 4)
	if _, err := Train(patient(t), SmallGraph(t), Small(), Options{Backend: failing{step.Native}, Judge: held(nil)}); !errors.Is(err, errStep) {
		t.Errorf("error %v, want that of the step", err)
	}
}

// TestMostJudges: as many judges run at a time as there are cores and as fit in memory, and
// they read at most one matrix more. Without memory or cores for one, the training waits
// for each, and there is one matrix.
func TestMostJudges(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Epochs, c.UpdateEvery = 12, 1
	for _, test := range []struct{ cores, fit, want int }{{8, 3, 3}, {2, 3, 2}, {8, 0, 0}, {1, 3, 0}} {
		withCores(t, test.cores)
		var mu sync.Mutex
		running, most, matrices := 0, 0, map[*float32]bool{}
		full := make(chan struct{})
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
			case <-full: // as many run as are expected
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
			time.Sleep(100 * time.Millisecond) // so that more would begin
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
		if most != max(1, test.want) || len(matrices) > test.want+1 {
			t.Errorf("%+v: %d judges at a time with %d matrices", test, most, len(matrices))
		}
	}
}
