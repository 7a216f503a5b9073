package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/cost"
	"github.com/agekit/age/internal/engine"
	"github.com/agekit/age/internal/graphfolder"
)

// engineFlags say who does the work that grows with the number of nodes.
type engineFlags struct {
	Engine       string   `key:"-" more:"" enum:"none,local,spark" default:"none" help:"Smooth, and pass over all nodes, by tasks of other processes: local ones, or those of Apache Spark. The result has the same bytes."`
	Workers      int      `key:"-" more:"" placeholder:"N" help:"Tasks to do at a time (default: the number of cores)."`
	WorkerCores  int      `key:"-" more:"" default:"1" placeholder:"N" help:"Cores of a worker while it smooths; a pass over rows takes one (default: ${default})."`
	WorkerMemory inBytes  `key:"-" more:"" placeholder:"8GB" help:"Memory of a worker for two buffers of a block of columns (default: 1GB, or what 16 columns need)."`
	Work         string   `key:"-" more:"" placeholder:"DIR" help:"Folder for what workers read and write, which all of them see at the same path: agekit-work in it, which goes in the end (default: that of --out with .work)."`
	Master       string   `key:"-" more:"" placeholder:"URL" help:"Master for --engine spark, such as spark://host:7077, yarn or local[4] (default: Spark's own setting)."`
	SparkSQL     string   `key:"-" more:"" name:"spark-sql" placeholder:"FILE" help:"Spark's program spark-sql (default: that of SPARK_HOME, or the one in PATH)."`
	SparkConf    []string `key:"-" more:"" placeholder:"KEY=VALUE" sep:"none" help:"A setting of Spark, such as spark.executor.memory=4g; repeat it for several."`
	DryRun       bool     `key:"-" more:"" help:"Estimate what each stage takes, and do nothing."`
}

// checkEngine reports flags that do not suit each other.
func (c *fitCmd) checkEngine(rt *Runtime) error {
	if c.Engine == "none" {
		if flag := rt.given("workers", "worker-cores", "worker-memory", "work", "master", "spark-sql", "spark-conf", "dry-run"); flag != "" {
			return misused("--%s is for --engine local or spark", flag)
		}
		return nil
	}
	if flag := rt.given("master", "spark-sql", "spark-conf"); flag != "" && c.Engine != "spark" {
		return misused("--%s is for --engine spark", flag)
	}
	alone := ""
	switch {
	case c.From != "":
		alone = "from"
	case c.Others():
		alone = "method"
	case c.Auto != nil && *c.Auto:
		alone = "auto"
	case c.View != "" && c.View != views.AGE:
		alone = "view"
	}
	if alone != "" {
		return misused("--engine and --%s: want one or the other: views, a run to start from and other methods need all nodes in one process", alone)
	}
	switch {
	case c.Workers < 0 || rt.given("workers") != "" && c.Workers == 0:
		return misused("--workers is %d: want 1 or more", c.Workers)
	case c.WorkerCores < 1:
		return misused("--worker-cores is %d: want 1 or more", c.WorkerCores)
	case c.Out == "" && c.Work == "" && !c.DryRun:
		return misused("--engine: want a folder for the result, --out DIR, or one for what workers write, --work DIR")
	}
	return nil
}

// engine prepares the engine for a graph, if its training is on a sample: otherwise this
// process does everything. Close it in the end.
func (c *fitCmd) engine(ctx context.Context, g *graph.Graph, o *run.Options, log *console) (*engine.Engine, func(), error) {
	n := g.N()
	if sample := o.AGE(g.Catalogue).ForGraph(g).Sample; sample >= n {
		log.notable("--engine %s: training needs all %d nodes, so this process does everything (--sample N trains on fewer)", c.Engine, n)
		return nil, func() {}, nil
	}
	if least := laplacian.NarrowTile(n); c.memory(n) < least {
		return nil, nil, misused("--worker-memory is %s: want at least %s, for two buffers of 16 columns of %d nodes", humanize.Bytes(uint64(c.memory(n))), humanize.Bytes(uint64(least)), n)
	}
	work, err := filepath.Abs(c.workspace())
	if err != nil {
		return nil, nil, err
	}
	if err := outside(work, c.Dataset); err != nil {
		return nil, nil, fmt.Errorf("--work: %w", err)
	}
	if err := atomicfile.Workspace(work); err != nil {
		return nil, nil, fmt.Errorf("--work: %w", err)
	}
	dir := filepath.Join(work, "stages")
	folder, err := atomicfile.LockFolder(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("--work: %w", err)
	}
	e := &engine.Engine{
		Folder: filepath.Join(work, "graph"), Dir: dir,
		Memory: c.memory(n), Threads: c.WorkerCores, Workers: c.workers(),
		EstimatedSeconds: c.foresee(g, o).stages(),
		Log:              func(line string) { log.line("%s", line) },
		Progress:         log.event,
	}
	end := func() { folder.Close() }
	if graphfolder.IsFolder(c.Dataset) {
		e.Folder, err = filepath.Abs(c.Dataset)
	} else {
		err = graphfolder.Write(ctx, e.Folder, g)
		if errors.Is(err, graphfolder.ErrOtherGraph) { // of a run that was killed
			err = cmp.Or(os.RemoveAll(e.Folder), graphfolder.Write(ctx, e.Folder, g))
		}
	}
	if err == nil {
		e.Runner, err = c.runner(e)
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return e, func() { _ = e.Close(); end() }, nil
}

// runner returns what does the tasks.
func (c *engineFlags) runner(e *engine.Engine) (engine.Runner, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if c.Engine == "local" {
		return engine.Local{Command: []string{program}, Processes: e.Workers}, nil
	}
	return &engine.Spark{
		SQL: engine.FindSparkSQL(c.SparkSQL), Arguments: engine.SparkArguments(c.Master, c.SparkConf),
		Program: program, Log: filepath.Join(filepath.Dir(e.Dir), "spark.log"),
	}, nil
}

// workspace returns the folder for what workers write. It is a new one: it goes when the
// result is safe.
func (c *fitCmd) workspace() string {
	if c.Work == "" {
		return c.Out + ".work"
	}
	return filepath.Join(c.Work, "agekit-work")
}

// outside returns an error if path lies within folder, which is removed in the end.
func outside(folder, path string) error {
	realFolder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil // it is new
	}
	realPath, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil // a data set's name
	}
	realPath, err = filepath.Abs(realPath)
	if err != nil {
		return err
	}
	if within, err := filepath.Rel(realFolder, realPath); err == nil && filepath.IsLocal(within) {
		return fmt.Errorf("%s lies in %s, which is removed in the end: want another folder", path, folder)
	}
	return nil
}

// planned is what agekit fit --engine --dry-run --json prints.
type planned struct {
	Nodes   int            `json:"nodes"`
	Edges   int            `json:"edges"`
	Sample  int            `json:"sample"`
	Workers int            `json:"workers"`
	Rate    float64        `json:"multiply_adds_per_second"` // of a core of this machine
	Stages  []plannedStage `json:"stages"`
	Seconds float64        `json:"seconds"`
	Core    float64        `json:"core_seconds"`
	SQL     string         `json:"sql,omitempty"`
}

type plannedStage struct {
	Name    string  `json:"name"`
	Tasks   int     `json:"tasks"` // 0: this process does it
	Seconds float64 `json:"seconds"`
	Core    float64 `json:"core_seconds"`
	Memory  float64 `json:"worker_bytes"`
	Written float64 `json:"written_bytes"`
}

// foresee estimates what a run takes, by the speed of this machine.
func (c *fitCmd) foresee(g *graph.Graph, o *run.Options) (p planned) {
	t := o.AGE(g.Catalogue).ForGraph(g)
	n, f := g.Features.Dims()
	job := engine.Job{
		Nodes: n, Edges: g.Edges(), Features: f, Layers: t.Layers, Members: t.Members, Dims: t.Dims, Clusters: cmp.Or(o.Clusters.Most, g.Classes),
		Training: t.Training(t.Sample, f), Workers: c.workers(), Memory: c.memory(n),
	}
	cores := runtime.NumCPU()
	p = planned{Nodes: n, Edges: job.Edges, Sample: t.Sample, Workers: job.Workers, Rate: cost.Rate()}
	for _, part := range job.Stages() {
		s := plannedStage{part.Name, part.Tasks, part.Seconds(job.Workers, cores, p.Rate), part.Work.Seconds(p.Rate, 1), part.Memory, part.Written}
		if t.Sample >= n { // this process does everything
			s.Tasks = 0
		}
		p.Stages = append(p.Stages, s)
		p.Seconds, p.Core = p.Seconds+s.Seconds, p.Core+s.Core
	}
	return p
}

// stages returns the core time of what workers do, in seconds.
func (p planned) stages() (seconds []float64) {
	for _, s := range p.Stages {
		if s.Tasks > 0 {
			seconds = append(seconds, s.Core)
		}
	}
	return seconds
}

// plan prints what a run would take.
func (c *fitCmd) plan(rt *Runtime, g *graph.Graph, o *run.Options) error {
	p := c.foresee(g, o)
	if c.Engine == "spark" && p.Sample < p.Nodes {
		p.SQL = engine.Statement("agekit", filepath.Join(c.workspace(), "stages", "01-smooth.json"), p.Stages[0].Tasks)
	}
	return c.emit(rt, p, func(w io.Writer) { p.print(w) })
}

func (p planned) print(w io.Writer) {
	fmt.Fprintf(w, "%d nodes, %d edges; training on %d nodes; %d workers at a time, of the speed of this machine\n\n", p.Nodes, p.Edges, p.Sample, p.Workers)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "stage\ttasks\ttime\tcore time\tmemory of a worker\twritten\t")
	for _, s := range p.Stages {
		tasks, memory := strconv.Itoa(s.Tasks), humanize.Bytes(uint64(s.Memory))
		if s.Tasks == 0 {
			tasks = "here"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, tasks, spent(s.Seconds), spent(s.Core), memory, humanize.Bytes(uint64(s.Written)))
	}
	fmt.Fprintf(table, "all\t\t%s\t%s\t\t\t\n", spent(p.Seconds), spent(p.Core))
	table.Flush()
	if p.SQL != "" {
		fmt.Fprintf(w, "\nThe statement of the first stage; the others differ in the file and the number of tasks:\n\n%s", p.SQL)
	}
}

func spent(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

func (c *engineFlags) workers() int {
	return cmp.Or(c.Workers, max(1, runtime.NumCPU()/c.WorkerCores))
}

// memory returns what a worker's buffers may take: by default 1 GB, or as much as 16 columns
// of n nodes need.
func (c *engineFlags) memory(n int) int64 {
	return cmp.Or(int64(c.WorkerMemory), max(1e9, laplacian.NarrowTile(n)))
}
