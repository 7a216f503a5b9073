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
	"unicode/utf8"

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
}

// checkEngine returns an error for flags of the engine that are wrong, or given without --engine, and for
// flags that cannot be given with it.
func (c *fitCmd) checkEngine(rt *Runtime) error {
	if c.Engine == "none" {
		if flag := rt.givenIn(&c.engineFlags); flag != "" {
			return misused("--%s is for --engine local or spark", flag)
		}
		return nil
	}
	if flag := rt.givenIn(&c.Master, &c.SparkSQL, &c.SparkConf); flag != "" && c.Engine != "spark" {
		return misused("--%s is for --engine spark", flag)
	}
	oneProcess := "" // the flag that asks for what only one process can do
	switch {
	case c.From != "":
		oneProcess = "from"
	case c.Others():
		oneProcess = "method"
	case c.Auto != nil && *c.Auto:
		oneProcess = "auto"
	case c.View != "" && c.View != views.AGE:
		oneProcess = "view"
	}
	if oneProcess != "" {
		return misused("--engine and --%s: want one or the other: views, a run to start from and other methods need all nodes in one process", oneProcess)
	}
	switch {
	case c.Workers < 0 || rt.givenIn(&c.Workers) != "" && c.Workers == 0:
		return misused("--workers is %d: want 1 or more", c.Workers)
	case c.WorkerCores < 1:
		return misused("--worker-cores is %d: want 1 or more", c.WorkerCores)
	case c.Out == "" && c.Work == "" && !c.DryRun:
		return misused("--engine: want a folder for the result, --out DIR, or one for what workers write, --work DIR")
	}
	return nil
}

// enginePlan is what --engine uses: nothing of it is made yet.
type enginePlan struct {
	work     string // the absolute path of the folder for what workers write
	program  string // this one, which workers run
	sparkSQL string // the path of spark-sql; "" without Spark
}

// planEngine checks all that --engine needs for a run on g with the options o, and makes nothing: a dry run and a
// run call it. The plan is nil if this process does everything: without --engine, or if the training needs all
// nodes.
func (c *fitCmd) planEngine(g *graph.Graph, o *run.Options) (p *enginePlan, err error) {
	n := g.N()
	if c.Engine == "none" || o.AGE(g.Catalogue).ForGraph(g).Sample >= n {
		return nil, nil
	}
	if least := laplacian.NarrowTile(n); c.memory(n) < least {
		return nil, misused("--worker-memory is %s: want at least %s, for two buffers of 16 columns of %d nodes", humanize.Bytes(uint64(c.memory(n))), humanize.Bytes(uint64(least)), n)
	}
	p = &enginePlan{}
	if p.program, err = os.Executable(); err != nil {
		return nil, err
	}
	if c.Engine == "spark" {
		if p.sparkSQL, err = engine.FindSparkSQL(c.SparkSQL); err != nil {
			return nil, err
		}
	}
	if c.DryRun && c.Out == "" && c.Work == "" { // the folder may still be chosen
		return p, nil
	}
	if p.work, err = filepath.Abs(c.workspace()); err != nil {
		return nil, err
	}
	for _, flag := range []struct{ name, path string }{{"--work", p.work}, {"--dataset", c.Dataset}} { // the files of stages are JSON and have both
		if !utf8.ValidString(flag.path) {
			return nil, fmt.Errorf("%s: the path %q is no UTF-8: want another one", flag.name, flag.path)
		}
	}
	if err := cmp.Or(checkOutside(p.work, c.Dataset), atomicfile.CheckWorkspace(p.work)); err != nil {
		return nil, fmt.Errorf("--work: %w", err)
	}
	return p, nil
}

// prepareEngine returns the engine of a plan, and a function that ends it. It makes the folder of the stages, and
// writes the graph g to a folder that workers read, unless --dataset names one with features. Without a plan,
// the engine e is nil.
func (c *fitCmd) prepareEngine(ctx context.Context, p *enginePlan, g *graph.Graph, o *run.Options, log *console) (e *engine.Engine, end func(), err error) {
	n := g.N()
	if p == nil {
		if c.Engine != "none" {
			log.notable("--engine %s: training needs all %d nodes, so this process does everything (--sample N trains on fewer)", c.Engine, n)
		}
		return nil, func() {}, nil
	}
	if err := atomicfile.Workspace(p.work); err != nil {
		return nil, nil, fmt.Errorf("--work: %w", err)
	}
	stages := filepath.Join(p.work, "stages")
	lock, err := atomicfile.LockFolder(stages)
	if err != nil {
		return nil, nil, fmt.Errorf("--work: %w", err)
	}
	e = &engine.Engine{
		Dir:              stages,
		Memory:           c.memory(n),
		Threads:          c.WorkerCores,
		Workers:          c.workers(),
		EstimatedSeconds: c.estimate(g, o).workerSeconds(),
		Log:              func(line string) { log.line("%s", line) },
		Progress:         log.event,
	}
	if e.Folder, err = c.graphFolder(ctx, g, filepath.Join(p.work, "graph")); err != nil {
		lock.Close()
		return nil, nil, err
	}
	e.Runner = c.runner(p, e)
	return e, func() { _ = e.Close(); lock.Close() }, nil
}

// graphFolder returns the absolute path of a graph folder with g: that of --dataset, if it names one that has
// features, or else path, which is absolute, and to which graphFolder then writes g. The features of a graph
// without any of its own follow from its edges, and no folder of --dataset has them.
func (c *fitCmd) graphFolder(ctx context.Context, g *graph.Graph, path string) (string, error) {
	if graphfolder.IsFolder(c.Dataset) {
		m, err := graphfolder.ReadManifest(c.Dataset)
		if err != nil {
			return "", err
		}
		if m.Features != nil {
			return filepath.Abs(c.Dataset)
		}
	}
	err := graphfolder.Write(ctx, path, g)
	if errors.Is(err, graphfolder.ErrOtherGraph) { // a run that was killed left it
		if err := os.RemoveAll(path); err != nil {
			return "", err
		}
		err = graphfolder.Write(ctx, path, g)
	}
	return path, err
}

// runner returns what does the tasks of the engine e by its plan: processes of this machine, or Spark.
func (c *engineFlags) runner(p *enginePlan, e *engine.Engine) engine.Runner {
	if p.sparkSQL == "" {
		return engine.Local{Command: []string{p.program}, Processes: e.Workers}
	}
	return &engine.Spark{
		SQL: p.sparkSQL, Arguments: engine.SparkArguments(c.Master, c.SparkConf),
		Program: p.program, Log: filepath.Join(p.work, "spark.log"),
	}
}

// workspace returns the path of the folder for what workers write. The folder is this program's own, and
// is removed when the result is safe.
func (c *fitCmd) workspace() string {
	if c.Work == "" {
		return c.Out + ".work"
	}
	return filepath.Join(c.Work, "agekit-work")
}

// checkOutside returns an error if path lies within folder, which is removed in the end. A path or a folder
// that does not exist is no error.
func checkOutside(folder, path string) error {
	realFolder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil // the folder is new
	}
	realPath, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil // no path, but the name of a data set
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

// runEstimate is what agekit fit --engine --dry-run --json prints of the engine.
type runEstimate struct {
	Nodes   int             `json:"nodes"`
	Edges   int             `json:"edges"`
	Sample  int             `json:"sample"`
	Workers int             `json:"workers"`
	Rate    float64         `json:"multiply_adds_per_second"` // of a core of this machine
	Stages  []stageEstimate `json:"stages"`
	Seconds float64         `json:"seconds"`
	Core    float64         `json:"core_seconds"`
	SQL     string          `json:"sql,omitempty"`
}

// stageEstimate is what one stage of a run takes.
type stageEstimate struct {
	Name    string  `json:"name"`
	Tasks   int     `json:"tasks"`         // 0: this process does the stage
	Seconds float64 `json:"seconds"`       // with all workers
	Core    float64 `json:"core_seconds"`  // of one core
	Memory  float64 `json:"worker_bytes"`  // of a worker
	Written float64 `json:"written_bytes"` // to files
}

// estimate returns what a run on g with the options o takes, by the speed of this machine.
func (c *fitCmd) estimate(g *graph.Graph, o *run.Options) (e runEstimate) {
	t := o.AGE(g.Catalogue).ForGraph(g) // the settings of the training
	n, f := g.Features.Dims()
	const given = true                     // an engine runs AGE with the settings that are given
	numbers, _ := o.Numbers(g, nil, given) // the plan returned its error
	job := engine.Job{
		Nodes: n, Edges: g.Edges(), Features: f, Layers: t.Layers, Members: t.Members, Dims: t.Dims, Clusters: numbers.Most,
		Training: t.Training(t.Sample, f), Workers: c.workers(), Memory: c.memory(n),
	}
	cores := runtime.NumCPU()
	e = runEstimate{Nodes: n, Edges: job.Edges, Sample: t.Sample, Workers: job.Workers, Rate: cost.Rate()}
	for _, stage := range job.Stages() {
		s := stageEstimate{
			Name:    stage.Name,
			Tasks:   stage.Tasks,
			Seconds: stage.Seconds(job.Workers, cores, e.Rate),
			Core:    stage.Work.Seconds(e.Rate, 1),
			Memory:  stage.Memory,
			Written: stage.Written,
		}
		if t.Sample >= n { // this process does everything
			s.Tasks = 0
		}
		e.Stages = append(e.Stages, s)
		e.Seconds += s.Seconds
		e.Core += s.Core
	}
	return e
}

// workerSeconds returns, for each stage that workers do, how many seconds one core takes for it.
func (e runEstimate) workerSeconds() (seconds []float64) {
	for _, s := range e.Stages {
		if s.Tasks > 0 {
			seconds = append(seconds, s.Core)
		}
	}
	return seconds
}

// engineEstimate returns what a run on g with the options o would take, and for Spark the first statement; nil
// without --engine.
func (c *fitCmd) engineEstimate(g *graph.Graph, o *run.Options) *runEstimate {
	if c.Engine == "none" {
		return nil
	}
	e := c.estimate(g, o)
	if c.Engine == "spark" && e.Sample < e.Nodes {
		e.SQL = engine.Statement("agekit", filepath.Join(c.workspace(), "stages", "01-smooth.json"), e.Stages[0].Tasks)
	}
	return &e
}

func (e runEstimate) print(w io.Writer) {
	fmt.Fprintf(w, "%d nodes, %d edges; training on %d nodes; %d workers at a time, of the speed of this machine\n\n", e.Nodes, e.Edges, e.Sample, e.Workers)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "stage\ttasks\ttime\tcore time\tmemory of a worker\twritten\t")
	for _, s := range e.Stages {
		tasks := strconv.Itoa(s.Tasks)
		if s.Tasks == 0 {
			tasks = "here"
		}
		memory, written := humanize.Bytes(uint64(s.Memory)), humanize.Bytes(uint64(s.Written))
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, tasks, durationText(s.Seconds), durationText(s.Core), memory, written)
	}
	fmt.Fprintf(table, "all\t\t%s\t%s\t\t\t\n", durationText(e.Seconds), durationText(e.Core))
	table.Flush()
	if e.SQL != "" {
		fmt.Fprintf(w, "\nThe statement of the first stage; the others differ in the file and the number of tasks:\n\n%s", e.SQL)
	}
}

// durationText returns seconds as 3.2 s, or from ten on as 1m20s.
func durationText(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

// workers returns how many tasks are done at a time: by default, as many as fit this machine's cores.
func (c *engineFlags) workers() int {
	return cmp.Or(c.Workers, max(1, runtime.NumCPU()/c.WorkerCores))
}

// memory returns how many bytes a worker's buffers may take: those of --worker-memory, by default 1 GB or,
// if that is more, what 16 columns of n nodes need.
func (c *engineFlags) memory(n int) int64 {
	return cmp.Or(int64(c.WorkerMemory), max(1e9, laplacian.NarrowTile(n)))
}
