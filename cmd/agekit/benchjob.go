package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/agekit/age/internal/limit"
)

// benchJob is an agekit command line to measure.
type benchJob struct {
	name     string
	args     []string
	spectrum string // eigenvalues or density; empty for a training
}

var (
	jobForm = regexp.MustCompile(`^(eigenvalues-|density-)?(.+?)(-onestep)?(?:@([0-9]+))?$`)
	sized   = regexp.MustCompile(`^(?:planted-)?([0-9]+)$`)
)

const usualEpochs = 400

// job parses a job's name.
func (c *BenchRunCmd) job(name string) (benchJob, error) {
	m := jobForm.FindStringSubmatch(name)
	if m == nil {
		return benchJob{}, fmt.Errorf("--jobs: %q: want a data set or planted-N (see agekit bench --help)", name)
	}
	spectrum, graph, oneStep, epochs := strings.TrimSuffix(m[1], "-"), m[2], m[3] != "", c.Epochs
	if spectrum != "" && (oneStep || m[4] != "") {
		return benchJob{}, fmt.Errorf("--jobs: %s: jobs for eigenvalues and densities have no epochs and no steps", name)
	}
	if m[4] != "" {
		var err error
		if epochs, err = strconv.Atoi(m[4]); err != nil || epochs < 1 {
			return benchJob{}, fmt.Errorf("--jobs: %s: %s epochs: want 1 or more", name, m[4])
		}
	}
	j := benchJob{name: strings.TrimSuffix(name, "@"+m[4]), spectrum: spectrum}
	graph = graphName(graph)
	if spectrum != "" {
		j.args = []string{"spectrum", "--json", "--dataset", graph}
	} else {
		if epochs != usualEpochs {
			j.name += fmt.Sprintf("@%d", epochs)
		}
		j.args = []string{"fit", "--json", "--no-auto", "--no-baselines", "--dataset", graph, "--epochs", fmt.Sprint(epochs), "--backend", c.Backend, "--ranking", c.Ranking}
		if oneStep {
			j.args = append(j.args, "--batch", "all")
		}
	}
	if c.Data != "" {
		j.args = append(j.args, "--data", c.Data)
	}
	return j, nil
}

// graphName returns the --dataset value for a job's graph.
func graphName(job string) string {
	if s := sized.FindStringSubmatch(job); s != nil {
		return "planted:n=" + s[1] + ",degree=14,f=128,seed=1"
	}
	return job
}

// measure times the job and then the product. The job's checkpoints go to a
// new folder, so that it cannot resume another run.
func (j benchJob) measure(rt *Runtime) (benchRow, error) {
	row := benchRow{Job: j.name, Time: now(), Commit: commit(), Machine: thisMachine()}
	folder, err := os.MkdirTemp("", "agekit-bench-*")
	if err != nil {
		return row, err
	}
	defer os.RemoveAll(folder)
	var log bytes.Buffer
	logged := *rt
	logged.Stderr = io.MultiWriter(rt.Stderr, &log)
	stop := watchGPU(rt.Context)
	start := time.Now()
	out, state, err := runSelf(&logged, folder, j.args...)
	row.Seconds = time.Since(start).Seconds()
	deviceMemory := stop()
	if err != nil {
		return row, err
	}
	row.ProcessorSeconds = (state.UserTime() + state.SystemTime()).Seconds()
	row.PeakRSSBytes = limit.PeakRSSOf(state)
	if err := j.read(out, &row); err != nil {
		return row, err
	}
	row.FinalLoss = lastLoss(log.Bytes())
	if strings.HasPrefix(row.Backend, "xla:") {
		row.DeviceMemoryBytes = deviceMemory
	}
	if row.Product, err = productOf(rt); err != nil {
		return row, err
	}
	row.Products = row.Seconds / row.Product.Seconds
	return row, nil
}

// read parses what the job printed.
func (j benchJob) read(out []byte, row *benchRow) error {
	if j.spectrum == "" {
		if err := json.Unmarshal(out, &row.Fit); err != nil {
			return fmt.Errorf("report of agekit fit: %w", err)
		}
		row.Backend, row.Kind = row.Fit.Backend, row.Fit.Ranking
		return nil
	}
	if err := json.Unmarshal(out, &row.Spectrum); err != nil {
		return fmt.Errorf("report of agekit spectrum: %w", err)
	}
	row.Backend, row.Kind = "native", j.spectrum
	if exact := row.Spectrum.Histogram.StandardErrors == nil; exact != (j.spectrum == "eigenvalues") {
		return fmt.Errorf("agekit spectrum chose another method at %d nodes: %s", row.Spectrum.N, row.Spectrum.Method)
	}
	return nil
}

// productOf measures the product in a separate process.
func productOf(rt *Runtime) (p benchProduct, err error) {
	out, _, err := runSelf(rt, "", "bench", "product", "--json")
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	if err != nil {
		return p, fmt.Errorf("product: %w", err)
	}
	return p, nil
}

// runSelf runs this program in a separate process and returns what it printed.
// The checkpoints go to the given folder, if any. An interrupt is passed on,
// and the process then has a second to exit.
func runSelf(rt *Runtime, checkpoints string, args ...string) ([]byte, *os.ProcessState, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(rt.Context, program, args...)
	if checkpoints != "" {
		cmd.Env = append(os.Environ(), "AGEKIT_STORE="+checkpoints)
	}
	cmd.Stderr = rt.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	return out, cmd.ProcessState, err
}
