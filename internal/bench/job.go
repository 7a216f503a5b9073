package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/agekit/age/internal/output"
	"github.com/agekit/age/internal/rss"
	"github.com/agekit/age/internal/version"
)

// Job is an agekit command line to measure.
type Job struct {
	Name     string
	args     []string
	spectrum string // eigenvalues or density; empty for a training
}

var (
	jobForm = regexp.MustCompile(`^(eigenvalues-|density-)?(.+?)(-onestep)?(?:@([0-9]+))?$`)
	sized   = regexp.MustCompile(`^(?:planted-)?([0-9]+)$`)
)

const usualEpochs = 400

// Settings are what all jobs have in common.
type Settings struct {
	Epochs  int    // of jobs without @EPOCHS
	Data    string // folder with data sets, searched first; may be empty
	Backend string
	Ranking string
}

// Job parses a job's name; `agekit bench --help` lists their forms.
func (c Settings) Job(name string) (Job, error) {
	m := jobForm.FindStringSubmatch(name)
	if m == nil {
		return Job{}, fmt.Errorf("%q: want a data set or planted-N (see agekit bench --help)", name)
	}
	spectrum, graph, oneStep, epochs := strings.TrimSuffix(m[1], "-"), m[2], m[3] != "", c.Epochs
	if spectrum != "" && (oneStep || m[4] != "") {
		return Job{}, fmt.Errorf("%s: jobs for eigenvalues and densities have no epochs and no steps", name)
	}
	if m[4] != "" {
		var err error
		if epochs, err = strconv.Atoi(m[4]); err != nil || epochs < 1 {
			return Job{}, fmt.Errorf("%s: %s epochs: want 1 or more", name, m[4])
		}
	}
	j := Job{Name: strings.TrimSuffix(name, "@"+m[4]), spectrum: spectrum}
	graph = graphName(graph)
	if spectrum != "" {
		j.args = []string{"spectrum", "--json", "--dataset", graph}
	} else {
		if epochs != usualEpochs {
			j.Name += fmt.Sprintf("@%d", epochs)
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
	return sized.ReplaceAllString(job, "planted:n=$1,degree=14,f=128,seed=1")
}

// Measure times the job and then the product, each in a process of its own. The job's
// checkpoints go to a new folder, so that it cannot resume another run. What it logs
// goes to progress.
func (j Job) Measure(ctx context.Context, progress io.Writer) (Row, error) {
	row := Row{Job: j.Name, Time: time.Now().UTC().Truncate(time.Second), Commit: version.Program().Code(), Machine: thisMachine()}
	folder, remove, err := output.Scratch("agekit-bench-")
	if err != nil {
		return row, err
	}
	defer remove()
	var log bytes.Buffer
	stop := watchGPU()
	start := time.Now()
	out, state, err := runSelf(ctx, io.MultiWriter(progress, &log), folder, j.args...)
	row.Seconds = time.Since(start).Seconds()
	deviceMemory := stop()
	if err != nil {
		return row, err
	}
	row.ProcessorSeconds = (state.UserTime() + state.SystemTime()).Seconds()
	row.PeakRSSBytes = rss.Of(state)
	if err := j.read(out, &row); err != nil {
		return row, err
	}
	row.FinalLoss = lastLoss(log.Bytes())
	if strings.HasPrefix(row.Backend, "xla:") {
		row.DeviceMemoryBytes = deviceMemory
	}
	if row.Product, err = productOf(ctx, progress); err != nil {
		return row, err
	}
	row.Products = row.Seconds / row.Product.Seconds
	return row, nil
}

// read parses what the job printed.
func (j Job) read(out []byte, row *Row) error {
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
func productOf(ctx context.Context, progress io.Writer) (p Product, err error) {
	out, _, err := runSelf(ctx, progress, "", "bench", "product", "--json")
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	if err != nil {
		return p, fmt.Errorf("product: %w", err)
	}
	return p, nil
}

// runSelf runs this program in a separate process, with its checkpoints in the given
// folder, if any, and returns what it printed. It passes an interrupt on, and gives the
// process a second to exit.
func runSelf(ctx context.Context, progress io.Writer, checkpoints string, args ...string) ([]byte, *os.ProcessState, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	if checkpoints != "" {
		cmd.Env = append(os.Environ(), "AGEKIT_STORE="+checkpoints)
	}
	cmd.Stderr = progress
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	return out, cmd.ProcessState, err
}
