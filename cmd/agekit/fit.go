package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/engine"
	"github.com/agekit/age/internal/system"
	"github.com/dustin/go-humanize"
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
	Memory   inBytes `group:"engine" more:"" placeholder:"8GB" help:"Memory to stay within, as far as possible: the collector, the width of tiles and scratch files follow it, and what cannot fit is an error (default: what the machine, the job or the container has; AGEKIT_MEMORY sets it for all commands)."`
	Verbose  bool    `group:"output" key:"-" help:"Print all that log.txt has: every epoch that was saved, and what sets each cluster apart."`
	jsonFlag `group:"output"`
}

// trainingFlags say how AGE runs.
type trainingFlags struct {
	Backend      string        `group:"training" more:"" default:"auto" help:"auto, native, go, xla:cpu, xla:cuda or xla:PATH."`
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

// Run trains, or runs another method.
func (c *fitCmd) Run(rt *Runtime) error {
	start := time.Now()
	if c.Memory > 0 {
		if c.Memory < leastMemory {
			return misused("--memory is %s: want 16MB or more, such as 8GB", humanize.Bytes(uint64(c.Memory)))
		}
		defer system.SetMemory(int64(c.Memory))()
		defer keepWithin(int64(c.Memory))()
	}
	choice, err := resolveBackend(c.Backend)
	if err != nil {
		return err
	}
	if err := c.check(rt); err != nil {
		return err
	}
	o := c.options()
	checked, err := o.Check()
	if err != nil {
		return usageError{err}
	}
	if err := c.checkEngine(rt); err != nil {
		return err
	}
	from, recipe, err := c.earlier(rt)
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
		log.hush()
	}
	defer log.close()
	o.Training.InBlocks = true
	o.Backend, o.Training.Checkpoints, o.Training.Progress = choice, log.checkpoints(), log.training
	planned, err := checked.Plan(rt.Context, data)
	if err != nil {
		if data.Graph.N() <= 2 {
			err = fmt.Errorf("%s: %w", cmp.Or(c.Dataset, c.Edges, c.Nodes, c.Features), err)
		}
		return usageError{err}
	}
	if c.DryRun {
		return c.plan(rt, data.Graph, o)
	}
	var folder *atomicfile.Folder
	var inputs []checksum.File
	if c.Out != "" {
		if inputs, err = c.inputs(rt, data, c.From); err != nil {
			return fmt.Errorf("--out: inputs for the manifest: %w", err)
		}
		var paths []string
		if folder, paths, err = run.Open(rt.Context, c.Out, c.Export...); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		defer folder.Close()
		if err := atomicfile.CheckDistinct(paths, append(checksum.Paths(inputs), string(c.Config))); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	var far *engine.Engine
	if c.Engine != "none" {
		var end func()
		if far, end, err = c.engine(rt.Context, data.Graph, o, log); err != nil {
			return err
		}
		defer end()
		if far != nil {
			o.Training.Engine = far
		}
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
	r.Settings, r.Warnings = rt.settings(), inFlags(data.Warnings)
	r.Seconds.Load, r.Seconds.Total = loadSeconds, time.Since(start).Seconds()
	log.close()
	if folder != nil {
		r.Log, r.Command, r.Inputs = append(log.lines, reportLines(&r.Record)...), "fit", inputs
		err := r.SaveTo(rt.Context, folder, c.Export...)
		if rt.Context.Err() != nil {
			return fmt.Errorf("stopped while writing the files; run the same command again to write them: %w", rt.Context.Err())
		}
		if err != nil {
			return fmt.Errorf("--out: %w; run the same command again to write the files", err)
		}
	}
	print := func(w io.Writer) { c.printSummary(w, &r.Record) }
	if c.Verbose {
		print = func(w io.Writer) { printRun(w, &r.Record) }
	}
	if err := c.emit(rt, &r.Record, print); err != nil {
		return err
	}
	// Only now is the result safe.
	if err := r.Discard(); err != nil {
		log.notable("the checkpoint remains: %v", err)
	}
	if far != nil {
		if err := cmp.Or(far.Close(), atomicfile.RemoveWorkspace(filepath.Dir(far.Dir))); err != nil {
			log.notable("files of the stages remain: %v", err)
		}
	}
	return nil
}
