package main

import (
	"cmp"
	"context"
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
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/kernels"
)

type reportCmd struct {
	Source      string        `arg:"" name:"notebook" help:"The folder of agekit fit --out, or a notebook of any kernel." type:"path" placeholder:"DIR|NOTEBOOK.ipynb"`
	Out         string        `help:"The page to write (default: report.html in the folder, or beside the notebook)." type:"path" placeholder:"FILE.html"`
	TitleColumn string        `name:"title" help:"The column of nodes.csv that says what each node is about (default: one that looks like it)." placeholder:"COLUMN"`
	Slides      bool          `help:"Also write FILE.slides.html, the notebook as slides."`
	Execute     bool          `name:"run" help:"Run the notebook first, in its own kernel; its file stays unchanged."`
	Project     string        `help:"The checkout of agekit whose Jupyter makes the page of a notebook (default: the one that this program was built in)." type:"path" placeholder:"DIR"`
	Timeout     time.Duration `help:"Time limit for a single cell." default:"30m"`
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
	info, err := os.Stat(c.Source)
	switch {
	case err == nil && info.IsDir():
		return c.reportFolder(rt)
	case c.TitleColumn != "":
		return misused("--title is for the folder of a run: %s is none", message.ShortPath(c.Source))
	case errors.Is(err, fs.ErrNotExist) && filepath.Ext(c.Source) != ".ipynb":
		return fmt.Errorf("%s does not exist: want a folder of agekit fit --out, or a notebook, NAME.ipynb", message.ShortPath(c.Source))
	}
	return c.reportNotebook(rt)
}

// reportNotebook writes the page of the notebook c.Source, and with --slides its slides: by default
// beside the notebook. With --run, the notebook is run first. If a cell fails, the page is written
// nevertheless, and the error says which cell.
func (c *reportCmd) reportNotebook(rt *Runtime) error {
	besideNotebook := strings.TrimSuffix(c.Source, ".ipynb") + ".html"
	files, err := c.outputs(rt.Context, besideNotebook)
	if err != nil {
		return err
	}
	job := kernels.Job{Source: c.Source, Timeout: c.Timeout, HTML: files[0]}
	if c.Slides {
		job.Slides = files[1]
	}
	if job.Kernel, err = c.inspect(rt.Stderr); err != nil {
		return err
	}
	if job.Root, err = c.project(); err != nil {
		return err
	}
	if err := kernels.CheckSetup(job.Root, job.Kernel); err != nil {
		return err
	}
	published, err := job.Publish(rt.Context, log.New(rt.Stderr, "", 0))
	if err != nil {
		return err
	}
	if err := c.print(rt, reportFiles{Notebook: c.Source, Files: files}); err != nil {
		return err
	}
	if published.Failed != nil { // the page is written nevertheless
		return fmt.Errorf("%s: %w", c.Source, published.Failed)
	}
	return nil
}

// project returns the folder of the project whose Jupyter makes the page: that of --project or, without it,
// the one that this program was built in. A folder is not taken because it is the current one or has the
// notebook: somebody else may have made it, and its programs would run.
func (c *reportCmd) project() (root string, err error) {
	if c.Project == "" {
		if root, err = kernels.OwnProject(); err != nil {
			err = misused("this program is in no checkout of agekit, whose Jupyter makes the page of a notebook: want its folder, --project DIR")
		}
		return root, err
	}
	if root, err = kernels.ProjectRoot(c.Project); err != nil || root != filepath.Clean(c.Project) {
		err = misused("--project is %s: want the folder where go.mod says github.com/agekit/age", message.ShortPath(c.Project))
	}
	return root, err
}

// reportFolder writes the page of the run in the folder c.Source, which agekit fit --out wrote: by
// default to report.html in this folder.
func (c *reportCmd) reportFolder(rt *Runtime) error {
	if c.Slides || c.Execute {
		return misused("--slides and --run are for notebooks: %s is a folder", message.ShortPath(c.Source))
	}
	pages, err := c.outputs(rt.Context, filepath.Join(c.Source, "report.html"))
	if err != nil {
		return err
	}
	loaded, err := run.Load(rt.Context, c.Source)
	if err != nil {
		return err
	}
	page, err := report.New(rt.Context, loaded)
	if err != nil {
		return err
	}
	page.Title = c.TitleColumn // the column whose texts the page calls the nodes by
	if err := provenance.WritePage(rt.Context, pages[0], page.Write); err != nil {
		return err
	}
	return c.print(rt, reportFiles{Folder: c.Source, Files: pages})
}

// print prints the paths of the files that were made, one a line, or with --json all of made.
func (c *reportCmd) print(rt *Runtime, made reportFiles) error {
	return c.emit(rt, made, func(w io.Writer) { fmt.Fprintln(w, strings.Join(made.Files, "\n")) })
}

// inspect reads the notebook and writes to notes, a line for each, what a reader of the page should
// know: that its format is old, or that cells have not been run. It returns the name of the kernel to
// run the notebook with, or "" without --run.
func (c *reportCmd) inspect(notes io.Writer) (kernel string, err error) {
	notebook, err := kernels.OpenNotebook(c.Source)
	if err != nil {
		return "", err
	}
	if note := notebook.Note(); note != "" {
		fmt.Fprintf(notes, "%s: %s\n", c.Source, note)
	}
	if c.Execute {
		return notebook.Kernel()
	}
	if code, ran := notebook.CellsRun(); ran < code {
		fmt.Fprintf(notes, "%s: %d of %d code cells have not been run; --run runs them first\n", c.Source, code-ran, code)
	}
	return "", nil
}

// outputs returns the paths of the files to write: the page, and with --slides the slides. The page is
// that of --out, or else defaultPage. It returns an error for a file that could not be written, or is
// not to be replaced.
func (c *reportCmd) outputs(ctx context.Context, defaultPage string) ([]string, error) {
	out := cmp.Or(c.Out, defaultPage)
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
		if err := provenance.CheckPage(ctx, path); err != nil {
			return nil, err
		}
	}
	return pages, nil
}
