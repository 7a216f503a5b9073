package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/progress"
	"gonum.org/v1/gonum/floats"
)

// Runner has workers that do tasks.
type Runner interface {
	// Run does the tasks 0 to tasks−1 of the stage in a file, and calls report for each task that has
	// been done or has failed, one at a time. It returns the processor time of the
	// workers, 0 if it is unknown, and an error if workers cannot be had or end without a report.
	Run(ctx context.Context, file string, tasks int, report func(Report)) (processor time.Duration, err error)
	// Close ends the workers.
	Close() error
}

// Engine makes the stages of one run. It is an encoder.Engine.
type Engine struct {
	// Folder is the graph, and Dir the folder for the stages. Workers see both at the same
	// paths.
	Folder, Dir string
	// Memory is the size in bytes that a worker's buffers may have to smooth.
	Memory int64
	// Threads is the number of cores of a worker.
	Threads int
	// Workers is the number of tasks that should be done at a time.
	Workers int
	Runner  Runner
	// EstimatedSeconds is the core time of each stage in seconds, for the log; it may be nil.
	EstimatedSeconds []float64
	// Log receives a line for each stage, and Progress the tasks that are done.
	Log      func(line string)
	Progress progress.Func

	stages  int      // how many have been run
	columns *Columns // X̃, once it is smoothed
	files   []string // of the columns
	opened  []*openedEmbedding
}

// Close ends the workers, and unmaps what was computed.
func (e *Engine) Close() error {
	for _, z := range e.opened {
		z.Close()
	}
	if e.columns != nil {
		e.columns.Close()
	}
	e.opened, e.columns = nil, nil
	return e.Runner.Close()
}

// path returns the path of a file or folder of the next stage, such as 02-sums.json in Dir.
func (e *Engine) path(name, ending string) string {
	return filepath.Join(e.Dir, fmt.Sprintf("%02d-%s%s", e.stages+1, name, ending))
}

// run has the workers do the tasks of the stage s, and returns an error unless all of them are done.
// Before, it sets the folder and the threads of s, and writes s to a file for the workers.
func (e *Engine) run(ctx context.Context, s *Stage) error {
	start, file := time.Now(), e.path(s.Name, ".json")
	s.Dir, s.Threads = e.path(s.Name, ""), e.Threads
	e.stages++
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return err
	}
	if err := s.Write(file); err != nil {
		return err
	}
	made, reused := 0, 0 // tasks done now, and before
	seen := make([]bool, s.Tasks)
	var failed error // of the first task that failed
	e.Progress.Report(progress.Event{Stage: s.Name, Total: int64(s.Tasks)})
	watched, stop := context.WithCancel(ctx)
	defer stop()
	processor, err := e.Runner.Run(watched, file, s.Tasks, func(r Report) {
		switch {
		case r.Task < 0 || r.Task >= s.Tasks || seen[r.Task]:
			return // no task of this stage, or one that was done twice
		case r.State == Failed:
			if failed == nil {
				failed = fmt.Errorf("stage %s, task %d: %s", s.Name, r.Task, r.Error)
			}
			return
		case r.State == Reused:
			reused++
		case r.State == Made:
			made++
		default:
			return // no report: the task counts as not done
		}
		seen[r.Task] = true
		e.Progress.Report(progress.Event{Stage: s.Name, Done: int64(made + reused), Total: int64(s.Tasks)})
	})
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stopped in stage %s, with %d of %d tasks done; run the same command again: %w", s.Name, made+reused, s.Tasks, ctx.Err())
	case failed != nil:
		return failed
	case err != nil:
		return fmt.Errorf("stage %s: %w", s.Name, err)
	case made+reused < s.Tasks:
		return fmt.Errorf("stage %s: %d of %d tasks were done, and nothing is known of the others; run the same command again", s.Name, made+reused, s.Tasks)
	}
	cores := "" // their time, if it is known, beside the estimate
	if processor > 0 {
		estimated := ""
		if e.stages <= len(e.EstimatedSeconds) && reused == 0 {
			estimated = fmt.Sprintf(", %.1f s estimated", e.EstimatedSeconds[e.stages-1])
		}
		cores = fmt.Sprintf(" (%.1f s of the cores%s)", processor.Seconds(), estimated)
	}
	e.Log(fmt.Sprintf("stage %s: %d tasks in %.1f s%s, %d of them were done before", s.Name, s.Tasks, time.Since(start).Seconds(), cores, reused))
	return nil
}

// Smooth computes X̃ = Hᵗ(X/unit) of the graph's n nodes with f features, a block of columns a task, and
// returns its rows. Later calls of Embed take X̃ from the same files.
func (e *Engine) Smooth(ctx context.Context, filter laplacian.Filter, unit float64, n, f int) (linalg.Source, error) {
	columns := taskColumns(n, f, e.Workers, e.Memory)
	allColumns := &Smooth{Folder: e.Folder, To: f, Filter: filter, Unit: unit, Memory: e.Memory}
	stage := &Stage{Name: "smooth", Smooth: allColumns, Width: columns, Tasks: (f + columns - 1) / columns}
	if err := e.run(ctx, stage); err != nil {
		return nil, err
	}
	e.files = nil
	for task := range stage.Tasks {
		e.files = append(e.files, stage.File(task))
	}
	var err error
	e.columns, err = openColumns(e.files)
	return e.columns, err
}

// taskColumns returns the number of columns that a task of smoothing takes, of the f features of n nodes:
// the share of each worker, or fewer if memory, in bytes, has no room for them.
func taskColumns(n, f, workers int, memory int64) int {
	workers = max(1, workers)
	return laplacian.TileWidth(n, (f+workers-1)/workers, memory)
}

// Embed returns the rows of the embedding of all nodes, from X̃ and the weights of the members. Passes
// over the rows are stages; this process computes the blocks that it reads itself.
func (e *Engine) Embed(ctx context.Context, members []step.Weights) (linalg.Rows, error) {
	files := Embedding{Columns: e.files, Weights: filepath.Join(e.Dir, "weights")}
	if err := writeWeights(ctx, files.Weights, members); err != nil {
		return nil, err
	}
	z, err := files.Open()
	if err != nil {
		return nil, err
	}
	e.opened = append(e.opened, z)
	return &embedding{z, e, files}, nil
}

// embedding is the linalg.Rows whose passes are stages.
type embedding struct {
	linalg.Source // the rows in this process
	*Engine
	files Embedding
}

// Sum implements [linalg.Rows]. It adds up the parts of the ranges in their order, as one process does,
// and so gives the same bytes.
func (z *embedding) Sum(ctx context.Context, p linalg.Pass) (sum linalg.Matrix[float64], err error) {
	err = z.pass(ctx, p, func(first int, part linalg.Matrix[float64]) {
		if first == 0 {
			sum = linalg.NewMatrix[float64](part.Rows, part.Cols)
			copy(sum.Data, part.Data)
			return
		}
		floats.Add(sum.Data, part.Data)
	})
	return sum, err
}

// Each implements [linalg.Rows].
func (z *embedding) Each(ctx context.Context, p linalg.Pass, use func(first int, computed linalg.Matrix[float64])) error {
	return z.pass(ctx, p, use)
}

// pass makes the pass p as a stage, and calls use for each range of rows, in their order, with the
// number of its first row and what was computed of the range.
func (z *embedding) pass(ctx context.Context, p linalg.Pass, use func(first int, part linalg.Matrix[float64])) error {
	n, _ := z.Dims()
	_, count := linalg.PassRanges(n)
	pass, err := newPass(z.files, p, z.path(string(p.Kind), ".inputs"))
	if err != nil {
		return err
	}
	stage := &Stage{Name: string(p.Kind), Tasks: count, Pass: &pass}
	if err := z.run(ctx, stage); err != nil {
		return err
	}
	return stage.eachPart(use)
}
