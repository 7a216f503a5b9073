package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/provenance"
)

// modelFlags name a model and new nodes.
type modelFlags struct {
	Model    string `required:"" placeholder:"FILE" help:"model.npz of agekit fit --out."`
	Nodes    string `placeholder:"FILE" help:"Table of the new nodes, with the columns of the training's (.csv, .tsv, .txt, .parquet)."`
	Features string `placeholder:"FILE" help:"Their features, one row per node, if the training had --features: .npz, .npy or .csv."`
	Edges    string `placeholder:"FILE" help:"Table of their edges, among each other and to nodes of the training."`
	Alone    bool   `help:"The new nodes are a graph of their own, without edges to the training's."`
	ID       string `name:"id" placeholder:"COLUMN" help:"Column of --nodes with the ids (default: the first)."`
	edgeColumns
	headerFlag
}

// predict reads the model and the new nodes, and applies it to them. write writes the file out.
func (f modelFlags) predict(rt *Runtime, command, out string) (found *run.Predicted, write func(func(io.Writer) error) error, err error) {
	if out == "" {
		write = func(content func(io.Writer) error) error { return content(rt.Stdout) }
	} else if write, err = provenance.NewFile(rt.Context, command, out, append(run.Files(filepath.Dir(f.Model)), f.Model, f.Nodes, f.Features, f.Edges)...); err != nil {
		return nil, nil, fmt.Errorf("--out: %w", err)
	}
	if f.Nodes == "" && f.Features == "" {
		return nil, nil, misused("no new nodes: want --nodes with their table, or --features if the training had them")
	}
	if f.ID != "" && f.Nodes == "" {
		return nil, nil, misused("--id is a column of --nodes: want --nodes too")
	}
	m, err := run.LoadModel(rt.Context, f.Model)
	if err != nil {
		return nil, nil, err
	}
	new := input.Source{Nodes: f.Nodes, Features: f.Features, Edges: f.Edges, ID: f.ID, Header: f.Header, EdgeColumns: input.EdgeColumns(f.edgeColumns)}
	if found, err = m.Predict(rt.Context, new, f.Alone); err == nil {
		newConsole(rt.Stderr).data(found.Notes, found.Warnings)
	}
	return found, write, err
}

type predictCmd struct {
	modelFlags
	Out string `placeholder:"FILE" help:"Table to write: .csv, .tsv or .parquet (default: CSV to standard output)."`
}

func (c *predictCmd) Run(rt *Runtime) error {
	writeTable, err := table.Writer(cmp.Or(c.Out, ".csv"))
	if err != nil {
		return usageError{err}
	}
	found, write, err := c.predict(rt, "predict", c.Out)
	if err != nil {
		return err
	}
	second := table.NewNumbers("second", found.Second)
	t := &table.Table{Rows: len(found.IDs), Columns: []table.Column{table.NewWords("id", found.IDs), table.NewNumbers("cluster", found.Clusters), table.NewNumbers("confidence", found.Confidence), second}}
	return write(func(w io.Writer) error { return writeTable(w, t) })
}

type embedCmd struct {
	modelFlags
	Out string `required:"" placeholder:"FILE" help:"Array (.npy) or table (.csv, .tsv, .parquet) to write, one row for each new node, in the order of --nodes. The table has their ids first."`
}

func (c *embedCmd) Run(rt *Runtime) error {
	writeTable, err := table.Writer(c.Out)
	array := strings.EqualFold(filepath.Ext(c.Out), ".npy")
	if err != nil && !array {
		return usageError{err}
	}
	found, write, err := c.predict(rt, "embed", c.Out)
	if err != nil {
		return err
	}
	z := found.Embedding
	return write(func(w io.Writer) error {
		if array {
			return npy.WriteMatrix(w, z)
		}
		t := &table.Table{Rows: z.Rows, Columns: []table.Column{table.NewWords("id", found.IDs)}}
		for j := range z.Cols {
			column := make([]float32, z.Rows)
			for i := range column {
				column[i] = z.Data[i*z.Stride+j]
			}
			t.Columns = append(t.Columns, table.NewNumbers(fmt.Sprintf("embedding %d", j+1), column))
		}
		return writeTable(w, t)
	})
}
