package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/engine"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/output"
)

// engineFlags say who does the work that grows with the number of nodes.
type engineFlags struct {
	Engine       string   `enum:"none,local,spark" default:"none" help:"Smooth, and pass over all nodes, by tasks of other processes: local ones, or those of Apache Spark. The result has the same bytes."`
	Workers      int      `placeholder:"N" help:"Tasks to do at a time (default: the number of cores)."`
	WorkerCores  int      `default:"1" placeholder:"N" help:"Cores of a worker (default: ${default})."`
	WorkerMemory inBytes  `placeholder:"8GB" help:"Memory of a worker for two buffers of a block of columns (default: 1GB)."`
	Work         string   `placeholder:"DIR" help:"Folder for what workers read and write, which all of them see at the same path (default: that of --out with .work)."`
	Master       string   `placeholder:"URL" help:"Master for --engine spark, such as spark://host:7077, yarn or local[4] (default: Spark's own setting)."`
	SparkSQL     string   `name:"spark-sql" placeholder:"FILE" help:"Spark's program spark-sql (default: that of SPARK_HOME, or the one in PATH)."`
	SparkConf    []string `placeholder:"KEY=VALUE" sep:"none" help:"A setting of Spark, such as spark.executor.memory=4g; repeat it for several."`
	DryRun       bool     `help:"Say what each stage takes, and do nothing."`
}

// check reports flags that do not suit each other.
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
	if flag := rt.given("from", "method"); flag != "" || c.Auto != nil && *c.Auto {
		return misused("--engine and --%s: want one or the other: a search for settings, a run to start from and other methods need all nodes in one process", cmp.Or(flag, "auto"))
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
func (c *fitCmd) engine(ctx context.Context, g *graph.Graph, o *run.Options, log *progress) (*engine.Engine, func(), error) {
	n := g.N()
	if sample := o.Training.ForGraph(g).Sample; sample >= n {
		log.line("--engine %s: training needs all %d nodes, so this process does everything (--sample N trains on fewer)", c.Engine, n)
		return nil, func() {}, nil
	}
	work, err := filepath.Abs(cmp.Or(c.Work, c.Out+".work"))
	if err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(work, "stages")
	folder, err := output.Lock(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("--work: %w", err)
	}
	e := &engine.Engine{
		Folder: filepath.Join(work, "graph"), Dir: dir,
		Memory: int64(cmp.Or(c.WorkerMemory, 1e9)), Threads: c.WorkerCores, Workers: cmp.Or(c.Workers, max(1, runtime.NumCPU()/c.WorkerCores)),
		Log:      func(line string) { log.line("%s", line) },
		Progress: func(stage string, done, all int) { log.show(done, all, "%s", stage) },
	}
	end := func() { folder.Close() }
	if input.IsFolder(c.Dataset) {
		e.Folder, err = filepath.Abs(c.Dataset)
	} else {
		err = graphfolder.Write(ctx, e.Folder, g)
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

// discard removes what workers wrote, once the result is safe.
func (c *fitCmd) discard(e *engine.Engine) error {
	if err := e.Discard(); err != nil {
		return err
	}
	work := filepath.Dir(e.Dir)
	for _, own := range []string{"graph", "spark.log"} {
		if err := os.RemoveAll(filepath.Join(work, own)); err != nil {
			return err
		}
	}
	_ = os.Remove(work) // it stays if there is anything else in it
	return nil
}
