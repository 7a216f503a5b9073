package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agekit/age/agekit/backend"
)

// BenchCmd is `agekit bench`.
type BenchCmd struct {
	Jobs    BenchRunCmd     `cmd:"" name:"run" default:"withargs" help:"Time whole jobs (the default command)."`
	Report  BenchReportCmd  `cmd:"" help:"Write the tables and the figure from a file of measurements."`
	Stages  BenchStagesCmd  `cmd:"" help:"Time each stage alone and compare it with its theoretical minimum."`
	Product BenchProductCmd `cmd:"" help:"Time the dense product that serves as the unit for jobs."`
}

// Help is the second part of `agekit bench --help`.
func (BenchCmd) Help() string {
	return `Measures each job from start to end in a separate process, and right after it one dense product of Cora's size (GoMLX, xla:cpu if its plugin is installed, else go), so that machines can be compared.

Jobs:
  cora, wiki, …              "agekit fit" on a data set
  planted-N                  "agekit fit" on a planted graph of N nodes, 7 edges per node, 128 features
  cora-onestep               the same with one step per epoch, on all pairs
  eigenvalues-cora           "agekit spectrum": all eigenvalues
  density-N, density-pubmed  "agekit spectrum": density of states, above 5,000 nodes
  cora@20                    20 epochs instead of --epochs

Examples:
  agekit bench --jobs cora,citeseer,wiki --data ~/graphs
  agekit bench --jobs planted-42500@20,planted-85000@20,planted-170000@20 --out jobs.json
  agekit bench report jobs.json --dir docs/bench
  agekit bench stages`
}

// BenchRunCmd is `agekit bench run`.
type BenchRunCmd struct {
	Jobs    []string `default:"cora,citeseer,wiki,pubmed-standin-onestep,pubmed-standin,planted-10000,planted-100000,planted-1000000,eigenvalues-cora,density-1000000" help:"Jobs, in the order to run them; agekit bench --help lists the possible names."`
	Epochs  int      `default:"400" help:"Epochs of jobs without @EPOCHS."`
	Data    string   `placeholder:"DIR" help:"Folder with data sets, searched first."`
	Backend string   `default:"auto" help:"Backend of the jobs, as in agekit fit."`
	Ranking string   `enum:"auto,exact,sampled" default:"auto" help:"As in agekit fit."`
	Out     string   `placeholder:"FILE" help:"JSON file to which each job's measurement is written as soon as it is finished; measurements of other jobs in it are kept."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// Run runs the jobs one after another. A failed job does not stop the others,
// and an interrupt keeps the measurements made so far.
func (c *BenchRunCmd) Run(rt *Runtime) error {
	if c.Epochs < 1 {
		return misused("--epochs is %d: want 1 or more", c.Epochs)
	}
	var jobs []benchJob
	for _, name := range c.Jobs {
		job, err := c.job(name)
		if err != nil {
			return usageError{err}
		}
		jobs = append(jobs, job)
	}
	if c.Out != "" {
		if err := addToBenchFile(rt.Context, c.Out); err != nil { // before hours of work
			return fmt.Errorf("--out: %w", err)
		}
	}
	var done benchFile
	var failures []error
	for _, job := range jobs {
		fmt.Fprintf(rt.Stderr, "%s\n", job.name)
		row, err := job.measure(rt)
		if stopped := rt.Context.Err(); stopped != nil {
			failures = append(failures, fmt.Errorf("job %s: %w", job.name, stopped))
			break
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("job %s: %w", job.name, err))
			continue
		}
		done.merge(row)
		if c.Out != "" {
			if err := addToBenchFile(rt.Context, c.Out, row); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
		}
	}
	if len(done.Jobs) > 0 {
		if err := emit(rt, c.JSON, done, done.print); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

// print writes one line per job, for a terminal.
func (f benchFile) print(w io.Writer) {
	fmt.Fprintf(w, "%-24s %-8s %-8s %9s %9s %9s %9s %7s %11s\n", "job", "backend", "kind", "nodes", "seconds", "cpu s", "products", "MB", "product ms")
	for _, r := range f.Jobs {
		fmt.Fprintf(w, "%-24s %-8s %-8s %9d %9.1f %9.1f %9.0f %7d %11.1f\n",
			r.Job, r.Backend, r.Kind, r.nodes(), r.Seconds, r.ProcessorSeconds, r.Products, r.PeakRSSBytes>>20, 1000*r.Product.Seconds)
	}
	if len(f.Jobs) > 0 {
		r := f.Jobs[len(f.Jobs)-1]
		fmt.Fprintf(w, "commit %s, %s; product 2708×1433×500 on %s\n", r.Commit, r.Machine, r.Product.Backend)
	}
}

// BenchProductCmd is `agekit bench product`. It is a separate process so that
// XLA's large memory use does not affect the measurements of jobs.
type BenchProductCmd struct {
	Backend string `placeholder:"NAME" help:"go, xla:cpu, xla:cuda or xla:PATH; default: xla:cpu if its plugin is installed, else go."`
	JSON    bool   `name:"json" help:"Print JSON."`
}

// Help is the second part of `agekit bench product --help`.
func (BenchProductCmd) Help() string {
	return "Examples:\n  agekit bench product\n  agekit bench product --backend xla:cuda"
}

// Run measures the product.
func (c *BenchProductCmd) Run(rt *Runtime) error {
	choice, err := productBackend(c.Backend)
	if err != nil {
		return misused("--backend: %w", err)
	}
	took, err := backend.ProductTime(choice)
	if err != nil {
		return err
	}
	p := benchProduct{choice.Name, took.Seconds()}
	return emit(rt, c.JSON, p, func(w io.Writer) {
		fmt.Fprintf(w, "2708×1433×500 on %s: %.1f ms\n", p.Backend, 1000*p.Seconds)
	})
}

// now returns the timestamp of a measurement.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
