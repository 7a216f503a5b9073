package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"text/tabwriter"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/checksum"
	"github.com/agekit/age/internal/provenance"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
)

// sweepCmd is `agekit sweep`.
type sweepCmd struct {
	graphFlags
	Seeds int `default:"5" help:"Number of seeds, from --seed on, for each of the numbers --clusters A..B."`
	settings.Settings
	trainingFlags
	Out string `required:"" placeholder:"DIR" help:"Folder for sweep.csv, sweep.json, sweep.svg, sweep.png and sweep.manifest.json (where they come from, for agekit verify)."`
	jsonFlag
}

// sweepOutputs are the files in --out, beside the manifest.
var sweepOutputs = []string{"sweep.csv", "sweep.json", "sweep.svg", "sweep.png"}

func (c *sweepCmd) Run(rt *Runtime) error {
	if err := c.check(); err != nil {
		return err
	}
	choice, err := resolveBackend(c.Backend)
	if err != nil {
		return err
	}
	data, err := c.load(rt, nil)
	if err != nil {
		return err
	}
	log := newConsole(rt.Stderr)
	defer log.close()
	o := run.Options{Settings: c.Settings, Backend: choice, Training: c.training()}
	// Settings that fit the least and the most clusters fit those between, too.
	for _, k := range []int{c.Clusters.Least, c.Clusters.Most} {
		fit := o
		fit.Clusters = views.Exactly(k)
		if _, err := fit.Plan(rt.Context, data); err != nil {
			return usageError{err}
		}
	}
	folder, inputs, err := c.openOutput(rt, data)
	if err != nil {
		return err
	}
	defer folder.Close()
	log.data(data.Notes, data.Warnings)
	log.line("backend %s: %s", choice.Name, choice.Reason)
	found, err := sweepRuns(rt.Context, log.checkpoints(), data, o, c.Clusters, c.Seeds, log)
	if rt.Context.Err() != nil {
		return fmt.Errorf("stopped; run the same command again to go on: %w", rt.Context.Err())
	}
	if err != nil {
		return err
	}
	log.close()
	record := sweepRecord{SchemaVersion: sweepVersion, Version: system.ProgramVersion().String(), Dataset: data.Graph.Name, Numbers: found}
	files, err := sweepFiles(record)
	if err == nil {
		m := c.manifest(rt, data.Graph, choice.Name, inputs)
		err = m.Write(rt.Context, folder, "sweep", files)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return c.emit(rt, record, func(w io.Writer) { printSweep(w, found) })
}

// check returns an error for flags that are wrong for any graph.
func (c *sweepCmd) check() error {
	if c.Seeds < 1 || c.Seeds > 1000 {
		return misused("--seeds is %d: want 1 to 1000", c.Seeds)
	}
	if c.Clusters == (views.Range{}) {
		return misused("--clusters is missing: want numbers to compare, such as 2..8")
	}
	if err := c.Settings.Check(); err != nil {
		return usageError{err}
	}
	return c.trainingFlags.check()
}

// openOutput locks the folder of --out, which the caller closes. It also returns the files that the graph
// was read from, with their checksums, for the manifest. It returns an error if the sweep would replace
// one of these files, or a file that no sweep wrote.
func (c *sweepCmd) openOutput(rt *Runtime, data *input.Data) (*atomicfile.Folder, []checksum.File, error) {
	inputs, err := c.inputs(rt, data, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("--out: inputs for the manifest: %w", err)
	}
	folder, err := atomicfile.LockFolder(c.Out)
	if err != nil {
		return nil, nil, fmt.Errorf("--out: %w", err)
	}
	var paths []string // of the outputs
	for _, name := range sweepOutputs {
		paths = append(paths, filepath.Join(c.Out, name))
	}
	err = cmp.Or(
		provenance.CheckReplaceable(rt.Context, c.Out, "sweep", sweepOutputs...),
		folder.Check(sweepOutputs...),
		atomicfile.CheckDistinct(paths, checksum.Paths(inputs)),
	)
	if err != nil {
		folder.Close()
		return nil, nil, fmt.Errorf("--out: %w", err)
	}
	return folder, inputs, nil
}

// manifest returns what says where the files of a sweep come from: the graph g and its files inputs, the
// name of the backend, and the flags.
func (c *sweepCmd) manifest(rt *Runtime, g *graph.Graph, backend string, inputs []checksum.File) provenance.Manifest {
	m := provenance.Manifest{
		Command:  "sweep",
		Settings: rt.settings(),
		Code:     []string{system.ProgramVersion().Code()},
		Backends: []string{backend},
		SIMD:     []string{simd.Level()},
		Graphs:   map[string]string{g.Name: g.Fingerprint()},
		Inputs:   inputs,
	}
	for seed := range uint64(c.Seeds) {
		m.Seeds = append(m.Seeds, c.Seed+seed)
	}
	return m
}

// sweepFiles returns, by the names in [sweepOutputs], functions that write the files of a sweep.
func sweepFiles(record sweepRecord) (map[string]func(io.Writer) error, error) {
	writeTable, err := table.Writer("sweep.csv")
	if err != nil {
		return nil, err
	}
	outputs := map[string]func(io.Writer) error{
		"sweep.csv": func(w io.Writer) error { return writeTable(w, sweepTable(record.Numbers)) },
		"sweep.json": func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(record)
		},
	}
	picture := sweepFigure(record.Dataset, record.Numbers)
	for _, extension := range []string{".svg", ".png"} {
		data, err := picture.Encode(extension)
		if err != nil {
			return nil, err
		}
		outputs["sweep"+extension] = atomicfile.Bytes(data)
	}
	return outputs, nil
}

// sweepTable returns a table with a row for each number of clusters, in the order of found. What a sweep
// does not have, such as a stability with one seed, is NaN.
func sweepTable(found []swept) *table.Table {
	t := &table.Table{Rows: len(found)}
	add := func(name string, value func(swept) float64) { // adds a column
		var values []float64
		for _, s := range found {
			values = append(values, value(s))
		}
		t.Columns = append(t.Columns, table.NewNumbers(name, values))
	}
	add("clusters", func(s swept) float64 { return float64(s.Clusters) })
	add("seeds", func(s swept) float64 { return float64(s.Seeds) })
	add("stability", func(s swept) float64 { return orNaN(s.Stability) })
	add("edges_inside", func(s swept) float64 { return s.Inside })
	add("modularity", func(s swept) float64 { return s.Modularity })
	add("features_explained", func(s swept) float64 { return s.Explained })
	add("acc", func(s swept) float64 { return orNaN(s.ACC) })
	add("seconds", func(s swept) float64 { return s.Seconds })
	return t
}

// orNaN returns the value that v points to, or NaN if v is nil.
func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// sweepFigure draws the stability, the share of the edges inside clusters and the modularity over the
// numbers of clusters, each as a line. The title is the name of the data set.
func sweepFigure(title string, found []swept) *figure.Figure {
	line := func(name string, value func(swept) float64) figure.Series {
		series := figure.Series{Name: name}
		for _, s := range found {
			if v := value(s); !math.IsNaN(v) {
				series.X = append(series.X, float64(s.Clusters))
				series.Y = append(series.Y, v)
			}
		}
		return series
	}
	series := []figure.Series{
		line("stability", func(s swept) float64 { return orNaN(s.Stability) }),
		line("edges inside", func(s swept) float64 { return s.Inside }),
		line("modularity", func(s swept) float64 { return s.Modularity }),
	}
	if len(series[0].Y) == 0 { // one seed has no stability
		series = series[1:]
	}
	return figure.Lines(title, "clusters", "", series...)
}

// printSweep writes a table with a line for each number of clusters; found is not empty.
func printSweep(w io.Writer, found []swept) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "clusters\tstability\tedges inside\tmodularity\tfeatures explained")
	hasLabels := found[0].ACC != nil
	if hasLabels {
		fmt.Fprint(t, "\tACC")
	}
	fmt.Fprintln(t)
	for _, s := range found {
		stability := "–"
		if s.Stability != nil {
			stability = fmt.Sprintf("%.3f", *s.Stability)
		}
		fmt.Fprintf(t, "%d\t%s\t%.3f\t%.3f\t%.3f", s.Clusters, stability, s.Inside, s.Modularity, s.Explained)
		if hasLabels {
			fmt.Fprintf(t, "\t%.3f", *s.ACC)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}
