package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/cost"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/system"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"gonum.org/v1/gonum/stat"
)

// Options are the options for executing runs. None of them changes a result.
type Options struct {
	Data    dataset.Options // says where the data sets are
	Backend backend.Choice  // what models train on; the zero value means native
	// Checkpoints is where trainings save their state to resume when they are stopped.
	// Nil: they start over.
	Checkpoints *store.Store
	// Parallel is the maximum number of concurrent runs, memory permitting; they share
	// the cores. Default 1.
	Parallel int
	Code     string      // the version of the program, for the records
	Progress func(Event) // receives events, from one goroutine at a time
}

// Event reports the progress of an execution.
type Event struct {
	// Event has as Done the number of runs that are finished, including those that had results before,
	// and as Total the number of all runs.
	progress.Event
	Run    Run     // the run that makes progress
	Record *Record // set when Run is finished
	Share  float64 // the finished share of Run, 0 to 1
}

// Execute executes, in order and once, the runs that results has no record of, and adds
// a record for each as soon as it is finished. If results is nil, it executes all, and
// only Options.Progress gets the records. When ctx is done, Execute stops within a second
// or two; calling it again resumes. A failed run does not stop the others: the error,
// returned at the end, names all that failed.
func Execute(ctx context.Context, results *Results, runs []Run, o Options) error {
	if results == nil {
		results = &Results{records: map[string]Record{}}
	}
	x, err := newExecution(results, o)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range runs {
		hash, _, err := r.Hash()
		if err != nil {
			return err
		}
		if seen[hash] {
			continue
		}
		seen[hash] = true
		x.total++
		if _, ok := results.Get(r); ok {
			x.done++
		} else {
			x.pending = append(x.pending, r)
		}
	}
	var group errgroup.Group
	group.SetLimit(max(1, x.o.Parallel))
	for _, r := range slices.Clone(x.pending) {
		group.Go(func() error {
			if err := x.run(ctx, r); err != nil {
				x.mu.Lock()
				defer x.mu.Unlock()
				x.failures = append(x.failures, fmt.Errorf("%v: %w", r, err))
				x.removePending(r)
			}
			return nil // a failed run does not stop the others
		})
	}
	_ = group.Wait()
	if ctx.Err() != nil {
		return fmt.Errorf("stopped after %d of %d runs; run the same again to resume: %w", x.done, x.total, ctx.Err())
	}
	return errors.Join(x.failures...)
}

// execution is the state of one call of Execute.
type execution struct {
	results *Results
	o       Options
	graphs  sync.Map // by a data set's name, a function that returns its loaded and an error
	// memory grants the bytes of budget, which concurrent runs share. A run that
	// needs more than all of it runs alone.
	memory *semaphore.Weighted
	budget int64

	mu          sync.Mutex // guards what follows, and calls of Progress
	done, total int
	pending     []Run // the runs that are not finished
	clock       clock
	failures    []error // of the runs that failed
}

// loaded is a data set with its fingerprint.
type loaded struct {
	graph       *graph.Graph
	fingerprint string
}

// newExecution returns the state of a call with nothing to do yet. Runs share three quarters of
// the memory that is free.
func newExecution(results *Results, o Options) (*execution, error) {
	o.Backend.Name = cmp.Or(o.Backend.Name, backend.Native)
	if o.Progress == nil {
		o.Progress = func(Event) {}
	}
	free, err := system.FreeMemory()
	x := &execution{
		results: results,
		o:       o,
		budget:  max(1, free/4*3), // what semaphores grant must not be 0
		clock:   clock{stored: map[Run][]float64{}, running: map[Run]float64{}},
	}
	x.memory = semaphore.NewWeighted(x.budget)
	for _, record := range results.records {
		k := clockKey(record.Run)
		x.clock.stored[k] = append(x.clock.stored[k], record.Seconds)
	}
	return x, err
}

// run executes one run, adds its record and, once that is saved, removes its checkpoints.
func (x *execution) run(ctx context.Context, r Run) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := x.load(ctx, r.Dataset)
	if err != nil {
		return err
	}
	x.reportEstimate(r, data.graph)
	bytes := min(bytesNeeded(data.graph), x.budget) // a run that needs more than all waits for all
	if err := x.memory.Acquire(ctx, bytes); err != nil {
		return err
	}
	defer x.memory.Release(bytes)
	record := Record{Run: r, Code: x.o.Code, SIMD: simd.Level(), Graph: data.fingerprint, Started: time.Now().UTC().Truncate(time.Second)}
	if record.Hash, record.Settings, err = r.Hash(); err != nil {
		return err
	}
	alone := x.o.Parallel <= 1 // only then is the memory in use this run's
	peak := func() int64 { return 0 }
	if alone {
		runtime.GC()
		const period = 5 * time.Millisecond
		peak = system.WatchRise(period, objectBytes(), objectBytes) // beyond the objects of now
	}
	timer := runTimer{start: time.Now()}
	out, err := runTask(ctx, data.graph, r, method.Options{
		Backend: x.o.Backend, Running: encoder.Running{
			Checkpoints: x.o.Checkpoints,
			Progress: func(e encoder.Event) {
				if e.Total == 0 {
					return
				}
				share := timer.share(e)
				x.report(r, share, timer.seconds(share), nil)
			},
		},
	})
	record.Seconds = time.Since(timer.start).Seconds()
	risen := peak() // which also ends the watch, after a failure, too
	if alone && timer.resumedAt == 0 {
		record.Bytes = max(1, risen) // not 0, which means unknown
	}
	if err != nil {
		return err
	}
	record.Backend = out.backend
	record.Scores, record.Series = out.scores, out.series
	if err := x.results.add(record); err != nil {
		return err
	}
	x.report(r, 1, timer.seconds(1), &record)
	if out.release != nil {
		_ = out.release() // a checkpoint that remains only takes up space
	}
	return nil
}

// runTimer estimates the time of a run that may go on from a checkpoint.
type runTimer struct {
	start     time.Time
	resumedAt float64 // the share of the run that was finished at the start
	hasEvent  bool    // there was an event
}

// share returns the share of the run, 0 to 1, that is finished after the event e. By the first event it
// sets resumedAt.
func (t *runTimer) share(e encoder.Event) float64 {
	share := float64(e.Done) / float64(e.Total)
	if !t.hasEvent && e.Done > 1 { // a run from the beginning first reports its first epoch
		t.resumedAt = share
	}
	t.hasEvent = true
	return share
}

// seconds estimates how many seconds the whole run takes, from the seconds that have passed now that the
// given share is finished. It returns 0 if nothing was done yet since the start.
func (t *runTimer) seconds(share float64) float64 {
	if share <= t.resumedAt {
		return 0
	}
	return time.Since(t.start).Seconds() / (share - t.resumedAt)
}

// reportEstimate reports how long the run r on the graph g will take, from the number of AGE's
// operations. It does nothing if a run of the same kind is known, whose time is a better estimate, or
// if the method's operations are not known.
func (x *execution) reportEstimate(r Run, g *graph.Graph) {
	x.mu.Lock()
	known := x.clock.estimate(r) > 0
	x.mu.Unlock()
	m, err := r.method()
	if known || err != nil {
		return
	}
	if training, known := method.Cost(m, g); known {
		x.report(r, 0, training.Seconds(cost.Rate(), runtime.GOMAXPROCS(0)), nil)
	}
}

// load returns the named data set, or the error of reading it. It reads each data set once, for all runs
// that need it.
func (x *execution) load(ctx context.Context, name string) (loaded, error) {
	get, _ := x.graphs.LoadOrStore(name, sync.OnceValues(func() (loaded, error) {
		g, err := dataset.Load(ctx, name, x.o.Data)
		if err != nil {
			return loaded{}, err
		}
		return loaded{graph: g, fingerprint: g.Fingerprint()}, nil
	}))
	return get.(func() (loaded, error))()
}

// report sends an event about the run r, of which the given share is finished. seconds is the estimated
// time of the whole run, 0 if that is unknown. record is the record of a finished run, and nil before:
// with it, report counts the run as done.
func (x *execution) report(r Run, share, seconds float64, record *Record) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if record != nil {
		x.done++
		x.removePending(r)
	}
	if seconds > 0 {
		x.clock.running[clockKey(r)] = seconds
	}
	remaining := x.clock.estimate(x.pending...)
	if record == nil {
		remaining -= time.Duration(share * float64(x.clock.estimate(r)))
	}
	x.o.Progress(Event{
		Event: progress.Event{
			Stage: "runs", Done: int64(x.done), Total: int64(x.total),
			Left: max(0, remaining/time.Duration(max(1, x.o.Parallel))),
		},
		Run: r, Record: record, Share: share,
	})
}

// removePending removes a run from the pending ones.
func (x *execution) removePending(r Run) {
	if i := slices.Index(x.pending, r); i >= 0 {
		x.pending = slices.Delete(x.pending, i, i+1)
	}
}

// bytesNeeded estimates, on the high side, the bytes that a run on g takes: several dense copies
// of the features and of embeddings, and the garbage between collections. (Measured
// trainings: Cora 0.2 GB, Citeseer 0.5, Wiki 0.7; the estimates are 0.3, 0.7 and 0.7.)
func bytesNeeded(g *graph.Graph) int64 {
	const (
		fixed      = 100 << 20
		perNode    = 16 << 10 // for embeddings
		perFeature = 48       // of each node: 12 copies as float32
	)
	_, f := g.Features.Dims()
	return fixed + int64(g.N())*(perFeature*int64(f)+perNode)
}

// objectBytes returns the memory that Go objects take.
func objectBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// clock estimates how long runs will take from those with the same clockKey.
type clock struct {
	stored  map[Run][]float64 // seconds of each run in earlier executions, perhaps on another machine
	running map[Run]float64   // seconds of the latest run in this execution, estimated while it runs
}

// clockKey returns r without the fields that hardly affect its time.
func clockKey(r Run) Run {
	r.Seed, r.Mode, r.K, r.Layers, r.Thresholds = 0, "", 0, 0, pairs.Thresholds{}
	return r
}

// estimate returns the time that it takes to execute the runs one after another. It returns 0 if for one
// of the runs none with the same key is known.
func (c clock) estimate(runs ...Run) time.Duration {
	total := 0.
	for _, r := range runs {
		expected, stored := c.running[clockKey(r)], c.stored[clockKey(r)]
		if expected == 0 && stored == nil {
			return 0
		}
		total += cmp.Or(expected, stat.Mean(stored, nil))
	}
	return time.Duration(total * float64(time.Second))
}
