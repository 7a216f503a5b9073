package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agekit/age/agekit/report"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/kernels"
)

type reportCmd struct {
	Notebook string        `arg:"" help:"The folder of agekit fit --out, or a notebook of any kernel." type:"path" placeholder:"DIR|NOTEBOOK.ipynb"`
	Out      string        `help:"The page to write (default: report.html in the folder, or beside the notebook)." type:"path" placeholder:"FILE.html"`
	Title    string        `help:"The column of nodes.csv that says what each node is about (default: one that looks like it)." placeholder:"COLUMN"`
	Slides   bool          `help:"Also write FILE.slides.html, the notebook as slides."`
	Execute  bool          `name:"run" help:"Run the notebook first, in its own kernel; its file stays unchanged."`
	Timeout  time.Duration `help:"Time limit for a single cell." default:"30m"`
	jsonFlag
}

// reportFiles is what `agekit report --json` prints.
type reportFiles struct {
	Notebook string   `json:"notebook,omitempty"`
	Folder   string   `json:"folder,omitempty"`
	Files    []string `json:"files"`
}

func (c *reportCmd) Run(rt *Runtime) error {
	if c.Timeout < time.Second {
		return misused("--timeout is %v: want a second or more", c.Timeout)
	}
	info, err := os.Stat(c.Notebook)
	switch {
	case err == nil && info.IsDir():
		return c.reportRun(rt)
	case c.Title != "":
		return misused("--title is for the folder of a run: %s is none", message.ShortPath(c.Notebook))
	case errors.Is(err, fs.ErrNotExist) && filepath.Ext(c.Notebook) != ".ipynb":
		return fmt.Errorf("%s does not exist: want a folder of agekit fit --out, or a notebook, NAME.ipynb", message.ShortPath(c.Notebook))
	}
	return c.reportNotebook(rt)
}

// reportNotebook writes the page of a notebook, and its slides.
func (c *reportCmd) reportNotebook(rt *Runtime) error {
	files, err := c.outputs()
	if err != nil {
		return err
	}
	job := kernels.Job{Source: c.Notebook, Timeout: c.Timeout, HTML: files[0]}
	if c.Slides {
		job.Slides = files[1]
	}
	if job.Kernel, err = c.inspect(rt.Stderr); err != nil {
		return err
	}
	if job.Root, err = kernels.ProjectRoot("."); err != nil {
		return usageError{err}
	}
	if err := kernels.CheckSetup(job.Root, job.Kernel); err != nil {
		return err
	}
	published, err := job.Publish(rt.Context, log.New(rt.Stderr, "", 0))
	if err != nil {
		return err
	}
	if err := c.print(rt, reportFiles{Notebook: c.Notebook, Files: files}); err != nil {
		return err
	}
	if published.Failed != nil { // the page is written nevertheless
		return fmt.Errorf("%s: %w", c.Notebook, published.Failed)
	}
	return nil
}

// reportRun writes the page of a folder of agekit fit --out.
func (c *reportCmd) reportRun(rt *Runtime) error {
	if c.Slides || c.Execute {
		return misused("--slides and --run are for notebooks: %s is a folder", message.ShortPath(c.Notebook))
	}
	c.Out = cmp.Or(c.Out, filepath.Join(c.Notebook, "report.html"))
	pages, err := c.outputs()
	if err != nil {
		return err
	}
	r, err := run.Load(rt.Context, c.Notebook)
	if err != nil {
		return err
	}
	page, err := report.New(rt.Context, r)
	if err != nil {
		return err
	}
	page.Title = c.Title
	if err := atomicfile.Write(pages[0], page.Write); err != nil {
		return err
	}
	return c.print(rt, reportFiles{Folder: c.Notebook, Files: pages})
}

// print prints the paths of the files that were made.
func (c *reportCmd) print(rt *Runtime, made reportFiles) error {
	return c.emit(rt, made, func(w io.Writer) { fmt.Fprintln(w, strings.Join(made.Files, "\n")) })
}

// inspect reads the notebook, says what a reader of its page should know, and
// returns the kernel to run it with, or "" if it is not to be run.
func (c *reportCmd) inspect(notes io.Writer) (kernel string, err error) {
	f, err := kernels.OpenNotebook(c.Notebook)
	if err != nil {
		return "", err
	}
	if note := f.Note(); note != "" {
		fmt.Fprintf(notes, "%s: %s\n", c.Notebook, note)
	}
	if c.Execute {
		return f.Kernel()
	}
	if code, ran := f.CellsRun(); ran < code {
		fmt.Fprintf(notes, "%s: %d of %d code cells have not been run; --run runs them first\n", c.Notebook, code-ran, code)
	}
	return "", nil
}

// outputs lists the files to write: the page, then the slides.
func (c *reportCmd) outputs() ([]string, error) {
	out := cmp.Or(c.Out, strings.TrimSuffix(c.Notebook, ".ipynb")+".html")
	base, ok := strings.CutSuffix(out, ".html")
	if !ok {
		return nil, misused("--out is %s: want a name that ends with .html", message.ShortPath(out))
	}
	pages := []string{out}
	if c.Slides { // --out may name the page or the slides
		base = strings.TrimSuffix(base, ".slides")
		pages = []string{base + ".html", base + ".slides.html"}
	}
	for _, path := range pages {
		folder := filepath.Dir(path)
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("--out: %s is no folder", message.ShortPath(folder))
		}
		if err := atomicfile.Replaceable(path); err != nil {
			return nil, err
		}
	}
	return pages, nil
}
