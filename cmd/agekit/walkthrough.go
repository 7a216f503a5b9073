package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/system"
	"github.com/agekit/age/kernels"
	"golang.org/x/sync/errgroup"
)

type walkthroughCmd struct {
	Notebooks []string      `help:"Notebooks to run, by the beginning of their names, such as 03 (default: all)." placeholder:"NN"`
	Kernel    string        `help:"The kernel to run them with: ${enum}." enum:"agekit,agekit-xla" default:"agekit"`
	Backend   string        `help:"Backend to train on, as listed by agekit backend list (default: the notebooks' choice)." placeholder:"NAME"`
	Dir       string        `help:"The folder of the notebooks." default:"notebooks" type:"path"`
	Out       string        `help:"The folder for reports." default:"reports" type:"path"`
	Timeout   time.Duration `help:"Time limit for a single cell." default:"30m"`
	Slides    bool          `help:"Run nothing: write the slides OUT/NAME.slides.html and the deck OUT/lecture-PLAN.slides.html from the last outputs, those in OUT or else in the notebooks."`
	Plan      string        `help:"Minutes of the lecture whose deck --slides writes, by docs/lecture.md: ${enum}." enum:"90,180" default:"90"`
	Answers   string        `help:"A folder of answers that the site's page Predict saved: the deck opens with their histogram." placeholder:"DIR" type:"existingdir"`
	Update    bool          `help:"Write the outputs into the notebooks themselves."`
	jsonFlag
}

func (c *walkthroughCmd) Run(rt *Runtime) error {
	if c.Timeout < time.Second {
		return misused("--timeout is %v: want a second or more", c.Timeout)
	}
	root, err := kernels.ProjectRoot(".")
	if err != nil {
		return usageError{err}
	}
	paths, err := c.selectNotebooks()
	if err != nil {
		return usageError{err}
	}
	if c.Slides {
		return c.writeSlides(rt, root, paths)
	}
	for _, path := range paths {
		if err := atomicfile.CheckDistinct([]string{c.job(root, path).Notebook}, paths); err != nil && !c.Update {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if err := kernels.CheckSetup(root, c.Kernel); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	for _, path := range paths {
		job := c.job(root, path)
		for _, output := range []string{job.Notebook, job.HTML} {
			if err := atomicfile.Replaceable(output); output != "" && err != nil {
				return fmt.Errorf("--out: %w", err)
			}
		}
	}
	runs, err := c.runAll(rt, root, paths)
	if err != nil {
		return err
	}
	if err := c.emit(rt, runs, func(w io.Writer) {
		for _, r := range runs {
			state := "done"
			if r.Failed != nil {
				state = fmt.Sprintf("FAILED at cell %d", r.Failed.Cell)
			}
			fmt.Fprintf(w, "%-28s %s, %d code cells, %.1f s, report %s\n", r.Notebook, state, r.Cells, r.Seconds, r.HTML)
		}
		fmt.Fprintf(w, "all reports: %s\n", filepath.Join(c.Out, "index.html"))
	}); err != nil {
		return err
	}
	var failures []error
	for _, r := range runs {
		if r.Failed != nil {
			failures = append(failures, fmt.Errorf("%s: %w", r.Notebook, r.Failed))
		}
	}
	return errors.Join(failures...)
}

// longestFirst returns the indices of notebooks, given by their paths, in the order in which to run them:
// first those that train, since others use what they store; among them, and among the others, first those
// with the most cells.
func longestFirst(paths []string) ([]int, error) {
	const trains = 1000 // more than the cells of a notebook
	order := make([]int, len(paths))
	work := make([]int, len(paths)) // number of cells of code, and trains
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		order[i] = i
		work[i] = bytes.Count(text, []byte(`"cell_type": "code"`))
		if bytes.Contains(text, []byte("agekit.Train(")) {
			work[i] += trains
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return work[j] - work[i] })
	return order, nil
}

// runAll runs the notebooks at the paths, and returns how each ran, in the order of the paths. root is the
// project's folder. With two cores and enough memory, two run at a time: a cell spends much time in the
// linker, which uses one core.
func (c *walkthroughCmd) runAll(rt *Runtime, root string, paths []string) ([]*kernels.JobResult, error) {
	order, err := longestFirst(paths)
	if err != nil {
		return nil, err
	}
	const memoryOfTwo = 6 << 30 // bytes
	atOnce := 1
	if free, err := system.FreeMemory(); err == nil && free >= memoryOfTwo && runtime.GOMAXPROCS(0) > 1 {
		atOnce = 2
	}
	runs := make([]*kernels.JobResult, len(paths))
	progress := log.New(rt.Stderr, "", 0)
	group, ctx := errgroup.WithContext(rt.Context)
	group.SetLimit(atOnce)
	for _, i := range order {
		group.Go(func() (err error) {
			job := c.job(root, paths[i])
			runs[i], err = job.Run(ctx, progress)
			if err == nil && !runs[i].Started() { // once more: another kernel may have taken its ports
				runs[i], err = job.Run(ctx, progress)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(paths[i]), err)
			}
			return nil
		})
	}
	return runs, group.Wait()
}

// selectNotebooks returns the paths of the notebooks to run: those that --notebooks names, in its order, or
// all in the folder, sorted by name.
func (c *walkthroughCmd) selectNotebooks() ([]string, error) {
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

// job returns how to run the notebook at a path, and where to write its report: to --out, under the name of
// the notebook, with that of the kernel if it is not the first one. root is the project's folder.
func (c *walkthroughCmd) job(root, path string) kernels.Job {
	report := filepath.Join(c.Out, strings.TrimSuffix(filepath.Base(path), ".ipynb"))
	if c.Kernel != kernels.Names[0] {
		report += "." + c.Kernel
	}
	return kernels.Job{
		Root: root, Source: path, Kernel: c.Kernel, Backend: c.Backend, Timeout: c.Timeout,
		Notebook: report + ".ipynb", HTML: report + ".html", Update: c.Update,
	}
}

// writeSlides writes the slides of the notebooks at the paths, and the deck if these are the project's.
func (c *walkthroughCmd) writeSlides(rt *Runtime, root string, paths []string) error {
	if err := kernels.CheckSetup(root, ""); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	deck := kernels.Deck{Root: root, Notebooks: paths, Reports: c.Out, Answers: c.Answers}
	var outputs []string
	for _, path := range paths {
		outputs = append(outputs, strings.TrimSuffix(filepath.Base(path), ".ipynb")+".slides.html")
	}
	if dir, err := filepath.Abs(c.Dir); err == nil && dir == filepath.Join(root, "notebooks") {
		deck.Plan = c.Plan
		outputs = append(outputs, "lecture-"+c.Plan+".slides.html")
	}
	for _, name := range outputs {
		if err := atomicfile.Replaceable(filepath.Join(c.Out, name)); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	written, err := deck.Write(rt.Context)
	if err != nil {
		return err
	}
	return c.emit(rt, written, func(w io.Writer) {
		for _, s := range written {
			fmt.Fprintln(w, s.Slides)
			if s.Stale != "" {
				fmt.Fprintf(w, "  its outputs are stale (%s): run agekit walkthrough, then this again\n", s.Stale)
			}
		}
	})
}
