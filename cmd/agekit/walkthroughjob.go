package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agekit/age/internal/program"
	"github.com/agekit/age/kernels"
)

// notebookRun is the result of running one notebook.
type notebookRun struct {
	Notebook string       `json:"notebook"`
	Kernel   string       `json:"kernel"`
	Cells    int          `json:"cells"` // number of cells run
	Seconds  float64      `json:"seconds"`
	HTML     string       `json:"html,omitempty"`
	Slides   string       `json:"slides,omitempty"`
	Failed   *cellFailure `json:"failed,omitempty"`
}

// cellFailure is the cell that ended a notebook. Cells are counted from 1,
// including text cells.
type cellFailure struct {
	Cell    int    `json:"cell"`
	Section string `json:"section"`
	Text    string `json:"error"`
}

func (f *cellFailure) Error() string {
	if f.Cell == 0 {
		return "no cell was run\n" + lastLines(f.Text, 12)
	}
	return fmt.Sprintf("cell %d failed (%s)\n%s", f.Cell, f.Section, lastLines(f.Text, 12))
}

// checkSetup reports what is missing before anything is run with a kernel, or
// converted with none.
func checkSetup(root, kernel string) error {
	if separators := string([]rune{',', os.PathListSeparator}); strings.ContainsAny(root, separators) {
		return fmt.Errorf("the project's folder %s contains one of %s, which separate paths for Jupyter and GoNB: move it", root, separators)
	}
	if _, err := os.Stat(jupyterPython(root)); err != nil {
		return fmt.Errorf("no Jupyter in %s: run `make jupyter` there", root)
	}
	for _, k := range kernels.List([]string{root}) {
		if k.Name == kernel && k.Problem != "" {
			return fmt.Errorf("kernel %s: %s", k.Name, k.Problem)
		}
	}
	return nil
}

// notebookJob is one call of scripts/run_notebook.py.
type notebookJob struct {
	root     string // the project's folder
	source   string
	kernel   string // "" leaves the notebook as it is
	backend  string // "" for the notebook's choice
	timeout  time.Duration
	html     string // where to write the page
	slides   string // and the slides, unless it is ""
	notebook string // and the notebook, if it is run
	update   bool
}

// run runs the notebook, or only converts it.
func (j notebookJob) run(rt *Runtime) (notebookRun, error) {
	cmd, err := program.Command(rt.Context, jupyterPython(j.root), j.args()...)
	if err != nil {
		return notebookRun{}, err
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it ends the kernel within a second
	cmd.WaitDelay = patience - 300*time.Millisecond
	cmd.Env = j.environment()
	var said bytes.Buffer
	cmd.Stderr = &said
	events, printed := io.Pipe()
	cmd.Stdout = printed
	r := notebookRun{Notebook: filepath.Base(j.source), Kernel: j.kernel, HTML: j.html, Slides: j.slides}
	followed := make(chan struct{})
	go func() { defer close(followed); r.follow(events, rt.Stderr) }()
	start := time.Now()
	err = program.Run(cmd.Run)
	printed.Close()
	<-followed
	r.Seconds = time.Since(start).Seconds()
	switch text := lastLines(said.String(), 12); {
	case rt.Context.Err() != nil:
		return notebookRun{}, context.Cause(rt.Context)
	case err != nil && r.Failed == nil && cmd.ProcessState.ExitCode() == 1 && text != "":
		return notebookRun{}, errors.New(text)
	case err != nil && r.Failed == nil:
		return notebookRun{}, fmt.Errorf("%w\n%s", err, text)
	}
	return r, nil
}

func (j notebookJob) args() []string {
	args := []string{"-I", filepath.Join(j.root, "scripts", "run_notebook.py"), j.source, "--html", j.html}
	if j.kernel != "" {
		args = append(args, "--kernel", j.kernel, "--timeout", strconv.Itoa(int(j.timeout.Seconds())), "--notebook", j.notebook)
	}
	if j.slides != "" {
		args = append(args, "--slides", j.slides)
	}
	if j.update {
		args = append(args, "--update")
	}
	return args
}

// environment is this program's environment, with the project's kernels on
// Jupyter's path.
func (j notebookJob) environment() []string {
	env := append(os.Environ(), "JUPYTER_PATH="+j.root, "PYTHONDONTWRITEBYTECODE=1")
	if j.backend != "" {
		env = append(env, "AGEKIT_BACKEND="+j.backend)
	}
	return env
}

// follow reads the events that run_notebook.py prints and reports each cell.
func (r *notebookRun) follow(events io.Reader, progress io.Writer) {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var event struct {
			Cell    int          `json:"cell"`
			Cells   int          `json:"cells"`
			Seconds float64      `json:"seconds"`
			Section string       `json:"section"`
			Failed  *cellFailure `json:"failed"`
			Formula string       `json:"formula"`
			Error   string       `json:"error"`
		}
		if json.Unmarshal(line, &event) != nil {
			continue // something that a Python package printed
		}
		switch {
		case event.Failed != nil:
			r.Failed = event.Failed
		case event.Formula != "":
			fmt.Fprintf(progress, "%s: the report shows this formula as text: %s (%s)\n", r.Notebook, event.Formula, event.Error)
		case event.Cell > 0:
			r.Cells++
			fmt.Fprintf(progress, "%s: cell %d of %d, %.2f s (%s)\n", r.Notebook, event.Cell, event.Cells, event.Seconds, event.Section)
		}
	}
}

// jupyterPython is the Python interpreter that scripts/jupyter.sh installs.
func jupyterPython(root string) string { return filepath.Join(root, ".venv", "bin", "python") }

// lastLines returns at most the last n lines of text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
