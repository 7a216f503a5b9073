package engine

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Local does tasks by processes of this machine.
type Local struct {
	// Command is the program with its arguments, to which "worker run" and the file of the
	// stage are added.
	Command   []string
	Processes int
}

// attempts is how often a task is tried whose process was killed.
const attempts = 4

// longestLine is the length of the longest line that is read from a program, in bytes.
const longestLine = 1 << 20

func (l Local) Close() error { return nil }

// Run implements [Runner]. It starts processes and hands each the next task when it has done one, so
// that none waits for another. After a failure, no further task begins.
func (l Local) Run(ctx context.Context, file string, tasks int, report func(Report)) (processor time.Duration, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next := make(chan int)
	go func() {
		defer close(next)
		for task := range tasks {
			select {
			case next <- task:
			case <-ctx.Done():
				return
			}
		}
	}()
	var wait sync.WaitGroup
	var lock sync.Mutex
	for range min(l.Processes, tasks) {
		wait.Go(func() {
			p := &process{local: l, file: file}
			defer func() {
				_ = p.end() // it has no more to say
				lock.Lock()
				processor += p.processor
				lock.Unlock()
			}()
			for task := range next {
				r, failed := p.do(ctx, task)
				lock.Lock()
				if failed == nil {
					report(r)
				} else if err == nil {
					err = failed
				}
				lock.Unlock()
				if failed != nil || r.State == Failed {
					stop() // the others would find the same
				}
			}
		})
	}
	wait.Wait()
	return processor, err
}

// process is a worker. Its program may be started several times, because it is started again after it
// was killed.
type process struct {
	local     Local
	file      string         // of the stage
	command   *exec.Cmd      // nil: it is not running
	input     io.WriteCloser // takes the numbers of tasks
	reports   *bufio.Scanner // gives the reports
	errors    *bytes.Buffer  // what it printed to its standard error
	processor time.Duration  // processor time of the processes that have ended
}

// do has the worker do a task, and returns the report of the task. A worker that ends without a report
// is started again, up to `attempts` times in all.
func (p *process) do(ctx context.Context, task int) (Report, error) {
	for attempt := 1; ; attempt++ {
		if p.command == nil {
			if err := p.start(ctx); err != nil {
				return Report{}, err
			}
		}
		if _, err := fmt.Fprintln(p.input, task); err == nil && p.reports.Scan() {
			if r, ok := parseReport(p.reports.Text()); ok && r.Task == task {
				return r, nil
			}
			return Report{}, fmt.Errorf("worker: %q: want a report of task %d", p.reports.Text(), task)
		}
		err := p.end()
		if ctx.Err() != nil || attempt == attempts {
			return Report{}, fmt.Errorf("a worker ended %d times in task %d: %v: %s", attempt, task, err, strings.TrimSpace(p.errors.String()))
		}
	}
}

// start starts the program of the worker, and sets what p has of a running one.
func (p *process) start(ctx context.Context) (err error) {
	arguments := append(slices.Clone(p.local.Command[1:]), "worker", "run", p.file)
	c := exec.CommandContext(ctx, p.local.Command[0], arguments...)
	c.WaitDelay = 10 * time.Second // for what it has printed when it was killed
	p.errors = &bytes.Buffer{}
	c.Stderr = p.errors
	if p.input, err = c.StdinPipe(); err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	p.reports = bufio.NewScanner(out)
	p.reports.Buffer(nil, longestLine)
	if err := c.Start(); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	p.command = c
	return nil
}

// end ends the program of the worker, if it is running, and waits for it. It returns the error with
// which the program ended.
func (p *process) end() error {
	if p.command == nil {
		return nil
	}
	p.input.Close()
	err := p.command.Wait()
	p.processor += p.command.ProcessState.UserTime() + p.command.ProcessState.SystemTime()
	p.command = nil
	return err
}
