package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
)

// Stage is a number of tasks that do not depend on each other. Its JSON file, and the number of a task,
// are all that a worker needs to do the task.
type Stage struct {
	Name  string `json:"name"`
	Tasks int    `json:"tasks"`
	// Dir has a file for each task when it is done ([Stage.File]).
	Dir string `json:"dir"`
	// Code and SIMD are those of the program that planned the stage. A worker must have the
	// same, or the bytes would differ.
	Code string `json:"code"`
	SIMD string `json:"simd"`
	// Threads is the number of cores of a worker.
	Threads int `json:"threads"`
	// One of these says what a task is: so many columns of Smooth, or a range of the rows.
	Smooth *Smooth `json:"smooth,omitempty"`
	Width  int     `json:"width,omitempty"`
	Pass   *Pass   `json:"pass,omitempty"`
}

// File returns the path of the file that a task writes.
func (s *Stage) File(task int) string {
	return filepath.Join(s.Dir, fmt.Sprintf("part-%05d", task))
}

// Write writes the stage to the file at path, after it has set Code and SIMD to those of this program.
func (s *Stage) Write(path string) error {
	s.Code, s.SIMD = system.ProgramVersion().Code(), simd.Level()
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, atomicfile.Bytes(append(text, '\n')))
}

// readStage reads the stage in the file at path, sets this process to the stage's SIMD level, and returns
// an error if this program cannot do its tasks.
func readStage(path string) (*Stage, error) {
	text, err := readfile.All(path, readfile.MostRecords)
	if err != nil {
		return nil, err
	}
	s := &Stage{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if code := system.ProgramVersion().Code(); s.Code != code {
		return nil, fmt.Errorf("%s was planned by agekit %s, and this worker is agekit %s: want the same program on all machines", path, s.Code, code)
	}
	if err := simd.SetLevel(s.SIMD); err != nil {
		return nil, fmt.Errorf("%s: %w: set %s for the command that plans to a level that all workers have", path, err, simd.Variable)
	}
	if s.Tasks < 1 || (s.Smooth == nil) == (s.Pass == nil) {
		return nil, fmt.Errorf("%s: want tasks of one kind", path)
	}
	return s, nil
}

// The states of a task.
const (
	Made   = "made"
	Reused = "reused" // its file was there
	Failed = "failed"
)

// Report is a line of [Serve]: how a task went.
type Report struct {
	Task  int
	State string
	Error string // of a task that failed
}

// reportMark begins the line of a report, so that it can be told from what else a program
// prints.
const reportMark = "agekit-task"

// String returns the report as a line without its end.
func (r Report) String() string {
	clean := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	return fmt.Sprintf("%s\t%d\t%s\t%s", reportMark, r.Task, r.State, clean.Replace(r.Error))
}

// parseReport returns the report in a line, where it may follow something else, such as a prompt, with
// ok false if there is none. An empty error may be missing at the end of the line.
func parseReport(line string) (r Report, ok bool) {
	_, line, ok = strings.Cut(line, reportMark+"\t")
	fields := strings.SplitN(line, "\t", 3)
	if !ok || len(fields) < 2 {
		return r, false
	}
	task, err := strconv.Atoi(fields[0])
	r = Report{Task: task, State: fields[1]}
	if len(fields) > 2 {
		r.Error = strings.TrimSpace(fields[2])
	}
	return r, err == nil && (r.State == Made || r.State == Reused || r.State == Failed)
}

// Serve is the work of a worker: it does the tasks of the stage in a file whose numbers it reads, a line
// each, and writes a report of each, a line, too. A task that fails is reported and is no error, so
// that no engine tries again what cannot work. Serve returns an error when ctx is done.
func Serve(ctx context.Context, stage string, numbers io.Reader, reports io.Writer) error {
	s, err := readStage(stage) // an error here is that of each task
	var tasks tasks
	if err == nil {
		if s.Threads > 0 {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.Threads))
		}
		tasks, err = s.open()
		defer tasks.close()
	}
	lines := bufio.NewScanner(numbers)
	for lines.Scan() {
		number, notNumber := strconv.Atoi(strings.TrimSpace(lines.Text()))
		r := Report{Task: number, State: Made}
		reused, failed := false, err
		if failed == nil && (notNumber != nil || number < 0 || number >= s.Tasks) {
			failed = fmt.Errorf("task %q: want 0 to %d", lines.Text(), s.Tasks-1)
		}
		if failed == nil {
			reused, failed = tasks.run(ctx, number, s.File(number))
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case failed != nil:
			r.State, r.Error = Failed, failed.Error()
		case reused:
			r.State = Reused
		}
		if _, err := fmt.Fprintln(reports, r); err != nil {
			return err
		}
	}
	return lines.Err()
}

// tasks are a stage whose files are mapped. Its function run does the task with a number and writes the
// file out, unless that can be reused; close unmaps the files.
type tasks struct {
	run   func(ctx context.Context, number int, out string) (reused bool, err error)
	close func()
}

// open maps the files that the tasks read. Also with an error, close must be called.
func (s *Stage) open() (tasks, error) {
	none := tasks{close: func() {}}
	if s.Smooth != nil {
		smoothColumns := func(ctx context.Context, number int, out string) (bool, error) {
			task := *s.Smooth
			task.From = number * s.Width
			task.To = min(task.To, task.From+s.Width)
			task.Out = out
			return task.Run(ctx)
		}
		return tasks{run: smoothColumns, close: none.close}, nil
	}
	o, err := s.Pass.open()
	if err != nil {
		return none, err
	}
	n, _ := o.z.Dims()
	if _, count := linalg.PassRanges(n); count != s.Tasks {
		o.close()
		return none, fmt.Errorf("%d tasks for %d ranges of rows", s.Tasks, count)
	}
	return tasks{run: o.run, close: o.close}, nil
}
