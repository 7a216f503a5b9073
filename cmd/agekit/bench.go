package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/agekit/age/internal/bench"
	"github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/simd"
)

type benchCmd struct {
	Jobs    benchRunCmd     `cmd:"" name:"run" default:"withargs" help:"Time whole jobs (the default command)."`
	Report  benchReportCmd  `cmd:"" help:"Write the tables and the figure from a file of measurements."`
	Stages  benchStagesCmd  `cmd:"" help:"Time each stage alone and compare it with its theoretical minimum."`
	Product benchProductCmd `cmd:"" help:"Time the dense product that serves as the unit for jobs."`
}

type benchRunCmd struct {
	Jobs    []string `default:"cora,citeseer,wiki,pubmed-standin-onestep,pubmed-standin,planted-10000,planted-100000,planted-1000000,eigenvalues-cora,density-1000000" help:"Jobs, in the order to run them; agekit bench --help lists the possible names."`
	Epochs  int      `default:"400" help:"Epochs of jobs without @EPOCHS."`
	Data    string   `placeholder:"DIR" help:"Folder with data sets, searched first."`
	Backend string   `default:"auto" help:"Backend of the jobs, as in agekit fit."`
	Ranking string   `enum:"auto,exact,sampled" default:"auto" help:"As in agekit fit."`
	Out     string   `placeholder:"FILE" help:"JSON file to which each job's measurement is written as soon as it is finished; measurements of other jobs in it are kept."`
	jsonFlag
}

// Run runs the jobs one after another. A failed job does not stop the others, and an
// interrupt keeps the measurements made so far.
func (c *benchRunCmd) Run(rt *Runtime) error {
	if c.Epochs < 1 {
		return misused("--epochs is %d: want 1 or more", c.Epochs)
	}
	settings := bench.Settings{Epochs: c.Epochs, Data: c.Data, Backend: c.Backend, Ranking: c.Ranking}
	var jobs []bench.Job
	for _, name := range c.Jobs {
		job, err := settings.Job(name)
		if err != nil {
			return misused("--jobs: %w", err)
		}
		jobs = append(jobs, job)
	}
	if c.Out != "" {
		if err := bench.Add(rt.Context, c.Out); err != nil { // before hours of work
			return fmt.Errorf("--out: %w", err)
		}
	}
	var done bench.File
	var failures []error
	for _, job := range jobs {
		fmt.Fprintf(rt.Stderr, "%s\n", job.Name)
		row, err := job.Measure(rt.Context, rt.Stderr)
		if err := cmp.Or(rt.Context.Err(), err); err != nil {
			failures = append(failures, fmt.Errorf("job %s: %w", job.Name, err))
			if rt.Context.Err() != nil {
				break
			}
			continue
		}
		done.Merge(row)
		if c.Out != "" {
			if err := bench.Add(rt.Context, c.Out, row); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
		}
	}
	if len(done.Jobs) > 0 {
		if err := c.emit(rt, done, done.Print); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

type benchProductCmd struct {
	Backend string `placeholder:"NAME" help:"go, xla:cpu, xla:cuda or xla:PATH; default: xla:cpu if its plugin is installed, else go."`
	jsonFlag
}

func (c *benchProductCmd) Run(rt *Runtime) error {
	choice, err := bench.ProductBackend(c.Backend)
	if err != nil {
		return misused("--backend: %w", err)
	}
	setEnvironment(choice)
	took, err := device.ProductTime(choice)
	if err != nil {
		return err
	}
	p := bench.Product{Backend: choice.Name, Seconds: took.Seconds()}
	return c.emit(rt, p, func(w io.Writer) {
		fmt.Fprintf(w, "2708×1433×500 on %s: %.1f ms\n", p.Backend, 1000*p.Seconds)
	})
}

type benchReportCmd struct {
	File string `arg:"" help:"JSON file of agekit bench --out."`
	Dir  string `default:"docs/bench" help:"Folder for jobs.md, scaling.svg and scaling.png."`
}

func (c *benchReportCmd) Run(rt *Runtime) error {
	if _, err := os.Stat(c.File); err != nil {
		return err
	}
	f, err := bench.Read(c.File)
	if err != nil {
		return err
	}
	if len(f.Jobs) == 0 {
		return fmt.Errorf("%s holds no jobs", c.File)
	}
	paths, err := f.WriteReport(rt.Context, c.Dir)
	if err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	fmt.Fprintln(rt.Stdout, strings.Join(paths, "\n"))
	return nil
}

type benchStagesCmd struct {
	Datasets []string `default:"cora,citeseer,wiki,pubmed-standin" help:"Data sets, or planted-N."`
	Data     string   `placeholder:"DIR" help:"Folder with data sets, searched first."`
	Levels   []string `placeholder:"LEVEL" help:"SIMD levels to compare (default: the one in use). The first is compared with the floor."`
	Seconds  float64  `default:"1" help:"Each stage runs repeatedly for this long, at least three times; the shortest time counts."`
}

func (c *benchStagesCmd) Run(rt *Runtime) error {
	if most := time.Hour.Seconds(); !(c.Seconds >= 0 && c.Seconds <= most) {
		return misused("--seconds is %v: want 0 to %v", c.Seconds, most)
	}
	inUse := simd.Level()
	defer func() { _ = simd.SetLevel(inUse) }()
	levels := c.Levels
	if len(levels) == 0 {
		levels = []string{inUse}
	}
	for _, level := range levels { // before anything is measured
		if err := simd.SetLevel(level); err != nil {
			return misused("--levels: %w", err)
		}
	}
	return bench.Stages{Graphs: c.Datasets, Data: c.Data, Levels: levels, Seconds: c.Seconds}.Run(rt.Context, rt.Stdout, rt.Stderr)
}
