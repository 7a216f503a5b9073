package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/system"
)

// fitCmd is `agekit fit`. Omitted flags take the paper's settings for its data sets. For
// any other graph, the view and its settings follow from the graph, without labels; if the
// flags set one of AGE's, the others are Cora's.
type fitCmd struct {
	Config settingsFile `group:"data" key:"-" more:"" placeholder:"FILE" help:"Take the flags that are not given from a file: run.json of another run, or a JSON file with the field settings alone, such as {\"settings\": {\"clusters\": 3}}."`
	graphFlags
	From string `group:"data" more:"" placeholder:"RUN" help:"Start from a folder of agekit fit --out, with data that has changed: features are made as they were, with the same settings; the training goes on from its weights, in a quarter of the epochs, and clusters keep their numbers."`
	settings.Settings
	trainingFlags
	engineFlags `group:"engine"`
	outputFlags
	DryRun   bool    `group:"output" key:"-" help:"Print in one screen how the files are read (columns, first nodes and edges, what is left out) and what the run would do, and stop. With --engine, also what each stage takes."`
	Memory   inBytes `group:"engine" more:"" placeholder:"8GB" help:"Memory to stay within, as far as possible: the collector, the width of tiles and scratch files follow it, and what cannot fit is an error (default: what the machine, the job or the container has; AGEKIT_MEMORY sets it for all commands)."`
	Verbose  bool    `group:"output" key:"-" help:"Print all that log.txt has: every epoch that was saved, and what sets each cluster apart."`
	jsonFlag `group:"output"`
}

// trainingFlags say how AGE runs.
type trainingFlags struct {
	Backend      string        `group:"training" more:"" default:"auto" help:"${backends}."`
	Checkpoint   time.Duration `group:"training" more:"" name:"checkpoint-every" default:"5s" help:"Minimum time between two checkpoints."`
	ScratchAbove int64         `group:"engine" more:"" placeholder:"MB" help:"Smoothed features larger than this go to a memory-mapped file (default: a quarter of --memory)."`
}

// outputFlags say what is written and shown beside the result.
type outputFlags struct {
	Out    string   `group:"output" key:"-" placeholder:"DIR" help:"Folder for nodes.csv (your columns with the results), run.json, embeddings.npy, labels.txt, model.npz, log.txt and run.manifest.json (where they come from, for agekit verify); agekit report DIR makes a page of it."`
	Views  bool     `group:"output" more:"" default:"true" negatable:"" help:"Compute the other views beside the result, and their columns in nodes.csv."`
	Map    bool     `group:"output" more:"" default:"true" negatable:"" help:"Place the nodes on a map (t-SNE), for the report and the columns x and y of --out."`
	Export []string `group:"output" key:"-" more:"" placeholder:"FORMAT" help:"Further files for --out: parquet, graphml, gexf."`
}

// Run fits the graph that the flags name, by AGE or another method, prints what was found, and writes it to
// --out. All that can be checked is checked before the fit.
func (c *fitCmd) Run(rt *Runtime) error {
	start := time.Now()
	unlimit, err := c.limitMemory()
	if err != nil {
		return err
	}
	defer unlimit()
	choice, err := resolveBackend(c.Backend)
	if err != nil {
		return err
	}
	if err := c.check(rt); err != nil {
		return err
	}
	if err := c.checkEngine(rt); err != nil {
		return err
	}
	o := c.options()
	checked, err := o.Check()
	if err != nil {
		return usageError{err}
	}
	var earlierFiles []checksum.File
	if c.From != "" {
		earlierFiles = checksum.Before(run.Files(c.From)...)
	}
	from, recipe, err := c.earlier(rt) // of --from
	if err != nil {
		return err
	}
	o.From = from
	data, err := c.load(rt, recipe)
	if rt.Context.Err() != nil {
		return fmt.Errorf("stopped before the first checkpoint: %w", rt.Context.Err())
	}
	if err != nil {
		return err
	}
	log := newConsole(rt.Stderr)
	if !c.Verbose {
		log.quieten()
	}
	defer log.close()
	o.Backend = choice
	o.Training.InBlocks = true
	o.Training.Checkpoints = log.checkpoints()
	o.Training.Progress = log.training
	readSeconds := time.Since(start).Seconds()
	planned, err := checked.Plan(rt.Context, data)
	if c.DryRun {
		if printed := c.emitLook(rt, data, planned, o, readSeconds); printed != nil {
			return printed
		}
	}
	if err != nil {
		if data.Graph.N() <= 2 { // most likely a mistake in the file, which the error then names
			err = fmt.Errorf("%s: %w", cmp.Or(c.Dataset, c.Edges, c.Nodes, c.Features), err)
		}
		return usageError{err}
	}
	enginePlan, err := c.planEngine(data.Graph, o)
	if err != nil {
		return err
	}
	if c.DryRun {
		return c.checkOutput(rt)
	}
	folder, inputs, err := c.openOutput(rt, data, earlierFiles)
	if err != nil {
		return err
	}
	if folder != nil {
		defer folder.Close()
	}
	workers, endWorkers, err := c.prepareEngine(rt.Context, enginePlan, data.Graph, o, log)
	if err != nil {
		return err
	}
	defer endWorkers()
	if workers != nil {
		o.Training.Engine = workers
	}
	loadSeconds := time.Since(start).Seconds()
	log.data(data.Notes, data.Warnings)
	if !c.Others() {
		log.line("backend %s: %s", choice.Name, choice.Reason)
	}
	r, err := planned.Fit(rt.Context)
	if err != nil {
		return err
	}
	r.Settings = rt.settings()
	r.Warnings = inFlags(data.Warnings)
	r.Seconds.Load = loadSeconds
	r.Seconds.Total = time.Since(start).Seconds()
	log.close()
	if folder != nil {
		r.Command, r.Inputs = "fit", inputs
		r.Log = append(log.lines, reportLines(r)...)
		if err := c.save(rt.Context, r, folder); err != nil {
			return err
		}
	}
	print := c.printSummary
	if c.Verbose {
		print = printRun
	}
	if err := c.emit(rt, &r.Record, func(w io.Writer) { print(w, r) }); err != nil {
		return err
	}
	// The result is safe only now.
	if err := r.Discard(); err != nil {
		log.notable("the checkpoint remains: %v", err)
	}
	if workers != nil {
		// Both are done, whatever the first returns.
		if err := cmp.Or(workers.Close(), atomicfile.RemoveWorkspace(filepath.Dir(workers.Dir))); err != nil {
			log.notable("files of the stages remain: %v", err)
		}
	}
	return nil
}

// emitLook prints how data was read, and what a run with the options o would do by its plan, which is nil if it
// cannot be planned.
func (c *fitCmd) emitLook(rt *Runtime, data *input.Data, planned *run.Planned, o *run.Options, readSeconds float64) error {
	l := newLook(data, planned, o.Backend.Name, readSeconds)
	if planned != nil {
		l.Method = cmp.Or(c.Method, method.AGE)
		l.Engine = c.engineEstimate(data.Graph, o)
	}
	return c.emit(rt, l, func(w io.Writer) {
		l.print(w)
		if l.Engine != nil {
			fmt.Fprintln(w)
			l.Engine.print(w)
		}
	})
}

// limitMemory makes this process stay within --memory, and returns a function that ends the limit. Without
// --memory, neither does anything.
func (c *fitCmd) limitMemory() (unlimit func(), err error) {
	if err := c.Memory.check(); err != nil || c.Memory == 0 {
		return func() {}, err
	}
	restoreBudget := system.SetMemory(int64(c.Memory))
	restoreCollector := keepWithin(int64(c.Memory))
	return func() { restoreCollector(); restoreBudget() }, nil
}

// openOutput opens the folder that --out names, which the caller closes. It also returns the files that
// the run reads, those of data and of an earlier run, with their checksums, for the manifest. It returns an
// error if one of these files would be replaced. Without --out, the folder and the files are nil.
func (c *fitCmd) openOutput(rt *Runtime, data *input.Data, earlierFiles []checksum.File) (*atomicfile.Folder, []checksum.File, error) {
	if c.Out == "" {
		return nil, nil, nil
	}
	folder, err := c.openFolder(rt)
	if err != nil {
		return nil, nil, err
	}
	inputs, err := c.inputs(rt, data, earlierFiles)
	if err != nil {
		folder.Close()
		return nil, nil, fmt.Errorf("--out: inputs for the manifest: %w", err)
	}
	return folder, inputs, nil
}

// openFolder opens the folder that --out names, which the caller closes. It returns an error if a file that the
// run reads, or one that no run wrote, would be replaced.
func (c *fitCmd) openFolder(rt *Runtime) (*atomicfile.Folder, error) {
	paths, err := dataset.Files(rt.Context, c.source(), dataset.Options{Dir: c.Data})
	if err != nil {
		return nil, err
	}
	if c.From != "" {
		paths = append(paths, run.Files(c.From)...)
	}
	if err := atomicfile.CheckNewFolder(c.Out); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	folder, outputs, err := run.Open(rt.Context, c.Out, c.Export...)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	if err := atomicfile.CheckDistinct(outputs, append(paths, string(c.Config))); err != nil {
		folder.Close()
		return nil, fmt.Errorf("--out: %w", err)
	}
	return folder, nil
}

// checkOutput returns the error that openOutput would return, but makes no folder.
func (c *fitCmd) checkOutput(rt *Runtime) error {
	if c.Out == "" {
		return nil
	}
	if _, err := os.Stat(c.Out); errors.Is(err, fs.ErrNotExist) && atomicfile.CheckNewFolder(c.Out) == nil {
		return nil // it will be made
	}
	folder, err := c.openFolder(rt)
	if err == nil {
		folder.Close()
	}
	return err
}

// save writes the files of a run to a folder. Its errors say how to get the files without another
// training: the checkpoint is still there.
func (c *fitCmd) save(ctx context.Context, r *run.Run, folder *atomicfile.Folder) error {
	err := r.SaveTo(ctx, folder, c.Export...)
	if ctx.Err() != nil {
		return fmt.Errorf("stopped while writing the files; run the same command again to write them: %w", ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("--out: %w; run the same command again to write the files", err)
	}
	return nil
}
