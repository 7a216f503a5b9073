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
	"gonum.org/v1/gonum/blas/blas32"
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

// outputWriter returns a function that writes the result of a command, predict or embed: to the file out,
// or to standard output if out is "". A file that could not be written, or is not to be replaced, is an
// error of outputWriter, before anything is computed.
func (f modelFlags) outputWriter(rt *Runtime, command, out string) (func(content func(io.Writer) error) error, error) {
	if out == "" {
		return func(content func(io.Writer) error) error { return content(rt.Stdout) }, nil
	}
	// The files that must not be replaced: those of the run that the model is of, and those of the nodes.
	inputs := append(run.Files(filepath.Dir(f.Model)), f.Model, f.Nodes, f.Features, f.Edges)
	write, err := provenance.NewFile(rt.Context, command, out, inputs...)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return write, nil
}

// predict returns the clusters and embeddings of the new nodes by the model, both of which it reads.
func (f modelFlags) predict(rt *Runtime) (*run.Predicted, error) {
	if f.Nodes == "" && f.Features == "" {
		return nil, misused("no new nodes: want --nodes with their table, or --features if the training had them")
	}
	if f.ID != "" && f.Nodes == "" {
		return nil, misused("--id is a column of --nodes: want --nodes too")
	}
	m, err := run.LoadModel(rt.Context, f.Model)
	if err != nil {
		return nil, err
	}
	newNodes := input.Source{
		Nodes: f.Nodes, Features: f.Features, Edges: f.Edges,
		ID: f.ID, Header: f.Header, EdgeColumns: input.EdgeColumns(f.edgeColumns),
	}
	found, err := m.Predict(rt.Context, newNodes, f.Alone)
	if err != nil {
		return nil, err
	}
	newConsole(rt.Stderr).data(found.Notes, found.Warnings)
	return found, nil
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
	write, err := c.outputWriter(rt, "predict", c.Out)
	if err != nil {
		return err
	}
	found, err := c.predict(rt)
	if err != nil {
		return err
	}
	return write(func(w io.Writer) error { return writeTable(w, found.Table()) })
}

type embedCmd struct {
	modelFlags
	Out string `required:"" placeholder:"FILE" help:"Array (.npy) or table (.csv, .tsv, .parquet) to write, one row for each new node, in the order of --nodes. The table has their ids first."`
}

func (c *embedCmd) Run(rt *Runtime) error {
	writeTable, err := table.Writer(c.Out) // an error for an array
	isArray := strings.EqualFold(filepath.Ext(c.Out), ".npy")
	if err != nil && !isArray {
		return usageError{err}
	}
	write, err := c.outputWriter(rt, "embed", c.Out)
	if err != nil {
		return err
	}
	found, err := c.predict(rt)
	if err != nil {
		return err
	}
	return write(func(w io.Writer) error {
		if isArray {
			return npy.WriteMatrix(w, found.Embedding)
		}
		return writeTable(w, embeddingTable(found.IDs, found.Embedding))
	})
}

// embeddingTable returns a table of the ids and a column for each dimension of the embedding z.
func embeddingTable(ids []string, z blas32.General) *table.Table {
	t := &table.Table{Rows: z.Rows, Columns: []table.Column{table.NewWords("id", ids)}}
	for j := range z.Cols {
		column := make([]float32, z.Rows)
		for i := range column {
			column[i] = z.Data[i*z.Stride+j]
		}
		t.Columns = append(t.Columns, table.NewNumbers(fmt.Sprintf("embedding %d", j+1), column))
	}
	return t
}
