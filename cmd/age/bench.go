package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/simd"
)

// BenchCmd is `age bench`.
type BenchCmd struct {
	Jobs    []string `default:"cora,citeseer,wiki,planted-10000,planted-100000,planted-1000000" help:"Jobs: data sets, or planted-N for a planted graph of N nodes."`
	Epochs  int      `default:"400" help:"Epochs of each job."`
	Data    string   `placeholder:"DIR" help:"Folder with data sets, searched first."`
	Backend string   `default:"auto" help:"Backend of the jobs, as in age fit."`
	Mode    string   `enum:"auto,exact,sampled" default:"auto" help:"As in age fit."`
	Out     string   `placeholder:"FILE" help:"File for the JSON, besides what is printed."`
	JSON    bool     `name:"json" help:"Print JSON."`
}

// Help is the second part of `age bench --help`.
func (BenchCmd) Help() string {
	return `Runs whole jobs, each "age fit" in a process of its own with everything included, and measures beside them one dense product of Cora's size (GoMLX, xla:cpu where its plugin is installed, else go), so that machines can be compared.

Examples:
  age bench --jobs cora,citeseer,wiki --data ~/graphs
  age bench --jobs planted-10000,planted-100000 --epochs 20 --out bench.json`
}

// benchReport is what `age bench --json` prints.
type benchReport struct {
	Time    time.Time    `json:"time"`
	Commit  string       `json:"commit"`
	Machine benchMachine `json:"machine"`
	Product benchProduct `json:"product"`
	Jobs    []benchJob   `json:"jobs"`
}

type benchMachine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	SIMD  string `json:"simd"`
	Go    string `json:"go"`
}

// benchProduct is the dense product 2708×1433×500.
type benchProduct struct {
	Backend string  `json:"backend"`
	Seconds float64 `json:"seconds"`
}

type benchJob struct {
	Job string `json:"job"`
	// Seconds of the whole process, and the same as multiples of the product.
	Seconds  float64   `json:"seconds"`
	Products float64   `json:"products"`
	Fit      fitReport `json:"fit"`
}

// Run runs the jobs one after the other.
func (c *BenchCmd) Run(rt *Runtime) error {
	if c.Epochs < 1 {
		return misused("--epochs is %d: want 1 or more", c.Epochs)
	}
	report := benchReport{Time: time.Now().UTC().Truncate(time.Second), Commit: commit(), Machine: thisMachine()}
	var err error
	if report.Product, err = referenceProduct(); err != nil {
		return err
	}
	for _, name := range c.Jobs {
		fmt.Fprintf(rt.Stderr, "%s\n", name)
		job, err := c.run(rt, name)
		if err != nil {
			return fmt.Errorf("job %s: %w", name, err)
		}
		job.Products = job.Seconds / report.Product.Seconds
		report.Jobs = append(report.Jobs, job)
	}
	if c.Out != "" {
		err := store.WriteFileAtomic(c.Out, func(w io.Writer) error {
			return emit(&Runtime{Stdout: w}, true, report, nil)
		})
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return emit(rt, c.JSON, report, report.print)
}

var plantedJob = regexp.MustCompile(`^planted-([0-9]+)$`)

// run runs one job. Its checkpoints go to a folder of its own: it must not go
// on from another run's.
func (c *BenchCmd) run(rt *Runtime, name string) (benchJob, error) {
	dataset := name
	if m := plantedJob.FindStringSubmatch(name); m != nil {
		dataset = "planted:n=" + m[1] + ",degree=14,f=128,seed=1"
	}
	program, err := os.Executable()
	if err != nil {
		return benchJob{}, err
	}
	folder, err := os.MkdirTemp("", "age-bench-*")
	if err != nil {
		return benchJob{}, err
	}
	defer os.RemoveAll(folder)
	args := []string{"fit", "--json", "--dataset", dataset, "--epochs", fmt.Sprint(c.Epochs), "--backend", c.Backend, "--mode", c.Mode}
	if c.Data != "" {
		args = append(args, "--data", c.Data)
	}
	cmd := exec.CommandContext(rt.Context, program, args...)
	cmd.Env = append(os.Environ(), "AGE_STORE="+folder)
	cmd.Stderr = rt.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	start := time.Now()
	out, err := cmd.Output()
	if err != nil {
		if rt.Context.Err() != nil {
			err = rt.Context.Err()
		}
		return benchJob{}, err
	}
	job := benchJob{Job: name, Seconds: time.Since(start).Seconds()}
	if err := json.Unmarshal(out, &job.Fit); err != nil {
		return benchJob{}, fmt.Errorf("report of age fit: %w", err)
	}
	return job, nil
}

func (r benchReport) print(w io.Writer) {
	m := r.Machine
	fmt.Fprintf(w, "commit %s, %s, %d cores, %s/%s, %s, %s\n", r.Commit, m.CPU, m.Cores, m.OS, m.Arch, m.SIMD, m.Go)
	fmt.Fprintf(w, "one product 2708×1433×500 on %s: %.1f ms\n\n", r.Product.Backend, 1000*r.Product.Seconds)
	fmt.Fprintf(w, "%-16s %-8s %-8s %9s %9s %9s %8s %8s %8s %8s %7s\n",
		"job", "backend", "mode", "nodes", "seconds", "products", "filter", "select", "train", "cluster", "MB")
	for _, j := range r.Jobs {
		s := j.Fit.Seconds
		fmt.Fprintf(w, "%-16s %-8s %-8s %9d %9.1f %9.0f %8.1f %8.1f %8.1f %8.1f %7d\n",
			j.Job, j.Fit.Backend, j.Fit.Mode, j.Fit.N, j.Seconds, j.Products, s.Filter, s.Select, s.Train, s.Cluster, j.Fit.PeakRSSBytes>>20)
	}
}

// referenceProduct measures the dense product on XLA, or on GoMLX's own
// backend where XLA is not installed.
func referenceProduct() (benchProduct, error) {
	choice, err := backend.Resolve(backend.XLACPU)
	if err != nil {
		if choice, err = backend.Resolve(backend.Go); err != nil {
			return benchProduct{}, err
		}
	}
	took, err := backend.ProductTime(choice)
	return benchProduct{choice.Name, took.Seconds()}, err
}

func thisMachine() benchMachine {
	m := benchMachine{Cores: runtime.GOMAXPROCS(0), OS: runtime.GOOS, Arch: runtime.GOARCH, SIMD: simd.Level(), Go: runtime.Version()}
	info, _ := os.ReadFile("/proc/cpuinfo") // Linux; elsewhere the name stays empty
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}

// commit returns the commit that the program was built from, or that of the
// folder it runs in.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	if out, err := exec.Command("git", "rev-parse", "HEAD").Output(); err == nil {
		return strings.TrimSpace(string(out))
	}
	return "unknown"
}
