package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agekit/age/agekit/report"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/output"
)

// ReportCmd is `agekit report`.
type ReportCmd struct {
	Notebook string        `arg:"" help:"The folder of agekit fit --out, or a notebook of any kernel." type:"path" placeholder:"DIR|NOTEBOOK.ipynb"`
	Out      string        `help:"The page to write (default: report.html in the folder, or beside the notebook)." type:"path" placeholder:"FILE.html"`
	Slides   bool          `help:"Also write FILE.slides.html, the notebook as slides."`
	PDF      bool          `name:"pdf" help:"Also print what is written to PDF, with a browser."`
	Execute  bool          `name:"run" help:"Run the notebook first, in its own kernel; its file stays unchanged."`
	Timeout  time.Duration `help:"Time limit for a single cell." default:"30m"`
	JSON     bool          `name:"json" help:"Print JSON."`
}

// Help is the second part of `agekit report --help`.
func (ReportCmd) Help() string {
	return `Of a folder of agekit fit --out, writes a page with a map of the nodes, the clusters and
what sets them apart, how the settings were chosen, the training and the settings. It is
one HTML file that needs no network.

Of a notebook, writes its outputs as such a page. What it shows is as in the reports of
agekit walkthrough, whose --help says where slides begin. Run this in the project's folder,
after make jupyter.

--pdf needs Chromium, Chrome or Edge; AGEKIT_CHROMIUM names one that is not found.

Examples:
  agekit report run1
  agekit report my.ipynb
  agekit report my.ipynb --run --pdf
  agekit report notebooks/02_eigenvalues.ipynb --slides --out /tmp/02.html`
}

// reportFiles is what `agekit report --json` prints.
type reportFiles struct {
	Notebook string   `json:"notebook,omitempty"`
	Folder   string   `json:"folder,omitempty"`
	Files    []string `json:"files"`
}

// Run writes the page.
func (c *ReportCmd) Run(rt *Runtime) error {
	if c.Timeout < time.Second {
		return misused("--timeout is %v: want a second or more", c.Timeout)
	}
	info, err := os.Stat(c.Notebook)
	switch {
	case err == nil && info.IsDir():
		return c.ofRun(rt)
	case errors.Is(err, fs.ErrNotExist) && filepath.Ext(c.Notebook) != ".ipynb":
		return fmt.Errorf("%s does not exist: want a folder of agekit fit --out, or a notebook, NAME.ipynb", limit.Path(c.Notebook))
	}
	root, err := projectRoot(".")
	if err != nil {
		return usageError{err}
	}
	files, err := c.outputs()
	if err != nil {
		return err
	}
	kernel, err := c.inspect(rt.Stderr)
	if err != nil {
		return err
	}
	var browser string
	if c.PDF {
		if browser, err = findBrowser(); err != nil {
			return err
		}
	}
	if err := checkSetup(root, kernel); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "agekit-report-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	j := notebookJob{root: root, source: c.Notebook, kernel: kernel, timeout: c.Timeout, html: filepath.Join(scratch, "page.html")}
	made := []string{j.html}
	if c.Slides {
		j.slides = filepath.Join(scratch, "page.slides.html")
		made = append(made, j.slides)
	}
	if kernel != "" {
		j.notebook = filepath.Join(scratch, "page.ipynb")
	}
	r, err := j.run(rt)
	if err == nil && r.Failed != nil && r.Failed.Cell == 0 {
		err = r.Failed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Notebook, err)
	}
	for i, path := range made {
		if err := replaceWith(files[i], path); err != nil {
			return err
		}
	}
	for i := range made[:len(files)-len(made)] { // those that are printed
		pdf := filepath.Join(scratch, "page.pdf")
		if err := printPDF(rt.Context, browser, files[i], pdf, scratch); err != nil {
			return fmt.Errorf("%s: %w", files[len(made)+i], err)
		}
		if err := replaceWith(files[len(made)+i], pdf); err != nil {
			return err
		}
	}
	err = emit(rt, c.JSON, reportFiles{Notebook: c.Notebook, Files: files}, func(w io.Writer) { fmt.Fprintln(w, strings.Join(files, "\n")) })
	if err == nil && r.Failed != nil {
		err = fmt.Errorf("%s: %w", c.Notebook, r.Failed)
	}
	return err
}

// ofRun writes the page of a folder of agekit fit --out.
func (c *ReportCmd) ofRun(rt *Runtime) error {
	if c.Slides || c.Execute {
		return misused("--slides and --run are for notebooks: %s is a folder", limit.Path(c.Notebook))
	}
	if c.Out == "" {
		c.Out = filepath.Join(c.Notebook, "report.html")
	}
	files, err := c.outputs()
	if err != nil {
		return err
	}
	var browser string
	if c.PDF {
		if browser, err = findBrowser(); err != nil {
			return err
		}
	}
	r, err := run.Load(rt.Context, c.Notebook)
	if err != nil {
		return err
	}
	page, err := report.New(rt.Context, r)
	if err != nil {
		return err
	}
	if err := output.File(files[0], page.Write); err != nil {
		return err
	}
	if c.PDF {
		scratch, err := os.MkdirTemp("", "agekit-report-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(scratch)
		pdf := filepath.Join(scratch, "page.pdf")
		if err := printPDF(rt.Context, browser, files[0], pdf, scratch); err != nil {
			return fmt.Errorf("%s: %w", files[1], err)
		}
		if err := replaceWith(files[1], pdf); err != nil {
			return err
		}
	}
	return emit(rt, c.JSON, reportFiles{Folder: c.Notebook, Files: files}, func(w io.Writer) { fmt.Fprintln(w, strings.Join(files, "\n")) })
}

// outputs lists the files to write: the page, the slides, then the PDF of each.
func (c *ReportCmd) outputs() ([]string, error) {
	out := c.Out
	if out == "" {
		out = strings.TrimSuffix(c.Notebook, ".ipynb") + ".html"
	}
	base, ok := strings.CutSuffix(out, ".html")
	if !ok {
		return nil, misused("--out is %s: want a name that ends with .html", limit.Path(out))
	}
	if c.Slides { // --out may name either of the two files
		base = strings.TrimSuffix(base, ".slides")
		out = base + ".html"
	}
	files := []string{out}
	if c.Slides {
		files = append(files, base+".slides.html")
	}
	if c.PDF {
		for _, f := range files {
			files = append(files, strings.TrimSuffix(f, ".html")+".pdf")
		}
	}
	for _, f := range files {
		if info, err := os.Stat(filepath.Dir(f)); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("--out: %s is no folder", limit.Path(filepath.Dir(f)))
		}
		if err := output.Replaceable(f); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// replaceWith copies a file of the scratch folder to its place.
func replaceWith(path, from string) error {
	return output.File(path, func(w io.Writer) error {
		f, err := os.Open(from)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
}

// maxNotebook is the size of the largest notebook that is read, in bytes.
const maxNotebook = 100 << 20

// notebookFile is what must be known of a notebook before it is converted.
type notebookFile struct {
	NBFormat int `json:"nbformat"`
	Metadata struct {
		Kernelspec struct {
			Name string `json:"name"`
		} `json:"kernelspec"`
	} `json:"metadata"`
	Cells      []notebookCell `json:"cells"`
	Worksheets []struct {     // up to nbformat 3
		Cells []notebookCell `json:"cells"`
	} `json:"worksheets"`
}

type notebookCell struct {
	CellType       string            `json:"cell_type"`
	ExecutionCount *int              `json:"execution_count"`
	PromptNumber   *int              `json:"prompt_number"` // up to nbformat 3
	Outputs        []json.RawMessage `json:"outputs"`
}

// inspect reads the notebook, says what a reader of its page should know, and
// returns the kernel to run it with, or "" if it is not to be run.
func (c *ReportCmd) inspect(notes io.Writer) (kernel string, err error) {
	data, err := limit.ReadFile(c.Notebook, maxNotebook)
	if err != nil {
		return "", err
	}
	var n notebookFile
	if json.Unmarshal(data, &n) != nil || n.NBFormat < 1 {
		return "", fmt.Errorf("%s is not a notebook: want JSON with nbformat and cells", limit.Path(c.Notebook))
	}
	if n.NBFormat > 4 {
		return "", fmt.Errorf("%s: nbformat %d, want 4 or older", limit.Path(c.Notebook), n.NBFormat)
	}
	if n.NBFormat < 4 {
		fmt.Fprintf(notes, "%s: nbformat %d, read as nbformat 4; jupyter nbconvert --to notebook --inplace upgrades the file\n", c.Notebook, n.NBFormat)
	}
	if c.Execute {
		if n.Metadata.Kernelspec.Name == "" {
			return "", errors.New(limit.Path(c.Notebook) + " names no kernel to run it with: choose one in Jupyter and save it")
		}
		return n.Metadata.Kernelspec.Name, nil
	}
	if code, ran := n.cellsRun(); ran < code {
		fmt.Fprintf(notes, "%s: %d of %d code cells have not been run; --run runs them first\n", c.Notebook, code-ran, code)
	}
	return "", nil
}

// cellsRun returns the number of code cells, and of those that have been run.
func (n notebookFile) cellsRun() (code, ran int) {
	cells := n.Cells
	for _, sheet := range n.Worksheets {
		cells = append(cells, sheet.Cells...)
	}
	for _, cell := range cells {
		if cell.CellType != "code" {
			continue
		}
		code++
		if cell.ExecutionCount != nil || cell.PromptNumber != nil || len(cell.Outputs) > 0 {
			ran++
		}
	}
	return code, ran
}
