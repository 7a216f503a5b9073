package kernels

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/system"
)

// JobResult says how the run of a notebook went.
type JobResult struct {
	Notebook string   `json:"notebook"`
	Kernel   string   `json:"kernel"`
	Cells    int      `json:"cells"` // number of cells run
	Seconds  float64  `json:"seconds"`
	HTML     string   `json:"html,omitempty"`
	Slides   string   `json:"slides,omitempty"`
	Failed   *Failure `json:"failed,omitempty"`
}

// Failure is the cell that ended a notebook: its number, from 1 and with text cells, or 0 if
// none was run.
type Failure struct {
	Cell    int    `json:"cell"`
	Section string `json:"section"`
	Text    string `json:"error"`
}

// Started returns false if the run failed before its first cell.
func (r *JobResult) Started() bool { return r.Failed == nil || r.Failed.Cell > 0 }

// shownLines is the number of lines of an error that are shown: its last ones, which name the cause.
const shownLines = 12

// Error says which cell failed, with the last lines that it printed.
func (f *Failure) Error() string {
	if f.Cell == 0 {
		return "no cell was run\n" + system.LastLines([]byte(f.Text), shownLines)
	}
	return fmt.Sprintf("cell %d failed (%s)\n%s", f.Cell, f.Section, system.LastLines([]byte(f.Text), shownLines))
}

// Job is a notebook to run, or only to convert: one call of scripts/run_notebook.py.
type Job struct {
	Root     string        // the project's folder
	Source   string        // the notebook
	Kernel   string        // the kernel to run it with; "" leaves the notebook as it is
	Backend  string        // the backend to train on; "" is the notebook's choice
	Timeout  time.Duration // of one cell
	HTML     string        // the file to write the page to
	Slides   string        // the file to write the slides to; "" writes none
	Notebook string        // the file to write the notebook with its outputs to, if it is run
	Update   bool          // writes the outputs into Source, too
}

// patience is how long Jupyter may take to stop once its context is done.
const patience = 1400 * time.Millisecond

// Run runs the notebook and writes its pages, and index.html, a list of all pages in the folder of
// HTML. It logs a line for each cell to progress. A cell that fails is no error: it is in the
// result's Failed.
func (j Job) Run(ctx context.Context, progress *log.Logger) (*JobResult, error) {
	for _, path := range []*string{&j.Source, &j.HTML, &j.Slides, &j.Notebook} {
		if *path != "" {
			absolute, err := filepath.Abs(*path) // Python starts in its own folder
			if err != nil {
				return nil, err
			}
			*path = absolute
		}
	}
	cmd, err := system.Command(ctx, PythonPath(j.Root), j.args()...)
	if err != nil {
		return nil, err
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it ends the kernel within a second
	cmd.WaitDelay = patience
	cmd.Env = j.environment()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	events, stdout := io.Pipe()
	cmd.Stdout = stdout
	r := &JobResult{Notebook: filepath.Base(j.Source), Kernel: j.Kernel, HTML: j.HTML, Slides: j.Slides}
	followed := make(chan struct{})
	go func() { defer close(followed); r.follow(events, progress) }()
	start := time.Now()
	err = system.RunProgram(cmd.Run)
	stdout.Close() // ends follow
	<-followed
	r.Seconds = time.Since(start).Seconds()
	text := system.LastLines(stderr.Bytes(), shownLines)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err == nil || r.Failed != nil:
		return r, nil
	case cmd.ProcessState.ExitCode() == 1 && text != "": // run_notebook.py itself says what is wrong
		return nil, errors.New(text)
	}
	return nil, fmt.Errorf("%w\n%s", err, text)
}

// Publish runs the notebook like [Job.Run], but writes to a scratch folder first: the page and the
// slides replace older ones once both are complete. It writes neither an index.html nor the notebook.
// A run that failed before its first cell is an error, too.
func (j Job) Publish(ctx context.Context, progress *log.Logger) (*JobResult, error) {
	scratch, remove, err := atomicfile.ScratchFolder("agekit-report-")
	if err != nil {
		return nil, err
	}
	defer remove()
	inScratch := j // the same job with its files in the scratch folder
	inScratch.HTML = filepath.Join(scratch, "page.html")
	inScratch.Notebook = filepath.Join(scratch, "page.ipynb")
	if j.Slides != "" {
		inScratch.Slides = filepath.Join(scratch, "page.slides.html")
	}
	r, err := inScratch.Run(ctx, progress)
	if err == nil && !r.Started() {
		err = r.Failed
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Source, err)
	}
	err = replaceWith(ctx, j.HTML, inScratch.HTML)
	if err == nil && j.Slides != "" {
		err = replaceWith(ctx, j.Slides, inScratch.Slides)
	}
	r.HTML, r.Slides = j.HTML, j.Slides
	return r, err
}

// replaceWith writes the page at from to path, where it replaces nothing but an earlier page.
func replaceWith(ctx context.Context, path, from string) error {
	page, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return provenance.WritePage(ctx, path, atomicfile.Bytes(page))
}

// args returns the arguments of the Python that runs the job.
func (j Job) args() []string {
	args := []string{"-I", filepath.Join(j.Root, "scripts", "run_notebook.py"), j.Source, "--html", j.HTML}
	if j.Kernel != "" {
		args = append(args, "--kernel", j.Kernel, "--timeout", strconv.Itoa(int(j.Timeout.Seconds())), "--notebook", j.Notebook)
	}
	if j.Slides != "" {
		args = append(args, "--slides", j.Slides)
	}
	if j.Update {
		args = append(args, "--update")
	}
	return args
}

// environment returns this program's environment with the project's kernels on Jupyter's path and
// the backend of the job.
func (j Job) environment() []string {
	env := append(os.Environ(), "JUPYTER_PATH="+j.Root, "PYTHONDONTWRITEBYTECODE=1")
	if j.Backend != "" {
		env = append(env, "AGEKIT_BACKEND="+j.Backend)
	}
	return env
}

// follow reads the events that run_notebook.py prints, a line of JSON each, until they end. It logs
// each cell to progress, counts it in r.Cells, and sets r.Failed to the cell that failed.
func (r *JobResult) follow(events io.Reader, progress *log.Logger) {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var event struct {
			Cell    int      `json:"cell"`
			Cells   int      `json:"cells"`
			Seconds float64  `json:"seconds"`
			Section string   `json:"section"`
			Failed  *Failure `json:"failed"`
			Formula string   `json:"formula"`
			Error   string   `json:"error"`
		}
		if json.Unmarshal(line, &event) != nil {
			continue // something that a Python package printed
		}
		switch {
		case event.Failed != nil:
			r.Failed = event.Failed
		case event.Formula != "":
			progress.Printf("%s: the report shows this formula as text: %s (%s)", r.Notebook, event.Formula, event.Error)
		case event.Cell > 0:
			r.Cells++
			progress.Printf("%s: cell %d of %d, %.2f s (%s)", r.Notebook, event.Cell, event.Cells, event.Seconds, event.Section)
		}
	}
}
