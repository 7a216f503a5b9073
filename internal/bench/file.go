package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/output"
)

// File holds the latest measurement of each job.
type File struct {
	Jobs []Row `json:"jobs"`
}

// Row is one measured job, on its own day and machine.
type Row struct {
	// Job is the job's name, with @EPOCHS if that is not 400. Job, Backend and Kind
	// identify a row.
	Job     string `json:"job"`
	Backend string `json:"backend"`
	// Kind is exact or sampled for a training and the method for a spectrum.
	Kind    string    `json:"kind"`
	Time    time.Time `json:"time"`
	Commit  string    `json:"commit"`
	Machine Machine   `json:"machine"`
	Product Product   `json:"product"`
	// Seconds is the wall-clock time of the whole process, ProcessorSeconds its time on all
	// processors, user and system, and Products Seconds as a multiple of the product's time.
	Seconds          float64 `json:"seconds"`
	ProcessorSeconds float64 `json:"processor_seconds"`
	Products         float64 `json:"products"`
	PeakRSSBytes     int64   `json:"peak_rss_bytes"`
	// DeviceMemoryBytes is the peak memory of a training with XLA on the first NVIDIA
	// GPU. FinalLoss is the mean loss of a training's last epoch.
	DeviceMemoryBytes int64    `json:"device_memory_bytes,omitempty"`
	FinalLoss         *float64 `json:"final_loss,omitempty"`
	// Fit or Spectrum is the report that the job printed.
	Fit      *run.Record `json:"fit,omitempty"`
	Spectrum *Spectrum   `json:"spectrum,omitempty"`
}

// Print writes one line for each job, for a terminal.
func (f File) Print(w io.Writer) {
	fmt.Fprintf(w, "%-24s %-8s %-8s %9s %9s %9s %9s %7s %11s\n", "job", "backend", "kind", "nodes", "seconds", "cpu s", "products", "MB", "product ms")
	for _, r := range f.Jobs {
		fmt.Fprintf(w, "%-24s %-8s %-8s %9d %9.1f %9.1f %9.0f %7d %11.1f\n",
			r.Job, r.Backend, r.Kind, r.Nodes(), r.Seconds, r.ProcessorSeconds, r.Products, r.PeakRSSBytes>>20, 1000*r.Product.Seconds)
	}
	if len(f.Jobs) > 0 {
		r := f.Jobs[len(f.Jobs)-1]
		fmt.Fprintf(w, "commit %s, %s; product 2708×1433×500 on %s\n", r.Commit, r.Machine, r.Product.Backend)
	}
}

// Nodes is the number of nodes of the job's graph.
func (r Row) Nodes() int {
	if r.Fit != nil {
		return r.Fit.N
	}
	return r.Spectrum.N
}

// Read reads measurements. A missing file has none.
func Read(path string) (File, error) {
	var f File
	data, err := limit.ReadFile(path, limit.Records)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, fmt.Errorf("%s: begins with %s, want measurements as agekit bench writes them", path, limit.Quote(data))
	}
	for i, r := range f.Jobs {
		if r.Job == "" || (r.Fit == nil) == (r.Spectrum == nil) || !(r.Seconds > 0) || !(r.Product.Seconds > 0) {
			return f, fmt.Errorf("%s: job %d, %q: want a name, seconds, a product and the report of one agekit fit or agekit spectrum", path, i+1, r.Job)
		}
	}
	return f, nil
}

// Merge adds a measurement, replacing an older one of the same job.
func (f *File) Merge(row Row) {
	same := func(r Row) bool { return r.Job == row.Job && r.Backend == row.Backend && r.Kind == row.Kind }
	if i := slices.IndexFunc(f.Jobs, same); i >= 0 {
		f.Jobs[i] = row
	} else {
		f.Jobs = append(f.Jobs, row)
	}
}

// Add adds measurements to a file, which other processes may write to as well.
// Without any, it checks that they could be added.
func Add(ctx context.Context, path string, rows ...Row) error {
	folder, err := output.Wait(ctx, filepath.Dir(path), nil)
	if err != nil {
		return err
	}
	defer folder.Close()
	f, err := Read(path)
	if err != nil || len(rows) == 0 {
		return errors.Join(err, folder.Check(filepath.Base(path)))
	}
	for _, row := range rows {
		f.Merge(row)
	}
	return folder.Write(ctx, map[string]func(io.Writer) error{filepath.Base(path): func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(f)
	}})
}

// Spectrum is what `agekit spectrum --json` prints.
type Spectrum struct {
	Dataset   string             `json:"dataset"`
	N         int                `json:"n"`
	LambdaMax float64            `json:"lambda_max"`
	Histogram Histogram          `json:"histogram"`
	Quantiles map[string]float64 `json:"quantiles"`
	Method    string             `json:"method"`
}

// Histogram counts the eigenvalues in bins of equal width.
type Histogram struct {
	Bins   int       `json:"bins"`
	Lo     float64   `json:"lo"`
	Hi     float64   `json:"hi"`
	Counts []float64 `json:"counts"`
	// StandardErrors is omitted if the counts are exact.
	StandardErrors []float64 `json:"standard_errors,omitempty"`
}
