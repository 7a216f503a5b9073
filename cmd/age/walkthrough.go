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
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/internal/program"
	"github.com/agekit/age/kernels"
)

// WalkthroughCmd is `age walkthrough`.
type WalkthroughCmd struct {
	Notebooks []string      `help:"Notebooks to run, by the beginning of their names, such as 03 (default: all)." placeholder:"NN,..."`
	Kernel    string        `help:"The kernel to run them with: ${enum}." enum:"agekit,agekit-xla" default:"agekit"`
	Backend   string        `help:"Backend to train on, as listed by age backend list (default: the notebooks' choice)." placeholder:"NAME"`
	Dir       string        `help:"The folder of the notebooks." default:"notebooks" type:"path"`
	Out       string        `help:"The folder for reports." default:"reports" type:"path"`
	Timeout   time.Duration `help:"Time limit for a single cell." default:"30m"`
	Update    bool          `help:"Write the outputs into the notebooks themselves."`
	JSON      bool          `name:"json" help:"Print JSON."`
}

// Help is the second part of `age walkthrough --help`.
func (WalkthroughCmd) Help() string {
	return `Runs each notebook from top to bottom in its own kernel and writes
OUT/NAME.html, a page that needs no network, OUT/NAME.ipynb, and OUT/index.html,
which lists the pages. The notebooks themselves stay unchanged unless --update is
given. A failing cell ends its
notebook, and the exit code is 1. A shell command (!command) that fails does not
fail its cell. Run this in the project's folder; make walkthrough installs what it
needs.

Examples:
  age walkthrough
  age walkthrough --notebooks 03 --kernel agekit-xla --backend xla:cpu
  age walkthrough --update --out /tmp/reports`
}

// notebookRun is the result of running one notebook.
type notebookRun struct {
	Notebook string       `json:"notebook"`
	Kernel   string       `json:"kernel"`
	Cells    int          `json:"cells"` // number of cells run
	Seconds  float64      `json:"seconds"`
	HTML     string       `json:"html,omitempty"`
	Failed   *cellFailure `json:"failed,omitempty"`
}

// cellFailure is the cell that ended a notebook. Cells are counted from 1,
// including text cells.
type cellFailure struct {
	Cell    int    `json:"cell"`
	Section string `json:"section"`
	Error   string `json:"error"`
}

// Run runs the notebooks.
func (c *WalkthroughCmd) Run(rt *Runtime) error {
	if c.Timeout < time.Second {
		return misused("--timeout is %v: want a second or more", c.Timeout)
	}
	root, err := projectRoot(".")
	if err != nil {
		return usageError{err}
	}
	paths, err := c.selectNotebooks()
	if err != nil {
		return usageError{err}
	}
	if err := c.checkSetup(root); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	var runs []notebookRun
	var failures []error
	for _, path := range paths {
		r, err := c.runNotebook(rt, root, path)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		runs = append(runs, r)
		if f := r.Failed; f != nil {
			failures = append(failures, fmt.Errorf("%s: cell %d failed (%s)\n%s", r.Notebook, f.Cell, f.Section, lastLines(f.Error, 12)))
		}
	}
	if err := emit(rt, c.JSON, runs, func(w io.Writer) { c.printRuns(w, runs) }); err != nil {
		return err
	}
	return errors.Join(failures...)
}

// selectNotebooks lists the notebooks to run, sorted by name.
func (c *WalkthroughCmd) selectNotebooks() ([]string, error) {
	all, err := filepath.Glob(filepath.Join(c.Dir, "*.ipynb"))
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no notebooks (*.ipynb) in %s", c.Dir)
	}
	if len(c.Notebooks) == 0 {
		return all, nil
	}
	var chosen []string
	for _, beginning := range c.Notebooks {
		k := slices.IndexFunc(all, func(path string) bool { return strings.HasPrefix(filepath.Base(path), beginning) })
		if k < 0 {
			return nil, fmt.Errorf("no notebook in %s begins with %q", c.Dir, beginning)
		}
		chosen = append(chosen, all[k])
	}
	return chosen, nil
}

// checkSetup reports what is missing before anything is run.
func (c *WalkthroughCmd) checkSetup(root string) error {
	if separators := string([]rune{',', os.PathListSeparator}); strings.ContainsAny(root, separators) {
		return fmt.Errorf("the project's folder %s contains one of %s, which separate paths for Jupyter and GoNB: move it", root, separators)
	}
	if _, err := os.Stat(jupyterPython(root)); err != nil {
		return fmt.Errorf("no Jupyter in %s: run `make jupyter` there", root)
	}
	for _, k := range kernels.List([]string{root}) {
		if k.Name == c.Kernel && k.Problem != "" {
			return fmt.Errorf("kernel %s: %s", k.Name, k.Problem)
		}
	}
	return nil
}

// runNotebook runs one notebook through scripts/run_notebook.py.
func (c *WalkthroughCmd) runNotebook(rt *Runtime, root, path string) (notebookRun, error) {
	name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
	report := filepath.Join(c.Out, name)
	if c.Kernel != kernels.Names[0] {
		report += "." + c.Kernel
	}
	args := []string{"-I", filepath.Join(root, "scripts", "run_notebook.py"), path, "--kernel", c.Kernel,
		"--timeout", strconv.Itoa(int(c.Timeout.Seconds())), "--notebook", report + ".ipynb", "--html", report + ".html"}
	if c.Update {
		args = append(args, "--update")
	}
	cmd, err := program.Command(rt.Context, jupyterPython(root), args...)
	if err != nil {
		return notebookRun{}, err
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it ends the kernel within a second
	cmd.WaitDelay = patience - 300*time.Millisecond
	cmd.Env = c.environment(root)
	var said bytes.Buffer
	cmd.Stderr = &said
	events, printed := io.Pipe()
	cmd.Stdout = printed
	r := notebookRun{Notebook: filepath.Base(path), Kernel: c.Kernel, HTML: report + ".html"}
	followed := make(chan struct{})
	go func() { defer close(followed); r.follow(events, rt.Stderr) }()
	start := time.Now()
	err = program.Run(cmd.Run)
	printed.Close()
	<-followed
	r.Seconds = time.Since(start).Seconds()
	switch {
	case rt.Context.Err() != nil:
		return notebookRun{}, context.Cause(rt.Context)
	case err != nil && r.Failed == nil:
		return notebookRun{}, fmt.Errorf("%w\n%s", err, lastLines(said.String(), 12))
	}
	return r, nil
}

// environment is this program's environment, with the project's kernels on
// Jupyter's path.
func (c *WalkthroughCmd) environment(root string) []string {
	env := append(os.Environ(), "JUPYTER_PATH="+root, "PYTHONDONTWRITEBYTECODE=1")
	if c.Backend != "" {
		env = append(env, backend.Variable+"="+c.Backend)
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

func (c *WalkthroughCmd) printRuns(w io.Writer, runs []notebookRun) {
	for _, r := range runs {
		state := "done"
		if r.Failed != nil {
			state = fmt.Sprintf("FAILED at cell %d", r.Failed.Cell)
		}
		fmt.Fprintf(w, "%-28s %s, %d code cells, %.1f s, report %s\n", r.Notebook, state, r.Cells, r.Seconds, r.HTML)
	}
	fmt.Fprintf(w, "all reports: %s\n", filepath.Join(c.Out, "index.html"))
}

// jupyterPython is the Python interpreter that scripts/jupyter.sh installs.
func jupyterPython(root string) string { return filepath.Join(root, ".venv", "bin", "python") }

// lastLines returns at most the last n lines of text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
