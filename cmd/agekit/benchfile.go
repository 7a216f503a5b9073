package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/output"
)

// benchFile is the content of the file of `agekit bench --out`: the latest
// measurement of each job.
type benchFile struct {
	Jobs []benchRow `json:"jobs"`
}

// benchRow is one measured job. The rows of a file may come from different
// days and machines.
type benchRow struct {
	// Job is the job's name, with @EPOCHS if that is not the usual 400.
	// Job, Backend and Kind identify a row.
	Job     string `json:"job"`
	Backend string `json:"backend"`
	// Kind is exact or sampled for a training and the method for a
	// spectrum.
	Kind    string       `json:"kind"`
	Time    time.Time    `json:"time"`
	Commit  string       `json:"commit"`
	Machine benchMachine `json:"machine"`
	Product benchProduct `json:"product"`
	// Seconds is the wall-clock time of the whole process, and
	// ProcessorSeconds its time on all processors, user and system.
	// Products is Seconds as a multiple of the product's time.
	Seconds          float64 `json:"seconds"`
	ProcessorSeconds float64 `json:"processor_seconds"`
	Products         float64 `json:"products"`
	PeakRSSBytes     int64   `json:"peak_rss_bytes"`
	// DeviceMemoryBytes is the peak memory of a training with XLA on the
	// first NVIDIA GPU. FinalLoss is the mean loss of a training's last
	// epoch.
	DeviceMemoryBytes int64    `json:"device_memory_bytes,omitempty"`
	FinalLoss         *float64 `json:"final_loss,omitempty"`
	// Fit or Spectrum is the report that the job printed.
	Fit      *run.Record     `json:"fit,omitempty"`
	Spectrum *spectrumReport `json:"spectrum,omitempty"`
}

func (r benchRow) nodes() int {
	if r.Fit != nil {
		return r.Fit.N
	}
	return r.Spectrum.N
}

// readBenchFile reads measurements. A missing file has none.
func readBenchFile(path string) (benchFile, error) {
	var f benchFile
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

// merge adds a measurement, replacing an older one of the same job.
func (f *benchFile) merge(row benchRow) {
	for i, r := range f.Jobs {
		if r.Job == row.Job && r.Backend == row.Backend && r.Kind == row.Kind {
			f.Jobs[i] = row
			return
		}
	}
	f.Jobs = append(f.Jobs, row)
}

// addToBenchFile adds measurements to a file, which may be another process's
// too. Without any it checks that they could be added.
func addToBenchFile(ctx context.Context, path string, rows ...benchRow) error {
	folder, err := output.Wait(ctx, filepath.Dir(path), nil)
	if err != nil {
		return err
	}
	defer folder.Close()
	f, err := readBenchFile(path)
	if err != nil || len(rows) == 0 {
		return errors.Join(err, folder.Check(filepath.Base(path)))
	}
	for _, row := range rows {
		f.merge(row)
	}
	return folder.Write(ctx, map[string]func(io.Writer) error{filepath.Base(path): func(w io.Writer) error {
		return emit(&Runtime{Stdout: w}, true, f, nil)
	}})
}
